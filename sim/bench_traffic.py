# SPDX-License-Identifier: BSD-3-Clause
"""Lists of AXI-Lite accesses of one node: with each, what it must be answered with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from bench_files import BROKEN, CUT, TIMEOUT, UNKNOWN, Op, manner

OKAY, SLVERR, DECERR = 0, 2, 3
ANSWERS = {
    OKAY: "OKAY",
    SLVERR: "SLVERR",
    DECERR: "DECERR",
    TIMEOUT: "no answer",
    UNKNOWN: "unknown bits",
    CUT: "cut short",
    BROKEN: "an answer against the rules of AXI",
}
# How a slave behaves: sim/axil_gate.sv.
WELL, SILENT, SLAVE_ERROR, DECODE_ERROR, MUTE, LATE_READ, LATE_WRITE, ADDRESS_ONLY, DATA_ONLY = range(9)
HESITATES, DECOY, SLOW = 16, 32, 64
EVERY = 0xFFFFFF  # slave of a node
# Slaves of a node of which each is tried in a short run: the first, the last, and some between.
SOME = 4
SETTLE = 64
LONG = 1024  # a list that has so many entries ends where all is at rest; masters have room for twice that


@dataclass(frozen=True)
class Expected:
    """Expected response to an access; data only if known; or that a reset has cut the access."""

    what: str
    resp: int = OKAY
    data: int | None = None
    cut: bool = False


@dataclass(frozen=True)
class Place:
    """A window of a slave behind the core, of a partition or beside it.

    Attributes:
        number: Of the slave, on the node.
        base: As the ops have it: the host's offset, or the far address behind a bridge.
        stride: Bytes from one register to the next.
        size: Bytes.
        word: Registers of a whole word that may be written, 0 if unknown.
        far: It is behind the bridge.
        offsets: Of registers that may be read, the first of all first.
    """

    name: str
    number: int
    base: int
    stride: int
    size: int
    word: int
    far: bool
    offsets: tuple[int, ...]

    @property
    def first(self) -> int:
        """Offset of a register that may be read."""
        return self.offsets[0]


class Traffic:
    """A list of one node: ops with what each must be answered with."""

    def __init__(self, node: dict[str, Any], slaves: dict[str, int], seed: int, full: bool) -> None:
        self.name: str = node["name"]
        self.full = full
        self.random = np.random.default_rng(seed)
        self.node = node
        blocks = {block["name"]: block for block in node["blocks"]}
        self.bridge = self._registers(blocks["bridge"]) if "bridge" in blocks else {}
        self.status = self._registers(blocks["status"])
        self.fixed = {
            self.status[register["name"]]: register["value"]
            for register in blocks["status"]["registers"]
            if register["value"] is not None
        }
        self.places = [self._place(region, slaves) for region in node["regions"]]
        self.places += [self._beside(blocks[name], slaves[name]) for name in slaves if name in blocks]
        self.values: dict[str, list[int]] = {}
        self.ops: list[Op] = []
        self.expected: list[Expected | None] = []
        self._done: list[tuple[list[Op], list[Expected | None]]] = []

    def _registers(self, block: dict[str, Any]) -> dict[str, int]:
        start = block["base"] - self.node["base"]
        return {register["name"]: start + register["offset"] for register in block["registers"]}

    def _place(self, region: dict[str, Any], slaves: dict[str, int]) -> Place:
        far, memory, size = bool(self.bridge), region["memory"], region["size"]
        stride = 4 if far else self.node["slot_bytes"]
        base = region["base"] - (0 if far else self.node["base"])
        bits = [stride << bit for bit in range((size // stride).bit_length() - 1)]
        offsets = (0, *bits, size - stride)
        word = memory["lanes"] if memory else 0
        return Place(region["name"], slaves[region["name"]], base, stride, size, word, far, offsets)

    def _beside(self, block: dict[str, Any], number: int) -> Place:
        """Return the window of a link's slave; what it holds is the link's matter."""
        base, stride = block["base"] - self.node["base"], self.node["slot_bytes"]
        offsets = tuple(one["offset"] for one in block["registers"] if "r" in one["access"])
        return Place(block["name"], number, base, stride, block["size"], 0, False, offsets or (0,))

    # ---- ops ---------------------------------------------------------------------------------------------
    def add(self, op: Op, expected: Expected | None = None) -> None:
        """Append an entry."""
        self.ops.append(op)
        self.expected.append(expected)

    def how(self, *, early: bool = False, off: int = 0) -> int:
        """Draw how an access is made: often one side comes late, sometimes an answer has to wait; PROT."""
        gaps = self.random.integers(0, 8, 5) * (self.random.random(5) < 0.5)
        aw, w, b, ar, r = (int(gap) for gap in gaps)
        prot = int(self.random.integers(0, 8))
        return manner(early=early, off=off, aw=aw, w=w, b=b, ar=ar, r=r, prot=prot)

    def read(self, place: Place, offset: int, expected: Expected, *, early: bool = False) -> None:
        """Read a register of a place; behind a bridge, write its address first, and clear its error."""
        if not place.far:
            self.add(("read", place.base + offset, 0, self.how(early=early)), expected)
            return
        far = place.base + offset
        self.add(("write", self.bridge["ADDRESS"], far, self.how()), Expected("the bridge's ADDRESS"))
        self.add(("read", self.bridge["DATA"], 0, self.how()), expected)
        if expected.resp != OKAY:
            self._bridge_error(f"{expected.what}: the bridge's", far, expected.resp, read=True)

    def write(self, place: Place, offset: int, data: int, expected: Expected, *, off: int = 0) -> None:
        """Write a register of a place, without the strobes that are off."""
        if not place.far:
            self.add(("write", place.base + offset, data, self.how(off=off)), expected)
            return
        far = place.base + offset
        self.add(("write", self.bridge["ADDRESS"], far, self.how()), Expected("the bridge's ADDRESS"))
        self.add(("write", self.bridge["DATA"], data, self.how(off=off)), Expected(expected.what))  # posted
        if expected.resp != OKAY:
            # A read of the far space comes after the writes before it.
            self.add(("write", self.bridge["ADDRESS"], far))
            self.add(("read", self.bridge["DATA"], 0))
            self._bridge_error(f"{expected.what}: the bridge's", far, expected.resp, read=False)

    def _bridge_error(self, what: str, far: int, resp: int, *, read: bool) -> None:
        kept = 1 | resp << 1 | read << 3
        self.add(("read", self.bridge["ERROR"], 0), Expected(f"{what} ERROR", data=kept))
        self.add(("read", self.bridge["ERROR_ADDRESS"], 0), Expected(f"{what} ERROR_ADDRESS", data=far))
        self.add(("write", self.bridge["ERROR"], 1), Expected(f"{what} ERROR, cleared"))

    def behave(self, number: int, mode: int) -> None:
        """Let a slave behave so, or EVERY."""
        self.add(("fault", 0, number << 8 | mode))
        self.add(("wait", 0, SETTLE))

    def chosen(self) -> list[Place]:
        """Return the places of which each is tried: all, or some."""
        if self.full or len(self.places) <= SOME:
            return self.places
        inner = self.random.choice(len(self.places) - 2, SOME - 2, replace=False) + 1
        return [self.places[0], *(self.places[int(k)] for k in sorted(inner)), self.places[-1]]

    def well(self, place: Place, why: str = "") -> None:
        """Write a whole word with what it holds, and read it."""
        what = f"{place.name}{why}"
        for lane, value in enumerate(self.values[place.name] if place.word else ()):
            self.write(place, lane * place.stride, value, Expected(f"{what}, written"))
        for lane, value in enumerate(self.values[place.name]):
            data = value if place.word else None
            self.read(place, place.first + lane * place.stride, Expected(f"{what}, read", data=data))

    def others(self, place: Place, while_: str) -> None:
        """Read what is beside a slave that misbehaves."""
        known, wanted = next(iter(self.fixed.items()))
        self.add(("read", known, 0, self.how()), Expected(f"a fixed register, {while_}", data=wanted))
        others = [other for other in self.places if other is not place]
        for other in others[-1:] + others[:1]:
            data = self.values[other.name][0] if other.word else None
            self.read(other, other.first, Expected(f"{other.name}, {while_}", data=data))

    def reset(self, why: str, cycles: int = SETTLE) -> None:
        """Reset the core by its pin after ``cycles``, whatever is under way."""
        early = manner(early=True)
        self.add(("wait", 0, cycles, early))
        self.add(("reset", 0, 32, early))
        self.add(("wait", 0, 3 * SETTLE))
        self.add(("read", self.status["SCRATCH"], 0), Expected(f"SCRATCH {why}", data=0))

    def rest(self) -> None:
        """End a long list here, where nothing is under way; another one goes on."""
        if len(self.ops) > LONG:
            self.end()

    def end(self) -> None:
        """End the list."""
        self._done.append((self.ops, self.expected))
        self.ops, self.expected = [], []

    # ---- verdicts ----------------------------------------------------------------------------------------
    @property
    def rounds(self) -> int:
        """Number of lists."""
        return len(self._done)

    def lists(self) -> Iterator[list[Op]]:
        """Yield the lists in their order; each is to be judged before the next."""
        for ops, expected in self._done:
            self.ops, self.expected = ops, expected
            yield ops

    def judge(self, resp: Any, data: Any) -> list[str]:
        """Return what was answered wrongly, in the order of the list."""
        wrong = []
        for op, expected, got, found in zip(self.ops, self.expected, resp, data, strict=False):
            if expected is None or (expected.cut and got == CUT):
                continue
            if got == expected.resp and expected.data in (None, int(found)):
                continue
            told = ANSWERS.get(int(got), str(int(got)))
            wanted = ANSWERS[expected.resp]
            if got == expected.resp:
                told, wanted = f"{int(found):#x}", f"{expected.data or 0:#x}"
            wrong.append(f"{self.name}: {op[0]} at {op[1]:#x} ({expected.what}): {told}, and not {wanted}")
        if len(resp) < len(self.ops) and not wrong:
            wrong.append(f"{self.name}: {len(resp)} of {len(self.ops)} accesses were answered")
        return wrong
