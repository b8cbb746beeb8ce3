# SPDX-License-Identifier: BSD-3-Clause
"""A board of tests/foreign in its crate: its core is the model's top, and a socket is the backplane.

Each run is the generated program in a process of its own, as its user starts it.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import cocotb
from axi_dma import Pins
from bench_lite import NodeLite
from cocotb.clock import Clock
from cocotb.task import Task, bridge, resume
from cocotb.triggers import ClockCycles, RisingEdge
from host_module import emitted_module

ASKED: dict[str, Any] = json.loads(Path("program.json").read_text())
OUT = Path(ASKED["out"])
PROTOCOL: Any = emitted_module(OUT, "shellgen_bus_crate")


class Crate:
    """Hardware around a core: a transfer at a time for each stream."""

    def __init__(self, dut: Any, node: dict[str, Any]) -> None:
        self._clock, self._lite = dut.aclk, NodeLite(dut, node, "s_axil")
        self._pins = {one["index"]: Pins(dut, one["port"]) for one in node["streams"]}
        self._tasks: dict[int, Task[None]] = {}
        self._moved: dict[int, bytes] = {}
        self.reset()
        self.serve = resume(self._serve)

    def reset(self) -> None:
        """End all transfers."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()
        self._moved.clear()
        for pins in self._pins.values():
            (pins.tvalid if "s_axis" in pins.name else pins.tready).value = 0

    async def _serve(self, operation: bytes, at: int, value: int, data: bytes) -> tuple[int, bytes]:
        """Do what a request says; return its answer and the bytes that follow."""
        await ClockCycles(self._clock, 20)
        if operation == PROTOCOL.READ:
            return await self._lite.read_at(at), b""
        if operation == PROTOCOL.WRITE:
            await self._lite.write_at(at, value)
        elif operation == PROTOCOL.RESET:
            self.reset()
        elif operation in (PROTOCOL.SEND, PROTOCOL.TAKE):
            self._moved.pop(at, None)
            work = self._send(at, data) if operation == PROTOCOL.SEND else self._take(at)
            self._tasks[at] = cocotb.start_soon(work)
        elif operation == PROTOCOL.MOVED:
            return (len(self._moved[at]) if at in self._moved else PROTOCOL.BUSY), b""
        elif operation == PROTOCOL.FETCH:
            return len(self._moved[at]), self._moved[at]
        return 0, b""

    async def _send(self, at: int, data: bytes) -> None:
        pins = self._pins[at]
        for first in range(0, len(data), pins.bytes):
            beat = data[first : first + pins.bytes]
            pins.tdata.value = int.from_bytes(beat, "little")
            pins.tkeep.value = (1 << len(beat)) - 1
            pins.tlast.value = int(first + pins.bytes >= len(data))
            pins.tvalid.value = 1
            await RisingEdge(self._clock)
            while not pins.tready.value:
                await RisingEdge(self._clock)
        pins.tvalid.value = 0
        self._moved[at] = data

    async def _take(self, at: int) -> None:
        pins, data = self._pins[at], bytearray()
        pins.tready.value = 1
        while True:
            await RisingEdge(self._clock)
            if pins.tvalid.value:
                beat = int(pins.tdata.value).to_bytes(pins.bytes, "little")
                data += bytes(byte for lane, byte in enumerate(beat) if int(pins.tkeep.value) >> lane & 1)
                if pins.tlast.value:
                    break
        pins.tready.value = 0
        self._moved[at] = bytes(data)


def served(crate: Crate, listener: socket.socket, arguments: list[str]) -> dict[str, Any]:
    """Run the program of the node once; return what it said."""
    program = [sys.executable, str(OUT / "host" / f"run_{ASKED['node']}.py"), *arguments]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    listener.settimeout(0.1)
    while process.poll() is None:
        try:
            backplane, _ = listener.accept()
        except TimeoutError:
            continue
        with backplane, backplane.makefile("rwb") as wire:
            while request := wire.read(PROTOCOL.REQUEST.size):
                operation, at, value = PROTOCOL.REQUEST.unpack(request)
                data = wire.read(value) if operation == PROTOCOL.SEND else b""
                answer, more = crate.serve(operation, at, value, data)
                wire.write(PROTOCOL.ANSWER.pack(answer) + more)
                wire.flush()
    out, err = process.communicate()
    return {"code": process.returncode, "out": out, "err": err}


@cocotb.test()
async def program(dut: Any) -> None:
    maps = json.loads((OUT / "memory_map.json").read_text())
    node = next(entry for entry in maps["nodes"] if entry["name"] == ASKED["node"])
    Clock(dut.aclk, 10, "ns").start()
    dut.aresetn.value = 0
    for name in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
        getattr(dut, f"s_axil_{name}").value = 0
    crate = Crate(dut, node)
    await ClockCycles(dut.aclk, 16)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 16)

    def runs() -> list[dict[str, Any]]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            slot = f"127.0.0.1:{listener.getsockname()[1]}"
            return [
                served(crate, listener, [one.replace("{slot}", slot) for one in arguments])
                for arguments in ASKED["runs"]
            ]

    Path("said.json").write_text(json.dumps(await bridge(runs)()))
