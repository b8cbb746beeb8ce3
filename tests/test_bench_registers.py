# SPDX-License-Identifier: BSD-3-Clause
"""The bench's test of link registers: it accepts the registers of the map, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sim_module import sim_module

from shellgen.registers import block_registers

sim_module("axil")
for needed in (
    "files",
    "lite",
    "records",
    "budget",
    "hold",
    "host",
    "stand",
    "rest",
    "run",
    "traffic",
    "walk",
    "pace",
    "session",
    "verdict",
):
    sim_module(f"bench_{needed}")
Walk = sim_module("bench_registers").Walk
mismetered_links = sim_module("bench_links").mismetered_links
SLOT, BASE = 8, 0xA000


def described() -> dict[str, Any]:
    """Return a node of a map with one block, that of ACCL's link."""
    registers = []
    for one in block_registers("accl_port").registers:
        data = one.model_dump(mode="json")
        repeat = one.repeat
        parts = [{**field.model_dump(mode="json"), "hw": field.hardware} for field in one.fields]
        registers.append(
            {
                **data,
                "offset": one.offset * SLOT // 4,
                "stride": repeat and repeat.stride * SLOT // 4,
                "count": repeat and 2,
                "hw": one.hardware,
                "fields": parts,
            }
        )
    block = {"name": "accl", "block": "accl_port", "base": BASE, "size": 0x400, "registers": registers}
    return {"name": "n0", "base": 0, "slot_bytes": SLOT, "blocks": [block]}


class Registers:
    """A block of registers, with one mistake or none."""

    def __init__(self, slots: Any, spoil: Callable[[Registers, int, int], tuple[int, int]]) -> None:
        self.slots = {slot.place: slot for slot in slots}
        self.spoil = spoil
        self.reset()

    def reset(self) -> None:
        self.values = {place: slot.first for place, slot in self.slots.items()}

    def play(self, ops: Any) -> tuple[list[int], list[int]]:
        data = []
        for op in ops:
            kind, place, value = op[:3]
            found = 0
            if kind == "reset":
                self.reset()
            elif kind == "write":
                place, value = self.spoil(self, place, value)
                self.values[place] = value & self.slots[place].settable
            elif kind == "read":
                found = self.values[place]
            data.append(found)
        return [0] * len(data), data


def at(offset: int) -> int:
    return BASE + 2 * offset


def keeps_what_it_is_told(registers: Registers, place: int, value: int) -> int:
    registers.slots[place] = type(registers.slots[place])("", place, (1 << 32) - 1)
    return value


# What a write does instead: place and value; and what is said of it.
MISTAKES: dict[str, tuple[Callable[[Registers, int, int], tuple[int, int]], str]] = {
    "none": (lambda _, place, value: (place, value), ""),
    "two are one": (lambda _, place, value: (at(0x40) if place == at(0x44) else place, value), "OUT_"),
    "a bit is stuck": (lambda _, p, v: (p, v & ~(1 << 13) if p == at(0) else v), "COMMUNICATOR"),
    "two bits are one": (
        lambda _, p, v: (p, v & ~2 | v >> 7 & 2 if p == at(4) else v),
        "ARITHMETIC",
    ),
    "what counts can be written": (
        lambda r, p, v: (p, keeps_what_it_is_told(r, p, v) if p == at(0x110) else v),
        "SENT_BEATS can be read only",
    ),
    "an empty place holds": (
        lambda r, p, v: (p, keeps_what_it_is_told(r, p, v) if not r.slots[p].settable else v),
        "no register",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_walk_finds_what_a_map_does_not_say(mistake: str) -> None:
    spoil, said = MISTAKES[mistake]
    walk = Walk(described(), 3)
    assert sum(bool(slot.settable) for slot in walk.slots) == 8
    found = walk.judge(slice(None), *Registers(walk.slots, spoil).play(walk.ops))
    assert bool(found) == bool(said)
    assert any(said in text for text in found) or not said


def test_a_list_that_was_not_answered_is_no_pass() -> None:
    walk = Walk(described(), 3)
    assert walk.judge(slice(0, 4), [0, 0], [0, 0])


def test_a_counter_that_differs_from_the_models_is_named() -> None:
    """One that goes on counting while it is read is not compared; counters wrap."""
    places = [("n0", "accl", name) for name in ("PUTS", "SENT_BEATS", "SENT_WAITS")]
    before = dict(zip(places, ((5, 0, False), ((1 << 32) - 1, 3, False), (0, 0, False)), strict=True))
    after = dict(zip(places, ((9, 5, False), (1, 5, False), (7, 6, True)), strict=True))
    (fault,) = mismetered_links(before, after)
    assert (fault.name, fault.detail) == ("accl of n0", "PUTS counted 4 of 5")
    assert not mismetered_links(before, before)
