# SPDX-License-Identifier: BSD-3-Clause
"""Waiting until nothing moves: before the first frame, and after the last one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bench_budget import pauses as link_pauses
from bench_records import Bench, Options
from cocotb.simtime import get_sim_time

QUIET = 1024  # cycles after which no FIFO, converter or crossing of clocks still releases data
MOST_LOOKS = 64  # at streams that should come to rest before the first frame


class Rest(ABC):
    """The waits of a test that end by themselves, unless its time is up."""

    def __init__(self, dut: Any, bench: Bench, options: Options) -> None:
        self._dut, self._bench = dut, bench
        self._quiet = QUIET + link_pauses(bench, options.inputs)

    @abstractmethod
    async def sleep(self, cycles: int, *also: Any) -> None:
        """Let the model run for some cycles, or fewer."""

    @abstractmethod
    async def probe(self) -> dict[str, Any]:
        """Ask the model how far everything has come: see `bench_run.Watch`."""

    async def quiet(self, came_late: int | None = None, silence: int = 0) -> tuple[list[int], int]:
        """Wait until what runs ahead has come to rest.

        A stream that has carried a whole frame more than was sent need not rest: then it ends at once.

        Args:
            came_late: Cycles after the last frame in which something still moved, if that was seen before:
                twice that is waited for, else the longest pause of all. Frames may take millions of cycles.
            silence: More cycles, in which a link may find together again without anything that is seen.

        Returns:
            Words that each sink and monitor has seen, and the cycles in which something still moved.

        Raises:
            Ended: The time is up.
        """
        dut = self._dut
        cycles = self._quiet + silence + (int(dut.idle_most.value) if came_late is None else 2 * came_late)
        while (idle := int(dut.idle_cycles.value)) < cycles and not dut.overrun.value:
            await self.sleep(cycles - idle)
        state = await self.probe()
        late = state["cycles"] - state["idle"] - int(dut.run_cycles.value)
        return [tap["count"] for tap in state["taps"]], max(0, late)

    async def still(self) -> None:
        """Wait, before the first frame, until all that partitions forward ahead of it has come to rest.

        A link may hold such words back for a while, so a counter that is read too early counts on. A stream
        that never rests is judged by the run that follows.

        Raises:
            Ended: The time is up.
        """
        seen: list[int] | None = None
        for _ in range(MOST_LOOKS):
            now = [meter["beats"] for meter in (await self.probe())["meters"]]
            if now == seen or self._dut.overrun.value:
                return
            seen = now
            left = self._quiet
            while left > 0 and not self._dut.overrun.value:
                before = get_sim_time("ps")
                await self.sleep(left)
                left -= int((get_sim_time("ps") - before) // self._bench.cycle_ps)
