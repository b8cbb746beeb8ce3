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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shellgen.read.rigid import Pipeline, Rigid

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
    """Events of a frame, in order.

    Attributes:
        gaps: Cycles from the event before.
        after: What each waits for.
        rigid: The pipeline that they enter or leave, where all its stages stall together.
    """

    gaps: Counts
    after: list[After] = field(default_factory=list)
    rigid: Rigid | None = None

    def __len__(self) -> int:
        return len(self.gaps)

    @cached_property
    def steps(self) -> list[int]:
        """The gaps as Python's numbers."""
        return [int(gap) for gap in self.gaps]


class _Wait(NamedTuple):
    """Events that others wait for, in the form that a loop reads fastest."""

    counts: list[int]
    of: int
    size: int
    times: array[int]
    delay: int


class Recurrence:
    """Sequences, and their times as far as they are known."""

    def __init__(self, sequences: list[Sequence], frames: int) -> None:
        """Prepare the times of so many frames."""
        self._sequences = sequences
        self.frames = frames
        self._times = [array("q", bytes(8 * frames * len(one))) for one in sequences]
        self._known = [0] * len(sequences)
        self._waits = [
            [
                _Wait(one.listed, one.of, len(sequences[one.of]), self._times[one.of], one.delay)
                for one in sequence.after
            ]
            for sequence in sequences
        ]
        self._pipelines = {
            one.leave: Pipeline(one, self._times, self._known, len(sequences[one.steps]))
            for one in (sequence.rigid for sequence in sequences)
            if one
        }

    def run(self, frames: int) -> bool:
        """Compute the first frames; return False if they deadlock."""
        waiting: list[list[int]] = [[] for _ in self._sequences]
        queue = deque(range(len(self._sequences)))
        known = self._known
        while queue:
            number = queue.popleft()
            before = known[number]
            blocked = self._advance(number, frames)
            if blocked is not None:
                waiting[blocked].append(number)
            if known[number] > before:
                queue.extend(waiting[number])
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
        sequence, times, known = self._sequences[number], self._times[number], self._known
        waits, rigid, steps, size = self._waits[number], sequence.rigid, sequence.steps, len(sequence.gaps)
        event = known[number]
        frame, place = divmod(event, size)
        last = times[event - 1] if event else 0
        alone = 0  # events for which a loop is faster
        while event < frames * size:
            if not alone and not rigid and self._reaches(waits, frame, place + _TOGETHER - 1, size):
                until = self._until(waits, frame, place, size)
                last = self._together(number, frame, place, until, last)
                event += until - place
                frame, place = divmod(event, size)
                known[number] = event
                continue
            time = last + steps[place] if event else 0
            for counts, of, other, came, delay in waits:
                before = frame * other + counts[place]
                if before > known[of]:
                    known[number] = event
                    return of
                if before > 0 and came[before - 1] + delay > time:
                    time = came[before - 1] + delay
            if rigid:
                known[number] = event  # which the pipeline looks at
                moved = self._moved(number, rigid, event, time)
                if moved is None:
                    return rigid.leave
                time = moved
            times[event] = last = time
            event, place, alone = event + 1, place + 1, (alone or _TOGETHER) - 1
            if place == size:
                frame, place = frame + 1, 0
        known[number] = event
        return None

    def _reaches(self, waits: list[_Wait], frame: int, place: int, size: int) -> bool:
        """Return whether all that an event of a frame waits for is known."""
        if place >= size:
            return False
        known = self._known
        return all(frame * one.size + one.counts[place] <= known[one.of] for one in waits)

    def _until(self, waits: list[_Wait], frame: int, place: int, size: int) -> int:
        """Return the first event of a frame, from one on, that waits for what is not known."""
        for one in waits:
            known = self._known[one.of] - frame * one.size
            size = min(size, bisect_right(one.counts, known, place))
        return size

    def _moved(self, number: int, rigid: Rigid, event: int, time: int) -> int | None:
        """Return the cycle of an event at a pipeline that stalls at times; None if it is not known."""
        pipeline = self._pipelines[rigid.leave]
        if number != rigid.leave:
            return pipeline.enter(number, time)
        there = pipeline.there(event)
        return time if there is None else max(time, there)

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
