# SPDX-License-Identifier: BSD-3-Clause
"""An AXI-Lite host without manners, and slaves without: what an interconnect and a dead layer do to a core.

The host lets addresses and data come in any order, reads while it writes, and takes answers late; the
slaves of partitions fail in turn, and are silent when the core is reset in the middle of an access.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from bench_files import BROKEN, CUT, TIMEOUT, UNKNOWN, Op, manner
from bench_records import Bench
from bench_run import Watch
from bench_walk import play

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
# Modes of a slave: shellgen/emit/bench_slaves.py.
WELL, SILENT, SLAVE_ERROR, DECODE_ERROR, MUTE, LATE_READ, LATE_WRITE = range(7)
# Slaves of a node that fail in a short run: the first, the last, and some between.
SOME = 4
SETTLE = 64


@dataclass(frozen=True)
class Expected:
    """What an access must be answered with; data only where that is known."""

    what: str
    resp: int = OKAY
    data: int | None = None


@dataclass(frozen=True)
class Place:
    """A window of a partition's slave: its number on the node (0: the bench cannot make it fail).

    Attributes:
        base: As the ops have it: the host's offset, or the far address behind a bridge.
        stride: Bytes from one register to the next.
        size: Bytes.
        word: Registers of a whole word that may be written, 0 if what lies there is not known.
    """

    name: str
    number: int
    base: int
    stride: int
    size: int
    word: int


class Manners:
    """The list of one node: ops with what each must be answered with."""

    def __init__(self, node: dict[str, Any], slaves: dict[str, int], seed: int, full: bool) -> None:
        self.name: str = node["name"]
        self._random = np.random.default_rng(seed)
        self._full = full
        self._node = node
        blocks = {block["name"]: block for block in node["blocks"]}
        self._bridge = self._registers(blocks["bridge"]) if "bridge" in blocks else {}
        self._status = self._registers(blocks["status"])
        self._fixed = {
            self._status[register["name"]]: register["value"]
            for register in blocks["status"]["registers"]
            if register["value"] is not None
        }
        self.places = [self._place(region, slaves) for region in node["regions"]]
        self.ops: list[Op] = []
        self.expected: list[Expected | None] = []
        self.values: dict[str, list[int]] = {}

    def _registers(self, block: dict[str, Any]) -> dict[str, int]:
        start = block["base"] - self._node["base"]
        return {register["name"]: start + register["offset"] for register in block["registers"]}

    def _place(self, region: dict[str, Any], slaves: dict[str, int]) -> Place:
        far = bool(self._bridge)
        memory = region["memory"]
        return Place(
            region["name"],
            slaves.get(region["name"], 0),
            region["base"] - (0 if far else self._node["base"]),
            4 if far else self._node["slot_bytes"],
            region["size"],
            memory["lanes"] if memory else 0,
        )

    # ---- ops ---------------------------------------------------------------------------------------------
    def _add(self, op: Op, expected: Expected | None = None) -> None:
        self.ops.append(op)
        self.expected.append(expected)

    def _how(self, *, early: bool = False, off: int = 0) -> int:
        """Draw how an access is made: often one side comes late, sometimes an answer has to wait."""
        gaps = self._random.integers(0, 8, 5) * (self._random.random(5) < 0.5)
        aw, w, b, ar, r = (int(gap) for gap in gaps)
        return manner(early=early, off=off, aw=aw, w=w, b=b, ar=ar, r=r)

    def _read(self, place: Place, offset: int, expected: Expected) -> None:
        """Read a register of a place; behind a bridge, write its address first, and clear its error."""
        if not self._bridge:
            self._add(("read", place.base + offset, 0, self._how()), expected)
            return
        far = place.base + offset
        self._add(("write", self._bridge["ADDRESS"], far, self._how()), Expected("the bridge's ADDRESS"))
        self._add(("read", self._bridge["DATA"], 0, self._how()), expected)
        if expected.resp != OKAY:
            self._bridge_error(f"{expected.what}: the bridge's", far, expected.resp, read=True)

    def _write(self, place: Place, offset: int, data: int, expected: Expected) -> None:
        if not self._bridge:
            self._add(("write", place.base + offset, data, self._how()), expected)
            return
        far = place.base + offset
        self._add(("write", self._bridge["ADDRESS"], far, self._how()), Expected("the bridge's ADDRESS"))
        self._add(("write", self._bridge["DATA"], data, self._how()), Expected(expected.what))  # posted
        if expected.resp != OKAY:
            # A read of the far space comes after the writes before it.
            self._add(("write", self._bridge["ADDRESS"], far))
            self._add(("read", self._bridge["DATA"], 0))
            self._bridge_error(f"{expected.what}: the bridge's", far, expected.resp, read=False)

    def _bridge_error(self, what: str, far: int, resp: int, *, read: bool) -> None:
        kept = 1 | resp << 1 | read << 3
        self._add(("read", self._bridge["ERROR"], 0), Expected(f"{what} ERROR", data=kept))
        self._add(("read", self._bridge["ERROR_ADDRESS"], 0), Expected(f"{what} ERROR_ADDRESS", data=far))
        self._add(("write", self._bridge["ERROR"], 1), Expected(f"{what} ERROR, cleared"))

    def _fault(self, place: Place, mode: int) -> None:
        self._add(("fault", 0, place.number << 8 | mode))
        self._add(("wait", 0, SETTLE))

    # ---- the list ----------------------------------------------------------------------------------------
    def look(self) -> list[Op]:
        """Return the reads of the first word of each place, before anything else."""
        start = len(self.ops)
        for place in self.places:
            for lane in range(max(1, place.word)):
                self._read(place, lane * place.stride, Expected(f"{place.name}, as it was"))
        return self.ops[start:]

    def looked(self, resp: Any, data: Any) -> list[str]:
        """Keep what `look` has read; return what was wrong with it."""
        wrong = self.judge(resp, data)
        reads = iter(int(d) for op, d in zip(self.ops, data, strict=False) if op[0] == "read")
        self.values = {
            place.name: [next(reads, 0) for _ in range(max(1, place.word))] for place in self.places
        }
        self.ops, self.expected = [], []
        return wrong

    def write_list(self) -> list[Op]:
        """Return all that a host and slaves without manners do to this node."""
        self._skewed()
        self._at_once()
        self._holes()
        for index, place in enumerate(self._chosen()):
            self._fails(place)
            if self._full or not index:  # each death takes the tree's whole patience, several times
                self._dies(place)
        for place in self.places:
            self._well(place)
        return self.ops

    def _chosen(self) -> list[Place]:
        able = [place for place in self.places if place.number]
        if self._full or len(able) <= SOME:
            return able
        inner = self._random.choice(len(able) - 2, SOME - 2, replace=False) + 1
        return [able[0], *(able[int(k)] for k in sorted(inner)), able[-1]]

    def _skewed(self) -> None:
        """Address and data in any order, strobes, stalled answers, on a register of ours."""
        at, value = self._status["SCRATCH"], 0
        self._add(("write", at, 0), Expected("SCRATCH"))
        for _ in range(48):
            off = int(self._random.integers(0, 16)) if self._random.random() < 0.25 else 0
            data = int(self._random.integers(0, 1 << 32))
            mask = sum(0xFF << 8 * k for k in range(4) if not off >> k & 1)
            value = value & ~mask | data & mask
            self._add(("write", at, data, self._how(off=off)), Expected("SCRATCH"))
            self._add(("read", at, 0, self._how()), Expected("SCRATCH", data=value))
        self._value = value

    def _at_once(self) -> None:
        """Reads while writes are under way, and several of a kind one behind the other."""
        at, fixed = self._status["SCRATCH"], list(self._fixed.items())
        for turn in range(24):
            known, wanted = fixed[turn % len(fixed)]
            place = self.places[turn % len(self.places)] if self.places and not self._bridge else None
            self._value = int(self._random.integers(0, 1 << 32))
            pair: list[tuple[tuple[str, int, int], Expected]] = [
                (("write", at, self._value), Expected("SCRATCH, at once with reads")),
                (("read", known, 0), Expected("a fixed register, at once with a write", data=wanted)),
            ]
            if place:
                text = f"{place.name}, at once with a write"
                data = self.values[place.name][0] if place.word else None
                pair.append((("read", place.base, 0), Expected(text, data=data)))
            for turn_of, index in enumerate(self._random.permutation(len(pair))):
                op, expected = pair[int(index)]
                self._add((*op, self._how(early=turn_of > 0)), expected)
            self._add(("read", at, 0), Expected("SCRATCH, after reads and writes at once", data=self._value))

    def _holes(self) -> None:
        """Flip each address bit above a window: where no window is, the answer is DECERR."""
        if self._bridge:
            taken = [(place.base, place.size) for place in self.places]
            span = 1 << max((base + size - 1).bit_length() for base, size in taken) if taken else 0
        else:
            node = self._node
            taken = [(block["base"] - node["base"], block["size"]) for block in node["blocks"]]
            taken += [(place.base, place.size) for place in self.places]
            if aperture := node["aperture"]:
                taken.append((aperture["base"] - node["base"], aperture["bytes"]))
            span = node["span"]
        seen = set()
        for place in self.places:
            for bit in range(place.size.bit_length() - 1, max(1, span).bit_length() - 1):
                at = place.base ^ 1 << bit
                inside = any(base <= at < base + size for base, size in taken)
                if not inside and at not in seen:
                    seen.add(at)
                    hole = Place("no window", 0, at, place.stride, 4, 0)
                    self._read(hole, 0, Expected(f"{at:#x}, where there is no window", DECERR))

    def _well(self, place: Place, why: str = "") -> None:
        """Write a whole word with what it holds, and read it."""
        what = f"{place.name}{why}"
        for lane, value in enumerate(self.values[place.name] if place.word else ()):
            self._write(place, lane * place.stride, value, Expected(f"{what}, written"))
        for lane, value in enumerate(self.values[place.name]):
            data = value if place.word else None
            self._read(place, lane * place.stride, Expected(f"{what}, read", data=data))

    def _others(self, place: Place, while_: str) -> None:
        """Read what is beside a slave that fails."""
        known, wanted = next(iter(self._fixed.items()))
        self._add(("read", known, 0, self._how()), Expected(f"a fixed register, {while_}", data=wanted))
        others = [other for other in self.places if other is not place]
        for other in others[-1:] + others[:1]:
            data = self.values[other.name][0] if other.word else None
            self._read(other, 0, Expected(f"{other.name}, {while_}", data=data))

    def _inside(self, place: Place) -> Iterator[int]:
        """Return offsets that differ from the first in one address bit each, and the last register."""
        bit = place.stride
        while bit < place.size:
            yield bit
            bit *= 2
        yield place.size - place.stride

    def _fails(self, place: Place) -> None:
        """A slave answers with errors: all of its window does, and nothing else."""
        self._fault(place, SLAVE_ERROR)
        while_ = f"while {place.name} answers SLVERR"
        for offset in (0, *self._inside(place)):
            self._read(place, offset, Expected(f"{place.name} at {offset:#x}, {while_}", SLVERR))
        self._write_word(place, f"{place.name}, {while_}", SLVERR)
        self._others(place, while_)
        self._fault(place, DECODE_ERROR)
        self._read(place, 0, Expected(f"{place.name}, while it answers DECERR", DECERR))
        self._fault(place, WELL)
        self._well(place, " after errors")

    def _write_word(self, place: Place, what: str, resp: int) -> None:
        for lane, value in enumerate(self.values[place.name] if place.word else ()):
            self._write(place, lane * place.stride, value, Expected(what, resp))

    def _dies(self, place: Place) -> None:
        """A slave takes an access and never answers, answers late, or is silent until a reset."""
        self._fault(place, MUTE)
        while_ = f"while {place.name} is mute"
        for turn in ("first", "second"):
            self._read(place, 0, Expected(f"{place.name}, {turn} read {while_}", SLVERR))
        self._others(place, while_)
        self._fault(place, LATE_READ)
        self._well(place, " after a late answer")
        if place.word == 1:
            self._fault(place, MUTE)
            self._write_word(place, f"{place.name}, written {while_}", SLVERR)
            self._fault(place, LATE_WRITE)
            self._well(place, " after a late answer to a write")
        self._fault(place, SILENT)
        while_ = f"while {place.name} is silent"
        self._read(place, 0, Expected(f"{place.name}, {while_}", SLVERR))
        self._others(place, while_)
        self._reset(place, "after a reset")
        self._fault(place, SILENT)
        self._add_cut(place)
        self._reset(place, "after a reset in mid-access")

    def _add_cut(self, place: Place) -> None:
        """Begin an access that is not answered when the reset comes."""
        if self._bridge:
            self._add(("write", self._bridge["ADDRESS"], place.base))
            self._add(("read", self._bridge["DATA"], 0), Expected(f"{place.name}, cut by a reset", CUT))
        else:
            self._add(("read", place.base, 0), Expected(f"{place.name}, cut by a reset", CUT))

    def _reset(self, place: Place, why: str) -> None:
        early = manner(early=True)
        self._add(("wait", 0, SETTLE, early))
        self._add(("reset", 0, 32, early))
        self._fault(place, WELL)
        self._add(("wait", 0, 2 * SETTLE))
        self._add(("read", self._status["SCRATCH"], 0), Expected(f"SCRATCH {why}", data=0))
        self._well(place, f" {why}")

    # ---- verdicts ----------------------------------------------------------------------------------------
    def judge(self, resp: Any, data: Any) -> list[str]:
        """Return what was answered wrongly, in the order of the list."""
        wrong = []
        for op, expected, got, found in zip(self.ops, self.expected, resp, data, strict=False):
            if expected is None or (got == expected.resp and expected.data in (None, int(found))):
                continue
            told = ANSWERS.get(int(got), str(int(got)))
            wanted = ANSWERS[expected.resp]
            if got == expected.resp:
                told, wanted = f"{int(found):#x}", f"{expected.data or 0:#x}"
            wrong.append(f"{self.name}: {op[0]} at {op[1]:#x} ({expected.what}): {told}, and not {wanted}")
        if len(resp) < len(self.ops) and not wrong:
            wrong.append(f"{self.name}: {len(resp)} of {len(self.ops)} accesses were answered")
        return wrong


async def try_manners(
    dut: Any, maps: dict[str, Any], bench: Bench, extent: str, seed: int, watch: Watch
) -> Any:
    """Play the lists of all nodes at once.

    Args:
        dut: The bench top.
        maps: ``memory_map.json``.
        bench: ``bench.json``.
        extent: ``full``: every slave fails in turn; ``sample``: some do.
        seed: Of what is drawn.
        watch: Waits.

    Returns:
        By node: accesses, and what was answered wrongly.
    """
    slaves = {node.name: node.slaves for node in bench.nodes}
    all_manners = [
        Manners(node, slaves[node["name"]], seed + index, extent == "full")
        for index, node in enumerate(maps["nodes"])
    ]
    found: dict[str, Any] = {}
    looks = await play(dut, bench.nodes, {one.name: one.look() for one in all_manners}, watch)
    for one in all_manners:
        wrong = one.looked(*looks[one.name])
        found[one.name] = {"accesses": len(looks[one.name][0]), "wrong": wrong}
    if any(one["wrong"] for one in found.values()):
        return found
    results = await play(dut, bench.nodes, {one.name: one.write_list() for one in all_manners}, watch)
    for one in all_manners:
        found[one.name]["accesses"] += len(one.ops)
        found[one.name]["wrong"] += one.judge(*results[one.name])
    return found
