# SPDX-License-Identifier: BSD-3-Clause
"""cocotb-bus's AXI4-Lite master, corrected for a clock that is generated in HDL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cocotb
from cocotb.simtime import get_sim_time
from cocotb.task import Task
from cocotb.triggers import ReadOnly, RisingEdge, SimTimeoutError, with_timeout
from cocotb_bus.drivers.amba import AXI4LiteMaster, AXIProtocolError

_PERIODS: dict[str, int] = {}  # of the clocks, in ps
_LIMIT = {"cycles": 50_000}  # of a port's own clock, until it counts as one that hangs; a cluster has its own


def answered_within(cycles: int) -> None:
    """Limit every access to ``cycles`` (``answer_cycles`` of the nodes)."""
    _LIMIT["cycles"] = cycles


class Unanswered(Exception):  # noqa: N818 - what has happened
    """An access was not answered, and as AXI has it a master cannot withdraw it."""


class LiteMaster(AXI4LiteMaster):  # type: ignore[misc]  # cocotb-bus has no types
    """Single accesses to ports ``<name>_awaddr``, ``<name>_awvalid`` and so on.

    cocotb-bus 0.3 looks at WREADY right after the clock edge. With an HDL clock Verilator has by then
    computed what follows from the edge, so a slave that takes the word and lowers WREADY is never seen to
    have taken it. Here WREADY is sampled before the edge, as cocotb-bus does on the other channels.

    cocotb-bus also waits without limit. Here an access without a response raises `Unanswered`, which names
    the stalled channel.
    """

    def __init__(self, dut: Any, name: str, clock: Any) -> None:
        super().__init__(dut, name, clock, case_insensitive=True)
        self._of = name.removeprefix("s_axil_")

    async def read(self, address: int, sync: bool = True) -> Any:
        """Read; raises on any answer but OKAY, and `Unanswered`."""
        task = cocotb.start_soon(super().read(address, sync))
        return await self._in_time(task, f"a read at offset {address:#x}", ("ARREADY", "RVALID"))

    async def write(self, address: int, value: int, *others: Any, **more: Any) -> Any:
        """Write; raises on any answer but OKAY, and `Unanswered`."""
        task = cocotb.start_soon(super().write(address, value, *others, **more))
        pins = ("AWREADY", "WREADY", "BVALID")
        return await self._in_time(task, f"a write at offset {address:#x}", pins)

    async def _in_time(self, task: Task[Any], what: str, pins: Sequence[str]) -> Any:
        period = _PERIODS.get(self.clock._path) or await self._period()
        try:
            return await with_timeout(task, _LIMIT["cycles"] * period, "ps")
        except AXIProtocolError as error:
            told = f"{self._of}: {what} was answered {error.xresp.name}"
            raise AXIProtocolError(told, error.xresp) from None
        except SimTimeoutError:
            seen = ", ".join(f"{pin} is {getattr(self.bus, pin).value}" for pin in pins)
            text = f"{self._of}: {what} was not answered within {_LIMIT['cycles']:,} cycles; {seen}"
            raise Unanswered(text) from None

    async def _period(self) -> int:
        await RisingEdge(self.clock)
        began = get_sim_time("ps")
        await RisingEdge(self.clock)
        _PERIODS[self.clock._path] = round(get_sim_time("ps") - began)
        return _PERIODS[self.clock._path]

    async def _send_write_data(
        self,
        address: int,  # noqa: ARG002
        data: Sequence[int],
        burst: Any,  # noqa: ARG002
        size: int,
        delay: int,  # noqa: ARG002
        byte_enable: Sequence[int | None],
        sync: bool,
    ) -> None:
        strobe = byte_enable[0]
        async with self.write_data_busy:
            if sync:
                await RisingEdge(self.clock)
            self.bus.WVALID.value = 1
            self.bus.WDATA.value = data[0]
            self.bus.WSTRB.value = (1 << size) - 1 if strobe is None else strobe
            await ReadOnly()
            while not self.bus.WREADY.value:
                await RisingEdge(self.clock)
                await ReadOnly()
            await RisingEdge(self.clock)
            self.bus.WVALID.value = 0
