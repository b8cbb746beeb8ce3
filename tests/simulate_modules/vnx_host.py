# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside the simulator on vnx_echo: a program of the host at the other end of two real sockets."""

from __future__ import annotations

import random
import socket
import threading
from collections import deque
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from host_module import host_module
from vnx_proxy import HOST, free_address

vnx = host_module("shellgen_vnx")
FRAMES, FRAME_BYTES, BEAT = 12, 200, 64
CYCLES = 60_000
SIDES = ("tdata", "tkeep", "tdest", "tlast")


def run_host(places: list[tuple[str, int]], cards: list[tuple[str, int]], got: list[bytes]) -> None:
    """Send frames to row 0 and take what row 1 sends back."""
    terms = {"frame_bytes": FRAME_BYTES, "packet_beats": 2}
    sender = vnx.Sender(vnx.Terms(link=0x1234, contract=7, **terms), slots=8, hello=0.01, timeout=0.02)
    receiver = vnx.Receiver(vnx.Terms(link=0x4321, contract=8, **terms), slots=8)
    ports = [
        vnx.Port(end, *at)
        for end, at in zip((sender, receiver), zip(places, cards, strict=True), strict=True)
    ]
    for number in range(FRAMES):
        sender.offer(random.Random(number).randbytes(FRAME_BYTES))

    def done() -> bool:
        while receiver.frames:
            frame = receiver.frames.popleft()
            assert frame.whole
            got.append(frame.data)
        return len(got) == FRAMES and sender.idle

    vnx.serve(ports, done, 60)
    for port in ports:
        port.close()


class Stack:
    """The two rows of a card: a socket each, and one datagram of ten gets lost."""

    def __init__(self, places: list[tuple[str, int]]) -> None:
        self.places, self.lost, self.chance = places, 0, random.Random(1)
        self.coming = deque[tuple[int, int, int, int]]()
        self.leaving = bytearray()
        self.rows = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in places]
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

    stack = Stack([free_address(), free_address()])
    got: list[bytes] = []
    cards = [row.getsockname() for row in stack.rows]
    host = threading.Thread(target=run_host, args=(stack.places, cards, got), daemon=True)
    host.start()
    for cycle in range(CYCLES):
        await RisingEdge(dut.aclk)
        if cycle % 4 == 0:
            if not host.is_alive():
                break
            stack.listen()
        dut.s_axis_tvalid.value = int(bool(stack.coming))
        if stack.coming:
            for name, value in zip(SIDES, stack.coming.popleft(), strict=True):
                getattr(dut, f"s_axis_{name}").value = value
        await ReadOnly()
        if int(dut.m_axis_tvalid.value):
            stack.send(*(int(getattr(dut, f"m_axis_{name}").value) for name in SIDES))
    host.join(5)
    assert stack.lost > 3
    assert got == [random.Random(number).randbytes(FRAME_BYTES) for number in range(FRAMES)], len(got)
