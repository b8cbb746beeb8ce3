# SPDX-License-Identifier: BSD-3-Clause
"""The bench's way to AXI-Lite, one access at a time, by cocotb-bus."""

from __future__ import annotations

from typing import Any

from axil import LiteMaster
from cocotb_bus.drivers.amba import AXIProtocolError


class NodeLite:
    """The registers of one core, by the names in the memory map.

    Those of stream k are ``<name>_<k>``, those of the bridge ``bridge_<name>``.
    """

    def __init__(self, dut: Any, node: dict[str, Any], port: str = "") -> None:
        self._bus = LiteMaster(dut, port or f"s_axil_{node['name']}", dut.aclk)
        # The core decodes offsets; the host's base is the interconnect's business.
        self._base = node["base"]
        # A register is the lower part of a slot; nothing is above.
        self._above = (1 << 8 * node["slot_bytes"]) - (1 << 32)
        status = node["status"]
        self._at = {r["name"].lower(): status["base"] + r["offset"] for r in status["registers"]}
        for stream in node["streams"]:
            start = status["base"] + status["stream_stride"] * stream["index"]
            for register in status["stream_registers"]:
                self._at[f"{register['name'].lower()}_{stream['index']}"] = start + register["offset"]
        bridge = node["bridge"] or {"base": 0, "registers": ()}
        for register in bridge["registers"]:
            self._at[f"bridge_{register['name'].lower()}"] = bridge["base"] + register["offset"]

    async def read(self, register: str) -> int:
        """Read a register; the driver raises on any answer but OKAY."""
        return int(await self.read_at(self._at[register]))

    async def write(self, register: str, value: int) -> None:
        """Write a register; the driver raises on any answer but OKAY."""
        await self.write_at(self._at[register], value)

    async def read_at(self, address: int) -> int:
        """Read an address of the host."""
        found = int(await self._bus.read(address - self._base))
        assert not found & self._above, f"address {address:#x}: {found:#x} is more than a register holds"
        return found

    async def refuses(self, register: str, offset: int) -> bool:
        """Write all ones beside a register; return whether the answer was an error."""
        try:
            await self.write_at(self._at[register] + offset, 0xFFFFFFFF)
        except AXIProtocolError:
            return True
        return False

    async def write_at(self, address: int, value: int) -> None:
        """Write an address of the host."""
        await self._bus.write(address - self._base, value)
