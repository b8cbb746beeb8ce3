# SPDX-License-Identifier: BSD-3-Clause
"""cocotb-bus's AXI4-Lite master, corrected for a clock that is generated in HDL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cocotb.triggers import ReadOnly, RisingEdge
from cocotb_bus.drivers.amba import AXI4LiteMaster


class LiteMaster(AXI4LiteMaster):  # type: ignore[misc]  # cocotb-bus has no types
    """Single accesses to ports ``<name>_awaddr``, ``<name>_awvalid`` and so on.

    cocotb-bus 0.3 looks at WREADY right after the clock edge. With an HDL clock Verilator has by then
    computed what follows from the edge, so a slave that takes the word and lowers WREADY is never seen to
    have taken it. Here WREADY is sampled before the edge, as cocotb-bus does on the other channels.
    """

    def __init__(self, dut: Any, name: str, clock: Any) -> None:
        super().__init__(dut, name, clock, case_insensitive=True)

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
