# SPDX-License-Identifier: BSD-3-Clause
"""One IP-XACT file as plain records: a packaged IP, or what Vivado keeps of a configured instance."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Value:
    """A value and where it comes from.

    Attributes:
        text: As written in the file.
        rule: Expression that computes it, compact; empty if none is given.
        resolve: ``user``, ``generated`` (a program computes it), ``dependent``, ``immediate`` or empty.
        source: Of an instance: ``user``, ``propagated``, ``constant``, ``auto``... or empty for the default.
        permission: ``bd`` or ``bd_and_user`` if validation of a block design sets it, else empty.
    """

    text: str
    rule: str = ""
    resolve: str = ""
    source: str = ""
    permission: str = ""


@dataclass(frozen=True)
class Condition:
    """Whether an element is there: in this file, and by which expression.

    Attributes:
        now: In the configuration of the file.
        rule: Compact; empty if it is always there, None if a program of the vendor decides.
    """

    now: bool = True
    rule: str | None = ""


@dataclass(frozen=True)
class ParameterFact:
    """A parameter of the user."""

    name: str
    value: Value
    format: str = ""
    choices: tuple[str, ...] | None = None
    lowest: str = ""
    highest: str = ""
    enabled: Condition = Condition()


@dataclass(frozen=True)
class PortFact:
    """A port; left and right are None for a scalar; default is what an open input gets, None if not given."""

    name: str
    direction: str
    left: Value | None = None
    right: Value | None = None
    default: str | None = None
    present: Condition = Condition()


@dataclass(frozen=True)
class InterfaceFact:
    """An interface: mode and VLNV of its type, parameters, physical port by logical name."""

    name: str
    mode: str
    vlnv: str
    params: dict[str, Value] = field(default_factory=dict)
    ports: dict[str, str] = field(default_factory=dict)
    space: str = ""
    memory: str = ""
    present: Condition = Condition()


@dataclass(frozen=True)
class BlockFact:
    """A block of a memory map."""

    memory: str
    name: str
    base: Value
    range: Value
    usage: str = ""
    access: str = ""
    present: Condition = Condition()


@dataclass(frozen=True)
class SpaceFact:
    """An address space of a master, and its segments: first byte and bytes by name."""

    name: str
    range: Value
    segments: dict[str, tuple[str, str]] = field(default_factory=dict)
    present: Condition = Condition()


@dataclass
class Component:
    """Facts of an IP in one file.

    Attributes:
        vlnv: Of the IP; of an instance that of its definition, empty if the file does not have it.
        origin: Where the file lies, as its reader calls it.
        release: Of Vivado, empty if not known.
        instance: Whether it is one configuration: choices may be narrowed, values are no defaults.
        whole: Whether absent elements are listed too, with their conditions.
        hierarchy: Whether it is one whose pins are in the design and not in IP-XACT (axi_interconnect).
    """

    vlnv: str
    origin: str
    release: str = ""
    instance: bool = False
    whole: bool = True
    hierarchy: bool = False
    parameters: dict[str, ParameterFact] = field(default_factory=dict)
    model: dict[str, Value] = field(default_factory=dict)
    ports: dict[str, PortFact] = field(default_factory=dict)
    interfaces: dict[str, InterfaceFact] = field(default_factory=dict)
    blocks: list[BlockFact] = field(default_factory=list)
    spaces: dict[str, SpaceFact] = field(default_factory=dict)

    def has(self, interface: InterfaceFact) -> bool:
        """Return whether an interface of it is there: it says so, and some of its ports are."""
        ports = [self.ports[name].present.now for name in interface.ports.values() if name in self.ports]
        return interface.present.now and (any(ports) or not ports)
