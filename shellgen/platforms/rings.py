# SPDX-License-Identifier: BSD-3-Clause
"""Streams of a core that are kept in memory, as the memory map has them."""

from __future__ import annotations

from collections.abc import Sequence

from shellgen.model import NodePlan
from shellgen.model.map_movers import MapMemory, MapRing
from shellgen.registers import map_block

ALIGN = 4096  # bytes, so that no burst crosses a boundary of as many (AXI4, A3.4.1)


def map_rings(
    node: NodePlan, memory: Sequence[tuple[int, int]], banks: Sequence[str] = ()
) -> tuple[MapRing, ...]:
    """Return the rings of a node, in the order of their registers.

    Args:
        node: The node.
        memory: Address and bytes of the parts of memory that its core reaches, ascending.
        banks: Bank of each ring, where each port reaches one whose addresses the runtime knows.
    """
    kept = [inner for inner in node.inner if inner.ring]
    if not kept:
        return ()
    name = next(one.name for one in node.attachments if one.memories)
    block = map_block(node, next(window for window in node.windows if window.name == name))
    registers = {one.name: one for one in block.registers}

    def at(register: str, number: int = 0) -> int:
        found = registers[register]
        return block.base + found.offset + number * (found.stride or 0)

    return tuple(
        MapRing(
            name=inner.ring.port.name,
            boundary=inner.boundary,
            bytes=inner.ring.port.bytes,
            align=ALIGN,
            memory=tuple(MapMemory(base=base, size=size) for base, size in memory),
            base_low=at("BASE_LOW", inner.ring.number),
            base_high=at("BASE_HIGH", inner.ring.number),
            arm=at("ARM"),
            idle=at("IDLE"),
            write_faults=at("WRITE_FAULTS"),
            read_faults=at("READ_FAULTS"),
            mask=1 << inner.ring.number,
            bank=banks[inner.ring.number] if banks else None,
        )
        for inner in kept
        if inner.ring
    )
