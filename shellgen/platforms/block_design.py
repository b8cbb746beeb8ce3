# SPDX-License-Identifier: BSD-3-Clause
"""A Vivado block design as data: cells, nets, bus connections, addresses. The template only loops."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One IP instance.

    Attributes:
        name: Cell name, what PYNQ shows; at most 24 characters (BD 41-1753).
        ip: Catalogue name, without vendor and version: the script takes the newest there is.
        config: Parameters without the ``CONFIG.`` prefix.
        owned: Parameters that Vivado would derive from what is connected, and that we set instead.
    """

    name: str
    ip: str
    config: dict[str, str] = field(default_factory=dict)
    owned: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wire:
    """One net: a driving pin and the pins it drives, each ``cell/pin``."""

    source: str
    sinks: tuple[str, ...]


@dataclass(frozen=True)
class Bus:
    """One interface connection, ``cell/interface`` to ``cell/interface``."""

    master: str
    slave: str


@dataclass(frozen=True)
class Mapping:
    """One slave segment in one address space.

    Attributes:
        space: Address space, ``cell/space``.
        segment: Pattern that matches exactly one segment, ``cell/interface/segment``.
        offset: First byte, a multiple of ``size``.
        size: Bytes, a power of two, 4 KiB at least.
    """

    space: str
    segment: str
    offset: int
    size: int


@dataclass(frozen=True)
class ExternalPort:
    """A port of the design's top, ``create_bd_port``.

    Attributes:
        name: Of the port; constraints name it so.
        direction: ``I`` or ``O``, seen from the design.
        pin: What it is connected to, ``cell/pin``.
        config: Its parameters, without the ``CONFIG.`` prefix.
    """

    name: str
    direction: str
    pin: str
    config: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ExternalInterface:
    """An interface of the design's top, ``create_bd_intf_port``.

    Attributes:
        name: Of the interface; constraints name its signals ``<name>_<signal>``.
        vlnv: Of the interface, with ``_rtl``.
        mode: ``Master`` or ``Slave``, seen from the design's outside as Vivado has it.
        interface: What it is connected to, ``cell/interface``.
        config: Its parameters, without the ``CONFIG.`` prefix.
    """

    name: str
    vlnv: str
    mode: str
    interface: str
    config: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BlockDesign:
    """Everything besides the PS cell and the core, which the template makes by other commands.

    Attributes:
        cells: IP instances.
        wires: Clocks and resets.
        buses: Stream and memory-mapped connections.
        overrides: Nets that take pins out of memory-mapped connections; made after these.
        monitors: Interfaces that are looked at, each with the interface that looks.
        mappings: Where every slave is.
        excluded: Per address space, the pattern of slave segments that are reachable, and which of them are
            used; all others are excluded.
        modules: Cells beside the core that refer to a module: name and module.
        ports: External ports.
        interfaces: External interfaces.
    """

    cells: tuple[Cell, ...]
    wires: tuple[Wire, ...]
    buses: tuple[Bus, ...]
    mappings: tuple[Mapping, ...]
    excluded: tuple[tuple[str, str, tuple[str, ...]], ...]
    monitors: tuple[Bus, ...] = ()
    overrides: tuple[Wire, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    ports: tuple[ExternalPort, ...] = ()
    interfaces: tuple[ExternalInterface, ...] = ()


@dataclass(frozen=True)
class PlannedDesign:
    """The block design that the generated script creates, for `shellgen check`; a bare name is a port.

    Attributes:
        name: Of the design.
        cells: IP instances, all of them.
        modules: Module of each cell that refers to one.
        ports: Parameters of each port, scalar or interface, as far as the script sets them.
        interfaces: VLNV and mode of each port that is an interface.
        wires: Nets; several of one source are one.
        buses: Interface connections, monitors among them.
        mappings: Where every slave is.
    """

    name: str
    cells: tuple[Cell, ...]
    modules: dict[str, str]
    ports: dict[str, dict[str, str]]
    wires: tuple[Wire, ...]
    buses: tuple[Bus, ...]
    mappings: tuple[Mapping, ...]
    interfaces: dict[str, tuple[str, str]] = field(default_factory=dict)
