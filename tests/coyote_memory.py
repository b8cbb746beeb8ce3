# SPDX-License-Identifier: BSD-3-Clause
"""Memory behind the requests of a core under a program for Coyote: what the program has mapped alone."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

BURST, BEAT, LATENCY, THREAD = 64, 64, 60, 48


class Memory:
    """The card's and the host's memory.

    Args:
        dut: The core.
        rings: Of the memory map.
    """

    def __init__(self, dut: Any, rings: list[dict[str, Any]]) -> None:
        self.dut, self.random = dut, random.Random(1)
        self.mapped: dict[tuple[int, int], int] = {}  # bytes, by thread and address
        self.data: dict[int, bytes] = {}  # bursts
        self.requests = {"write": 0, "read": 0}
        counts = {"card": 0, "host": 0}
        self.writes: dict[int, deque[int]] = {}
        self.reads: dict[int, deque[int]] = {}
        self.completed: deque[tuple[int, int]] = deque()  # when, and of which stream
        self.now = 0
        self.dead = False  # the shell answers nothing any more
        self.drops = False  # a program was killed, whose core goes on: the driver refuses its pages
        for number, ring in enumerate(rings):
            key = counts[ring["bank"]] | (16 if ring["bank"] == "host" else 0)
            counts[ring["bank"]] += 1
            self.writes[key], self.reads[key] = deque(), deque()
            cocotb.start_soon(self._send(f"s_axis_ring_{number}", self.reads[key]))
            cocotb.start_soon(self._take(f"m_axis_ring_{number}", key))
        for way, queues in (("write", self.writes), ("read", self.reads)):
            cocotb.start_soon(self._requests(way, queues))
        cocotb.start_soon(self._completions())

    def map(self, thread: int, address: int, size: int) -> None:
        """Let a thread have memory, or take it back."""
        if size:
            self.mapped[thread, address] = size
        else:
            del self.mapped[thread, address]

    def gone(self) -> None:
        """Take back what a killed program has kept; what comes for it later is never answered."""
        self.drops |= bool(self.mapped)
        self.mapped.clear()

    def _pin(self, name: str) -> Any:
        return getattr(self.dut, name)

    async def _requests(self, way: str, queues: dict[int, deque[int]]) -> None:
        name = f"m_axis_{way}_request"
        while True:
            ready = self.random.random() < 0.1 and not self.dead
            self._pin(f"{name}_tready").value = int(ready)
            await RisingEdge(self.dut.aclk)
            if not ready or not self.dut.aresetn.value or not self._pin(f"{name}_tvalid").value:
                continue
            word = int(self._pin(f"{name}_tdata").value)
            where, key = word & ((1 << 54) - 1), word >> 54
            thread, address = where >> THREAD, where & ((1 << THREAD) - 1)
            held = any(
                thread == one and first <= address and address + BURST * BEAT <= first + size
                for (one, first), size in self.mapped.items()
            )
            assert held or self.drops, f"a {way} of thread {thread} at {address:#x}, which is nobody's"
            if not held:
                continue
            queues[key].append(where)
            self.requests[way] += 1

    async def _take(self, port: str, key: int) -> None:
        beats: list[bytes] = []
        while True:
            ready = len(beats) < 8 * BURST and self.random.random() < 0.9
            self._pin(f"{port}_tready").value = int(ready)
            await RisingEdge(self.dut.aclk)
            if ready and self.dut.aresetn.value and self._pin(f"{port}_tvalid").value:
                beats.append(int(self._pin(f"{port}_tdata").value).to_bytes(BEAT, "little"))
                assert int(self._pin(f"{port}_tkeep").value) == (1 << BEAT) - 1
            if self.writes[key] and len(beats) >= BURST:
                self.data[self.writes[key].popleft()] = b"".join(beats[:BURST])
                del beats[:BURST]
                self.completed.append((self.now + LATENCY, key))

    async def _completions(self) -> None:
        valid = self._pin("s_axis_write_completion_tvalid")
        while True:
            due = bool(self.completed) and self.completed[0][0] <= self.now and not self.dead
            valid.value = int(due)
            if due:
                self._pin("s_axis_write_completion_tdata").value = self.completed.popleft()[1]
            await RisingEdge(self.dut.aclk)
            self.now += 1

    async def _send(self, port: str, asked: deque[int]) -> None:
        self._pin(f"{port}_tvalid").value = 0
        while True:
            await RisingEdge(self.dut.aclk)
            if not asked or self.dead:
                continue
            data = self.data[asked[0]]
            for at in range(0, len(data), BEAT):
                self._pin(f"{port}_tdata").value = int.from_bytes(data[at : at + BEAT], "little")
                self._pin(f"{port}_tlast").value = int(at + BEAT == len(data))
                self._pin(f"{port}_tvalid").value = 1
                await RisingEdge(self.dut.aclk)
            self._pin(f"{port}_tvalid").value = 0
            asked.popleft()
