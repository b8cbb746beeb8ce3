# SPDX-License-Identifier: BSD-3-Clause
"""The bench's way to AXI-Lite, one access at a time, by cocotb-bus."""

from __future__ import annotations

from typing import Any

from axil import LiteMaster
from cocotb_bus.drivers.amba import AXIProtocolError


class UnitLite:
    """The registers of a unit beside a core, by their addresses in the memory map."""

    def __init__(self, dut: Any, node: str, unit: dict[str, Any]) -> None:
        self._bus = LiteMaster(dut, f"s_axil_{node}_{unit['name']}", getattr(dut, f"aclk_{node}"))
        self._base = unit["base"]

    async def read_at(self, address: int) -> int:
        """Read an address of the host."""
        return int(await self._bus.read(address - self._base))

    async def write_at(self, address: int, value: int) -> None:
        """Write an address of the host."""
        await self._bus.write(address - self._base, value)


class NodeLite:
    """The registers of one core, by the names in the memory map.

    Of several alike, number k is ``<name>_<k>``; in another block than ``status``, ``<block>_<name>``.
    """

    def __init__(self, dut: Any, node: dict[str, Any], port: str = "") -> None:
        self.name = str(node["name"])
        # Alone, a core is the top; in the bench each has a clock of its own.
        clock = dut.aclk if port else getattr(dut, f"aclk_{node['name']}")
        self._bus = LiteMaster(dut, port or f"s_axil_{node['name']}", clock)
        # The core decodes offsets; the host's base is the interconnect's business.
        self._base = node["base"]
        # A register is the lower part of a slot; nothing is above.
        self._above = (1 << 8 * node["slot_bytes"]) - (1 << 32)
        self._at: dict[str, int] = {}
        self._fields: dict[str, dict[str, tuple[int, int]]] = {}
        # What registers always read.
        self.fixed: dict[str, int] = {}
        for block in node["blocks"]:
            prefix = "" if block["name"] == "status" else f"{block['name']}_"
            for register in block["registers"]:
                name = f"{prefix}{register['name']}".lower()
                self._fields[name] = {f["name"]: (f["low"], f["width"]) for f in register["fields"]}
                if register["value"] is not None:
                    self.fixed[name] = register["value"]
                for index in range(register["count"] or 1):
                    place = block["base"] + register["offset"] + index * (register["stride"] or 0)
                    self._at[name if register["count"] is None else f"{name}_{index}"] = place

    def field(self, register: str, field: str, value: int) -> int:
        """Return a part of a register's value."""
        low, width = self._fields[register][field]
        return value >> low & ((1 << width) - 1)

    def mask(self, register: str, field: str) -> int:
        """Return the bits of a part of a register."""
        low, width = self._fields[register][field]
        return ((1 << width) - 1) << low

    def offset(self, register: str) -> int:
        """Return where a register is, as the core's own port counts."""
        return self._at[register] - int(self._base)

    async def read(self, register: str) -> int:
        """Read a register; the driver raises on any answer but OKAY."""
        return int(await self.read_at(self._at[register]))

    async def write(self, register: str, value: int) -> None:
        """Write a register; the driver raises on any answer but OKAY."""
        await self.write_at(self._at[register], value)

    async def write_bytes(self, register: str, value: int, strobe: int) -> None:
        """Write the bytes of a register that WSTRB says."""
        await self._bus.write(self._at[register] - self._base, value, strobe)

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
