# SPDX-License-Identifier: BSD-3-Clause
"""From the outside to the model: FINN builds, cluster.toml, boards. Only here are foreign formats parsed.

What reads a FINN build needs ONNX, which takes a while to import; who reads `plan.json` does not need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shellgen.read.board import board_folders, find_boards, read_board, read_boards
from shellgen.read.cluster import read_cluster
from shellgen.read.uniquify import uniquify

if TYPE_CHECKING:
    from shellgen.read.network import read_network

__all__ = [
    "board_folders",
    "find_boards",
    "read_board",
    "read_boards",
    "read_cluster",
    "read_network",
    "uniquify",
]


def __getattr__(name: str) -> Any:
    """Import `read_network` when it is asked for.

    Raises:
        AttributeError: There is no such name.
    """
    if name == "read_network":
        from shellgen.read.network import read_network  # noqa: PLC0415 - see above

        return read_network
    raise AttributeError(name)
