# SPDX-License-Identifier: BSD-3-Clause
"""A recorded block design: what a script asked for, and nothing that it takes knowledge of an IP to say.

Paths are Vivado's: ``/hier/cell``, ``/hier/cell/pin``; a port of the design is a pin of the cell ``/``, with
the path ``/name``. Directions and modes are as the script gave them (``I``, ``O``, ``IO``; ``Master``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .report import Origin


@dataclass(frozen=True)
class Setting:
    """A property's value, and the line that set it."""

    value: str
    origin: Origin


@dataclass
class Pin:
    """A scalar or a vector that the script declared: a pin of a hierarchy, or a port of the design.

    Attributes:
        type: ``clk``, ``rst``, ``intr``, ``ce``, ``data``, ``undef`` or empty.
        left: ``-from``, or None for a scalar.
        config: Its ``CONFIG.*``, without that prefix.
    """

    name: str
    direction: str
    origin: Origin
    type: str = ""
    left: int | None = None
    right: int | None = None
    config: dict[str, Setting] = field(default_factory=dict)
    properties: dict[str, Setting] = field(default_factory=dict)


@dataclass
class InterfacePin:
    """An interface that the script declared: of a hierarchy, or a port of the design."""

    name: str
    mode: str
    vlnv: str
    origin: Origin
    config: dict[str, Setting] = field(default_factory=dict)
    properties: dict[str, Setting] = field(default_factory=dict)


CellKind = Literal["ip", "hier", "module", "inline_hdl", "container"]


@dataclass
class Cell:
    """A cell.

    Attributes:
        path: Full path; ``/`` is the design itself, of kind ``hier``.
        vlnv: As asked for; the version may be missing. Of kinds ip and inline_hdl.
        reference: Module, of kind module.
        config: Its ``CONFIG.*`` as written, without that prefix; ``<name>.VALUE_SRC`` is an entry of its own.
        properties: All other properties that were set.
        pins: Of kind hier: what create_bd_pin (create_bd_port) declared.
        interfaces: Likewise create_bd_intf_pin (create_bd_intf_port).
    """

    path: str
    kind: CellKind
    origin: Origin
    vlnv: str = ""
    reference: str = ""
    config: dict[str, Setting] = field(default_factory=dict)
    properties: dict[str, Setting] = field(default_factory=dict)
    pins: dict[str, Pin] = field(default_factory=dict)
    interfaces: dict[str, InterfacePin] = field(default_factory=dict)


@dataclass
class Net:
    """A net of one hierarchy, of pins or of interfaces.

    Attributes:
        hier: Path of the hierarchy that it lies in.
        members: Full paths of pins and ports, each with the line that joined it.
    """

    name: str
    hier: str
    members: dict[str, Origin] = field(default_factory=dict)


@dataclass
class Segment:
    """A slave's segment in a master's address space.

    Attributes:
        space: Path of the space (``/zynq_ps/Data``).
        segment: Path of the slave's segment (``/axi_dma_0/S_AXI_LITE/Reg``).
        offset: Bytes, or None where Vivado chooses; likewise range.
        excluded: Not mapped, by exclude_bd_addr_seg.
    """

    space: str
    segment: str
    name: str
    offset: int | None
    range: int | None
    origin: Origin
    excluded: bool = False


@dataclass(frozen=True)
class Automation:
    """One apply_bd_automation, or one assign_bd_address that leaves the address to Vivado.

    Attributes:
        rule: Last part of its VLNV (``axi4``), or ``assign_bd_address``.
        target: Path of the object that it is applied to; of an assignment the slave's segment, empty for all.
        modelled: Whether the design holds all that it adds; if not, nothing may be said to be missing.
    """

    rule: str
    config: dict[str, str]
    target: str
    origin: Origin
    modelled: bool = False


@dataclass
class Design:
    """One block design.

    Attributes:
        cells: By path; always has ``/``.
        nets: By hierarchy and name.
        interface_nets: Likewise.
        automations: In order; what they add is not recorded but by facts.
        validated: Lines of validate_bd_design, in order.
        saved: Lines of save_bd_design, in order.
    """

    name: str
    origin: Origin
    cells: dict[str, Cell] = field(default_factory=dict)
    nets: dict[tuple[str, str], Net] = field(default_factory=dict)
    interface_nets: dict[tuple[str, str], Net] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)
    automations: list[Automation] = field(default_factory=list)
    validated: list[Origin] = field(default_factory=list)
    saved: list[Origin] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cells.setdefault("/", Cell("/", "hier", self.origin))
