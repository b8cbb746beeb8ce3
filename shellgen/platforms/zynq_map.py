# SPDX-License-Identifier: BSD-3-Clause
"""The DMAs of a Zynq node as the memory map tells them."""

from __future__ import annotations

from shellgen.model import LinkPath, NodePlan
from shellgen.model.board import DMA_LENGTH_BITS, DMA_STRIDE
from shellgen.model.memory_map import MapChannel, MapChannels, MapDma, MapMemory
from shellgen.platforms.zynq_design import dmas


def map_dmas(node: NodePlan) -> tuple[MapDma, ...]:
    """Return the AXI DMAs of a node, ascending by address."""
    assert node.board.zynq is not None
    zynq = node.board.zynq
    streams = {path.boundary: at for at, path in enumerate((*node.rx, *node.tx))}

    def channel(path: LinkPath | None) -> MapChannel | None:
        return MapChannel(stream=streams[path.boundary], interrupt=None) if path else None

    return tuple(
        MapDma(
            name=dma.name,
            base=dma.address,
            size=DMA_STRIDE,
            cyclic=dma.cyclic,
            address_bits=32,
            max_bytes=(1 << DMA_LENGTH_BITS) - 1,
            # Descriptors take 64 bytes, and so does a line of the cache.
            align=64,
            coherent=False,
            channels=MapChannels(mm2s=channel(dma.rx), s2mm=channel(dma.tx)),
            memory=(MapMemory(base=0, size=zynq.ddr_bytes),),
        )
        for dma in dmas(node)
    )
