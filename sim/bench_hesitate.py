# SPDX-License-Identifier: BSD-3-Clause
"""Slaves with delayed handshakes: READY early, late, out of order or withdrawn, and late responses.

All of them at once, then each alone beside others that never wait, since a core that mixes up two handshakes
may be right where both are equally fast. They are decoys, which keep what was written, and with it the
address; so every access is judged by its data, behind a bridge too, and unknown slaves are not written.
"""

from __future__ import annotations

from bench_traffic import (
    DECERR,
    DECODE_ERROR,
    DECOY,
    EVERY,
    HESITATES,
    SETTLE,
    SLAVE_ERROR,
    SLOW,
    SLVERR,
    WELL,
    Expected,
    Place,
    Traffic,
)

ROUNDS = 7  # a gate has six ways to take a write, which take turns
MOST = 12  # slaves that hesitate together in a short run
CUTS, LATEST = 3, 40  # resets in mid-access in a short run, and after how many cycles at most


def hesitate(traffic: Traffic) -> None:
    """Append to the lists of a node all that is asked of slaves that hesitate."""
    if not traffic.places:
        return
    together = traffic.places
    if not traffic.full and len(together) > MOST:
        together = [
            together[int(k)] for k in sorted(traffic.random.choice(len(together), MOST, replace=False))
        ]
    Hesitation(traffic, together).all_at_once()
    for place in traffic.chosen():
        Hesitation(traffic, [place]).alone(place)
        traffic.rest()


class Hesitation:
    """Decoys, and what they keep."""

    def __init__(self, traffic: Traffic, places: list[Place]) -> None:
        """Append to the list of ``traffic``; ``places`` are decoys."""
        self._traffic = traffic
        self._places = places
        self._kept: dict[str, int] = {}

    def all_at_once(self) -> None:
        """All slaves hesitate; each is written and read, while others are."""
        traffic = self._traffic
        traffic.behave(EVERY, HESITATES | DECOY)
        for turn in range(ROUNDS):
            for index in traffic.random.permutation(len(self._places)):
                place = self._places[int(index)]
                self._write(place, part=turn > 0)
                other = self._places[int(traffic.random.integers(0, len(self._places)))]
                if other is not place and other.name in self._kept:
                    self._read(other, early=not place.far and not other.far)
                self._read(place)
            traffic.rest()
        traffic.behave(EVERY, WELL)

    def alone(self, place: Place) -> None:
        """One slave hesitates, and is reset in mid-access; others never wait."""
        traffic = self._traffic
        while_ = f"while {place.name} hesitates"
        traffic.behave(place.number, HESITATES | DECOY)
        for turn in range(ROUNDS):
            self._write(place, part=turn > 0)
            traffic.others(place, while_)
            self._read(place)
        for code, resp in ((SLAVE_ERROR, SLVERR), (DECODE_ERROR, DECERR)):
            traffic.behave(place.number, code | HESITATES | DECOY)
            traffic.write(place, place.first, 0, Expected(f"{place.name}, an error, {while_}", resp))
            traffic.read(place, place.first, Expected(f"{place.name}, an error, {while_}", resp))
        traffic.behave(place.number, HESITATES | DECOY)
        for _ in range(4 * CUTS if traffic.full else CUTS):
            self._cut(place)
        if traffic.full:  # these wait as long as the tree lets them
            traffic.behave(place.number, HESITATES | DECOY | SLOW)
            self._write(place, part=False)
            self._read(place)
        if place.word:
            traffic.behave(place.number, HESITATES)
            traffic.well(place, f" {while_}")
        traffic.behave(place.number, WELL)
        traffic.well(place, " after it hesitated")

    def _offset(self, place: Place) -> int:
        return place.offsets[int(self._traffic.random.integers(0, len(place.offsets)))]

    def _write(self, place: Place, *, part: bool) -> None:
        """Write to a decoy: anywhere in its window, at times only some bytes, through a bridge too."""
        random = self._traffic.random
        value, offset = int(random.integers(0, 1 << 32)), self._offset(place)
        off = int(random.integers(0, 16)) if part and random.random() < 0.5 else 0
        mask = sum(0xFF << 8 * k for k in range(4) if not off >> k & 1)
        kept = value ^ _mark(place, offset)
        self._kept[place.name] = self._kept.get(place.name, 0) & ~mask | kept & mask
        expected = Expected(f"{place.name} at {offset:#x}, which hesitates")
        self._traffic.write(place, offset, value, expected, off=off)

    def _read(self, place: Place, *, early: bool = False) -> None:
        """Read from a decoy, anywhere in its window."""
        offset = self._offset(place)
        data = self._kept[place.name] ^ _mark(place, offset)
        expected = Expected(f"{place.name} at {offset:#x}, which hesitates", data=data)
        self._traffic.read(place, offset, expected, early=early)

    def _cut(self, place: Place) -> None:
        """Reset the core while an access each way is under way, or not yet, or no more."""
        traffic = self._traffic
        cut = Expected(f"{place.name}, or cut by a reset", cut=True)
        if place.far:
            traffic.add(("write", traffic.bridge["ADDRESS"], place.base + place.first))
            traffic.add(("read", traffic.bridge["DATA"], 0, traffic.how()), cut)
        else:
            traffic.add(("write", place.base + place.first, 0, traffic.how()), cut)
            traffic.add(("read", place.base + place.first, 0, traffic.how(early=True)), cut)
        traffic.reset("after a reset in mid-access", int(traffic.random.integers(0, LATEST)))
        traffic.add(("wait", 0, SETTLE))
        self._write(place, part=False)
        self._read(place)


def _mark(place: Place, offset: int) -> int:
    """Return what a decoy keeps of an address: the byte in the slave's window."""
    return offset // place.stride * 4
