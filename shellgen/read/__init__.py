# SPDX-License-Identifier: BSD-3-Clause
"""From the outside to the model: FINN builds, cluster.toml, boards. Only here are foreign formats parsed.

What reads a FINN build needs ONNX, which takes a while to import, and what reads cluster.toml or a board
needs records of the model; each is imported when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shellgen.read.board import board_folders, find_boards, read_board, read_boards
    from shellgen.read.cluster import read_cluster
    from shellgen.read.network import read_network

__all__ = [
    "board_folders",
    "find_boards",
    "read_board",
    "read_boards",
    "read_cluster",
    "read_network",
]


_WHERE = {
    **dict.fromkeys(("board_folders", "find_boards", "read_board", "read_boards"), "board"),
    "read_cluster": "cluster",
    "read_network": "network",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for.

    Raises:
        AttributeError: There is no such name.
    """
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
