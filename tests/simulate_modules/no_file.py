# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles


@cocotb.test()
async def start(dut: Any) -> None:
    """Start the sources without having written what they play."""
    dut.aresetn.value = 0
    dut.walk.value = 0
    await ClockCycles(dut.aclk, 3)
    dut.aresetn.value = 1
    dut.frames.value = 4
    dut.stall.value = 0
    dut.start.value = 1
    await ClockCycles(dut.aclk, 10)
