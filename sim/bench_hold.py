# SPDX-License-Identifier: BSD-3-Clause
"""Time for which hosts hold their cores in reset: until every access begun beyond the pins has ended."""

from __future__ import annotations

from typing import Any

from bench_budget import reset_cycles
from bench_records import Bench
from cocotb.triggers import ClockCycles

LOOK_CYCLES = 16  # between two looks


async def end_of_transfers(dut: Any, bench: Bench, cycles: int) -> None:
    """Wait until nothing is under way beyond the pins of cores that are held, and a reset would be over.

    A core is open from the end of its own reset until its host holds it, so neighbours and hosts begin
    transfers that the hold then cuts. The core completes or discards them while it is held, so the hold must
    last long enough.

    Args:
        dut: The bench top.
        bench: ``bench.json``.
        cycles: Within which it ends (`bench_budget.drain_cycles`).

    Raises:
        AssertionError: It does not end.
    """
    settled = reset_cycles(bench)
    left = settled + cycles
    quiet = 0
    while quiet < settled:
        await ClockCycles(dut.aclk, LOOK_CYCLES)
        busy, left = int(dut.link_busy.value), left - LOOK_CYCLES
        quiet = 0 if busy else quiet + LOOK_CYCLES
        kinds = ", ".join(link.kind for bit, link in enumerate(bench.links) if busy >> bit & 1)
        assert left > 0 or not busy, f"{kinds}: what a held core has begun does not end beyond its pins"
