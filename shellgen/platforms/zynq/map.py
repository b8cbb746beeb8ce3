# SPDX-License-Identifier: BSD-3-Clause
"""The DMAs of a Zynq node as the memory map describes them."""

from __future__ import annotations

from shellgen.model import End, NodePlan
from shellgen.model.map_movers import MapChannel, MapChannels, MapDma, MapMemory
from shellgen.platforms.zynq.dma import dmas, memory_port, memory_windows, reaches_high, wiring
from shellgen.platforms.zynq.facts import DMA_LENGTH_BITS, DMA_STRIDE
from shellgen.platforms.zynq.ps import WIDE_ADDRESS_BITS


def map_dmas(node: NodePlan) -> tuple[MapDma, ...]:
    """Return the AXI DMAs of a node, ascending by address."""
    lines = wiring(node)

    def channel(end: End | None, pin: str) -> MapChannel | None:
        return MapChannel(stream=end.stream, interrupt=lines.of(pin)) if end else None

    return tuple(
        MapDma(
            name=dma.name,
            base=dma.address,
            size=DMA_STRIDE,
            cyclic=dma.cyclic,
            address_bits=WIDE_ADDRESS_BITS if reaches_high(node) else 32,
            max_bytes=(1 << DMA_LENGTH_BITS) - 1,
            # Descriptors take 64 bytes, and so does a line of the cache.
            align=64,
            coherent=bool(memory_port(node).cache),
            channels=MapChannels(
                mm2s=channel(dma.rx, f"{dma.name}/mm2s_introut"),
                s2mm=channel(dma.tx, f"{dma.name}/s2mm_introut"),
            ),
            memory=tuple(MapMemory(base=base, size=size) for base, size in memory_windows(node)),
        )
        for dma in dmas(node)
    )
