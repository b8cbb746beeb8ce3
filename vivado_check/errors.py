# SPDX-License-Identifier: BSD-3-Clause
"""The errors a user can meet. Each carries every problem of its stage, not just the first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Self

_LONGEST = 2000


def printable(text: str) -> str:
    """Return a text for one line of a terminal, a log or a file.

    What would move the cursor, change a colour, turn the direction of reading or end the line is written as
    in a Python literal.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def plain(name: str) -> str:
    """Return a name without differences in writing: case, and marks between its parts."""
    return "".join(char for char in name.casefold() if char.isalnum())


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that was probably meant; empty if none is near."""
    by_plain = {plain(one): one for one in known}
    near = get_close_matches(plain(name), by_plain, 1)
    return by_plain[near[0]] if near else ""


def offer(name: str, known: Iterable[str], words: str = "Choose from") -> str:
    """Return the remedy for a name that is not known: what was probably meant, and what there is."""
    known = list(known)
    near = nearest(name, known)
    return f"{f'Did you mean {near}? ' if near else ''}{words}: {', '.join(known) or 'none'}"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where it is, what was found, and what to do about it.

    Attributes:
        where: The file and, after a colon, the field (``cluster.toml: node[1].board``).
        found: What is wrong with it, in a sentence without a final stop.
        remedy: What the user can do, in a sentence without a final stop.
        paste: Lines that the remedy asks for, ready for the file but for what the user fills in.
    """

    where: str
    found: str
    remedy: str
    paste: str = ""

    def __str__(self) -> str:
        text = printable(f"{self.where}: {self.found}. {self.remedy}.")
        if len(text) <= _LONGEST:
            return text
        return f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


class StatedError(Exception):
    """An error that a command states in one line for each problem: the user's, or an internal one."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in problems))

    def advising(self, remedy: str) -> Self:
        """Return the same problems with one remedy, for a file that a program wrote and nobody edits."""
        return type(self)(*(replace(problem, remedy=remedy, paste="") for problem in self.problems))


class UserError(StatedError):
    """Base of all errors that the user can fix; a command line prints them and exits 2."""


class InputError(UserError):
    """A file that is missing, malformed or of a version we do not know."""


class ToolMissingError(UserError):
    """A program that was asked for is not installed."""
