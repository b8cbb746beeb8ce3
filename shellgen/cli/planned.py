# SPDX-License-Identifier: BSD-3-Clause
"""The plan that an argument stands for: a cluster.toml, or a folder that `shellgen generate` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shellgen.model import Plan


def planned(path: Path, *, overfull: bool = False) -> Plan:
    """Read the plan of a folder, or make that of a cluster.toml, which may exceed its boards if asked for.

    Raises:
        ShellgenError: The input is not in order.
    """
    if path.is_dir():
        from shellgen.disk.changes import settle
        from shellgen.read.output import read_plan

        settle(path)
        return read_plan(path)
    from shellgen.api import load

    return load(path, overfull=overfull)[0]
