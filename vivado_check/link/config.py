# SPDX-License-Identifier: BSD-3-Clause
"""Configuration file of ``v++`` as its options, in order (UG1393, configuration file)."""

from __future__ import annotations

from dataclasses import dataclass

from ..report import Origin

_ALIASES = {"sc": "stream_connect"}


@dataclass(frozen=True)
class Option:
    """A line ``key=value`` and its section; the head of the file has none."""

    section: str
    key: str
    value: str
    origin: Origin


def read_config(text: str, name: str) -> tuple[Option, ...]:
    """Return the options of a configuration file.

    Args:
        text: The file.
        name: Of the file, for messages.
    """
    section, found = "", []
    for index, line in enumerate(text.splitlines(), 1):
        bare = line.partition("#")[0].strip()
        if bare.startswith("[") and bare.endswith("]"):
            section = bare[1:-1].strip()
        elif bare:
            key, _, value = bare.partition("=")
            place, dot, last = key.strip().rpartition(".")
            inside = place if dot and not section else section
            key = last if dot and not section else key.strip()
            found.append(Option(inside, _ALIASES.get(key, key), value.strip(), Origin(name, index)))
    return tuple(found)
