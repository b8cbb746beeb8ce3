# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside the simulator on vnx_echo: a program of the host at the other end of two real sockets."""

from __future__ import annotations

import random
import socket
from collections import deque
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from host_module import host_module
from vnx_proxy import HOST, free_address

udp = host_module("shellgen_udp")
FRAMES, FRAME_BYTES, BEAT = 12, 200, 64
CYCLES = 60_000
SECONDS = 1e-5  # of the host for a cycle of the card
SIDES = ("tdata", "tkeep", "tdest", "tlast")


class Host:
    """The ends of a runner: it sends frames to row 0 and takes those that row 1 sends back.

    It has the time of the simulation, so that no timeout depends on the speed of the machine.
    """

    def __init__(self, cards: list[tuple[str, int]]) -> None:
        self.now = 0.0
        ports = [free_address()[1] for _ in cards]
        there, back = (
            self._stream(*one) for one in zip((0x1234, 0x4321), ("07", "08"), ports, cards, strict=True)
        )
        self.sink = udp.UdpSink(there, self._clock)
        self.source = udp.UdpSource(back, FRAMES, self._clock)
        self.places = [(HOST, port) for port in ports]
        self.got: list[bytes] = []
        frames = [random.Random(number).randbytes(FRAME_BYTES) for number in range(FRAMES)]
        self.sink.put(np.frombuffer(b"".join(frames), np.uint8).reshape(FRAMES, -1))

    def _clock(self) -> float:
        return self.now

    @staticmethod
    def _stream(link: int, contract: str, port: int, card: tuple[str, int]) -> dict[str, Any]:
        """Return what the map says of a stream, as far as it counts here."""
        names = ("packing", "role", "element", "shape")
        terms = {"link": link, "packet_beats": 2, "slots": 8, **dict.fromkeys(names, 0)}
        told = {"address": HOST, "port": port, "peer": card[0], "peer_port": card[1], "reorder": 3}
        stream = {"boundary": "echo", "frame_bytes": FRAME_BYTES, "contract": contract.zfill(16)}
        return {**stream, "program": {**told, "terms": terms}}

    def pump(self, now: float) -> bool:
        """Do all that is to be done at this time; return whether everything has come back."""
        self.now = now
        room = self.sink.room()
        self.source.step()
        if (frame := self.source.take(1)) is not None:
            self.got.append(frame.tobytes())
        return len(self.got) == FRAMES and room and self.sink.idle

    def close(self) -> None:
        """Give the sockets back, at once: nobody asks any more."""
        self.source.frames = -1
        for end in (self.sink, self.source):
            end.close()


class Stack:
    """The two rows of a card: a socket each, and one datagram of ten gets lost."""

    def __init__(self) -> None:
        self.places: list[tuple[str, int]] = []
        self.lost, self.chance = 0, random.Random(1)
        self.coming = deque[tuple[int, int, int, int]]()
        self.leaving = bytearray()
        self.rows = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for row in self.rows:
            row.bind((HOST, 0))
            row.setblocking(False)

    def loses(self) -> bool:
        """Say whether the datagram at hand is lost."""
        struck = self.chance.random() < 0.1
        self.lost += struck
        return struck

    def listen(self) -> None:
        """Cut what has come into beats: data, keep, dest, last."""
        for number, row in enumerate(self.rows):
            try:
                raw = row.recv(65536)
            except (BlockingIOError, ConnectionRefusedError):
                continue
            if not self.loses():
                beats = [raw[at : at + BEAT] for at in range(0, len(raw), BEAT)]
                for at, beat in enumerate(beats, 1):
                    data, keep = int.from_bytes(beat, "little"), (1 << len(beat)) - 1
                    self.coming.append((data, keep, number, int(at == len(beats))))

    def send(self, data: int, keep: int, dest: int, last: int) -> None:
        """Take a beat of the card."""
        self.leaving += data.to_bytes(BEAT, "little")[: keep.bit_count()]
        if last:
            if not self.loses():
                self.rows[dest].sendto(bytes(self.leaving), self.places[dest])
            self.leaving.clear()


@cocotb.test()
async def a_host_is_a_node(dut: Any) -> None:
    """All frames come back."""
    for name in SIDES:
        getattr(dut, f"s_axis_{name}").value = 0
    dut.s_axis_tvalid.value = 0
    dut.aresetn.value = 0
    Clock(dut.aclk, 10, "ns").start()
    await ClockCycles(dut.aclk, 8)
    dut.aresetn.value = 1

    stack = Stack()
    host = Host([row.getsockname() for row in stack.rows])
    stack.places = host.places
    for cycle in range(CYCLES):
        await RisingEdge(dut.aclk)
        if cycle % 4 == 0:
            if host.pump(cycle * SECONDS):
                break
            stack.listen()
        dut.s_axis_tvalid.value = int(bool(stack.coming))
        if stack.coming:
            for name, value in zip(SIDES, stack.coming.popleft(), strict=True):
                getattr(dut, f"s_axis_{name}").value = value
        await ReadOnly()
        if int(dut.m_axis_tvalid.value):
            stack.send(*(int(getattr(dut, f"m_axis_{name}").value) for name in SIDES))
    host.close()
    assert stack.lost > 3
    wanted = [random.Random(number).randbytes(FRAME_BYTES) for number in range(FRAMES)]
    assert host.got == wanted, len(host.got)
