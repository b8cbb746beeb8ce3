# SPDX-License-Identifier: BSD-3-Clause
"""Protocol checks of AXI-Lite: orders and gaps of an interconnect, and a slave that is dead.

The host lets addresses and data come in any order, reads while it writes, and takes answers late; the
slaves behind the core fail in turn, and are silent when it is reset in the middle of an access.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from bench_files import CUT, Op, manner
from bench_hesitate import hesitate
from bench_records import Bench, Node
from bench_run import Watch
from bench_traffic import (
    ADDRESS_ONLY,
    DATA_ONLY,
    DECERR,
    DECODE_ERROR,
    DECOY,
    HESITATES,
    LATE_READ,
    LATE_WRITE,
    MUTE,
    SILENT,
    SLAVE_ERROR,
    SLVERR,
    WELL,
    Expected,
    Place,
    Traffic,
)
from bench_walk import play

ACCESS = 16  # more cycles than an access takes that is refused


class ProtocolChecks(Traffic):
    """The list of one node."""

    def __init__(self, node: dict[str, Any], bench: Node, seed: int, full: bool) -> None:
        super().__init__(node, bench.slaves, seed, full)
        self.reset_cycles = bench.reset_cycles

    # ---- the list ----------------------------------------------------------------------------------------
    def look(self) -> list[Op]:
        """Return the reads of the first word of each place, before anything else."""
        for place in self.places:
            for lane in range(max(1, place.word)):
                offset = place.first + lane * place.stride
                self.read(place, offset, Expected(f"{place.name}, as it was"))
        return self.ops

    def looked(self, resp: Any, data: Any) -> list[str]:
        """Keep what `look` has read; return what was wrong with it."""
        wrong = self.judge(resp, data)
        reads = iter(int(d) for op, d in zip(self.ops, data, strict=False) if op[0] == "read")
        self.values = {
            place.name: [next(reads, 0) for _ in range(max(1, place.word))] for place in self.places
        }
        self.ops, self.expected = [], []
        return wrong

    def write_lists(self) -> None:
        """Write down all accesses of the protocol checks of this node."""
        self._skewed()
        self._at_once()
        self._bursts()
        self._holes()
        self._opened()
        for index, place in enumerate(self.chosen()):
            self._fails(place)
            if self.full or not index:  # each death takes the tree's whole patience, several times
                self._dies(place)
                self._halves(place)
            self.rest()
        for place in self.places:
            self.well(place)
            self.rest()
        self.end()

    def _skewed(self) -> None:
        """Address and data in any order, strobes, stalled answers, on a register of the core."""
        at, value = self.status["SCRATCH"], 0
        self.add(("write", at, 0), Expected("SCRATCH"))
        for _ in range(48):
            off = int(self.random.integers(0, 16)) if self.random.random() < 0.25 else 0
            data = int(self.random.integers(0, 1 << 32))
            mask = sum(0xFF << 8 * k for k in range(4) if not off >> k & 1)
            value = value & ~mask | data & mask
            self.add(("write", at, data, self.how(off=off)), Expected("SCRATCH"))
            self.add(("read", at, 0, self.how()), Expected("SCRATCH", data=value))
        self._value = value

    def _at_once(self) -> None:
        """Reads while writes are under way, and several of a kind one behind the other."""
        at, fixed = self.status["SCRATCH"], list(self.fixed.items())
        for turn in range(24):
            known, wanted = fixed[turn % len(fixed)]
            place = self.places[turn % len(self.places)] if self.places and not self.bridge else None
            self._value = int(self.random.integers(0, 1 << 32))
            pair: list[tuple[tuple[str, int, int], Expected]] = [
                (("write", at, self._value), Expected("SCRATCH, at once with reads")),
                (("read", known, 0), Expected("a fixed register, at once with a write", data=wanted)),
            ]
            if place:
                text = f"{place.name}, at once with a write"
                data = self.values[place.name][0] if place.word else None
                pair.append((("read", place.base + place.first, 0), Expected(text, data=data)))
            for turn_of, index in enumerate(self.random.permutation(len(pair))):
                op, expected = pair[int(index)]
                self.add((*op, self.how(early=turn_of > 0)), expected)
            self.add(("read", at, 0), Expected("SCRATCH, after reads and writes at once", data=self._value))

    def _bursts(self) -> None:
        """Writes behind writes and reads behind reads, while the answer to the first still waits."""
        at, fixed = self.status["SCRATCH"], list(self.fixed.items())
        for turn in range(6):
            waits = [int(wait) for wait in self.random.integers(0, 16, 8)]
            for k in range(4):
                value = int(self.random.integers(0, 1 << 32))
                how = manner(early=k > 0, b=waits[k], aw=waits[k + 4] // 4)
                self.add(("write", at, value, how), Expected("SCRATCH, behind another write"))
            self.add(("read", at, 0), Expected("SCRATCH, after several writes", data=value))
            for k in range(4):
                known, wanted = fixed[(turn + k) % len(fixed)]
                how = manner(early=k > 0, r=waits[k], ar=waits[k + 4] // 4)
                text = "a fixed register, behind another read"
                self.add(("read", known, 0, how), Expected(text, data=wanted))

    def _holes(self) -> None:
        """Flip each address bit above a window: where no window is, the answer is DECERR."""
        if self.bridge:
            taken = [(place.base, place.size) for place in self.places if place.far]
            span = 1 << max((base + size - 1).bit_length() for base, size in taken) if taken else 0
        else:
            node = self.node
            taken = [(block["base"] - node["base"], block["size"]) for block in node["blocks"]]
            taken += [(place.base, place.size) for place in self.places]
            if aperture := node["aperture"]:
                taken.append((aperture["base"] - node["base"], aperture["bytes"]))
            span = node["span"]
        seen, fixed = set(), list(self.fixed.items())
        for place in (place for place in self.places if place.far == bool(self.bridge)):
            for bit in range(place.size.bit_length() - 1, max(1, span).bit_length() - 1):
                at = place.base ^ 1 << bit
                inside = any(base <= at < base + size for base, size in taken)
                if not inside and at not in seen:
                    seen.add(at)
                    hole = Place("no window", 0, at, place.stride, 4, 0, place.far, (0,))
                    # What was read before must not be seen there.
                    known, wanted = fixed[len(seen) % len(fixed)]
                    self.add(("read", known, 0), Expected("a fixed register, before a hole", data=wanted))
                    self.read(hole, 0, Expected(f"{at:#x}, where there is no window", DECERR, data=0))

    def _opened(self) -> None:
        """Read memories without pause while a reset by CONTROL ends: from then on they are answered."""
        memories = self.places[: len(self.node["regions"])]
        fields = next(
            register["fields"]
            for block in self.node["blocks"]
            if block["name"] == "status"
            for register in block["registers"]
            if register["name"] == "CONTROL"
        )
        asked = next(1 << field["low"] for field in fields if field["name"] == "RESET")
        for late in range((ACCESS if self.full else ACCESS // 2) if memories else 0):
            place = memories[late % len(memories)]
            at = place.base + place.first
            if place.far:
                self.add(("write", self.bridge["ADDRESS"], at))
                at = self.bridge["DATA"]
            self.add(("write", self.status["CONTROL"], asked), Expected("CONTROL.RESET"))
            self.add(("wait", 0, late))
            for _ in range(self.reset_cycles // ACCESS + ACCESS):
                self.add(("read", at, 0))
            self.add(("wait", 0, self.reset_cycles))
            if place.far:
                self.add(("write", self.bridge["ERROR"], 1))
            self.well(place, f" after a reset by CONTROL, {late} cycles before reads")
            self.rest()

    def _fails(self, place: Place) -> None:
        """A slave answers with errors: all of its window does, and nothing else."""
        mode = 0 if place.word else HESITATES | DECOY  # what is not known is not written
        self.behave(place.number, SLAVE_ERROR | mode)
        while_ = f"while {place.name} answers SLVERR"
        for offset in place.offsets:
            self.read(place, offset, Expected(f"{place.name} at {offset:#x}, {while_}", SLVERR))
        self._write_word(place, f"{place.name}, {while_}", SLVERR)
        self.others(place, while_)
        self.behave(place.number, DECODE_ERROR | mode)
        self.read(place, place.first, Expected(f"{place.name}, while it answers DECERR", DECERR))
        self.behave(place.number, WELL)
        self.well(place, " after errors")

    def _write_word(self, place: Place, what: str, resp: int) -> None:
        for lane, value in enumerate(self.values[place.name]):
            self.write(place, place.first + lane * place.stride, value, Expected(what, resp))

    def _dies(self, place: Place) -> None:
        """A slave takes an access and never answers, answers late, or is silent until a reset."""
        self.behave(place.number, MUTE)
        while_ = f"while {place.name} is mute"
        for turn in ("first", "second"):
            self.read(place, place.first, Expected(f"{place.name}, {turn} read {while_}", SLVERR))
        self.others(place, while_)
        self.behave(place.number, LATE_READ)
        self.well(place, " after a late answer")
        if len(self.values[place.name]) == 1:
            self.behave(place.number, MUTE)
            self._write_word(place, f"{place.name}, written {while_}", SLVERR)
            self.behave(place.number, LATE_WRITE)
            self.well(place, " after a late answer to a write")
        self.behave(place.number, SILENT)
        while_ = f"while {place.name} is silent"
        self.read(place, place.first, Expected(f"{place.name}, {while_}", SLVERR))
        self.others(place, while_)
        self._reset(place, "after a reset")
        self.behave(place.number, SILENT)
        self._add_cut(place)
        self._reset(place, "after a reset in mid-access")

    def _halves(self, place: Place) -> None:
        """A slave takes one half of a write and never the other: its port is closed until a reset."""
        for mode, half in ((ADDRESS_ONLY, "address"), (DATA_ONLY, "data")):
            while_ = f"while {place.name} has taken only the {half} of a write"
            self.behave(place.number, mode)
            self.write(place, place.first, 0, Expected(f"{place.name}, the write", SLVERR))
            self.read(place, place.first, Expected(f"{place.name}, {while_}", SLVERR))
            self.others(place, while_)
            self._reset(place, f"after a reset {while_}")

    def _add_cut(self, place: Place) -> None:
        """Begin an access that is not answered when the reset comes."""
        cut = Expected(f"{place.name}, cut by a reset", CUT)
        if place.far:
            self.add(("write", self.bridge["ADDRESS"], place.base))
            self.add(("read", self.bridge["DATA"], 0), cut)
        else:
            self.add(("read", place.base + place.first, 0), cut)

    def _reset(self, place: Place, why: str) -> None:
        self.reset(why)
        self.behave(place.number, WELL)
        self.well(place, f" {why}")


async def check_protocol(
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
    nodes = {node.name: node for node in bench.nodes}
    all_checks = [
        ProtocolChecks(node, nodes[node["name"]], seed + index, extent == "full")
        for index, node in enumerate(maps["nodes"])
    ]
    found: dict[str, Any] = {}
    looks = await play(dut, bench.nodes, {one.name: one.look() for one in all_checks}, watch)
    for one in all_checks:
        wrong = one.looked(*looks[one.name])
        found[one.name] = {"accesses": len(looks[one.name][0]), "wrong": wrong}
    if any(one["wrong"] for one in found.values()):
        return found
    for one in all_checks:
        hesitate(one)
        one.write_lists()
    rounds = max((one.rounds for one in all_checks), default=0)
    for number, lists in enumerate(zip_longest(*(one.lists() for one in all_checks), fillvalue=()), 1):
        watch.begin(number, rounds)
        names = [one.name for one in all_checks]
        results = await play(dut, bench.nodes, dict(zip(names, lists, strict=True)), watch)
        for one, ops in zip(all_checks, lists, strict=True):
            if ops:
                found[one.name]["accesses"] += len(ops)
                found[one.name]["wrong"] += one.judge(*results[one.name])
        if any(one["wrong"] for one in found.values()):
            break
    return found
