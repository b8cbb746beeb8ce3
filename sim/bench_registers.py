# SPDX-License-Identifier: BSD-3-Clause
"""The registers of links' blocks, as the map describes them: what they hold, show and ignore.

The cores are held in reset by CONTROL meanwhile, so nothing that is written is acted upon, and what the host
has set must outlast that reset. What the block itself counts or sets is for the runs of the streams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bench_budget import drain_cycles
from bench_files import Op, manner
from bench_host import hold_cores
from bench_lite import NodeLite
from bench_records import Bench
from bench_run import Watch
from bench_traffic import ANSWERS, OKAY
from bench_walk import play

WORD = (1 << 32) - 1
ROUNDS = 3  # each a draw and its complement: two bits that are one by mistake differ in most of them
PIECE = 1024  # entries that a master is given at once
RESET_CYCLES = 32
EMPTY = 12  # places of a block without a register that are tried


@dataclass(frozen=True)
class Slot:
    """A place in the window of a block.

    Attributes:
        name: Node, block and register, for what is said.
        place: The host's offset.
        settable: Bits that the bus alone changes.
        first: These bits after a reset.
        void: Bits that read 0.
        reset: Bits that have a value after a reset by the pin, even if hardware changes them.
        initial: That value.
        acts: A write of ones does something there.
    """

    name: str
    place: int
    settable: int = 0
    first: int = 0
    void: int = WORD
    reset: int = WORD
    initial: int = 0
    acts: bool = False


@dataclass(frozen=True)
class _Wanted:
    """Expected value of a read: the bits of a value, or any value but `shunned`."""

    slot: Slot
    value: int
    mask: int
    why: str
    shunned: int | None = None


def link_slots(node: dict[str, Any]) -> list[Slot]:
    """Return the places of our links' blocks at a node; in the map, only ours have values after a reset."""
    found = []
    for block in node["blocks"]:
        registers = block["registers"]
        ours = any(
            one["reset"] is not None for register in registers for one in (register, *register["fields"])
        )
        # The bench has tests of its own for these, which know what they make of values out of range.
        if block["block"] in ("shell_status", "axil_bridge") or not ours:
            continue
        start, taken = block["base"] - node["base"], set()
        for register in registers:
            for index in range(register["count"] or 1):
                place = start + register["offset"] + index * (register["stride"] or 0)
                number = "" if register["count"] is None else f"_{index}"
                taken.add(place)
                found.append(
                    _slot(f"{node['name']}, {block['name']}.{register['name']}{number}", place, register)
                )
        empty = [at for at in range(start, start + block["size"], node["slot_bytes"]) if at not in taken]
        some = {*empty[:: len(empty) // EMPTY or 1], *empty[-1:]}
        found += [Slot(f"{node['name']}, {block['name']}: no register", at) for at in sorted(some)]
    return found


def _slot(name: str, place: int, register: dict[str, Any]) -> Slot:
    settable = first = reset = initial = 0
    void, acts = WORD, False
    parts = register["fields"] or [{**register, "low": 0}]
    for part in parts:
        mask = ((1 << part["width"]) - 1) << part["low"]
        if part["access"] not in ("w", "w1"):
            void &= ~mask
            if part["reset"] is not None:
                reset |= mask
                initial |= part["reset"] << part["low"]
        if part["access"] == "rw" and part["hw"] in ("r", "na") and part["reset"] is not None:
            settable |= mask
            first |= part["reset"] << part["low"]
        elif part["access"] != "r":
            acts = True
    return Slot(name, place, settable, first, void, reset | void, initial, acts)


class Walk:
    """The list of one node, with what its reads must find."""

    def __init__(self, node: dict[str, Any], seed: int) -> None:
        self.name: str = node["name"]
        self._random = np.random.default_rng(seed)
        self.slots = link_slots(node)
        self.ops: list[Op] = []
        self.wanted: list[_Wanted | None] = []
        settable = [slot for slot in self.slots if slot.settable]
        held = {slot.place: slot.first for slot in settable}
        self._look(held, "after a reset")
        for _ in range(ROUNDS):
            drawn = {slot.place: self._draw(slot.settable) for slot in settable}
            for values in (drawn, {slot.place: drawn[slot.place] ^ slot.settable for slot in settable}):
                held = values
                for slot in settable:
                    self._write(slot, held[slot.place] | self._draw(WORD & ~slot.settable))
                self._look(held, "which was written")
        for slot in self.slots:
            if not slot.settable and not slot.acts:
                noise = self._draw(WORD)
                self._write(slot, noise)
                # It may count; what it must not do is to take what was written.
                self._read(_Wanted(slot, 0, slot.void, "written", noise & ~slot.void))
        self._look(held, "after writes beside it")
        self._add(("reset", 0, RESET_CYCLES))
        self._add(("wait", 0, 2 * RESET_CYCLES))
        self._look({slot.place: slot.first for slot in settable}, "after a reset by the pin")

    def _draw(self, mask: int) -> int:
        return int(self._random.integers(0, 1 << 32)) & mask

    def _add(self, op: Op, wanted: _Wanted | None = None) -> None:
        self.ops.append(op)
        self.wanted.append(wanted)

    def _how(self) -> int:
        aw, w, b, ar, r = (int(gap) for gap in self._random.integers(0, 4, 5))
        return manner(aw=aw, w=w, b=b, ar=ar, r=r, prot=int(self._random.integers(0, 8)))

    def _write(self, slot: Slot, value: int) -> None:
        self._add(("write", slot.place, value, self._how()))

    def _read(self, wanted: _Wanted) -> None:
        self._add(("read", wanted.slot.place, 0, self._how()), wanted)

    def _look(self, held: dict[int, int], why: str) -> None:
        """Read everything: what is settable holds its value, and bits without a meaning read 0."""
        for at in self._random.permutation(len(self.slots)):
            slot = self.slots[int(at)]
            self._read(_Wanted(slot, held.get(slot.place, 0), slot.settable | slot.void, why))

    def judge(self, part: slice, resp: Any, data: Any) -> list[str]:
        """Return what was wrong in a part of the list, in its order."""
        said, ops = [], self.ops[part]
        for op, wanted, got, value in zip(ops, self.wanted[part], resp, data, strict=False):
            found = int(value)
            if got != OKAY and op[0] in ("read", "write"):
                told = ANSWERS.get(int(got), str(int(got)))
                said.append(f"{self.name}: {op[0]} at {op[1]:#x} was answered {told}")
            elif wanted and found & wanted.mask != wanted.value:
                told = f"reads {found & wanted.mask:#x}, and not {wanted.value:#x}, {wanted.why}"
                said.append(f"{wanted.slot.name} {told}")
            elif wanted and wanted.shunned and found == wanted.shunned:
                said.append(f"{wanted.slot.name} can be read only, and took {found:#x}")
        if len(resp) < len(ops) and not said:
            said.append(f"{self.name}: {len(resp)} of {len(ops)} accesses were answered")
        return said


async def walk_registers(
    dut: Any, maps: dict[str, Any], bench: Bench, seed: int, watch: Watch
) -> dict[str, int]:
    """Test all nodes at once, just after a reset; at the end their cores are reset by their pins.

    Args:
        dut: The bench top.
        maps: ``memory_map.json``.
        bench: ``bench.json``.
        seed: Of what is written.
        watch: Waits.

    Returns:
        Places that were tried, by node.

    Raises:
        AssertionError: A register is not what the map says.
    """
    walks = [Walk(node, seed + index) for index, node in enumerate(maps["nodes"])]
    if not any(walk.slots for walk in walks):
        return {}
    nothing = drain_cycles(bench, {}, frames=0)
    assert await hold_cores(dut, maps, nothing), "nothing is under way, and CONTROL does not tell that"
    said: list[str] = []
    longest = max(len(walk.ops) for walk in walks)
    for start in range(0, longest, PIECE):
        watch.begin(1 + start // PIECE, -(-longest // PIECE))
        part = slice(start, start + PIECE)
        results = await play(dut, bench.nodes, {walk.name: walk.ops[part] for walk in walks}, watch)
        said += [text for walk in walks for text in walk.judge(part, *results[walk.name])]
    assert not said, said[0] + (f"; {len(said) - 1} more" if len(said) > 1 else "")
    return {walk.name: len(walk.slots) for walk in walks}


async def look_at_first_values(dut: Any, maps: dict[str, Any]) -> None:
    """Raise AssertionError unless links' blocks are as after a reset by pins: of links at rest."""
    for node in maps["nodes"]:
        lite = NodeLite(dut, node)
        for slot in link_slots(node):
            found = await lite.read_at(node["base"] + slot.place)
            wrong = f"{slot.name} is {found:#x} after a reset by the pin, and not {slot.initial:#x}"
            assert found & slot.reset == slot.initial, wrong
