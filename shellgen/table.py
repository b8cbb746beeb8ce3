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
    _narrow(columns, widths, width)
    return [line for row in cells for line in _row(columns, widths, row)]


def wrapped(text: str, width: int, indent: str = _INDENT) -> list[str]:
    """Return the lines of a text, at most ``width`` characters each, broken between parts of names."""
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


def _narrow(columns: Sequence[Column], widths: list[int], width: int | None) -> None:
    """Take from the widest column that may be wrapped until the table fits, or nothing can be taken."""
    if width is None:
        return
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    while excess > 0:
        able = [i for i, c in enumerate(columns) if c.wrap and widths[i] > max(_NARROWEST, len(c.title))]
        if not able:
            return
        widest = max(able, key=lambda index: widths[index])
        widths[widest] -= 1
        excess -= 1


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
