# SPDX-License-Identifier: BSD-3-Clause
"""The registers of ACCL's kernel side at one node, for the drill."""

from __future__ import annotations

from dataclasses import dataclass

from bench_lite import NodeLite

FLAGS = ("LATE", "STRAY", "REFUSED", "UNKNOWN")


@dataclass(frozen=True)
class Port:
    """The kernel side of one engine: its registers, and the streams of its node by their numbers there."""

    lite: NodeLite
    block: str
    out: tuple[str, ...]
    into: tuple[str, ...]
    flags: dict[str, int]  # FLAGS of the node's status block, by the boundary that comes

    @property
    def name(self) -> str:
        """Of the node."""
        return self.lite.name

    async def read(self, register: str) -> int:
        """Read a register of the block."""
        return await self.lite.read(f"{self.block}_{register}".lower())

    async def write(self, register: str, value: int) -> None:
        """Write one."""
        await self.lite.write(f"{self.block}_{register}".lower(), value)

    async def field(self, register: str, field: str) -> int:
        """Read a part of a register."""
        name = f"{self.block}_{register}".lower()
        return self.lite.field(name, field, await self.lite.read(name))

    def mask(self, register: str, field: str) -> int:
        """Return the bits of a part."""
        return self.lite.mask(f"{self.block}_{register}".lower(), field)

    async def wants(self, register: str, value: int, why: str) -> None:
        """Raise AssertionError if a register holds anything else."""
        found = await self.read(register)
        assert found == value, f"{self.name}: {register} is {found:#x}, and not {value:#x}, {why}"

    async def flagged(self, names: tuple[str, ...], why: str) -> None:
        """Raise AssertionError unless exactly these flags are set; clear them, one by one."""
        held = sum(self.mask("FLAGS", name) for name in names)
        await self.wants("FLAGS", held, why)
        for name in FLAGS:
            await self.write("FLAGS", self.mask("FLAGS", name))
            held &= ~self.mask("FLAGS", name)
            await self.wants("FLAGS", held, f"{why}, when {name} was cleared")
