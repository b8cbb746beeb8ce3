# SPDX-License-Identifier: BSD-3-Clause
"""Times of events that wait for one another: words at the streams of a partition, steps inside its layers.

An event of a sequence takes place a gap after the one before it, and after the events of other sequences
that it names by their count. All of it repeats with each frame. The times are the least that satisfy this,
so they are exact for hardware that never waits without a reason.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
_TOGETHER = 48  # events from which numpy is faster than a loop


@dataclass(frozen=True, eq=False)
class After:
    """Events that wait for those of another sequence.

    Attributes:
        of: Number of the other sequence.
        counts: For each event of a frame, how many events of the other must be over, counted from the start
            of the same frame; 0 and less are those of frames before. They never fall.
        delay: From the last of these, in cycles.
    """

    of: int
    counts: Counts
    delay: int

    @cached_property
    def listed(self) -> list[int]:
        """The counts as Python's numbers, which a loop reads faster."""
        return [int(count) for count in self.counts]


@dataclass(eq=False)
class Sequence:
    """Events of a frame, in order: gaps from the event before, and what each waits for."""

    gaps: Counts
    after: list[After] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.gaps)

    @cached_property
    def steps(self) -> list[int]:
        """The gaps as Python's numbers."""
        return [int(gap) for gap in self.gaps]


class Recurrence:
    """Sequences, and their times as far as they are known."""

    def __init__(self, sequences: list[Sequence], frames: int) -> None:
        """Prepare the times of so many frames."""
        self._sequences = sequences
        self.frames = frames
        self._times = [array("q", bytes(8 * frames * len(one))) for one in sequences]
        self._known = [0] * len(sequences)

    def run(self, frames: int) -> bool:
        """Compute the first frames; return False if they deadlock."""
        waiting: list[set[int]] = [set() for _ in self._sequences]
        queue = deque(range(len(self._sequences)))
        queued = [True] * len(self._sequences)
        while queue:
            number = queue.popleft()
            queued[number] = False
            before = self._known[number]
            blocked = self._advance(number, frames)
            if blocked is not None:
                waiting[blocked].add(number)
            if self._known[number] > before:
                for other in waiting[number]:
                    if not queued[other]:
                        queued[other] = True
                        queue.append(other)
                waiting[number].clear()
        return all(
            known == frames * len(one) for known, one in zip(self._known, self._sequences, strict=True)
        )

    def time(self, number: int, frame: int, event: int) -> int:
        """Return the cycle of an event of a frame; -1 is the last."""
        size = len(self._sequences[number])
        return self._times[number][frame * size + event % size]

    def _advance(self, number: int, frames: int) -> int | None:
        """Compute what can be computed of a sequence; return the one that it waits for then."""
        sequence, times = self._sequences[number], self._times[number]
        size = len(sequence)
        event = self._known[number]
        last = times[event - 1] if event else 0
        while event < frames * size:
            frame, place = divmod(event, size)
            until, blocked = size, -1
            waits = []
            for after in sequence.after:
                start = frame * len(self._sequences[after.of])
                found = bisect_right(after.listed, self._known[after.of] - start, place)
                if found < until:
                    until, blocked = found, after.of
                waits.append((after.listed, start - 1, self._times[after.of], after.delay))
            if until <= place:
                self._known[number] = event
                return blocked
            if until - place >= _TOGETHER:
                last = self._together(number, frame, place, until, last)
            else:
                for index in range(place, until):
                    time = last + sequence.steps[index] if event else 0
                    for listed, start, came, delay in waits:
                        before = start + listed[index]
                        if before >= 0 and came[before] + delay > time:
                            time = came[before] + delay
                    times[event] = last = time
                    event += 1
            event = frame * size + until
            self._known[number] = event
        return None

    def _together(self, number: int, frame: int, place: int, until: int, last: int) -> int:
        """Compute events of a frame at once, and return the time of the last."""
        sequence = self._sequences[number]
        start = frame * len(sequence)
        steps = np.cumsum(sequence.gaps[place:until])
        if not start + place:
            steps -= steps[0]  # nothing is before the first event of all
        least = last + steps
        for after in sequence.after:
            counts = frame * len(self._sequences[after.of]) + after.counts[place:until]
            past = np.frombuffer(self._times[after.of], dtype=np.int64)
            came = np.where(counts > 0, past[np.maximum(counts, 1) - 1] + after.delay, 0)
            np.maximum(least, came, out=least)
        found = np.maximum.accumulate(least - steps) + steps
        np.frombuffer(self._times[number], dtype=np.int64)[start + place : start + until] = found
        return int(found[-1])
