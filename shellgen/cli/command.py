# SPDX-License-Identifier: BSD-3-Clause
"""What the commands share: how one is added, and how it prints."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Callable, Sequence

from shellgen.errors import Problem, printable

# Adds a command: its name, the function that carries it out and returns the exit code, one line of help.
AddCommand = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]


def tell(args: argparse.Namespace, text: str, data: object) -> None:
    """Print what a command has to tell: the text, or with ``--json`` the record."""
    print(json.dumps(data) if args.json else "\n".join(map(printable, text.split("\n"))))


def fail(args: argparse.Namespace, problems: Sequence[Problem]) -> None:
    """Print problems, and after them the lines that their remedies ask for."""
    paste = "\n".join(problem.paste for problem in problems if problem.paste)
    if args.json:
        record = {"ok": False, "problems": [str(problem) for problem in problems]}
        print(json.dumps(record | ({"paste": paste} if paste else {})))
    for problem in problems:
        print(f"shellgen: error: {problem}", file=sys.stderr)
    if paste:
        print(f"\nTo be filled in and added to cluster.toml:\n\n{paste}", file=sys.stderr, end="")


class Notes(logging.Handler):
    """Prints what the readers warn of, a line each."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one warning."""
        print(f"shellgen: note: {printable(record.getMessage())}", file=sys.stderr)


def progress(line: str) -> None:
    """Print a line about a step."""
    print(line, flush=True)


def quiet(line: str) -> None:
    """Print nothing about steps."""
    del line
