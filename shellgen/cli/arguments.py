# SPDX-License-Identifier: BSD-3-Clause
"""The parser: errors become problems, help becomes an answer, `--json` is accepted anywhere."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from shellgen import __version__
from shellgen.errors import Problem, ShellgenError, nearest

PROG = "shellgen"
_BAD_VALUE = re.compile(r"^argument (\S+): invalid (int|float|_\w+) value: (.*)$", re.DOTALL)


class UsageError(ShellgenError):
    """The command line is wrong."""


class Shown(Exception):  # noqa: N818 - what is asked for, and no error
    """Help or version was requested.

    Attributes:
        name: Key in the JSON record.
        text: The requested text.
    """

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        super().__init__(text)


class Parser(argparse.ArgumentParser):
    """Raises instead of printing and exiting; accepts no abbreviations, which a new option might break.

    Attributes:
        styled: The help is for a terminal that shows colour.
    """

    def __init__(self, *, styled: bool = False, **options: Any) -> None:
        self.styled, self._formats_help = styled, False
        super().__init__(allow_abbrev=False, **options)
        self.color = False  # Python 3.14 colours by itself, also what goes into a JSON document

    def format_help(self) -> str:
        """Return the help."""
        self._formats_help = True
        try:
            return super().format_help()
        finally:
            self._formats_help = False

    def _get_formatter(self) -> argparse.HelpFormatter:
        # argparse makes a formatter for each argument that is added, too: no time for colour then.
        if not (self.styled and self._formats_help):
            return super()._get_formatter()
        from shellgen.cli.styled import formatter

        return formatter(self.prog, raw=self.formatter_class is argparse.RawDescriptionHelpFormatter)

    def error(self, message: str) -> NoReturn:
        """Refuse the command line; argparse would name the Python function that reads a value.

        Raises:
            UsageError: Always.
        """
        if found := _BAD_VALUE.match(message):
            message = f"{found[1]}: {found[3]} is {'no whole number' if found[2] == 'int' else 'no number'}"
        raise self.wrong(message)

    def print_help(self, file: object = None) -> None:
        """Request the help.

        Raises:
            Shown: Always.
        """
        del file
        raise Shown("help", self.format_help())

    def wrong(self, found: str, advice: str = "") -> UsageError:
        """Return the error with a reference to the help."""
        where = self.prog.removeprefix(PROG).strip() or "command line"
        return UsageError(Problem(where, found, f"{advice}{' ' * bool(advice)}See `{self.prog} --help`"))

    def wrong_word(self, what: str, word: str, known: Iterable[str]) -> UsageError:
        """Return the error about an unknown word, with the most similar known word."""
        known = list(known)
        near = nearest(word, known)
        advice = f"Did you mean {near}?" if near else f"Choose from {', '.join(known)}." if known else ""
        return self.wrong(f"there is no {what} {word!r}", advice)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Check a value like argparse, but with a suggestion."""
        if action.choices is not None and value not in action.choices:
            named = "/".join(action.option_strings) or "choice"
            what = "command" if isinstance(action, argparse._SubParsersAction) else named
            raise self.wrong_word(what, str(value), map(str, action.choices))


class Version(argparse.Action):
    """``--version``."""

    def __call__(self, *_: object) -> NoReturn:
        """Request the version.

        Raises:
            Shown: Always.
        """
        raise Shown("version", f"{PROG} {__version__}")


# Options of earlier versions and their new names.
_RENAMED = {"--value": "--set"}


def add_common(parser: argparse.ArgumentParser, default: object) -> None:
    """Add the common options of all commands, which may also precede the command."""
    text = "print one JSON document instead of text"
    parser.add_argument("--json", action="store_true", default=default, help=text)
    text = "no progress on stderr"
    parser.add_argument("--quiet", action="store_true", default=default, help=text)


def asks_for_json(words: Sequence[str]) -> bool:
    """Return whether a JSON document is requested, even if the rest cannot be parsed."""
    words = list(words)
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def parse(parser: Parser, words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments; an empty command line requests the help.

    Raises:
        Shown: Help or version is requested.
        UsageError: The command line is wrong.
    """
    if not words:
        parser.print_help()
    args, unknown = parser.parse_known_args(words)
    if "command" not in args and unknown:
        raise parser.wrong_word("option", unknown[0], parser._option_string_actions)
    if "command" not in args:
        raise parser.wrong("it names no command", "Name one.")
    if unknown:
        own: Parser = args.parser
        options = [name for name in own._option_string_actions if name.startswith(unknown[0][:2])]
        what = "option" if unknown[0].startswith("-") else "further argument"
        word = unknown[0].partition("=")[0]
        if word in _RENAMED and _RENAMED[word] in options:
            raise own.wrong(f"{word} is now {_RENAMED[word]}", f"Write {_RENAMED[word]}.")
        raise own.wrong_word(what, word, options if what == "option" else ())
    return args
