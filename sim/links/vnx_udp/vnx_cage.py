# SPDX-License-Identifier: BSD-3-Clause
"""One cage of a card in vnx_directed.py: what is played to a core there, and what it says and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench_lite import NodeLite
from vnx_end import End, Script
from vnx_script import Heard, Said, merged, read_said, write_script

NOTHING = Heard((), 0, 0, 0, 0, "")
FLAGS = ("SHORT", "LONG", "KEEP")


class Cage:
    """An attachment of a core, cut from VNx (vnx_stand_in.sv)."""

    def __init__(self, dut: Any, node: dict[str, Any], ends: Sequence[End]) -> None:
        one = ends[0]
        self.name, self._port, self._rows = f"{one.node}_{one.attachment}", one.attachment, one.rows
        self._ends = ends
        self._lite = NodeLite(dut, node)
        self._blocks = {block["name"]: block for block in node["blocks"]}
        self.heard = self._since = NOTHING
        self._unsure = False
        self._given: dict[str, int] = {}
        self.forget()

    def forget(self, *, unsure: bool = False) -> None:
        """Clear the counts, since the core does; ``unsure`` if it may have sent something meanwhile."""
        self._given = dict.fromkeys(("received", "bad", "astray", "received_beats", "longest"), 0)
        self._unsure = unsure
        self.heard = self._since = replace(self.heard, ended=self.heard.beats)

    async def clear(self) -> None:
        """Clear the counters of the port and of all rows."""
        for block in (self._port, *(end.block for end in self._ends)):
            await self._command(block, 1)
        self.forget(unsure=True)

    async def _command(self, block: str, value: int) -> None:
        """Write CONTROL, and the same to a register that is only read, which changes nothing."""
        name = next(one["name"] for one in self._blocks[block]["registers"] if one["access"] == "r")
        before = await self.registers(block)
        await self._lite.write(f"{block}_{name}".lower(), value)
        after = await self.registers(block)
        counted = [
            one["name"].lower()
            for one in self._blocks[block]["registers"]
            if one["access"] == "r" and one["reset"] == 0 and before[one["name"].lower()]
        ]
        kept = [register for register in counted if after[register]]
        assert kept or not counted, f"{self.name}, {block}: a write of {value:#x} to {name} clears counters"
        await self._lite.write(f"{block}_control", value)

    async def write(self, scripts: Sequence[Script]) -> int:
        """Write what is played, and the CONTROL of those that want it; return how many cycles it takes."""
        entries, late = merged([script.entries for script in scripts])
        write_script(Path(f"{self.name}_script.bin"), entries)
        for script in scripts:
            self._given["received"] += script.good
            self._given["bad"] += script.bad
            self._given["astray"] += script.astray
            self._given["received_beats"] += sum(not entry.hold for entry in script.entries)
            self._given["longest"] = max(self._given["longest"], script.longest)
            if script.control is not None:
                await self._command(script.end.block, script.control)
        return max((script.cycles for script in scripts), default=0) + late

    def listen(self) -> Heard:
        """Read what it has said so far."""
        self.heard = read_said(Path(f"{self.name}_said.bin"), self._rows, self.heard)
        return self.heard

    async def registers(self, block: str = "") -> dict[str, int]:
        """Read all registers of a block that can be read; of the port, if none is named."""
        found = {}
        for register in self._blocks[block or self._port]["registers"]:
            if register["access"] != "w1":
                name = register["name"].lower()
                found[name] = await self._lite.read(f"{block or self._port}_{name}".lower())
        return found

    async def status(self, stream: int) -> dict[str, int]:
        """Read what the core says of a stream: each of its flags, by its name, and STALLS."""
        value = await self._lite.read(f"flags_{stream}")
        flags = {name.lower(): self._lite.field("flags", name, value) for name in FLAGS}
        return flags | {"stalls": await self._lite.read(f"stalls_{stream}")}

    def wrong(self, found: dict[str, int], before: Heard, after: Heard) -> str:
        """Say what the counters of the port have counted wrongly; they were read between the two."""
        sure, all_said = self._new(before), self._new(after)
        if self._unsure:
            sure = tuple(said for said in sure if said.at >= before.began)
        part = before.beats - before.ended  # of a packet that has begun
        more = after.beats - after.ended
        bounds = {name: (value, value) for name, value in self._given.items() if name != "longest"} | {
            "sent": (len(sure), len(all_said)),
            "sent_beats": (sum(one.beats for one in sure) + part, sum(one.beats for one in all_said) + more),
            "sent_waits": (sum(one.waits for one in sure), after.waits - self._since.waits),
        }
        for name, (least, most) in bounds.items():
            if not least <= found[name] <= most:
                return f"{self.name}: {name.upper()} is {found[name]}, and {least} were there"
        most_sent = [max((said.beats for said in packets), default=0) for packets in (sure, all_said)]
        received, sent = found["longest"] % 512, found["longest"] >> 16
        if received != self._given["longest"] or not most_sent[0] <= sent <= most_sent[1]:
            return (
                f"{self.name}: LONGEST is {received} and {sent}; {self._given['longest']} and {most_sent[0]}"
            )
        return before.wrong

    def _new(self, heard: Heard) -> tuple[Said, ...]:
        return heard.packets[len(self._since.packets) :]
