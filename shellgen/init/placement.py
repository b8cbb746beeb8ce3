# SPDX-License-Identifier: BSD-3-Clause
"""``[[node]]`` tables from a floorplan: one board per device."""

from __future__ import annotations

from pathlib import Path

from shellgen.read import read_board
from shellgen.read.floorplan import Placed, read_floorplan
from vivado_check.formats.files import StrPath


def import_floorplan(path: StrPath, board: str) -> str:
    """Return the text for cluster.toml.

    Args:
        path: FINN's floorplan or finn-plus's partitioning.
        board: Board of every node, which the file does not contain.

    Raises:
        InputError: The file has neither format, or there is no such board.
    """
    path = Path(path)
    read_board(board, Path(), "shellgen import-floorplan: --board")
    placed = read_floorplan(path)
    lines = [f"# From {path.name}: {len(placed)} partition{'s' * (len(placed) != 1)}, in network order."]
    for device in sorted({entry.device for entry in placed}):
        inside = [index for index, entry in enumerate(placed) if entry.device == device]
        lines += ["", "[[node]]", f'name = "fpga{device}"', f'board = "{board}"']
        lines += [f"# {_note(index, placed[index])}" for index in inside]
        lines.append(f"partitions = {inside}")
    return "\n".join(lines) + "\n"


def _note(index: int, entry: Placed) -> str:
    names = entry.names if len(entry.names) < 4 else (entry.names[0], "...", entry.names[-1])
    region = f", SLR {entry.slr}" if entry.slr >= 0 else ""
    return f"{index}: {', '.join(names)}{region}"
