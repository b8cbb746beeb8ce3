# SPDX-License-Identifier: BSD-3-Clause
"""Times of the words of a ring: ``pace`` and ``due`` of `shellgen.plan.schedule`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shellgen.plan.ring_graph import FRAME, Ring, Way, Words, at, reached


def _entering(ways: Mapping[int, Way]) -> dict[int, Words]:
    """Return the times at which words come from outside: evenly over each frame."""
    return {
        number: np.arange(1, way.taken + 1) * FRAME // way.taken
        for number, way in ways.items()
        if way.producer is None
    }


def paces(ring: Ring, *, full: bool) -> tuple[dict[int, Words], dict[int, Words]]:
    """Return when each word of each way is sent and taken, in ticks, if all parts work at once.

    Args:
        ring: The ring.
        full: With the lags of partitions, and links that hand words on at the rate of frames; else the least
            time that puts the words in order.
    """
    arrived = _entering(ring.ways)
    sent: dict[int, Words] = {}
    taken: dict[int, Words] = {}
    for name in ring.order:
        into = {one: arrived[one] for one in ring.takes[name]}
        step = _steps(ring, name, into)
        lag = round(ring.actors[name].lag * FRAME) if full else 0
        for out, need in ring.actors[name].gives.items():
            sent[out] = at(step, need - 1, FRAME) + _place(need, len(step)) + 1 + lag
            arrived[out] = _arrived(ring.ways[out], sent[out], full=full)
        for one, need in ring.takes[name].items():
            unit = ring.ways[one].unit
            before = reached(need, unit, np.arange(unit)) - 1
            taken[one] = np.maximum(into[one], at(step, before, FRAME))
    return sent, taken


def _steps(ring: Ring, name: str, into: Mapping[int, Words]) -> Words:
    """Return when a partition makes its steps: when all words are there that it needs, and between two steps
    each output sends what the first of them allows, one by one.
    """
    ready = np.maximum.reduce([at(into[one], need - 1, FRAME) for one, need in ring.takes[name].items()])
    count = len(ready)
    gives = ring.actors[name].gives.values()
    # What needs no step of its frame comes behind the last one of the frame before.
    sends = [np.bincount(np.where(need == 0, count, need), minlength=count + 1)[1:] for need in gives]
    after = np.cumsum(np.maximum.reduce(sends) + 1)
    before = np.concatenate([[0], after])[:-1]
    both = np.concatenate([ready - FRAME - before + after[-1], ready - before])
    found: Words = np.maximum.accumulate(both)[count:] + before + 1
    return found


def _place(need: Words, steps: int) -> Words:
    """Return the place of each word of an output among those that one step allows."""
    first = np.searchsorted(need, need, side="left")
    found: Words = np.arange(len(need)) - first + np.where(need == 0, np.sum(need == steps), 0)
    return found


def _apart(times: Words) -> Words:
    """Return times that increase from word to word, in the frame before as well."""
    count = len(times)
    steps = np.arange(2 * count)
    both = np.concatenate([times - FRAME, times]) - steps
    found: Words = (np.maximum.accumulate(both) + steps + 1)[count:]
    return found


def _arrived(way: Way, sent: Words, *, full: bool) -> Words:
    """Return when words are at the consumer: those of a link one after the other, once all are there."""
    if not way.chunk:
        return sent
    index = np.arange(way.taken)
    whole = way.before(index + 1)
    if not full:
        return _apart(sent[whole - 1])
    first = np.searchsorted(whole, whole, side="left")
    found: Words = np.maximum.accumulate(sent[whole - 1] + (index - first + 1) * FRAME // way.taken)
    return found


@dataclass(frozen=True)
class Dues:
    """Before which result words must be sent and taken, by way.

    Attributes:
        sent: Of each word of the producer.
        taken: Of each word of the consumer.
        waits: Whether the step before which it is not taken is due at the same result.
        period: Results of a frame.
    """

    sent: dict[int, Words]
    taken: dict[int, Words]
    waits: dict[int, NDArray[np.bool_]]
    period: int


def dues(ring: Ring, pace: Mapping[int, Words]) -> Dues:
    """Return before which result each word must be sent and taken, and the results of a frame."""
    ends = [number for number, way in ring.ways.items() if way.consumer is None]
    due, period = _results(ring, ends, pace)
    taken: dict[int, Words] = {}
    waits: dict[int, NDArray[np.bool_]] = {}
    for name in reversed(ring.order):
        actor = ring.actors[name]
        index = np.arange(actor.steps)
        step = np.minimum.reduce(
            [at(due[out], reached(need, actor.steps, index), period) for out, need in actor.gives.items()]
        )
        for out, need in actor.gives.items():
            due[out] = np.minimum(due[out], at(step, need, period))
        for one, need in ring.takes[name].items():
            way = ring.ways[one]
            steps = reached(need, way.unit, np.arange(way.unit))
            taken[one] = at(step, steps, period)
            waits[one] = at(step, steps - 1, period) == taken[one]
            if way.producer is not None:
                due[one] = at(taken[one], _first_user(way), period) if way.chunk else taken[one]
    return Dues(due, taken, waits, period)


def _first_user(way: Way) -> Words:
    """Return the consumer's first word that needs each of the producer's, over a link."""
    whole = way.before(np.arange(1, way.taken + 1))
    return np.searchsorted(whole, np.arange(way.made), side="right")


def _results(ring: Ring, ends: list[int], pace: Mapping[int, Words]) -> tuple[dict[int, Words], int]:
    """Number the words that leave, in the order in which they can if no part ever waits for room.

    A link adds no time here, but rounds up; so no result waits for one that needs a later frame.
    """
    early = _earliest(ring)
    frames = {out: -(-early[out] // FRAME) - 1 for out in ends}
    rest = np.concatenate([early[out] - frames[out] * FRAME for out in ends])
    later = np.concatenate([pace[out] - frames[out] * FRAME for out in ends])
    period = len(rest)
    rank = np.empty(period, dtype=np.int64)
    rank[np.lexsort((later, rest))] = np.arange(period)
    found, start = {}, 0
    for out in ends:
        count = ring.ways[out].made
        found[out] = np.maximum.accumulate(rank[start : start + count] + frames[out] * period)
        start += count
    return found, period


def _earliest(ring: Ring) -> dict[int, Words]:
    """Return when each word can leave, in frames of what comes in."""
    arrived = _entering(ring.ways)
    sent: dict[int, Words] = {}
    for name in ring.order:
        actor = ring.actors[name]
        takes = ring.takes[name].items()
        step = np.maximum.reduce([at(arrived[one], need - 1, FRAME) for one, need in takes])
        for out, need in actor.gives.items():
            way = ring.ways[out]
            sent[out] = at(step, need - 1, FRAME)
            arrived[out] = sent[out][way.before(np.arange(1, way.taken + 1)) - 1] if way.chunk else sent[out]
    return sent
