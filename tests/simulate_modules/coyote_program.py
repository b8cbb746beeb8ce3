# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program for Coyote on a core that is the model's top, over the socket of coyote_stand_in.

``program.json`` in the run folder says which. A run is the command line, and before it what its environment
has: ``COYOTE_...`` for the model of Coyote's driver. ``SIGNAL=n`` interrupts it when n transfers
were begun, ``KILL=n`` kills it then, with ``DEAD=1`` memory answers no request of the core any more, with
``TERMINAL=1`` its messages go to one. What it printed and its exit code come back in
``said.json``.
"""

from __future__ import annotations

import json
import os
import pty
import random
import signal
import socket
import struct
import subprocess
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
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
KILL_CYCLES = 2200  # the ring is in use
REQUEST = struct.Struct("<4Q")


class Way:
    """One direction of one host stream: transfers one after the other."""

    def __init__(self, shell: Shell, port: str, dest: int, lost: int | None) -> None:
        self.dut, self.shell, self.port, self.dest, self.lost = shell.dut, shell, port, dest, lost
        self.asked: deque[tuple[int, int, bytes]] = deque()  # thread, bytes, data
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
            thread, size, data = self.asked[0]
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
            thread, size, _ = self.asked[0]
            data = bytearray()
            while len(data) < size:
                if self.beats:
                    data += self.beats.popleft()
                else:
                    await RisingEdge(self.dut.aclk)
            self.asked.popleft()
            self.shell.written.setdefault(thread, deque()).append(bytes(data))


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

    async def serve(
        self, connection: socket.socket, process: subprocess.Popen[bytes], until: Sequence[int]
    ) -> None:
        """Do what a program asks for until it ends; interrupt or kill it behind so many transfers."""
        begun = 0
        while True:
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
                way.asked.append((place & 63, value, data))
                begun += 1
                await self._end(process, [begun == one for one in until])
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

    async def _end(self, process: subprocess.Popen[bytes], now: Sequence[bool]) -> None:
        interrupts, kills = now
        if interrupts:
            process.send_signal(signal.SIGINT)
        if kills:
            await ClockCycles(self.dut.aclk, KILL_CYCLES)
            process.kill()
            assert self.memory
            self.memory.killed()

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


async def run_one(shell: Shell, listener: socket.socket, arguments: list[str]) -> dict[str, Any]:
    given = [text.split("=", 1) for text in arguments if text.split("=")[0].isupper()]
    environment = dict(given)
    command = [ASKED["library"], *(text for text in arguments if not text.split("=")[0].isupper())]
    shown, screen = pty.openpty() if "TERMINAL" in environment else (-1, subprocess.PIPE)
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=screen,
        env={**os.environ, "COYOTE_SHELL": listener.getsockname(), **environment},
    )
    listener.settimeout(0.05)
    if shell.memory and "DEAD" in environment:
        shell.memory.dead = shell.memory.drops = True
    while process.poll() is None:
        try:
            connection = listener.accept()[0]
        except TimeoutError:
            continue
        with connection, suppress(ConnectionError):  # a program may end while it waits for an answer
            await shell.serve(
                connection, process, [int(environment.get(name, -1)) for name in ("SIGNAL", "KILL")]
            )
    out, err = process.communicate()
    if shown >= 0:
        os.close(screen)
        err = read_all(shown)
    return {"code": process.returncode, "out": out.decode(), "err": err.decode()}


def read_all(shown: int) -> bytes:
    found = b""
    while True:
        try:
            more = os.read(shown, 65536)
        except OSError:  # nobody writes any more
            return found
        found += more


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
    engine = Engine(dut) if any(block["name"] == "cclo" for block in node["blocks"]) else None
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 16)
    with socket.socket(socket.AF_UNIX) as listener:
        Path("shell.sock").unlink(missing_ok=True)
        listener.bind("shell.sock")
        listener.listen()
        told, accesses = [], []
        for arguments in ASKED["runs"]:
            shell.accesses = {"r": 0, "w": 0}
            told.append(await run_one(shell, listener, arguments))
            accesses.append(shell.accesses)
            if shell.memory:
                Path("requests.json").write_text(json.dumps(shell.memory.requests))
    if engine:
        Path("puts.json").write_text(json.dumps({"commands": engine.commands, "beats": engine.beats}))
    Path("accesses.json").write_text(json.dumps(accesses))
    Path("said.json").write_text(json.dumps(told))
