# SPDX-License-Identifier: BSD-3-Clause
"""Tables of plain text: as wide as what is in them, or wrapped to a terminal; nothing is ever cut off."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from shellgen.errors import printable

_GAP = "  "
_NARROWEST = 14  # a wrapped column keeps so many characters
_INDENT = "  "  # of the lines that go on
# A name may be broken after these; they stay at the end of the line.
_PIECE = re.compile(r"[^\s_/.,:]*[\s_/.,:]+|[^\s_/.,:]+")


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        title: Above it.
        right: Flush right, for numbers.
        wrap: It may be wrapped where the table is too wide: for names and sentences.
    """

    title: str
    right: bool = False
    wrap: bool = False


def terminal_width() -> int | None:
    """Return the columns of the terminal that stdout is; None for a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def table(columns: Sequence[Column], rows: Sequence[Sequence[object]], width: int | None = None) -> list[str]:
    """Return the lines of a table, titles first.

    Each column is as wide as its content. Where that is more than ``width``, cells of `Column.wrap` go on in
    further lines, the widest column first: a name is broken after an underscore or the like, so that what
    distinguishes it stays. Everything can be read, and each row of a pipe is one line.

    Args:
        columns: What there is.
        rows: A cell for each column; control characters are shown escaped.
        width: Characters of a line, or None for any number.
    """
    cells = [[column.title for column in columns], *([printable(str(cell)) for cell in row] for row in rows)]
    widths = [max(len(row[index]) for row in cells) for index in range(len(columns))]
    if width is not None:
        _narrow(widths, _floors(columns, cells, whole=True), width)
        _narrow(widths, _floors(columns, cells, whole=False), width)
    return [line for row in cells for line in _row(columns, widths, row)]


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, at most ``width`` characters each, broken between parts of names."""
    indent = "" if " " in text else _INDENT  # a name that goes on must not look like another
    lines, line = [], ""
    for piece in _PIECE.findall(text):
        while len(line) + len(piece.rstrip()) > width:
            room = width - len(line)
            if line.strip() and len(piece.rstrip()) <= width - len(indent):
                room = 0
            lines.append((line + piece[:room]).rstrip())
            line, piece = indent, piece[room:]  # noqa: PLW2901 - what is left of it
        line += piece
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _floors(columns: Sequence[Column], cells: Sequence[Sequence[str]], whole: bool) -> list[int]:
    """Return the least width of each column: that of its content, or where it may be wrapped of its parts.

    Parts of names stay ``whole`` as long as the table fits that way.
    """
    floors = []
    for index, column in enumerate(columns):
        texts = [row[index] for row in cells]
        if column.wrap:
            parts = [len(piece) for text in texts for piece in _PIECE.findall(text)] if whole else []
            floors.append(max(_NARROWEST, len(column.title), *(size + len(_INDENT) for size in parts)))
        else:
            floors.append(max(map(len, texts)))
    return floors


def _narrow(widths: list[int], floors: Sequence[int], width: int) -> None:
    """Take from the widest column until the table fits, or none is above its floor."""
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    for _ in range(excess):
        able = [index for index, floor in enumerate(floors) if widths[index] > floor]
        if not able:
            return
        widths[max(able, key=lambda index: widths[index])] -= 1


def _row(columns: Sequence[Column], widths: Sequence[int], row: Sequence[str]) -> list[str]:
    parts = [
        wrapped(cell, size) if len(cell) > size else [cell] for cell, size in zip(row, widths, strict=True)
    ]
    lines = []
    for index in range(max(map(len, parts))):
        texts = [part[index] if index < len(part) else "" for part in parts]
        aligned = [
            text.rjust(size) if column.right else text.ljust(size)
            for column, text, size in zip(columns, texts, widths, strict=True)
        ]
        lines.append(_GAP.join(aligned).rstrip())
    return lines
