# SPDX-License-Identifier: BSD-3-Clause
"""boards/*.toml to `Board`."""

from __future__ import annotations

from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.model import Board
from shellgen.read.toml import read_toml
from shellgen.resources import data_dir


def read_boards(folder: Path | None = None) -> tuple[Board, ...]:
    """Read all boards, by name.

    Args:
        folder: Where the TOML files are; ours by default.

    Raises:
        InputError: Every field of every file that does not fit.
    """
    problems: list[Problem] = []
    boards = []
    for path in sorted((folder or data_dir("boards")).glob("*.toml")):
        try:
            boards.append(_read(path))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(*problems)
    return tuple(boards)


def read_board(name: str, folder: Path | None = None, where: str = "board") -> Board:
    """Read the board of this name.

    Args:
        name: Stem of its file.
        folder: Where the TOML files are; ours by default.
        where: File and field that name it, for messages.

    Raises:
        InputError: There is none (the message lists those there are), or its file does not fit.
    """
    base = folder or data_dir("boards")
    known = sorted(path.stem for path in base.glob("*.toml"))
    if name not in known:
        remedy = f"Choose one of: {', '.join(known) or 'none'}"
        raise InputError(Problem(where, f"there is no board {name!r}", remedy))
    return _read(base / f"{name}.toml")


def _read(path: Path) -> Board:
    where = f"boards/{path.name}"
    board = Board.from_data(read_toml(path, where), where)
    if board.name != path.stem:
        found = f"got {board.name!r} in the file of {path.stem!r}"
        raise InputError(Problem(f"{where}: name", found, "Give the board the name of its file"))
    return board
