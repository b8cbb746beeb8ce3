# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles


@cocotb.test()
async def good(dut: Any) -> None:
    await ClockCycles(dut.aclk, 3)


@cocotb.test()
async def bad(dut: Any) -> None:
    await ClockCycles(dut.aclk, 3)
    assert int(dut.value.value) == 200, "the counter is elsewhere"
