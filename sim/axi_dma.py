# SPDX-License-Identifier: BSD-3-Clause
"""AXI DMA by its registers, at the pins of a core: what a host's program sees of it, and what the core
does.

Direct register mode for both channels; scatter-gather with cyclic mode for MM2S. A register that a program
may not rely on is not there: an access to it is an error. LENGTH has only its bits; transfers stop for
reasons of the hardware's (TLAST, LENGTH, memory), never because a program is about to look.

Source: PG021 (AXI DMA), register space, Direct Register Mode, Descriptors, Cyclic DMA Mode.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.task import Task
from cocotb.triggers import ClockCycles, Event, RisingEdge

DMACR, DMASR, CURDESC, CURDESC_HIGH, TAILDESC, TAILDESC_HIGH = 0x00, 0x04, 0x08, 0x0C, 0x10, 0x14
ADDRESS, ADDRESS_HIGH, LENGTH = 0x18, 0x1C, 0x28
RUN, RESET, CYCLIC = 1, 4, 16
HALTED, IDLE, HAS_SG, INTERNAL, DECODE, SG_INTERNAL = 1, 2, 8, 1 << 4, 1 << 6, 1 << 8
RESET_CYCLES = 12
COMPLETE = 1 << 31  # of a descriptor's STATUS
ALIGNED = 16  # bytes: what an HP port of 128 bits needs without realignment


class Memory:
    """DDR as the DMAs see it. What the processor has in its cache is elsewhere."""

    def __init__(self, base: int, size: int) -> None:
        self.base, self.data = base, bytearray(size)

    def holds(self, address: int, size: int) -> bool:
        """Tell whether all these bytes are there."""
        return self.base <= address and address + size <= self.base + len(self.data)

    def read(self, address: int, size: int) -> bytes:
        """Return bytes that are there."""
        return bytes(self.data[address - self.base : address - self.base + size])

    def write(self, address: int, data: bytes) -> None:
        """Change bytes that are there."""
        self.data[address - self.base : address - self.base + len(data)] = data


@dataclass
class Pins:
    """One stream of the core, ``<name>_tdata`` and so on."""

    dut: Any
    name: str

    def __getattr__(self, signal: str) -> Any:
        return getattr(self.dut, f"{self.name}_{signal}")

    @property
    def bytes(self) -> int:
        """Bytes of a beat."""
        return len(self.tdata) // 8


@dataclass
class Registers:
    """Register offsets of one channel."""

    control: int = 0
    status: int = HALTED
    current: int = 0
    tail: int = 0
    address: int = 0
    length: int = 0
    started: Event = field(default_factory=Event)


class Channel:
    """Register access that both directions share."""

    def __init__(self, dma: AxiDma, pins: Pins) -> None:
        self.dma, self.pins = dma, pins
        self.registers = Registers()
        self.task: Task[None] | None = None
        self.rest()

    def rest(self) -> None:
        """Offer and take nothing."""
        raise NotImplementedError

    async def work(self) -> None:
        """Do one transfer, or all of a ring."""
        raise NotImplementedError

    def reset(self) -> None:
        """Come back to what it is after power-up; a reset of one channel is one of both."""
        if self.task:
            self.task.cancel()
            self.task = None
        self.registers = Registers(status=HALTED | (HAS_SG if self.dma.cyclic else 0))
        self.rest()

    def stop(self, error: int) -> None:
        """Halt with an error, which only a reset clears."""
        self.registers.status |= error | HALTED
        self.registers.control &= ~RUN

    def read(self, offset: int) -> int:
        """Return a register."""
        found = self.registers
        values = {DMACR: found.control, DMASR: found.status, LENGTH: found.length}
        if self.dma.cyclic:
            del values[LENGTH]
        assert offset in values, f"{self.dma.name}: nothing to be read at {offset:#x}"
        return values[offset]

    def write(self, offset: int, value: int) -> None:
        """Write a register, and do what follows from it."""
        found, halted = self.registers, self.registers.status & HALTED
        if offset == DMACR:
            found.control = value & (RUN | CYCLIC)
            if value & RUN and not found.status & INTERNAL:
                found.status &= ~HALTED
        elif offset == LENGTH and not self.dma.cyclic:
            if not halted and not self.task:  # ignored otherwise
                found.length = value & self.dma.most_bytes
                self._begin()
        elif offset in (ADDRESS, ADDRESS_HIGH) and not self.dma.cyclic:
            found.address = self._half(found.address, value, offset == ADDRESS_HIGH)
        elif offset in (CURDESC, CURDESC_HIGH) and self.dma.cyclic:
            if halted:  # ignored otherwise
                found.current = self._half(found.current, value, offset == CURDESC_HIGH)
        elif offset in (TAILDESC, TAILDESC_HIGH) and self.dma.cyclic:
            found.tail = self._half(found.tail, value, offset == TAILDESC_HIGH)
            last = TAILDESC_HIGH if self.dma.wide else TAILDESC
            if offset == last and not halted and not self.task:
                self._begin()
        else:
            raise AssertionError(f"{self.dma.name}: nothing to be written at {offset:#x}")

    def _half(self, before: int, value: int, upper: bool) -> int:
        assert self.dma.wide or not upper, f"{self.dma.name}: it has no upper halves of addresses"
        return (before & 0xFFFFFFFF) | value << 32 if upper else before >> 32 << 32 | value

    def _begin(self) -> None:
        self.registers.status &= ~IDLE
        self.task = cocotb.start_soon(self._whole())

    async def _whole(self) -> None:
        await self.work()
        self.task = None

    async def pause(self) -> None:
        """Wait as long as a memory may."""
        while self.dma.random.random() < self.dma.pauses:
            await RisingEdge(self.dma.clock)


class MemoryToCore(Channel):
    """MM2S."""

    def rest(self) -> None:
        self.pins.tvalid.value = 0

    async def work(self) -> None:
        found = self.registers
        if self.dma.cyclic:
            await self._ring()
        elif await self._send(found.address, found.length):
            found.status |= IDLE

    async def _send(self, address: int, length: int) -> bool:
        if not length:
            self.stop(INTERNAL)
            return False
        assert address % ALIGNED == 0, f"{self.dma.name}: a buffer at {address:#x}, and no realignment engine"
        if not self.dma.memory.holds(address, length):
            self.stop(DECODE)
            return False
        data, size = self.dma.memory.read(address, length), self.pins.bytes
        for at in range(0, length, size):
            await self.pause()
            beat = data[at : at + size]
            if self.dma.loses(self.pins.name, at // size):
                continue
            self.pins.tdata.value = int.from_bytes(beat, "little")
            self.pins.tkeep.value = (1 << len(beat)) - 1
            self.pins.tlast.value = int(at + size >= length)
            self.pins.tvalid.value = 1
            await RisingEdge(self.dma.clock)
            while not self.pins.tready.value:
                await RisingEdge(self.dma.clock)
            self.pins.tvalid.value = 0
        return True

    async def _ring(self) -> None:
        """Follow descriptors until the tail; in cyclic mode there is none."""
        found = self.registers
        while True:
            place = found.current
            if place % 64 or not self.dma.memory.holds(place, 64):
                self.stop(SG_INTERNAL)
                return
            following, high, low, above, _, _, control, status = struct.unpack(
                "<8I", self.dma.memory.read(place, 32)
            )
            if status & COMPLETE and not found.control & CYCLIC:
                self.stop(SG_INTERNAL)
                return
            assert control >> 26 == 3, f"{self.dma.name}: descriptor with control {control:#x} is no packet"
            if not await self._send(above << 32 | low, control & self.dma.most_bytes):
                return
            self.dma.memory.write(place + 28, struct.pack("<I", COMPLETE | control & self.dma.most_bytes))
            found.current = high << 32 | following
            if place == found.tail and not found.control & CYCLIC:
                found.status |= IDLE
                return


class CoreToMemory(Channel):
    """S2MM."""

    def rest(self) -> None:
        self.pins.tready.value = 0

    async def work(self) -> None:
        found, data = self.registers, bytearray()
        if not found.length:
            return self.stop(INTERNAL)
        assert found.address % ALIGNED == 0, f"{self.dma.name}: a buffer at {found.address:#x}"
        if not self.dma.memory.holds(found.address, found.length):
            return self.stop(DECODE)
        last = False
        while not last:
            await self.pause()
            self.pins.tready.value = 1
            await RisingEdge(self.dma.clock)
            self.pins.tready.value = 0
            if not self.pins.tvalid.value:
                continue
            beat = int(self.pins.tdata.value).to_bytes(self.pins.bytes, "little")
            keep = int(self.pins.tkeep.value)
            data += bytes(byte for at, byte in enumerate(beat) if keep >> at & 1)
            last = bool(self.pins.tlast.value)
            if len(data) > found.length:
                return self.stop(INTERNAL)
        self.dma.memory.write(found.address, bytes(data))
        found.length = len(data)
        found.status |= IDLE
        return None


class AxiDma:
    """One DMA of the map.

    Args:
        dut: The core, with its link ports.
        entry: Of the DMA in the map.
        streams: Of the node in the map.
        memory: What it reads and writes.
        loses: Returns for a port and the number of a beat in its transfer whether that beat is lost.
    """

    def __init__(
        self,
        dut: Any,
        entry: dict[str, Any],
        streams: list[dict[str, Any]],
        memory: Memory,
        loses: Callable[[str, int], bool],
    ) -> None:
        self.name, self.base, self.size = entry["name"], entry["base"], entry["size"]
        self.cyclic, self.most_bytes = entry["cyclic"], entry["max_bytes"]
        self.wide = entry["address_bits"] > 32
        self.clock, self.memory, self.loses = dut.aclk, memory, loses
        self.random, self.pauses = random.Random(entry["base"]), 0.2
        self._resetting = False
        self.channels: dict[int, Channel] = {}
        for at, name, kind in ((0x00, "mm2s", MemoryToCore), (0x30, "s2mm", CoreToMemory)):
            channel = entry["channels"][name]
            if channel:
                self.channels[at] = kind(self, Pins(dut, streams[channel["stream"]]["port"]))
        for one in self.channels.values():
            one.reset()

    def _channel(self, offset: int) -> tuple[Channel, int]:
        at = 0x30 if offset >= 0x30 else 0x00
        assert at in self.channels, f"{self.name}: it has no channel at {offset:#x}"
        return self.channels[at], offset - at

    def read(self, offset: int) -> int:
        """Return a register."""
        channel, at = self._channel(offset)
        return channel.read(at) | (RESET if at == DMACR and self._resetting else 0)

    def write(self, offset: int, value: int) -> None:
        """Write a register."""
        channel, at = self._channel(offset)
        assert not self._resetting, f"{self.name}: {offset:#x} was written during a reset"
        if at == DMACR and value & RESET:
            self._resetting = True
            cocotb.start_soon(self._reset())
        else:
            channel.write(at, value)

    async def _reset(self) -> None:
        for channel in self.channels.values():
            channel.reset()
        await ClockCycles(self.clock, RESET_CYCLES)
        self._resetting = False
