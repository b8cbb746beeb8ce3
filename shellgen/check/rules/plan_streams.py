# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: the core is there, every stream ends where the host expects it, DMAs are set for it."""

from __future__ import annotations

from collections.abc import Iterator

from shellgen.model.map_movers import MapDma
from vivado_check.design import Cell
from vivado_check.report import Message, Origin

from .base import Context, rule
from .planned import (
    Engine,
    Planned,
    asked,
    broken,
    channels,
    core_of,
    engines,
    finished,
    number,
    other_end,
    planned,
    setting,
    unclear,
)

# Source: PG021, Port Descriptions.
_STREAMS = {"mm2s": "M_AXIS_MM2S", "s2mm": "S_AXIS_S2MM"}
_WIDTHS = {"mm2s": "c_m_axis_mm2s_tdata_width", "s2mm": "c_s_axis_s2mm_tdata_width"}


@rule("plan-core", scope="session", source="docs/zynq.md")
def core(context: Context) -> Iterator[Message]:
    """The core of the node is a cell of a block design, where the plan has DMAs beside it."""
    wanted = planned(context)
    designs = context.recording.designs.values()
    if wanted is None or not wanted.map.dma or not designs:
        return
    if not all(finished(context, design) for design in designs):
        return
    views = (Context(context.recording, context.catalogue, context.folder, one) for one in designs)
    if not any(core_of(view, wanted) for view in views):
        first = next(iter(designs))
        module = f"{wanted.node.name}_core"
        remedy = f"create_bd_cell -type module -reference {module}"
        yield broken("plan-core", first.origin, first.name, f"no cell is {module}", "the node's core", remedy)


@rule("plan-streams", scope="design", source="docs/zynq.md; PG021, Port Descriptions")
def streams(context: Context) -> Iterator[Message]:
    """Each stream of the core meets the channel of the DMA that memory_map.json has for it."""
    for one in engines(context):
        for name, channel in channels(one.dma):
            found = one.wanted.end(channel.stream)
            if not found:
                continue
            here, there = f"{one.core.path}/{found[1].name}", f"{one.cell.path}/{_STREAMS[name]}"
            peer = other_end(context, here)
            ends = context.graph.bus_ends(here)  # with monitors
            if there in (peer, *ends):
                continue
            if peer is None and len(ends) > 1:
                peer = " and ".join(end for end in ends if end != here)
            yield broken(
                "plan-streams",
                context.graph.joined(here),
                here,
                f"it meets {peer or 'nothing'}",
                f"{there}, which memory_map.json has for stream {channel.stream} ({found[0].boundary})",
                "connect these two; streams of equal width are crossed without a word from Vivado",
            )


@rule("plan-dma", scope="design", source="PG021, Customizing the Core; docs/zynq.md")
def dmas(context: Context) -> Iterator[Message]:
    """A DMA has the mode, channels, widths and lengths that the host's programs count on."""
    for one in engines(context):
        yield from _mode(context, one.dma, one.cell)
        yield from _lengths(context, one.wanted, one.dma, one.cell)
        yield from _widths(context, one)


def _mode(context: Context, dma: MapDma, cell: Cell) -> Iterator[Message]:
    asked = {
        "c_include_sg": (int(dma.cyclic), "the host's programs drive it in that mode"),
        "c_micro_dma": (0, "a micro DMA carries one burst at a time"),
    }
    for name, channel in channels(dma):
        asked[f"c_include_{name}"] = (1, f"stream {channel.stream} goes through it")
    for name, (value, why) in asked.items():
        found = setting(context, cell, name)
        if found and number(found.value) != value:
            yield _parameter(cell, name, found.value, found.origin, f"{value}: {why}")


def _lengths(context: Context, wanted: Planned, dma: MapDma, cell: Cell) -> Iterator[Message]:
    where = f"{cell.path} {'c_sg_length_width'}"
    bits = setting(context, cell, "c_sg_length_width")
    width = number(bits.value) if bits else None
    if bits is None or width is None:
        yield unclear("plan-dma", cell.origin, where, "its value is not known", f"{dma.max_bytes} bytes")
    elif (1 << width) - 1 < dma.max_bytes:
        yield _parameter(
            cell,
            "c_sg_length_width",
            f"{bits.value}: transfers of {(1 << width) - 1} bytes at most",
            bits.origin,
            f"{dma.max_bytes.bit_length()}: memory_map.json lets a program ask for {dma.max_bytes} bytes"
            f"{_longest(wanted, dma)}",
        )
    address = setting(context, cell, "c_addr_width")
    has = (number(address.value) if address else None) or 0
    if address and has < dma.address_bits:
        yield _parameter(
            cell,
            "c_addr_width",
            address.value,
            address.origin,
            f"{dma.address_bits}: buffers lie as high as that",
        )


def _longest(wanted: Planned, dma: MapDma) -> str:
    sizes = [
        one.memory_bytes * one.most_frames
        for _, channel in channels(dma)
        for one in wanted.map.streams
        if one.index == channel.stream
    ]
    return f", and its streams have transfers of up to {max(sizes)}" if sizes else ""


def _widths(context: Context, one: Engine) -> Iterator[Message]:
    """A width that nobody sets is the default (MM2S), or follows from what is connected (S2MM)."""
    cell = one.cell
    for name, channel in channels(one.dma):
        found = one.wanted.end(channel.stream)
        has = setting(context, cell, _WIDTHS[name]) if name == "mm2s" else asked(cell, _WIDTHS[name])
        if not found or not has or number(has.value) == found[1].tdata_bits:
            continue
        pin = found[1]
        if context.graph.peer(f"{cell.path}/{_STREAMS[name]}") == f"{one.core.path}/{pin.name}":
            expected = f"{pin.tdata_bits}: the beats of {pin.name} of the core"
            yield _parameter(cell, _WIDTHS[name], has.value, has.origin, expected)


def _parameter(cell: Cell, name: str, found: str, origin: Origin, expected: str) -> Message:
    value = expected.partition(":")[0]
    return broken("plan-dma", origin, f"{cell.path} {name}", found, expected, f"set CONFIG.{name} to {value}")
