# SPDX-License-Identifier: BSD-3-Clause
"""A model of pyxrt in a simulation: VNx's data movers at the pins of a core.

Only what XRT's ``pyxrt`` has, called as it may be called; each look at a run lets the model run on. The
movers do what VNx's source says, and take two beats before they are started, as a kernel's slices do.

Source: XRT, src/python/pybind11/src/pyxrt.cpp; Xilinx/xup_vitis_network_example, Basic_kernels.
"""

from __future__ import annotations

import enum
import random
from collections import deque
from types import ModuleType
from typing import Any

import cocotb
from cocotb.task import resume
from cocotb.triggers import ClockCycles, RisingEdge

BEAT, CHUNK = 64, 22
LOOK_CYCLES = 40
AHEAD = 2  # beats that wait in a mover


class Bo:
    """A buffer: what the host sees of it, and what lies in the card's memory."""

    normal = "normal"

    def __init__(self, _device: Any, size: int, flags: str, group: int) -> None:
        assert flags == Bo.normal
        assert isinstance(group, int)
        self.host, self.card = bytearray(b"\xa5" * size), bytearray(b"\x5a" * size)

    def map(self) -> memoryview:
        """Return the host's copy."""
        return memoryview(self.host)

    def sync(self, direction: Direction) -> None:
        """Copy all of it."""
        if direction is Direction.XCL_BO_SYNC_BO_TO_DEVICE:
            self.card[:] = self.host
        else:
            self.host[:] = self.card


class Direction(enum.Enum):
    """Direction of `Bo.sync`."""

    XCL_BO_SYNC_BO_TO_DEVICE = 0
    XCL_BO_SYNC_BO_FROM_DEVICE = 1


class State(enum.Enum):
    """State of a run; as in pyxrt, there is no name for one that runs."""

    ERT_CMD_STATE_NEW = 1
    ERT_CMD_STATE_QUEUED = 2
    ERT_CMD_STATE_COMPLETED = 4
    ERT_CMD_STATE_ERROR = 5


class Kernel:
    """One mover, which does its runs one after the other."""

    def __init__(self, card: Card, entry: dict[str, Any]) -> None:
        self.card, self.name, self.stream = card, entry["name"], entry["stream"]
        self.sends = self.name.startswith("krnl_mm2s")
        port = card.streams[entry["stream"]]["port"]
        self.pins = {name: getattr(card.dut, f"{port}_{name}") for name in ("tdata", "tvalid", "tready")}
        self.side = {
            name: getattr(card.dut, f"{port}_{name}") for name in ("tkeep", "tlast", "tdest", "tid", "tuser")
        }
        self.waiting: deque[Run] = deque()
        self.beats: deque[int] = deque()
        self.sent = 0
        self.random = random.Random(self.name)
        if self.sends:
            for wire in (self.pins["tvalid"], *self.side.values()):
                wire.value = 0
        else:
            cocotb.start_soon(self._take_ahead())
        cocotb.start_soon(self._work())

    def group_id(self, argument: int) -> int:
        """Return the bank of a buffer."""
        if argument != 0:
            raise RuntimeError(f"argument {argument} of {self.name} is no buffer")
        return 3

    async def _work(self) -> None:
        while True:
            await RisingEdge(self.card.dut.aclk)
            if self.waiting:
                run = self.waiting[0]
                await (self._send(run) if self.sends else self._take(run))
                run.done = True
                self.waiting.popleft()

    async def _send(self, run: Run) -> None:
        data, beats = bytes(run.arguments[0].card), run.arguments[2] // BEAT
        for at in range(beats):
            while self.random.random() < 0.2:
                await RisingEdge(self.card.dut.aclk)
            self.sent += 1
            if self.card.lose(self.name, self.sent - 1):
                continue
            self.pins["tdata"].value = int.from_bytes(data[BEAT * at : BEAT * (at + 1)], "little")
            self.side["tkeep"].value = (1 << BEAT) - 1
            self.side["tlast"].value = int(at == beats - 1 or (at + 1) % CHUNK == 0)
            self.side["tdest"].value = run.arguments[3]
            self.pins["tvalid"].value = 1
            await RisingEdge(self.card.dut.aclk)
            while not self.pins["tready"].value:
                await RisingEdge(self.card.dut.aclk)
            self.pins["tvalid"].value = 0

    async def _take_ahead(self) -> None:
        while True:
            ready = len(self.beats) < AHEAD and self.random.random() < 0.8
            self.pins["tready"].value = int(ready)
            await RisingEdge(self.card.dut.aclk)
            if ready and self.card.dut.aresetn.value == 1 and self.pins["tvalid"].value:
                self.beats.append(int(self.pins["tdata"].value))

    async def _take(self, run: Run) -> None:
        for at in range(run.arguments[2] // BEAT):
            while not self.beats:
                await RisingEdge(self.card.dut.aclk)
            run.arguments[0].card[BEAT * at : BEAT * (at + 1)] = self.beats.popleft().to_bytes(BEAT, "little")


class Run:
    """One start of a kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, self.done = kernel, False
        self.arguments: dict[int, Any] = {}
        self.started = False

    def set_arg(self, index: int, value: Any) -> None:
        """Set an argument: a buffer, or a number that fits an int of C."""
        assert index in ((0, 2, 3) if self.kernel.sends else (0, 2)), f"{self.kernel.name}: argument {index}"
        assert isinstance(value, Bo) if index == 0 else -(1 << 31) <= value < 1 << 31
        self.arguments[index] = value

    def start(self) -> None:
        """Begin, or wait for the run before."""
        assert len(self.arguments) == 2 + self.kernel.sends, f"{self.kernel.name}: arguments {self.arguments}"
        assert self.arguments[2] <= len(self.arguments[0].card)
        self.started = True
        self.kernel.waiting.append(self)

    def state(self) -> Any:
        """Return how far it is; time passes."""
        self.kernel.card.pass_time()
        if self.done:
            return State.ERT_CMD_STATE_COMPLETED
        return "running" if self.started else State.ERT_CMD_STATE_NEW


class Card:
    """The card with its core and movers.

    Args:
        dut: The core.
        node: Its entry in the map.
        lost: Movers, and the number of the beat that gets lost on its way from memory; ``stray``: frames that
            somebody sent before, and did not fetch.
    """

    def __init__(self, dut: Any, node: dict[str, Any], lost: dict[str, int]) -> None:
        self.dut, self.streams, self._lost = dut, node["streams"], dict(lost)
        self._stray = self._lost.pop("stray", 0)
        self.kernels = {entry["ip"]: Kernel(self, entry) for entry in node["movers"]}
        self.pass_time = resume(self._pass)
        self.loaded: list[str] = []

    def earlier(self) -> None:
        """Leave what an earlier program has left."""
        for kernel in self.kernels.values():
            if self._stray and kernel.sends:
                frame = self.streams[kernel.stream]["memory_bytes"]
                run = Run(kernel)
                run.arguments = {0: Bo(None, self._stray * frame, Bo.normal, 0), 2: self._stray * frame, 3: 9}
                run.start()

    async def _pass(self) -> None:
        await ClockCycles(self.dut.aclk, LOOK_CYCLES)

    def lose(self, name: str, beat: int) -> bool:
        """Tell whether a beat is to be lost; it is once."""
        if self._lost.get(name) != beat:
            return False
        del self._lost[name]
        return True

    def module(self) -> ModuleType:
        """Return what `import pyxrt` is to find."""
        card = self

        class Device:
            def __init__(self, which: int | str) -> None:
                if which not in (0, "0000:65:00.1"):
                    raise RuntimeError(f"Could not open device with index '{which}'")

            def load_xclbin(self, path: str) -> str:
                card.loaded.append(path)
                return "uuid"

        def kernel(_device: Device, uuid: str, name: str) -> Kernel:
            assert uuid == "uuid"
            if name not in card.kernels:
                raise RuntimeError(f"No such kernel '{name}'")
            return card.kernels[name]

        found = ModuleType("pyxrt")
        names = {"device": Device, "kernel": kernel, "run": Run, "bo": Bo}
        names |= {"xclBOSyncDirection": Direction, "ert_cmd_state": State}
        for name, value in names.items():
            setattr(found, name, value)
        return found
