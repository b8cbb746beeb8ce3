# SPDX-License-Identifier: BSD-3-Clause
"""Findings of a check: four verdicts, each message with its remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """Severity of a message.

    Attributes:
        ERROR: Vivado stops.
        FINDING: Vivado goes on, with a critical warning or silently, and the hardware is wrong.
        DIFFERS: Legal, but not what the caller expects; no failure unless asked for.
        NOT_MODELLED: We do not know what Vivado would say; counted, never an error unless asked for.
    """

    ERROR = "error"
    FINDING = "finding"
    DIFFERS = "differs from the plan"
    NOT_MODELLED = "not modelled"

    def stops(self, *, strict: bool) -> bool:
        """Return whether a check with such a message has failed."""
        return strict or self in (Verdict.ERROR, Verdict.FINDING)


@dataclass(frozen=True, order=True)
class Origin:
    """Place of a statement.

    Attributes:
        file: Path as the user knows it, relative to what is checked; empty if no script said it.
        line: From 1; 0 if not known.
    """

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True)
class Message:
    """One thing that a check has to say.

    Attributes:
        rule: Name of the rule, in kebab case.
        verdict: How bad it is.
        origin: Line of a script, or a file.
        where: Cell, pin, interface, segment or file that is wrong.
        found: What is there, without a final stop.
        expected: What should be there, without a final stop.
        remedy: What the user can do, without a final stop.
        vivado: Identity of Vivado's own message (``BD 41-758``), if messages.toml has it; else empty.
    """

    rule: str
    verdict: Verdict
    origin: Origin
    where: str
    found: str
    expected: str
    remedy: str
    vivado: str = ""


@dataclass(frozen=True)
class Report:
    """All messages of one check, in the order of their lines."""

    messages: tuple[Message, ...]

    @classmethod
    def of(cls, messages: Iterable[Message]) -> Report:
        """Sort messages and drop repeated ones."""
        unique = dict.fromkeys(messages)
        return cls(tuple(sorted(unique, key=lambda m: (m.origin, m.rule, m.where, m.found))))
