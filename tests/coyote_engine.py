# SPDX-License-Identifier: BSD-3-Clause
"""As much of ACCL's engine as one sending core needs: configuration memory, commands, beats, statuses."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

COMMAND_WORDS, BEAT_WORDS, CFGRDY = 15, 16, 0x1FF4


class Engine:
    """Stands at the pins of a core; every put gets status 0."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.commands: list[list[int]] = []
        self.beats = 0
        for name in ("s_accl_status_tvalid", "m_accl_command_tready", "m_accl_data_tready"):
            getattr(dut, name).value = 0
        for name in ("awready", "wready", "bvalid", "arready", "rvalid", "bresp", "rresp"):
            getattr(dut, f"m_axil_cclo_{name}").value = 0
        cocotb.start_soon(self._puts())
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
            for _ in range(-(-self.commands[-1][1] // BEAT_WORDS)):
                await self._taken("m_accl_data")
                self.beats += 1
            self.dut.s_accl_status_tdata.value = 0
            self.dut.s_accl_status_tkeep.value = 15
            self.dut.s_accl_status_tlast.value = 1
            self.dut.s_accl_status_tvalid.value = 1
            await RisingEdge(self.dut.aclk)
            while not self.dut.s_accl_status_tready.value:
                await RisingEdge(self.dut.aclk)
            self.dut.s_accl_status_tvalid.value = 0

    def _lite(self, name: str) -> Any:
        return getattr(self.dut, f"m_axil_cclo_{name}")

    async def _reads(self) -> None:
        while True:
            await RisingEdge(self.dut.aclk)
            if self.dut.aresetn.value != 1 or not self._lite("arvalid").value:
                continue
            self._lite("rdata").value = int(int(self._lite("araddr").value) == CFGRDY)
            self._lite("arready").value = 1
            await RisingEdge(self.dut.aclk)
            self._lite("arready").value = 0
            self._lite("rvalid").value = 1
            await RisingEdge(self.dut.aclk)
            while not self._lite("rready").value:
                await RisingEdge(self.dut.aclk)
            self._lite("rvalid").value = 0
