# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of the commands: registration, values of options, and answers."""

from __future__ import annotations

import argparse
import errno
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.toml_line import with_lines
from shellgen.errors import InternalError, Problem, StatedError, printable

if TYPE_CHECKING:
    from shellgen.model.base import Json

PASSED, FAILED, WRONG_INPUT, UNCHECKED = 0, 1, 2, 3
INTERNAL = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED, TERMINATED, NO_READER = 130, 143, 141


@dataclass(frozen=True)
class Answer:
    """The answer of a command, which is printed exactly once.

    Attributes:
        text: Text for people, on stdout.
        data: The same for programs, instead of the text; ``ok`` is added.
        code: Exit code.
        asides: Lines for stderr.
        styled: The text is ours alone and may hold colours; any other is escaped.
    """

    text: str
    data: Mapping[str, Json] = field(default_factory=dict)
    code: int = PASSED
    asides: tuple[str, ...] = ()
    styled: bool = False

    def record(self) -> str:
        """Return the JSON document, one line."""
        return json.dumps({"ok": self.code == PASSED, **self.data})


def with_page(answer: Answer, folder: Path) -> Answer:
    """End an answer about a generated folder with the page that shows its cluster."""
    page = folder / "report.html"
    return replace(answer, text=f"{answer.text}\n\nreport: {page}".lstrip()) if page.is_file() else answer


# Adds a command: name, function, one line of help.
AddCommand = Callable[[str, Callable[[argparse.Namespace], Answer], str], argparse.ArgumentParser]


def whole_number(text: str, most: int) -> int:
    """Return the value of an option that counts something, from 1."""
    try:
        found = int(text) if text.isdecimal() else 0
    except ValueError:  # more digits than Python converts
        found = 0
    if not 1 <= found <= most:
        raise argparse.ArgumentTypeError(f"got {text!r}; give a whole number from 1 to {most}")
    return found


def failure(problems: Sequence[Problem]) -> Answer:
    """Return problems as an answer, followed by the lines that their remedies refer to."""
    problems = with_lines(problems)
    paste = "\n".join(problem.paste for problem in problems if problem.paste)
    data: dict[str, Json] = {"problems": [str(problem) for problem in problems]}
    asides = [f"shellgen: error: {problem}" for problem in problems]
    if paste:
        data["paste"] = paste
        asides += ["", "Fill in and add to cluster.toml:", "", paste.rstrip("\n")]
    return Answer("", data, WRONG_INPUT, tuple(asides))


class Terminated(KeyboardInterrupt):
    """SIGTERM or a closed terminal: ends a command like Ctrl-C, without leftovers."""


def internal(problems: Sequence[str]) -> Answer:
    """Return an internal error as an answer: a request to report it, and a separate exit code."""
    asides = tuple(f"shellgen: internal error: {printable(said)}" for said in problems)
    return Answer("", {"problems": [f"internal error: {said}" for said in problems]}, INTERNAL, asides)


def ended(error: StatedError | OSError | KeyboardInterrupt) -> Answer:
    """Return the answer of a command that was interrupted or failed."""
    if isinstance(error, InternalError):
        return internal([str(problem) for problem in error.problems])
    if isinstance(error, StatedError):
        return failure(error.problems)
    if isinstance(error, OSError):  # any error of the machine: a full disk, a folder without permission
        where, found = str(error.filename or "this machine"), error.strerror or str(error)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "Make room on that disk" if full else "Check the path and its permissions"
        return failure([Problem(where, found, remedy)])
    stopped = isinstance(error, Terminated)
    said = "terminated" if stopped else "interrupted"
    return Answer("", {"problems": [said]}, TERMINATED if stopped else INTERRUPTED, (f"shellgen: {said}",))
