# SPDX-License-Identifier: BSD-3-Clause
"""A card that runs Coyote, whose core is the model's top, for one program after the other.

They reach it by the socket ``shell.sock`` in the run folder (coyote_stand_in). ``program.json`` says which
core it is. While there is a file ``dead``, memory answers no request of the core; a file ``end`` ends the
card. What has been done with it is in ``accesses.json``, ``requests.json`` and ``puts.json`` then.
"""

from __future__ import annotations

import json
import random
import socket
import struct
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
from bench_lite import NodeLite
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from coyote_engine import Engine
from coyote_memory import Memory

ASKED: dict[str, Any] = json.loads(Path("program.json").read_text())
OUT = Path(ASKED["out"])
BEAT, FIFO_BEATS, LOOK_CYCLES = 64, 512, 40
IDLE_CYCLES = 100
REQUEST = struct.Struct("<4Q")


@dataclass
class Transfer:
    """A transfer; the program that began it may be gone, and then only its end is counted."""

    thread: int
    size: int
    data: bytes
    gone: bool = False


class Way:
    """One direction of one host stream: transfers one after the other."""

    def __init__(self, shell: Shell, port: str, dest: int, lost: int | None) -> None:
        self.dut, self.shell, self.port, self.dest, self.lost = shell.dut, shell, port, dest, lost
        self.asked: deque[Transfer] = deque()
        self.beats: deque[bytes] = deque()
        self.random = random.Random(port)
        self.moved = 0
        if port.startswith("s_"):
            self.pin("tvalid").value = 0
            cocotb.start_soon(self._send())
        else:
            cocotb.start_soon(self._take())
            cocotb.start_soon(self._write())

    def pin(self, name: str) -> Any:
        return getattr(self.dut, f"{self.port}_{name}")

    async def _send(self) -> None:
        while True:
            await RisingEdge(self.dut.aclk)
            if not self.asked:
                continue
            thread, size, data = self.asked[0].thread, self.asked[0].size, self.asked[0].data
            for at in range(0, size, BEAT):
                while self.random.random() < 0.2:
                    await RisingEdge(self.dut.aclk)
                self.moved += 1
                if self.moved - 1 == self.lost:
                    continue
                self.pin("tdata").value = int.from_bytes(data[at : at + BEAT], "little")
                self.pin("tkeep").value = (1 << BEAT) - 1
                self.pin("tlast").value = int(at + BEAT == size)
                self.pin("tid").value = thread
                self.pin("tvalid").value = 1
                await RisingEdge(self.dut.aclk)
                while not self.pin("tready").value:
                    await RisingEdge(self.dut.aclk)
                self.pin("tvalid").value = 0
            self.asked.popleft()
            self.shell.reads[thread] = self.shell.reads.get(thread, 0) + 1

    async def _take(self) -> None:
        """Hold what comes, whether it was asked for or not."""
        while True:
            ready = len(self.beats) < FIFO_BEATS and self.random.random() < 0.8
            self.pin("tready").value = int(ready)
            await RisingEdge(self.dut.aclk)
            if ready and self.dut.aresetn.value == 1 and self.pin("tvalid").value:
                assert int(self.pin("tkeep").value) == (1 << BEAT) - 1
                self.beats.append(int(self.pin("tdata").value).to_bytes(BEAT, "little"))

    async def _write(self) -> None:
        while True:
            await RisingEdge(self.dut.aclk)
            if not self.asked:
                continue
            one = self.asked[0]
            data = bytearray()
            while len(data) < one.size:
                if self.beats:
                    data += self.beats.popleft()
                else:
                    await RisingEdge(self.dut.aclk)
            self.asked.popleft()
            if one.gone:
                self.shell.writes[one.thread] = self.shell.writes.get(one.thread, 0) + 1
            else:
                self.shell.written.setdefault(one.thread, deque()).append(bytes(data))


class Shell:
    """Runs one program after the other."""

    def __init__(self, dut: Any, node: dict[str, Any]) -> None:
        self.dut, self.region = dut, node["vfpga"]["region"]
        self.lite = NodeLite(dut, node, "s_axil")
        self.reads: dict[int, int] = {}
        self.writes: dict[int, int] = {}
        self.written: dict[int, deque[bytes]] = {}
        self.accesses = {"r": 0, "w": 0}
        self.memory, self.at = Memory(dut, node["rings"]) if node["rings"] else None, 0
        ports = {stream["index"]: stream["port"] for stream in node["streams"]}
        self.ways = {
            (channel["direction"], channel["dest"]): Way(
                self, ports[channel["stream"]], channel["dest"], ASKED["lost"].get(ports[channel["stream"]])
            )
            for channel in node["channels"]
        }

    async def serve(self, connection: socket.socket) -> None:
        """Do what a program asks for until it ends."""
        while True:
            if self.memory:
                self.memory.dead = Path("dead").exists()
                self.memory.drops |= self.memory.dead
            asked = receive(connection, REQUEST.size)
            if not asked:
                return
            code, region, place, value = REQUEST.unpack(asked)
            what = chr(code)
            assert region == self.region
            if what in "rw":
                self.accesses[what] += 1
            if what == "w":
                await self.lite.write_at(8 * place, value)
            elif what == "r":
                connection.sendall(struct.pack("<Q", await self.lite.read_at(8 * place)))
            elif what in "RW":
                data = receive(connection, value) if what == "R" else b""
                way = self.ways["in" if what == "R" else "out", place >> 8]
                way.asked.append(Transfer(place & 63, value, data))
            elif what == "m":
                self.at = value
            elif what == "b" and self.memory:
                self.memory.map(place, self.at, value)
            elif what == "b":
                pass
            elif what == "c":
                self.reads[place] = self.writes[place] = 0
            else:
                await ClockCycles(self.dut.aclk, LOOK_CYCLES)
                self._completed(connection, what, place)

    def _completed(self, connection: socket.socket, what: str, thread: int) -> None:
        if what == "d":
            connection.sendall(struct.pack("<Q", self.reads.get(thread, 0)))
            return
        assert what == "D"
        ended = self.written.pop(thread, deque())
        self.writes[thread] = self.writes.get(thread, 0) + len(ended)
        connection.sendall(struct.pack("<Q", len(ended)) + b"".join(ended))
        connection.sendall(struct.pack("<Q", self.writes[thread]))


def receive(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            return b""
        found += more
    return found


async def run_one(shell: Shell, connection: socket.socket) -> None:
    """Serve a program until it is gone; what it had mapped is its own no more."""
    shell.accesses = {"r": 0, "w": 0}
    with connection, suppress(ConnectionError):  # a program may end while it waits for an answer
        await shell.serve(connection)
    shell.written.clear()
    for way in shell.ways.values():
        for transfer in way.asked:  # it stays
            transfer.gone = True
    if shell.memory:
        shell.memory.gone()


@cocotb.test()
async def program(dut: Any) -> None:
    maps = json.loads((OUT / "memory_map.json").read_text())
    node = next(entry for entry in maps["nodes"] if entry["name"] == ASKED["node"])
    Clock(dut.aclk, 4, "ns").start()
    dut.aresetn.value = 0
    for name in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
        getattr(dut, f"s_axil_{name}").value = 0
    await ClockCycles(dut.aclk, 16)
    shell = Shell(dut, node)
    ranks = [one["name"] for one in maps["nodes"] if any(block["name"] == "cclo" for block in one["blocks"])]
    engine = Engine(dut, ranks) if node["name"] in ranks else None
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 16)
    accesses = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("shell.sock")
        listener.listen()
        listener.settimeout(0.02)
        while not Path("end").exists():
            with suppress(TimeoutError):
                await run_one(shell, listener.accept()[0])
                accesses.append(shell.accesses)
            await ClockCycles(dut.aclk, IDLE_CYCLES)
    if shell.memory:
        Path("requests.json").write_text(json.dumps(shell.memory.requests))
    if engine:
        Path("puts.json").write_text(json.dumps({"commands": engine.commands, "beats": engine.beats}))
    Path("accesses.json").write_text(json.dumps(accesses))
    Path("said.json").write_text("[]")
