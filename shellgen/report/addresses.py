# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of a board as rows, from its part of memory_map.json."""

from __future__ import annotations

from typing import NamedTuple

from shellgen.model.map_movers import MapDma
from shellgen.model.memory_map import MapBlock, MapNode, MapRegion, MapUnit


class Place(NamedTuple):
    """A range of addresses: first byte, bytes, name, and contents in words."""

    base: int
    size: int
    name: str
    contents: str


def places(node: MapNode) -> list[Place]:
    """Return all that the host reaches on a board, by address."""
    found = [Place(one.base, one.size, one.name, _block(node, one)) for one in node.blocks]
    found += [Place(one.base, one.size, one.name, _unit(one)) for one in node.units]
    found += [Place(one.base, one.size, one.name, _channels(one)) for one in node.dma]
    if intc := node.interrupt_controller:
        what = f"interrupts of the DMAs, on to ID {intc.gic}"
        found.append(Place(intc.base, intc.size, intc.name, what))
    found += [Place(one.base, one.size, one.name, _memory(one)) for one in node.regions]
    return sorted(found, key=lambda place: place.base)


def _block(node: MapNode, block: MapBlock) -> str:
    """Describe a window of the core itself."""
    if block.block is None:
        return f"leaves the core by m_axil_{block.name}"
    aperture = node.aperture
    inside = aperture is not None and block.base <= aperture.base < block.base + block.size
    return "registers, aperture; the rest lies behind it" if inside else "registers"


def _unit(unit: MapUnit) -> str:
    """Describe the host's access to a unit beside the core."""
    return f"registers, in XRT {unit.ip}" if unit.ip else "registers, beside the core"


def _channels(dma: MapDma) -> str:
    """Describe the streams of a DMA and its interrupts."""
    channels = [("to", dma.channels.mm2s), ("from", dma.channels.s2mm)]
    streams = ", ".join(f"{way} stream {channel.stream}" for way, channel in channels if channel)
    lines = [channel.interrupt for _, channel in channels if channel and channel.interrupt]
    told = ", ".join(str(line.input if line.controller else line.gic) for line in lines)
    at = f" of {lines[0].controller}" if lines and lines[0].controller else ""
    kind = "cyclic DMA" if dma.cyclic else "DMA"
    return f"{kind} {streams}; {f'interrupts {told}{at}' if lines else 'no interrupts'}"


def _memory(region: MapRegion) -> str:
    """Describe a memory of a partition, whose name FINN prefixes to the layer's."""
    layer = f"{region.layer.removeprefix(f'{region.partition}_')}: " if region.layer else ""
    return f"{layer}{region.memory.words} x {region.memory.word_bits} bits" if region.memory else "not known"
