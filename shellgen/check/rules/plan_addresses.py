# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: registers are where memory_map.json has them, and DMAs reach the memory it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shellgen.model.map_movers import MapDma
from vivado_check.addresses import amount
from vivado_check.design import Cell, Segment
from vivado_check.report import Message

from .base import Context, rule
from .planned import Planned, broken, channels, engines, in_design, owner, registers_of, unclear

# Where a slave's registers end, whatever its window is: a page. Source: IP-XACT of AXI DMA and AXI INTC.
_PAGE = 0x1000
# How the segments of ports begin that look into the caches. Source: IP-XACT of the processing systems.
_COHERENT = ("HPC", "ACP")


@dataclass(frozen=True)
class _Window:
    """An address window of the memory map; ``cell`` is known for the core only."""

    name: str
    base: int
    least: int
    cell: str = ""


@rule("plan-registers", scope="design", source="docs/host.md: memory_map.json is where programs look")
def registers(context: Context) -> Iterator[Message]:
    """Everything with registers is at the address that memory_map.json has for it, and whole."""
    found = in_design(context)
    if found is None:
        return
    wanted, core = found
    here = registers_of(context, core)
    if here is None:
        yield from _nowhere(context, wanted, core)
        return
    for window in _windows(wanted, core):
        segment = here.segments.get(window.base)
        if segment is None or (window.cell and owner(segment.segment) != window.cell):
            yield _misplaced(window, segment, here.space, core, _at(context, window.cell, here.space))
        elif segment.range is not None and segment.range < window.least:
            yield broken(
                "plan-registers",
                segment.origin,
                f"{segment.segment} in {here.space}",
                f"a window of {amount(segment.range)}",
                f"{amount(window.least)}, which {window.name} takes in memory_map.json",
                f"give it -range {window.least:#x}",
            )


def _nowhere(context: Context, wanted: Planned, core: Cell) -> Iterator[Message]:
    """Report a core without an address, unless Vivado is to choose it."""
    expected = f"registers at {wanted.map.base:#x}"
    if context.addresses.left_to_vivado or _at(context, core.path, ""):
        yield unclear("plan-registers", core.origin, core.path, "Vivado chooses its address", expected)
        return
    yield broken(
        "plan-registers",
        core.origin,
        core.path,
        "it has no address",
        expected,
        "assign_bd_address for its slave",
    )


def _windows(wanted: Planned, core: Cell) -> tuple[_Window, ...]:
    map_ = wanted.map
    found = [_Window("the core", map_.base, map_.span, core.path)]
    found += [_Window(dma.name, dma.base, min(dma.size, _PAGE)) for dma in map_.dma]
    if map_.interrupt_controller:
        one = map_.interrupt_controller
        found.append(_Window(one.name, one.base, min(one.size, _PAGE)))
    found += [_Window(unit.name, unit.base, unit.size) for unit in map_.units if unit.ip is None]
    return tuple(found)


def _at(context: Context, cell: str, space: str) -> Segment | None:
    """Return a segment of a cell, of one space or any."""
    assert context.design is not None
    all_ = (one for one in context.design.segments if not one.excluded and owner(one.segment) == cell)
    return next((one for one in all_ if space in ("", one.space)), None)


def _misplaced(
    window: _Window, there: Segment | None, space: str, core: Cell, own: Segment | None
) -> Message:
    line = own or there
    found = f"{there.segment} is there" if there else "nothing begins there"
    if own and own.offset is not None:
        found += f", and {own.segment} is at {own.offset:#x}"
    return broken(
        "plan-registers",
        line.origin if line else core.origin,
        f"{window.base:#x} in {space}",
        found,
        f"{window.name}, as in memory_map.json",
        f"place {window.name} at {window.base:#x}, or generate the folder again",
    )


@rule("plan-memory", scope="design", source="docs/zynq.md: what the DMAs reach; UG1085, address map")
def memory(context: Context) -> Iterator[Message]:
    """Each master of a DMA reaches the memory that memory_map.json lets buffers lie in, and no more."""
    for one in engines(context):
        names = [name for name, _ in channels(one.dma)] + (["sg"] if one.dma.cyclic else [])
        for name in names:
            yield from _window(context, one.dma, one.cell, f"{one.cell.path}/Data_{name.upper()}")


def _window(context: Context, dma: MapDma, cell: Cell, space: str) -> Iterator[Message]:
    addresses = context.addresses
    known = [(one.segment, one.offset, one.range) for one in addresses.placed.get(space, ())]
    mine = [one.segment for one in addresses.design.segments if one.space == space and not one.excluded]
    open_ = set(mine) - {one.segment for one, _, _ in known}
    if open_ or (not known and addresses.left_to_vivado):
        yield unclear("plan-memory", cell.origin, space, "Vivado chooses its addresses", _shown(dma))
        return
    for window in dma.memory:
        end = window.base + window.size
        inside = [one for one in known if one[1] < end and one[1] + one[2] > window.base]
        lines = [one.origin for one, _, _ in inside or known]
        shown = ", ".join(f"{offset:#x} [{amount(size)}]" for _, offset, size in inside or known) or "nothing"
        if _covered(window.base, end, [(offset, offset + size) for _, offset, size in inside]):
            if (
                max(offset + size for _, offset, size in inside) <= end
                and min(o for _, o, _ in inside) >= window.base
            ):
                continue
            why = "memory beyond it is not the board's"
        else:
            why = "buffers may lie anywhere in it"
        yield broken(
            "plan-memory",
            lines[-1] if lines else cell.origin,
            space,
            f"it reaches {shown}",
            f"{window.base:#x} [{amount(window.size)}] of memory_map.json: {why}",
            "give the segment of the memory this offset and range",
        )


def _shown(dma: MapDma) -> str:
    return ", ".join(f"{one.base:#x} [{amount(one.size)}]" for one in dma.memory)


def _covered(base: int, end: int, ranges: list[tuple[int, int]]) -> bool:
    for start, stop in sorted(ranges):
        if start <= base < stop:
            base = stop
    return base >= end


@rule("plan-coherence", scope="design", source="UG1085, APU coherent interfaces; docs/zynq.md")
def coherence(context: Context) -> Iterator[Message]:
    """If programs do not flush caches, the DMAs use a coherent port."""
    for one in engines(context):
        for segment in context.addresses.design.segments if one.dma.coherent else ():
            port = segment.segment.rpartition("/")[2]
            mine = segment.space.rpartition("/")[0] == one.cell.path and not segment.excluded
            if mine and not port.startswith(_COHERENT):
                yield broken(
                    "plan-coherence",
                    segment.origin,
                    f"{segment.segment} in {segment.space}",
                    "it goes past the processor's caches",
                    "a coherent port, as in memory_map.json: programs do not flush caches for this node",
                    "connect the memory interconnect to an HPC port",
                )
