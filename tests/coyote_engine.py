# SPDX-License-Identifier: BSD-3-Clause
"""As much of ACCL's engine as cores in simulators of their own need: configuration memory, puts, what comes.

The engine of rank k listens at the socket ``accl.sock`` in the run folder of its node, beside those of the
others. While there is a file ``refuse``, puts are dropped and refused; while there is ``not_ready``, nobody
has set it up.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

COMMAND_WORDS, BEAT_WORDS, BEAT, CFGRDY = 15, 16, 64, 0x1FF4
RANK, STREAM = 3, 5  # words of a command
LOOK_CYCLES, REFUSED = 20, 1 << 25


class Engine:
    """Stands at the pins of a core.

    Args:
        dut: The core.
        ranks: Names of the nodes that have an engine.
    """

    def __init__(self, dut: Any, ranks: Sequence[str]) -> None:
        self.dut, self.ranks = dut, ranks
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("accl.sock")
        self.socket.setblocking(False)
        self.commands: list[list[int]] = []
        self.beats = 0
        self.sends, self.takes = hasattr(dut, "m_accl_command_tready"), hasattr(dut, "s_accl_data_tvalid")
        names = ["s_accl_status_tvalid", "m_accl_command_tready", "m_accl_data_tready"] if self.sends else []
        for name in [*names, *(["s_accl_data_tvalid"] if self.takes else [])]:
            getattr(dut, name).value = 0
        for name in ("awready", "wready", "bvalid", "arready", "rvalid", "bresp", "rresp"):
            getattr(dut, f"m_axil_cclo_{name}").value = 0
        if self.sends:
            cocotb.start_soon(self._puts())
        if self.takes:
            cocotb.start_soon(self._come())
        cocotb.start_soon(self._reads())

    async def _taken(self, stream: str) -> int:
        """Take a beat, and return its data."""
        ready, valid = getattr(self.dut, f"{stream}_tready"), getattr(self.dut, f"{stream}_tvalid")
        ready.value = 1
        await RisingEdge(self.dut.aclk)
        while self.dut.aresetn.value != 1 or not valid.value:
            await RisingEdge(self.dut.aclk)
        found = int(getattr(self.dut, f"{stream}_tdata").value)
        ready.value = 0
        return found

    async def _puts(self) -> None:
        while True:
            self.commands.append([await self._taken("m_accl_command") for _ in range(COMMAND_WORDS)])
            found = b""
            for _ in range(-(-self.commands[-1][1] // BEAT_WORDS)):
                found += (await self._taken("m_accl_data")).to_bytes(BEAT, "little")
                self.beats += 1
            refused = Path("refuse").exists()
            to = Path("..") / self.ranks[self.commands[-1][RANK]] / "accl.sock"
            if to.exists() and not refused:
                self.socket.sendto(self.commands[-1][STREAM].to_bytes(2, "little") + found, str(to))
            self.dut.s_accl_status_tdata.value = REFUSED if refused else 0
            self.dut.s_accl_status_tkeep.value = 15
            self.dut.s_accl_status_tlast.value = 1
            self.dut.s_accl_status_tvalid.value = 1
            await RisingEdge(self.dut.aclk)
            while not self.dut.s_accl_status_tready.value:
                await RisingEdge(self.dut.aclk)
            self.dut.s_accl_status_tvalid.value = 0

    async def _come(self) -> None:
        """Give the core what other engines have sent."""
        while True:
            await RisingEdge(self.dut.aclk)
            found = b""
            with suppress(BlockingIOError):
                found = self.socket.recv(1 << 20)
            if not found:
                await ClockCycles(self.dut.aclk, LOOK_CYCLES)
                continue
            for at in range(2, len(found), BEAT):
                self._data("tdata").value = int.from_bytes(found[at : at + BEAT], "little")
                self._data("tkeep").value = (1 << BEAT) - 1
                self._data("tdest").value = int.from_bytes(found[:2], "little")
                self._data("tlast").value = int(at + BEAT >= len(found))
                self._data("tvalid").value = 1
                await RisingEdge(self.dut.aclk)
                while not self._data("tready").value:
                    await RisingEdge(self.dut.aclk)
                self._data("tvalid").value = 0

    def _data(self, name: str) -> Any:
        return getattr(self.dut, f"s_accl_data_{name}")

    def _lite(self, name: str) -> Any:
        return getattr(self.dut, f"m_axil_cclo_{name}")

    async def _reads(self) -> None:
        while True:
            await RisingEdge(self.dut.aclk)
            if self.dut.aresetn.value != 1 or not self._lite("arvalid").value:
                continue
            ready = int(self._lite("araddr").value) == CFGRDY and not Path("not_ready").exists()
            self._lite("rdata").value = int(ready)
            self._lite("arready").value = 1
            await RisingEdge(self.dut.aclk)
            self._lite("arready").value = 0
            self._lite("rvalid").value = 1
            await RisingEdge(self.dut.aclk)
            while not self._lite("rready").value:
                await RisingEdge(self.dut.aclk)
            self._lite("rvalid").value = 0
