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
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shellgen.read.rigid import Pipeline, Rigid

Counts = NDArray[np.int64]
_Read: TypeAlias = "tuple[list[int], int, array[int], int]"  # counts, what to add to them, times, delay
_FEW = 2
_TOGETHER = 48  # events from which numpy is faster than lists


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
        """The counts as Python's numbers, which are read faster one by one."""
        found: list[int] = self.counts.tolist()
        return found


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
        found: list[int] = self.gaps.tolist()
        return found


class _Wait(NamedTuple):
    """Events that others wait for, in the form that Python reads fastest."""

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
        sequence, known, waits = self._sequences[number], self._known, self._waits[number]
        if sequence.rigid:
            return self._stepped(number, sequence.rigid, frames)
        size = len(sequence.gaps)
        frame, place = divmod(known[number], size)
        while frame < frames:
            until, blocked = size, None
            for counts, of, other, _, _ in waits:
                ready = known[of] - frame * other
                if until > place and counts[until - 1] > ready:
                    until, blocked = bisect_right(counts, ready, place, until), of
            if until > place:
                if until - place < _TOGETHER:
                    self._singly(number, frame, place, until)
                else:
                    self._together(number, frame, place, until)
                known[number] = frame * size + until
            if blocked is not None:
                return blocked
            frame, place = frame + 1, 0
        return None

    def _singly(self, number: int, frame: int, place: int, until: int) -> None:
        """Compute a few events of a frame, all of whose waits are known."""
        sequence, times = self._sequences[number], self._times[number]
        event = frame * len(sequence.gaps) + place
        steps = sequence.steps[place:until]
        last = times[event - 1] if event else -steps[0]  # nothing is before the first event of all
        waits = [
            (one.counts[place:until], frame * one.size - 1, one.times, one.delay)
            for one in self._waits[number]
        ]
        if 0 < len(waits) <= _FEW and all(counts[0] + base >= 0 for counts, base, _, _ in waits):
            found = _followed(steps, last, waits[0], waits[-1])
        else:
            found = []
            for at, step in enumerate(steps):
                last += step
                for counts, base, came, delay in waits:
                    if base + counts[at] >= 0:
                        last = max(last, came[base + counts[at]] + delay)
                found.append(last)
        times[event : event + len(found)] = array("q", found)

    def _stepped(self, number: int, rigid: Rigid, frames: int) -> int | None:
        """Compute what can be computed at a pipeline that stalls; return what it waits for then."""
        sequence, times, known = self._sequences[number], self._times[number], self._known
        steps, size = sequence.steps, len(sequence.gaps)
        for event in range(known[number], frames * size):
            frame, place = divmod(event, size)
            time = times[event - 1] + steps[place] if event else 0
            for counts, of, other, came, delay in self._waits[number]:
                before = frame * other + counts[place]
                if before > known[of]:
                    return of
                if before > 0 and came[before - 1] + delay > time:
                    time = came[before - 1] + delay
            moved = self._moved(number, rigid, event, time)
            if moved is None:
                return rigid.leave
            times[event] = moved
            known[number] = event + 1
        return None

    def _moved(self, number: int, rigid: Rigid, event: int, time: int) -> int | None:
        """Return the cycle of an event at a pipeline that stalls at times; None if it is not known."""
        pipeline = self._pipelines[rigid.leave]
        if number != rigid.leave:
            return pipeline.enter(number, time)
        there = pipeline.there(event)
        return time if there is None else max(time, there)

    def _together(self, number: int, frame: int, place: int, until: int) -> None:
        """Compute many events of a frame, all of whose waits are known, at once."""
        sequence = self._sequences[number]
        start = frame * len(sequence)
        times = np.frombuffer(self._times[number], dtype=np.int64)
        steps = np.cumsum(sequence.gaps[place:until])
        if not start + place:
            steps -= steps[0]  # nothing is before the first event of all
        least = steps + (times[start + place - 1] if start + place else 0)
        for after in sequence.after:
            counts = frame * len(self._sequences[after.of]) + after.counts[place:until]
            past = np.frombuffer(self._times[after.of], dtype=np.int64)
            came = np.where(counts > 0, past[np.maximum(counts, 1) - 1] + after.delay, 0)
            np.maximum(least, came, out=least)
        times[start + place : start + until] = np.maximum.accumulate(least - steps) + steps


def _followed(steps: list[int], last: int, one: _Read, other: _Read) -> list[int]:
    """Return the times of events behind one at ``last``: of most sequences, with two waits or one twice."""
    (counts, base, came, delay), (counts_, base_, came_, delay_) = one, other
    found = []
    for step, first, second in zip(steps, counts, counts_, strict=True):
        last += step
        due = came[base + first] + delay
        if due > last:  # noqa: PLR1730 - the innermost loop
            last = due
        due = came_[base_ + second] + delay_
        if due > last:  # noqa: PLR1730 - the innermost loop
            last = due
        found.append(last)
    return found
