# SPDX-License-Identifier: BSD-3-Clause
"""Wait until clock_edges.sv has written its edges."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import RisingEdge


@cocotb.test()
async def edges_are_written(dut: Any) -> None:
    await RisingEdge(dut.done)
