# SPDX-License-Identifier: BSD-3-Clause
"""Why a data literal of a source cannot be served; where it stands is added by who knows it."""

from __future__ import annotations

from pathlib import Path

from shellgen.read.initial import is_readable


class Refusal(Exception):  # noqa: N818 - it is no error of the program
    """Why a literal cannot be served.

    Attributes:
        found: What is wrong.
        remedy: What to do about it.
    """

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.found = found
        self.remedy = remedy


def check_readable(path: Path, content: bytes) -> None:
    """Refuse a file in which ``$readmemh`` finds no words.

    Raises:
        Refusal: It is empty, or something else.
    """
    if not is_readable(content):
        found = f"the data file {path} is {'no text of hexadecimal words' if content.strip() else 'empty'}"
        raise Refusal(found, "Copy it again; git-lfs may have left a pointer file in its place")
