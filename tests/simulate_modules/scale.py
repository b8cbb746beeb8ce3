# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge


@cocotb.test()
async def play(dut: Any) -> None:
    """Let the master work through its list; what came back is judged outside."""
    dut.start.value = 0
    dut.aresetn.value = 0
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 4)
    dut.start.value = 1
    await RisingEdge(dut.done)
