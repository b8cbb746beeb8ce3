# SPDX-License-Identifier: BSD-3-Clause
"""Words that the streams of a ring must hold, from the need curves of its partitions.

A FIFO of d words is a stream with d tokens that flow back. With such FIFOs the partitions are a determinate
process network (Kahn, 1974; Parks, 1995): if one order of events delivers every frame, no timing deadlocks.
So one order is computed, and each FIFO gets what it holds at most in this order.

A partition takes a word only if its next step needs it, and makes the step only if each output has sent all
that the steps before allow: real layers have registers and FIFOs and take more. An event has two times.
``due`` counts the results that are delivered before one needs it, so that nothing moves before it must.
``pace`` is the time in frames if all parts work at once and a link forwards a frame in the next one; it
orders what is due at the same result. Neither decreases from an event to one that depends on it, so both
together are an order that hardware can follow: at equal times, what is taken makes room for what is sent. All
times repeat from frame to frame, so those of one frame suffice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from shellgen.plan.ring_graph import FRAME, Actor, Ring, Way, Words, at, needed, reached, released
from shellgen.plan.ring_times import Dues, dues, paces

__all__ = ["Actor", "Level", "Way", "levels"]


@dataclass(frozen=True)
class Level:
    """Words of a stream of a ring.

    Attributes:
        words: Words of the producer, without which the order above is impossible.
        rate: Words with which no part waits for room at the full rate.
        tight: One word less stops the cluster for certain.
        beside: The ways, from where this one forks to where it meets them again, that ask for it.
        held: Words that its ends hold besides.
    """

    words: int
    rate: int
    tight: bool
    beside: tuple[int, ...]
    held: int = 0

    def without(self, held: int) -> Level:
        """Return what is left if the ends of the stream hold so many of the words."""
        words = max(1, self.words - held)
        tight = self.tight and self.words - held > 1
        return replace(self, words=words, rate=max(1, self.rate - held), tight=tight, held=held)


def _peak(sent: Words, taken: Words) -> tuple[int, int]:
    """Return the most words between sending and taking, in order of ticks, and the word that finds them."""
    late = int(np.max(taken - sent) // FRAME) + 2
    done = np.concatenate([taken + frame * FRAME for frame in range(-late, 1)])
    return _most(np.searchsorted(done, sent, side="right") - late * len(sent))


def _held(sent: tuple[Words, Words], taken: tuple[Words, Words], period: int) -> tuple[int, int]:
    """Return the most words of a stream in the computed order, and the word that finds them.

    Args:
        sent: ``due`` and ``pace`` of each word.
        taken: The same of its end.
        period: Results of a frame.
    """
    (due, pace), (later, after) = sent, taken
    late = int(np.max(later - due) // period) + 2
    frames = range(-late, 1)
    first = np.concatenate([due, *(later + one * period for one in frames)])
    second = np.concatenate([pace, *(after + one * FRAME for one in frames)])
    count = len(due)
    kind = np.arange(len(first)) < count  # at equal times, words are taken first
    order = np.lexsort((kind, second, first))
    gone = np.cumsum(~kind[order])[kind[order]] - late * count
    return _most(gone)


def _most(gone: Words) -> tuple[int, int]:
    """Return the most words that are there when one is sent, with this one, and which one it is."""
    index = np.arange(len(gone))
    level = index + 1 - np.minimum(gone, index)
    most = int(np.argmax(level))
    return int(level[most]), most


def levels(ways: Mapping[int, Way], actors: Mapping[str, Actor]) -> dict[int, Level]:
    """Return what each way between two partitions must hold."""
    ring = Ring(*_with_steps(ways, actors))
    pace, after = paces(ring, full=False)
    fast, behind = paces(ring, full=True)
    due = dues(ring, pace)
    found = {}
    for number, way in ways.items():
        if way.producer is None or way.consumer is None:
            continue
        taken = after[number] if way.chunk else np.where(due.waits[number], after[number], pace[number])
        words, at_word = _held(
            (due.sent[number], pace[number]),
            (released(way, due.taken[number]), released(way, taken)),
            due.period,
        )
        rate, _ = _peak(fast[number], released(way, behind[number]))
        tight = not way.chunk and words > 1 and _forced(ring, number) >= words
        beside = _beside(ring, number, at_word, due)
        found[number] = Level(words, max(words, rate), tight, beside)
    return found


def _with_steps(
    ways: Mapping[int, Way], actors: Mapping[str, Actor]
) -> tuple[dict[int, Way], dict[str, Actor]]:
    """Return the same with the steps of joins as results: so each of them is due on its own."""
    more = dict(ways)
    found: dict[str, Actor] = {}
    for name, actor in actors.items():
        found[name] = actor
        if len(actor.takes) > 1:
            number = min(0, *more) - 1
            more[number] = Way(name, None, actor.steps, actor.steps)
            found[name] = replace(actor, gives={**actor.gives, number: np.arange(1, actor.steps + 1)})
    return more, found


def _forced(ring: Ring, number: int) -> int:
    """Return the words that a stream holds in every order, before its consumer can give some result.

    The consumer takes no more than its next result needs; the producer must have taken what that result needs
    over the other ways, and have sent all words that this allows.
    """
    way = ring.ways[number]
    assert way.producer is not None
    assert way.consumer is not None
    actor = ring.actors[way.consumer]
    # Before its next step, the consumer has taken no more than that step needs.
    steps = np.arange(1, actor.steps + 1)
    demands: dict[int, Words] = {}
    counts = {way.consumer: steps}
    names = ring.order[ring.order.index(way.producer) : ring.order.index(way.consumer) + 1]
    for name in reversed(names):
        gives = ring.actors[name].gives
        asked = [
            needed(need, ring.actors[name].steps, demands[out])
            for out, need in gives.items()
            if out in demands
        ]
        if name != way.consumer and asked:
            counts[name] = np.maximum.reduce(asked)
        if name not in counts or name == way.producer:
            continue
        for one, need in ring.takes[name].items():
            words = needed(need, ring.ways[one].unit, counts[name])
            demands[one] = ring.ways[one].before(words) if ring.ways[one].chunk else words
    sent = reached(
        ring.actors[way.producer].gives[number], ring.actors[way.producer].steps, counts[way.producer] - 1
    )
    return int(np.max(np.maximum(sent, demands[number]) - demands[number]))


def _beside(ring: Ring, number: int, word: int, due: Dues) -> tuple[int, ...]:
    """Return the ways from the fork to where they meet a stream again, of the branch that it waits for."""
    way = ring.ways[number]
    name = way.producer
    assert name is not None
    actor = ring.actors[name]
    step = actor.gives[number][word : word + 1]
    asked = [
        (int(at(due.sent[out], reached(need, actor.steps, step), due.period)[0]), out)
        for out, need in actor.gives.items()
        if out != number and ring.ways[out].consumer is not None
    ]
    for _, out in sorted(asked):
        if path := _path(ring, out, _behind(ring, number)):
            return path
    return ()


def _behind(ring: Ring, number: int) -> set[str]:
    """Return all partitions behind a stream."""
    found: set[str] = set()
    ahead = [ring.ways[number].consumer]
    while ahead:
        name = ahead.pop()
        if name is not None and name not in found:
            found.add(name)
            ahead += [way.consumer for way in ring.ways.values() if way.producer == name]
    return found


def _path(ring: Ring, first: int, goals: set[str]) -> tuple[int, ...]:
    """Return the shortest way on from a stream to one of some partitions."""
    paths: Iterator[tuple[int, ...]] = iter([(first,)])
    seen: set[str] = set()
    while step := list(paths):
        for path in step:
            if ring.ways[path[-1]].consumer in goals:
                return path
        ahead = []
        for path in step:
            name = ring.ways[path[-1]].consumer
            if name is None or name in seen:
                continue
            seen.add(name)
            ahead += [(*path, number) for number, way in ring.ways.items() if way.producer == name]
        paths = iter(ahead)
    return ()
