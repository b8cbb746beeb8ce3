# SPDX-License-Identifier: BSD-3-Clause
"""Declaration of a tool's command: a function, its options, and its errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ..report import Message, Origin, Verdict

if TYPE_CHECKING:
    from .session import Session

_OPTION = re.compile(r"-[A-Za-z]\w*")


class ToolError(Exception):
    """A documented error of Vivado: the script sees a Tcl error, and may catch it.

    Attributes:
        found: What is there; the text of the Tcl error, too.
        where: Cell, pin, file that is wrong; likewise the other fields of a `Message`.
    """

    def __init__(  # noqa: PLR0913 - the fields of a message
        self,
        found: str,
        *,
        where: str = "",
        expected: str = "",
        remedy: str = "",
        vivado: str = "",
        rule: str = "refused",
    ) -> None:
        self.found = found
        self.where = where
        self.expected = expected
        self.remedy = remedy
        self.vivado = vivado
        self.rule = rule
        ours = rule in ("tcl", "sandbox")  # which speak as Tcl does
        super().__init__(found if ours else f"ERROR: [{vivado}] {found}" if vivado else f"ERROR: {found}")

    def message(self, origin: Origin) -> Message:
        """Return it as a message of a line."""
        return Message(
            self.rule,
            Verdict.ERROR,
            origin,
            self.where,
            self.found,
            self.expected,
            self.remedy,
            self.vivado,
        )


@dataclass(frozen=True)
class Arguments:
    """Words of a call.

    Attributes:
        options: By full name (``-quiet``); empty text for those without a value, the last one if repeated.
        rest: All other words, in order.
        unknown: Options that the command is not known to have.
    """

    command: str
    options: dict[str, str]
    rest: list[str]
    origin: Origin
    unknown: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Tell whether an option is given."""
        return name in self.options

    def need(self, *names: str) -> list[str]:
        """Return values of options that the command cannot do without.

        Raises:
            ToolError: One is missing.
        """
        missing = [name for name in names if name not in self.options]
        if missing:
            raise ToolError(
                f"{self.command} has no {', '.join(missing)}",
                where=self.command,
                expected=f"{', '.join(names)}",
                remedy=f"Add {', '.join(missing)}",
            )
        return [self.options[name] for name in names]

    def first(self, what: str) -> str:
        """Return the first word that is no option.

        Raises:
            ToolError: There is none.
        """
        if not self.rest:
            raise ToolError(
                f"{self.command} has no {what}", where=self.command, expected=f"{self.command} <{what}>"
            )
        return self.rest[0]


Function = Callable[["Session", Arguments], str]


@dataclass(frozen=True)
class Command:
    """A command of the tool.

    Attributes:
        options: As in ``-quiet -filter=``, where ``=`` takes a value.
        complete: Whether Vivado has no other options: then it refuses any other, else we do not know it.
    """

    function: Function
    options: str = ""
    complete: bool = False
    _all: tuple[str, ...] = field(default=("-quiet", "-verbose"), repr=False)

    @cached_property
    def takes_value(self) -> dict[str, bool]:
        """Tell of each option whether a value follows."""
        words = dict.fromkeys((*self.options.split(), *self._all))
        return {word.rstrip("="): word.endswith("=") for word in words}

    def option(self, word: str) -> str | None:
        """Return the full name of an option, which may be abbreviated; None if there is no such option."""
        if word in self.takes_value:
            return word
        fitting = [name for name in self.takes_value if name.startswith(word)]
        return fitting[0] if len(fitting) == 1 else None


def parse(name: str, command: Command, words: Iterable[str], origin: Origin) -> Arguments:
    """Sort the words of a call into options and the rest.

    Raises:
        ToolError: An option that Vivado does not have, or one without its value.
    """
    options: dict[str, str] = {}
    rest: list[str] = []
    unknown: list[str] = []
    queue = iter(words)
    for word in queue:
        if not _OPTION.fullmatch(word):
            rest.append(word)
            continue
        found = command.option(word)
        if found is None:
            if command.complete:
                known = ", ".join(command.takes_value)
                raise ToolError(
                    f"unknown option {word} of {name}",
                    where=name,
                    expected=f"one of {known}",
                    remedy="Correct the option",
                    rule="unknown-option",
                )
            unknown.append(word)
        elif command.takes_value[found]:
            value = next(queue, None)
            if value is None:
                raise ToolError(f"no value for {found} of {name}", where=name, expected=f"{found} <value>")
            options[found] = value
        else:
            options[found] = ""
    return Arguments(name, options, rest, origin, tuple(unknown))
