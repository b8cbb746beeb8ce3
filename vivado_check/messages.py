# SPDX-License-Identifier: BSD-3-Clause
"""Messages of Vivado that a check may name, each with the public source that shows it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Severity = Literal["ERROR", "CRITICAL WARNING", "WARNING"]


@dataclass(frozen=True)
class Known:
    """A message of Vivado.

    Attributes:
        text: What it says, ``<>`` where it names something, up to what differs between releases.
        source: Repository where that text stands, with that severity.
    """

    identity: str
    severity: Severity
    text: str
    source: str


@cache
def known_messages() -> Mapping[str, tuple[Known, ...]]:
    """Return every message by identity, once for each severity that it is known to come with."""
    table = tomllib.loads(Path(__file__).with_name("messages.toml").read_text(encoding="utf-8"))
    return {
        identity: tuple(Known(identity=identity, **entry) for entry in entries)
        for identity, entries in table.items()
    }


def severities(identity: str) -> tuple[Severity, ...]:
    """Return the severities that a message is known to come with, worst first; none: it is not known."""
    return tuple(known.severity for known in known_messages().get(identity, ()))
