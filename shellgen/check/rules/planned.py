# SPDX-License-Identifier: BSD-3-Clause
"""Requirements of plan.json and memory_map.json for a node, and their place in a block design."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from shellgen.model import NodePlan, Plan
from shellgen.model.attachment import End, Pin
from shellgen.model.map_movers import MapChannel, MapDma
from shellgen.model.memory_map import MapNode
from vivado_check.design import Cell, Design, Segment, Setting
from vivado_check.graph import split_path
from vivado_check.ip.facts import AXIMM, AXIS
from vivado_check.report import Message, Origin, Verdict

from .base import Context

# The core's port for layers that run at twice the rate of the partitions.
DOUBLE_CLOCK = "aclk2x"
RETURN = "Leave it if it is meant, or write it as `shellgen generate` does"


@dataclass(frozen=True)
class Planned:
    """One node, as both documents have it."""

    plan: Plan
    node: NodePlan
    map: MapNode

    def end(self, stream: int) -> tuple[End, Pin] | None:
        """Return the end of a stream by its number, and the core's interface that carries it."""
        found = next((end for end in self.node.ends if end.stream == stream), None)
        return (found, self.node.pin(found)) if found else None

    @property
    def double(self) -> bool:
        """Whether a partition has layers at twice the rate."""
        return any(self.plan.partition(name).clock2x for name in self.node.partitions)


def planned(context: Context) -> Planned | None:
    """Return what is wanted of the node that is judged, None for a script that is not ours."""
    if context.plan is None or context.memory_map is None:
        return None
    node = next((node for node in context.plan.nodes if node.name == context.node), None)
    told = next((one for one in context.memory_map.nodes if one.name == context.node), None)
    return Planned(context.plan, node, told) if node and told else None


def core_of(context: Context, wanted: Planned) -> Cell | None:
    """Return the cell of the node's core in the design, None if the design does not have it."""
    assert context.design is not None
    module = f"{wanted.node.name}_core"
    for cell in context.design.cells.values():
        if module in (cell.reference, *cell.vlnv.split(":")[2:3]):
            return cell
    return None


def in_design(context: Context) -> tuple[Planned, Cell] | None:
    """Return what is wanted and the cell of the core, None where the design is not that of a node.

    Nor is a design that its script did not finish: the error says enough.
    """
    wanted = planned(context) if context.design and finished(context, context.design) else None
    core = core_of(context, wanted) if wanted else None
    return (wanted, core) if wanted and core else None


def finished(context: Context, design: Design) -> bool:
    """Return whether the script came as far as to validate a design."""
    return bool(design.validated) or context.recording.ended == 0


@dataclass(frozen=True)
class Registers:
    """The address space through which the processor finds the core, as the script wrote it."""

    space: str
    segments: dict[int, Segment]

    def cell_at(self, address: int) -> str | None:
        """Return the cell whose segment begins at an address."""
        found = self.segments.get(address)
        return owner(found.segment) if found else None


def owner(segment: str) -> str:
    """Return the cell of a segment's path."""
    return segment.rsplit("/", 2)[0]


def registers_of(context: Context, core: Cell) -> Registers | None:
    """Return where the processor finds registers: the space that has the core, None if none has."""
    assert context.design is not None
    placed = [one for one in context.design.segments if one.offset is not None and not one.excluded]
    space = next((one.space for one in placed if owner(one.segment) == core.path), None)
    if space is None:
        return None
    return Registers(
        space, {one.offset: one for one in placed if one.space == space and one.offset is not None}
    )


def _dma_cell(context: Context, registers: Registers | None, dma: MapDma) -> Cell | None:
    """Return the cell whose registers are where the map has a DMA, else the one of its name."""
    assert context.design is not None
    at = registers.cell_at(dma.base) if registers else None
    return context.design.cells.get(at or "") or next(
        (cell for path, cell in context.design.cells.items() if path.rpartition("/")[2] == dma.name), None
    )


def channels(dma: MapDma) -> tuple[tuple[str, MapChannel], ...]:
    """Return the directions that a DMA has, by the names that its IP has for them."""
    both = ("mm2s", dma.channels.mm2s), ("s2mm", dma.channels.s2mm)
    return tuple((name, channel) for name, channel in both if channel)


@dataclass(frozen=True)
class Engine:
    """A DMA of the map, its cell, and the cell of the core."""

    wanted: Planned
    core: Cell
    dma: MapDma
    cell: Cell


def engines(context: Context) -> Iterator[Engine]:
    """Yield every DMA of the map with its cell; of one that is missing the address is, which is a finding."""
    found = in_design(context)
    if found is None:
        return
    wanted, core = found
    registers = registers_of(context, core)
    for dma in wanted.map.dma:
        cell = _dma_cell(context, registers, dma)
        if cell is not None:
            yield Engine(wanted, core, dma, cell)


def asked(cell: Cell, name: str) -> Setting | None:
    """Return a parameter that the script set; Vivado takes its name in upper and lower case."""
    found = [found for key, found in cell.config.items() if key.lower() == name.lower()]
    return found[-1] if found else None


def setting(context: Context, cell: Cell, name: str) -> Setting | None:
    """Return a parameter of a cell: as it was set, else its default; None if neither is known."""
    if found := asked(cell, name):
        return found
    ip = context.graph.ip(cell.path)
    parameter = ip.parameter(name, context.graph.config(cell.path)) if ip else None
    if parameter is None or parameter.default is None:
        return None
    return Setting(parameter.default, cell.origin)


def number(text: str) -> int | None:
    """Return a whole number as Tcl writes it, None if it is none."""
    try:
        return int(text.strip(), 0) if text.strip() not in ("true", "false") else int(text.strip() == "true")
    except ValueError:
        return None


def other_end(context: Context, interface: str) -> str | None:
    """Return what a stream is connected to, beyond FIFOs, registers and converters on its way."""
    graph = context.graph
    found, seen = graph.peer(interface), {interface}
    while found and found not in seen:
        seen.add(found)
        cell, name = split_path(found)
        resolved = graph.resolved(cell) if cell != "/" else None
        interfaces = resolved.interfaces.values() if resolved else ()
        streams = [one for one in interfaces if one.vlnv == AXIS and one.mode in ("master", "slave")]
        if len(streams) != 2 or any(one.vlnv == AXIMM for one in interfaces):
            return found
        further = next((one for one in streams if one.name != name), streams[0])
        beyond = graph.peer(f"{cell}/{further.name}")
        if beyond is None:
            return found
        found = beyond
    return found


def broken(rule: str, origin: Origin, *says: str) -> Message:
    """Return a finding against the plan; it says where, what was found, what is expected, and the remedy."""
    where, found, expected, remedy = says
    return Message(rule, Verdict.FINDING, origin, where, found, expected, remedy)


def differs(rule: str, origin: Origin, *says: str) -> Message:
    """Return what is legal and not as it was generated; says as of `broken`."""
    return replace(broken(rule, origin, *says), verdict=Verdict.DIFFERS)


def unclear(rule: str, origin: Origin, *says: str) -> Message:
    """Return what cannot be compared with the plan: where, what was found, and what is expected."""
    where, found, expected = says
    return Message(rule, Verdict.NOT_MODELLED, origin, where, found, expected, "compare it by hand")
