# SPDX-License-Identifier: BSD-3-Clause
"""A Zynq board around one simulated core: registers and memory as the host's programs reach them.

The programs block, so they run in a thread of their own, and each access lets the model run for some cycles.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from axi_dma import AxiDma, Memory
from axi_slave import AxiSlave
from bench_lite import NodeLite
from cocotb.task import resume
from cocotb.triggers import ClockCycles

MEMORY_BYTES = 1 << 20
ACCESS_CYCLES = 20  # of a DMA register
STALE = 0xA5


class Buffer:
    """Memory of a program: ``data`` is what its cache holds, and the DMA sees none of it before a flush."""

    def __init__(self, memory: Memory, address: int, size: int) -> None:
        self._memory, self.address, self.freed = memory, address, False
        self.data = np.full(size, STALE, np.uint8)

    def flush(self) -> None:
        """Write the cache back."""
        self._memory.write(self.address, self.data.tobytes())

    def invalidate(self) -> None:
        """Forget the cache."""
        self.data[:] = np.frombuffer(self._memory.read(self.address, len(self.data)), np.uint8)

    def free(self) -> None:
        """Give it back: nobody may write it any more, so it is spoilt."""
        self._memory.write(self.address, bytes([STALE]) * len(self.data))
        self.freed = True


class SimulatedBoard:
    """Interface of `shellgen_board`, on a core whose ports are those of the model's top.

    Args:
        dut: The core.
        node: Its entry in the map.
        lost: Ports and beats that get lost on their way from memory, for tests of what is said then.
        offset: Bytes by which all buffers are misplaced, for the same.
    """

    def __init__(self, dut: Any, node: dict[str, Any], lost: dict[str, int], offset: int = 0) -> None:
        self._clock, self._lost = dut.aclk, lost
        self._lite, self._node = NodeLite(dut, node, "s_axil"), node
        first = node["dma"][0]["memory"][-1]["base"]  # the highest: all bits of addresses count
        self._memory = Memory(first, MEMORY_BYTES)
        self._next = first + offset
        self._live: list[Buffer] = []
        for ring in node["rings"]:
            AxiSlave(dut, ring["name"], self._memory, self._holds)
        self._dmas = [AxiDma(dut, entry, node["streams"], self._memory, self._loses) for entry in node["dma"]]
        self._read, self._write = resume(self._read_at), resume(self._write_at)
        self.bus = self

    def _loses(self, port: str, beat: int) -> bool:
        if self._lost.get(port) != beat:
            return False
        del self._lost[port]
        return True

    def allocate(self, size: int) -> Buffer:
        """Return a buffer, on a line of the cache of its own."""
        buffer = Buffer(self._memory, self._next, size)
        self._live.append(buffer)
        self._next += (size + 63) // 64 * 64
        return buffer

    def _holds(self, address: int, size: int) -> bool:
        """Tell whether a program has all these bytes."""
        return any(
            one.address <= address and address + size <= one.address + len(one.data)
            for one in self._live
            if not one.freed
        )

    def read(self, address: int) -> int:
        """Read a register."""
        return int(self._read(address))

    def write(self, address: int, value: int) -> None:
        """Write a register."""
        self._write(address, int(value))

    def _dma(self, address: int) -> AxiDma | None:
        inside = [dma for dma in self._dmas if dma.base <= address < dma.base + dma.size]
        base, span = self._node["base"], self._node["span"]
        assert inside or base <= address < base + span, f"{address:#x} is nobody's"
        return inside[0] if inside else None

    async def _read_at(self, address: int) -> int:
        dma = self._dma(address)
        if dma is None:
            return await self._lite.read_at(address)
        await ClockCycles(self._clock, ACCESS_CYCLES)
        return dma.read(address - dma.base)

    async def _write_at(self, address: int, value: int) -> None:
        dma = self._dma(address)
        if dma is None:
            await self._lite.write_at(address, value)
            return
        await ClockCycles(self._clock, ACCESS_CYCLES)
        dma.write(address - dma.base, value)
