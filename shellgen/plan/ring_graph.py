# SPDX-License-Identifier: BSD-3-Clause
"""Partitions and streams of a ring in words, for the depths of its FIFOs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int64]
FRAME = 1 << 40  # ticks of ``pace``: many for each word


@dataclass(frozen=True)
class Way:
    """A stream of a ring, or one between the ring and the rest of the cluster.

    Attributes:
        producer: Partition; None: it comes from outside, and is always there.
        consumer: Partition; None: it goes outside, and is always taken.
        made: Words of a frame at the producer.
        taken: Words of a frame at the consumer.
        chunk: Bits that a link forwards together; 0 inside a board.
        bits: Of a word of the producer.
        beat: Bits of a beat of the link, of which several words and parts of two packets may be in one.
    """

    producer: str | None
    consumer: str | None
    made: int
    taken: int
    chunk: int = 0
    bits: int = 1
    beat: int = 1

    @property
    def unit(self) -> int:
        """Words of a frame, in which consumption is counted: the producer's inside a board."""
        return self.taken if self.chunk or self.producer is None else self.made

    def before(self, words: Words) -> Words:
        """Return the producer's words of all frames that so many of the consumer's need."""
        frame, rest = np.divmod(words, self.taken)
        needed = -(-rest * self.made // self.taken)
        if self.chunk:
            needed = self.whole(needed)
        found: Words = frame * self.made + needed
        return found

    def whole(self, words: Words) -> Words:
        """Return the words that must be sent so that so many arrive, from 0 to a frame."""
        beats = -(-words * self.bits // self.beat)
        packets = -(-beats * self.beat // self.chunk)
        sent = -(-packets * self.chunk // self.beat) * self.beat
        found: Words = np.minimum(self.made, -(-sent // self.bits))
        return found


@dataclass(frozen=True)
class Actor:
    """A partition: it takes words, makes a step, and sends what the step allows.

    It takes a word only if the next step needs it, and makes the next step when every output has sent all
    that the steps before allow.

    Attributes:
        takes: By input (a way), for each step of a frame, the words of the consumer that it needs.
        gives: By output, for each word of a frame, the steps that it needs.
        lag: Frames that its pipeline delays a word at full rate.
    """

    takes: Mapping[int, Words]
    gives: Mapping[int, Words]
    lag: float = 0.0

    @property
    def steps(self) -> int:
        """Steps of a frame."""
        return len(next(iter(self.takes.values())))


class Ring:
    """The partitions and streams of a ring; ``takes`` is in the units of the ways."""

    def __init__(self, ways: Mapping[int, Way], actors: Mapping[str, Actor]) -> None:
        self.ways, self.actors = ways, actors
        self.takes = {
            name: {
                one: ways[one].before(need) if ways[one].unit != ways[one].taken else need
                for one, need in actor.takes.items()
            }
            for name, actor in actors.items()
        }
        self.order = self._sorted()

    def _sorted(self) -> list[str]:
        found: list[str] = []
        waiting = list(self.actors)
        while waiting:
            unmade = {way.consumer for way in self.ways.values() if way.producer in waiting}
            found += [name for name in waiting if name not in unmade]
            waiting = [name for name in waiting if name in unmade]
        return found


def reached(need: Words, unit: int, words: Words) -> Words:
    """Return how many entries of a curve need no more than so many of ``unit`` a frame, over all frames."""
    frame, rest = np.divmod(words, unit)
    found: Words = frame * len(need) + np.searchsorted(need, rest, side="right")
    return found


def needed(need: Words, unit: int, count: Words) -> Words:
    """Return how many of ``unit`` a frame the first so many entries of a curve need, over all frames."""
    frame, rest = np.divmod(count - 1, len(need))
    found: Words = frame * unit + need[rest]
    return found


def at(times: Words, index: Words, period: int) -> Words:
    """Return the times of words counted over all frames."""
    frame, rest = np.divmod(index, len(times))
    found: Words = times[rest] + frame * period
    return found


def released(way: Way, times: Words) -> Words:
    """Return when each word of the producer makes room: over a link, when its chunk is taken whole."""
    if not way.chunk:
        return times
    end = way.whole(np.arange(1, way.made + 1))
    found: Words = times[-(-end * way.taken // way.made) - 1]
    return found
