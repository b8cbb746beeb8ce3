# SPDX-License-Identifier: BSD-3-Clause
"""Contents of a block design, in terms that a recording and Vivado's own files share."""

from __future__ import annotations

from dataclasses import dataclass, field

HIERARCHY = "hierarchy"
Members = frozenset[str]


@dataclass(frozen=True)
class Mapped:
    """A slave's segment in a space, by full paths; offset and range are None where a script leaves them."""

    space: str
    segment: str
    offset: int | None
    range: int | None
    excluded: bool = False


@dataclass
class Real:
    """A block design.

    Attributes:
        cells: VLNV by path, without a version if none is stated; `HIERARCHY` for one, empty if not known.
        config: Parameters by cell, upper case.
        ports: Direction, left and right by path, of the design and of hierarchies.
        interfaces: Mode and VLNV of interfaces, likewise.
        nets: Hierarchy and members.
        interface_nets: Likewise.
    """

    cells: dict[str, str] = field(default_factory=dict)
    config: dict[str, dict[str, str]] = field(default_factory=dict)
    ports: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    interfaces: dict[str, tuple[str, str]] = field(default_factory=dict)
    nets: set[tuple[str, Members]] = field(default_factory=set)
    interface_nets: set[tuple[str, Members]] = field(default_factory=set)
    segments: set[Mapped] = field(default_factory=set)


def path_in(hier: str, name: str) -> str:
    """Return the full path of something in a hierarchy."""
    return f"{hier.rstrip('/')}/{name}"


def size(text: str) -> int:
    """Return bytes of ``64K`` or ``0x10000``."""
    unit = "_KMGTPE".find(text[-1:].upper())
    if unit > 0 and not text.lower().startswith("0x"):
        return int(text[:-1]) << (10 * unit)
    return int(text, 0)
