# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of the boards' memories in the bench: the models have them, and the cores get them."""

from __future__ import annotations

from shellgen.model import MemoryPort, NodePlan
from shellgen.model.ring import THREAD_LOW

_STRIDE = 0x1000_0000  # from one to the next
_HIGH = 32


def bench_base(port: MemoryPort, number: int) -> int:
    """Return the address of the memory behind a core's port, above 4 GiB where the port reaches there.

    One for requests has a thread of its own.
    """
    thread = (number + 1) << THREAD_LOW if port.dest is not None else 0
    return thread + (number + 1) * _STRIDE + ((1 << _HIGH) if port.addr_bits > _HIGH else 0)


def bench_bases(node: NodePlan) -> dict[str, int]:
    """Return the addresses of a node's memories, by the names of the core's ports."""
    return {port.name: bench_base(port, number) for number, port in enumerate(node.memory_ports)}
