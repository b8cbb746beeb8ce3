# SPDX-License-Identifier: BSD-3-Clause
"""Sequences of events in equal parts of a frame, where there are too many single events to follow them.

A part takes place when its last event does. Sequences between which there is less room than a part, such as
the words on both sides of a shallow FIFO, become one: they move on together. So waits of rows and frames stay
as they are, and those of a few words vanish.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from shellgen.read.recurrence import After, Counts, Sequence


@dataclass
class Coarse:
    """Sequences in parts.

    Attributes:
        sequences: Of parts.
        place: For each of the original sequences, the number of the one that it is in.
    """

    sequences: list[Sequence] = field(default_factory=list)
    place: list[int] = field(default_factory=list)


def coarse(sequences: list[Sequence], parts: int) -> Coarse:
    """Return sequences of at most so many parts of a frame.

    Args:
        sequences: Of single events.
        parts: Of a frame; shorter sequences keep their events.
    """
    ends = [_ends(len(one), parts) for one in sequences]
    place = _together(sequences, parts)
    gaps: list[list[Counts]] = [[] for _ in set(place)]
    forward: list[list[After]] = [[] for _ in gaps]
    room: list[list[After]] = [[] for _ in gaps]
    lengths = [0] * len(gaps)
    for number, one in enumerate(sequences):
        own = place[number]
        gaps[own].append(np.diff(np.cumsum(one.gaps)[ends[number] - 1], prepend=0))
        lengths[own] = len(ends[number])
        for after in one.after:
            if place[after.of] != own:
                gives = _gives(after, len(sequences[after.of]))
                counts = _parts(after.counts[ends[number] - 1], ends[after.of], up=gives)
                (forward if gives else room)[own].append(After(place[after.of], counts, after.delay))
    found = []
    for own, steps in enumerate(gaps):
        back = [_possible(after, own, forward[after.of], lengths) for after in room[own]]
        found.append(Sequence(np.maximum.reduce(steps), [*forward[own], *back]))
    return Coarse(found, place)


def _ends(events: int, parts: int) -> Counts:
    """Return the events that are over at the end of each part."""
    if events <= parts:
        return np.arange(1, events + 1, dtype=np.int64)
    return -(-np.arange(1, parts + 1, dtype=np.int64) * events // parts)


def _gives(after: After, events: int) -> bool:
    """Tell whether a sequence waits for data of another; else it waits for room, some of which is there."""
    return bool(after.counts[0] > 0 or after.counts[-1] >= events)


def _together(sequences: list[Sequence], parts: int) -> list[int]:
    """Return for each sequence the number of those that move on with it."""
    lead = list(range(len(sequences)))

    def leader(number: int) -> int:
        while lead[number] != number:
            number = lead[number]
        return number

    for number, one in enumerate(sequences):
        for after in one.after:
            back = [other for other in sequences[after.of].after if other.of == number]
            sizes = (len(one), len(sequences[after.of]))
            alike = back and min(sizes) > parts and _even(after, sizes, parts)
            if alike and all(_even(other, sizes[::-1], parts) for other in back):
                lead[leader(number)] = leader(after.of)
    leaders = [leader(number) for number in range(len(sequences))]
    order = {number: at for at, number in enumerate(sorted(set(leaders)))}
    return [order[number] for number in leaders]


def _even(after: After, sizes: tuple[int, int], parts: int) -> bool:
    """Tell whether events wait for those with the same share of the frame, but for less than a part."""
    own, other = sizes
    even = np.arange(1, own + 1) * (other / own)
    return bool(np.max(np.abs(after.counts - even)) <= other / parts)


def _parts(counts: Counts, ends: Counts, *, up: bool) -> Counts:
    """Return the parts that are over with so many events: begun ones, too, or finished ones only."""
    frames, rest = np.divmod(counts, ends[-1])
    if up:
        done = np.where(rest > 0, np.searchsorted(ends, rest, "left") + 1, 0)
    else:
        done = np.searchsorted(ends, rest, "right")
    return np.maximum.accumulate(frames * len(ends) + done)


def _possible(room: After, own: int, forward: Iterable[After], lengths: list[int]) -> After:
    """Return a wait for room without what itself waits for the events that are held up.

    Such waits are shorter than a part.
    """
    counts, size, other = room.counts, lengths[own], lengths[room.of]
    for after in forward:
        if after.of == own:
            needs = np.concatenate([after.counts + frame * size for frame in (-1, 0, 1)])
            most = np.searchsorted(needs, np.arange(size), "right") - other
            counts = np.minimum(counts, most)
    return After(room.of, np.maximum.accumulate(counts), room.delay)
