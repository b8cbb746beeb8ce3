# SPDX-License-Identifier: BSD-3-Clause
"""The memory of a board at an AXI4 master of a core, for host programs on simulated boards.

Bursts increment and are of whole beats, as those of ip/links/ddr_ring/axis_ddr_fifo; an access to memory
that no program holds is an error.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import cocotb
from axi_dma import Memory
from cocotb.triggers import RisingEdge

LATENCY = 30  # cycles from an address or the last beat to the answer
OKAY = 0
_DRIVEN = ("awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rresp", "rlast", "rdata")


class AxiSlave:
    """Memory behind the port ``<name>_awaddr`` and so on.

    Args:
        dut: The core.
        name: Of the port.
        memory: What is behind it.
        held: Tells whether a program holds all of these bytes: address and number.
    """

    def __init__(self, dut: Any, name: str, memory: Memory, held: Callable[[int, int], bool]) -> None:
        self._dut, self._name, self._memory, self._held = dut, name, memory, held
        self._clock = dut.aclk
        for signal in (
            "awready",
            "wready",
            "bvalid",
            "bresp",
            "arready",
            "rvalid",
            "rresp",
            "rlast",
            "rdata",
        ):
            self._pin(signal).value = 0
        cocotb.start_soon(self._writes())
        cocotb.start_soon(self._reads())

    def _pin(self, signal: str) -> Any:
        return getattr(self._dut, f"{self._name}_{signal}")

    def _is(self, signal: str) -> bool:
        value = self._pin(signal).value
        return bool(value.is_resolvable and int(value))

    async def _edge(self) -> None:
        await RisingEdge(self._clock)

    def _burst(self, channel: str) -> tuple[int, int]:
        """Return address and beats of a burst."""
        address, beats = int(self._pin(f"{channel}addr").value), int(self._pin(f"{channel}len").value) + 1
        size = beats * self._bytes
        assert self._held(address, size), f"{self._name}: {size} bytes at {address:#x} are nobody's"
        assert address // 4096 == (address + size - 1) // 4096, f"{self._name}: a burst crosses 4 KiB"
        return address, beats

    @property
    def _bytes(self) -> int:
        return len(self._pin("wdata")) // 8

    async def _writes(self) -> None:
        due: deque[int] = deque()
        begun: deque[tuple[int, int]] = deque()
        beats: deque[tuple[int, bool]] = deque()
        cycle = 0
        self._pin("awready").value = self._pin("wready").value = 1
        while True:
            await self._edge()
            cycle += 1
            if self._is("awvalid"):
                begun.append(self._burst("aw"))
            if self._is("wvalid"):
                beats.append((int(self._pin("wdata").value), self._is("wlast")))
            if begun and len(beats) >= begun[0][1]:
                address, count = begun.popleft()
                for beat in range(count):
                    data, last = beats.popleft()
                    assert last == (beat == count - 1), f"{self._name}: WLAST at beat {beat} of {count}"
                    at = address + beat * self._bytes
                    self._memory.write(at, data.to_bytes(self._bytes, "little"))
                due.append(cycle + LATENCY)
            # The master is always ready for answers: it has asked for no more than it has room for.
            answers = bool(due) and due[0] <= cycle
            self._pin("bvalid").value = answers
            self._pin("bresp").value = OKAY
            if answers:
                due.popleft()

    async def _reads(self) -> None:
        waiting: deque[tuple[int, int, int]] = deque()
        cycle = sent = 0
        self._pin("arready").value = 1
        while True:
            await self._edge()
            cycle += 1
            if self._is("arvalid"):
                waiting.append((*self._burst("ar"), cycle + LATENCY))
            offers = bool(waiting) and waiting[0][2] <= cycle
            self._pin("rvalid").value = offers
            if not offers:
                continue
            address, count, _ = waiting[0]
            data = self._memory.read(address + sent * self._bytes, self._bytes)
            self._pin("rdata").value = int.from_bytes(data, "little")
            self._pin("rlast").value = sent == count - 1
            self._pin("rresp").value = OKAY
            sent += 1
            if sent == count:
                waiting.popleft()
                sent = 0
