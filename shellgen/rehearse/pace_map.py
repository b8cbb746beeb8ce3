# SPDX-License-Identifier: BSD-3-Clause
"""The map of a rehearsal at a pace: without cores, cards are served like boards, by a DMA for each stream."""

from __future__ import annotations

from shellgen.model.map_movers import MapChannel, MapChannels, MapDma, MapMemory
from shellgen.model.memory_map import MapNode, MapStream, MemoryMap

_REGISTERS = 1 << 40  # beyond those of any core
_WINDOW = 1 << 16
_MEMORY = MapMemory(base=0, size=1 << 31)


def paced_map(found: MemoryMap) -> MemoryMap:
    """Return the map that servers and client start with: all frames pass servers, at rates of links."""
    nodes = tuple(_board(node) for node in found.nodes)
    return found.model_copy(update={"nodes": nodes, "bring_up": None})


def _board(node: MapNode) -> MapNode:
    streams = tuple(stream.model_copy(update={"program": None}) for stream in node.streams)
    if node.bus == "devmem":
        return node.model_copy(update={"streams": streams})
    whole = tuple(one.model_copy(update={"memory_bytes": one.frame_bytes}) for one in streams)
    none = {"ip": None, "units": (), "movers": (), "channels": (), "vfpga": None, "rings": (), "regions": ()}
    dmas = tuple(_dma(stream) for stream in whole)
    return node.model_copy(update={"bus": "devmem", "slot_bytes": 4, "streams": whole, "dma": dmas, **none})


def _dma(stream: MapStream) -> MapDma:
    channel = MapChannel(stream=stream.index, interrupt=None)
    enters = stream.direction == "rx"
    return MapDma(
        name=f"dma_{stream.index}",
        base=_REGISTERS + _WINDOW * stream.index,
        size=_WINDOW,
        cyclic=False,
        address_bits=32,
        max_bytes=(1 << 26) - 1,
        align=64,
        coherent=True,
        channels=MapChannels(mm2s=channel if enters else None, s2mm=None if enters else channel),
        memory=(_MEMORY,),
    )
