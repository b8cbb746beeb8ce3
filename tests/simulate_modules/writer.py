# SPDX-License-Identifier: BSD-3-Clause
"""Claims about sim/axil_writer.sv, run inside the simulator."""

from __future__ import annotations

from typing import Any

import bench_files
import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout


async def load(dut: Any, ops: list[bench_files.Op]) -> list[int]:
    """Make the writes; return the answer that is kept."""
    dut.start.value = 0
    dut.aresetn.value = 0
    await ClockCycles(dut.aclk, 3)
    dut.aresetn.value = 1
    bench_files.write_ops("writes.7", ops)
    dut.start.value = 1
    await with_timeout(RisingEdge(dut.done), 10, "us")
    resp, data = bench_files.read_results("said.7")
    assert data.tolist() == [0]
    return list(resp.tolist())


def register(dut: Any, at: int) -> int:
    return int(dut.registers.value) >> 32 * at & 0xFFFFFFFF


@cocotb.test()
async def every_write_lands(dut: Any) -> None:
    """Also in a second list after the first, without a reset of the slave."""
    assert await load(dut, [("write", 4 * k, 1000 + k) for k in range(16)]) == [0]
    assert [register(dut, k) for k in range(16)] == list(range(1000, 1016))
    assert await load(dut, [("write", 8, 0xFFFFFFFF)]) == [0]
    assert [register(dut, k) for k in (1, 2, 3)] == [1001, 0xFFFFFFFF, 1003]
    assert await load(dut, []) == [0]


@cocotb.test()
async def the_first_error_is_kept(dut: Any) -> None:
    """Later writes are made all the same."""
    assert await load(dut, [("write", 0x40, 1), ("write", 4, 77)]) == [2]
    assert register(dut, 1) == 77


@cocotb.test()
async def a_slave_that_is_silent_ends_the_list(dut: Any) -> None:
    assert await load(dut, [("write", 0x80, 1), ("write", 4, 88)]) == [bench_files.TIMEOUT]
    assert register(dut, 1) != 88
