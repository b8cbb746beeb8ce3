# SPDX-License-Identifier: BSD-3-Clause
"""A board's TOML file to `Board`, by name along a search path or by its own path."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.errors import InputError, Problem, offer, plain
from shellgen.model.board import Board
from shellgen.resources import BOARDS, data_dir, homes
from vivado_check.formats.data import read_toml
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import glob, is_dir, is_file

VARIABLE = BOARDS
_BESIDE = "boards"
# Fields of earlier releases.
_REMEDIES = {
    "platform": "Remove the line, and call the table [zynq] [platform.zynq]",
    "zynq": "Call the table [platform.zynq]",
    "links": "Remove it: a board has the links whose docks its platforms offer",
}


@dataclass(frozen=True)
class BoardFolder:
    """A folder in which boards are looked for by name.

    Attributes:
        path: The folder.
        origin: What put it on the search path, for the reader.
    """

    path: Path
    origin: str

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of boards, by name."""
        return tuple(glob(self.path, "*.toml"))


@dataclass(frozen=True)
class FoundBoard:
    """A board and where it is from.

    Attributes:
        board: The board.
        path: Its file.
        origin: What put the folder of the file on the search path.
    """

    board: Board
    path: Path
    origin: str


def variable() -> str:
    """Return what `VARIABLE` says."""
    return os.environ.get(VARIABLE, "")


def board_folders(project: Path | None = None) -> tuple[BoardFolder, ...]:
    """Return the search path: ``boards/`` of the project, those of $SHELLGEN_BOARDS, plug-ins', ours.

    Args:
        project: Folder of cluster.toml.

    Raises:
        InputError: The variable names a folder that is not there.
    """
    named = [Path(text) for text in variable().split(os.pathsep) if text]
    missing = [path for path in named if not is_dir(path)]
    if missing:
        remedy = "Correct the variable or unset it"
        raise InputError(*(Problem(f"${VARIABLE}", f"there is no folder {path}", remedy) for path in missing))
    beside = (project or Path()) / _BESIDE
    folders = [BoardFolder(beside, f"{_BESIDE}/ beside cluster.toml")] if is_dir(beside) else []
    folders += [BoardFolder(path, f"${VARIABLE}") for path in named]
    ours = BoardFolder(data_dir("boards"), "shellgen")
    once = {ours.path.resolve(): ours}
    for folder in folders:
        once.setdefault(folder.path.resolve(), folder)
    for home in homes()[1:]:
        if is_dir(home / _BESIDE):
            once.setdefault((home / _BESIDE).resolve(), BoardFolder(home / _BESIDE, f"plug-in {home.name}"))
    return (*(folder for folder in once.values() if folder is not ours), ours)


def find_boards(project: Path | None = None) -> tuple[FoundBoard, ...]:
    """Read every board of the search path; of two files of one name both, unless they are equal.

    Raises:
        InputError: Every field of every file that does not fit.
    """
    problems: list[Problem] = []
    found: dict[tuple[str, bytes], FoundBoard] = {}
    for folder in board_folders(project):
        for path in folder.files:
            try:
                board = _read(path, _title(folder, path))
                found.setdefault((board.name, file_bytes(path)), FoundBoard(board, path, folder.origin))
            except InputError as error:
                problems.extend(error.problems)
    if problems:
        raise InputError(*problems)
    return tuple(sorted(found.values(), key=lambda one: one.board.name))


def read_boards(project: Path | None = None) -> tuple[Board, ...]:
    """Read the boards that a cluster.toml in this folder can name, each by its name.

    Raises:
        InputError: Every field of every file that does not fit, and names that mean several boards.
    """
    found = find_boards(project)
    problems = []
    for name in {one.board.name: None for one in found}:
        problems += _unclear(name, [one.path for one in found if one.board.name == name], "boards")
    if problems:
        raise InputError(*problems)
    return tuple(one.board for one in found)


def read_board(name: str, project: Path | None = None, where: str = "board") -> Board:
    """Read a board.

    Args:
        name: Stem of its file on the search path, in any case and with any marks between its parts; or the
            path of the file, seen from ``project``: what has a slash or ends in ``.toml``.
        project: Folder of cluster.toml.
        where: File and field that name it, for messages.

    Raises:
        InputError: There is none (the message lists those there are), several of this name differ, or its
            file does not fit.
    """
    if "/" in name or name.endswith(".toml"):
        path = (project or Path()) / name
        if not is_file(path):
            seen = (
                "the current folder"
                if path.parts == Path(name).parts
                else f"{project}, the folder of cluster.toml"
            )
            remedy = f"Correct the path; it is relative to {seen}"
            raise InputError(Problem(where, f"there is no file {name}", remedy))
        return _read(path, str(path))
    folders = board_folders(project)
    known = sorted({path.stem for folder in folders for path in folder.files})
    stem = _stem(name, known)
    hits = [(folder, path) for folder in folders for path in folder.files if path.stem == stem]
    if not hits:
        remedy = f"{offer(name, known, 'Choose one of')}; or name a file of yours, as in ./my.toml"
        raise InputError(Problem(where, f"there is no board {name!r}", remedy))
    problems = _unclear(name, [path for _, path in hits], where)
    if problems:
        raise InputError(*problems)
    folder, path = hits[0]
    return _read(path, _title(folder, path))


def _stem(name: str, known: Sequence[str]) -> str:
    """Return the file that a name means: FINN writes Pynq-Z2, others PYNQ-Z2 or pynq_z2."""
    alike = [stem for stem in known if plain(stem) == plain(name)]
    return name if name in known or len(alike) != 1 else alike[0]


def _title(folder: BoardFolder, path: Path) -> str:
    """Name a file for messages: ours without the folder of the installation."""
    return f"boards/{path.name}" if folder.path == data_dir("boards") else str(path)


def _unclear(name: str, paths: Sequence[Path], where: str) -> list[Problem]:
    """Refuse to choose between boards of one name: a project must mean the same on every machine."""
    contents = {file_bytes(path): path for path in reversed(paths)}
    if len(contents) < 2:
        return []
    files = " and ".join(str(path) for path in reversed(contents.values()))
    found = f"{name!r} names boards that differ: {files}"
    return [Problem(where, found, "Rename yours, or name it by its path, as in ./my.toml")]


def _read(path: Path, where: str) -> Board:
    board = Board.from_data(read_toml(path, where), where, remedies=_REMEDIES)
    if board.name != path.stem:
        found = f"got {board.name!r} in the file of {path.stem!r}"
        raise InputError(Problem(f"{where}: name", found, "Give the board the name of its file"))
    return board.read_from(where)
