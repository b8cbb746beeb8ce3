# SPDX-License-Identifier: BSD-3-Clause
"""The errors a user can meet. Each carries every problem of its stage, not just the first."""

from __future__ import annotations

from dataclasses import dataclass

_LONGEST = 2000


def printable(text: str) -> str:
    """Return a text for one line of a terminal, a log or a file.

    What would move the cursor, change a colour, turn the direction of reading or end the line is written as
    in a Python literal.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where it is, what was found, and what to do about it.

    Attributes:
        where: The file and, after a colon, the field (``cluster.toml: node[1].board``).
        found: What is wrong with it, in a sentence without a final stop.
        remedy: What the user can do, in a sentence without a final stop.
        paste: Lines that the remedy asks for, ready for cluster.toml but for what the user fills in.
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


class ShellgenError(Exception):
    """Base of all errors that are the user's to mend; the command line prints them and exits 2."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in problems))


class InputError(ShellgenError):
    """A file that is missing, malformed or of a version we do not know."""


class PlanError(ShellgenError):
    """The inputs are each legal but cannot be made into a system."""


class ToolMissingError(ShellgenError):
    """A program that was asked for is not installed."""


class SimulationError(ShellgenError):
    """The simulation did not pass, or compared nothing."""


class PluginError(ShellgenError):
    """A link or a platform of another package that raised, or returned what it must not."""


def one(cls: type[ShellgenError], where: str, found: str, remedy: str) -> ShellgenError:
    """Make an error of one problem."""
    return cls(Problem(where, found, remedy))
