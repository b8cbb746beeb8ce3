# SPDX-License-Identifier: BSD-3-Clause
"""The registers of ACCL's kernel side at one node, for the directed test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench_files import manner
from bench_lite import NodeLite
from bench_run import Watch
from bench_session import Session
from bench_walk import play

FLAGS = ("LATE", "STRAY", "REFUSED", "UNKNOWN")


@dataclass(frozen=True)
class Port:
    """The kernel side of one engine: its registers, and the streams of its node by their numbers there."""

    lite: NodeLite
    block: str
    out: tuple[str, ...]
    into: tuple[str, ...]
    direct: bool  # a put is begun with the first beat of its frame
    flags: dict[str, int]  # FLAGS of the node's status block, by the boundary that comes
    beats: dict[str, int]  # of a put, by the boundary
    numbered: tuple[str, ...]  # boundaries whose puts have the numbers of their frames

    @property
    def name(self) -> str:
        """Name of the node."""
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


async def try_strobes(dut: Any, session: Session, ports: list[Port]) -> None:
    """A byte without its strobe is written as 0."""
    lists, wanted = {}, {}
    for port in ports:
        at = port.lite.offset(f"{port.block}_communicator")
        offs = [1 << byte for byte in range(4)]
        lists[port.name] = [
            op for off in offs for op in (("write", at, 0xFFFF_FFFF, manner(off=off)), ("read", at, 0))
        ]
        wanted[port.name] = [0xFFFF_FFFF & ~(0xFF << 8 * byte) for byte in range(4)]
    watch = Watch(dut, session.bench, session.options, "strobes")
    results = await play(dut, session.bench.nodes, lists, watch)
    for name, (resp, data) in results.items():
        found = [int(value) for value in data[1::2]]
        assert not resp.any(), f"{name}: a write with strobes was refused"
        assert found == wanted[name], f"{name}: COMMUNICATOR is {found} after strobes, not {wanted[name]}"
