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
_FEW = 8  # events from which on many are looked for
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
        self._steps = [one.steps for one in sequences]
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
        if rigid := self._sequences[number].rigid:
            return self._stepped(number, rigid, frames)
        known, waits, times = self._known, self._waits[number], self._times[number]
        steps, event = self._steps[number], known[number]
        size = len(steps)
        frame, place = divmod(event, size)
        last = times[event - 1] if event else -steps[0]  # nothing is before the first event of all
        few = event + _FEW
        while frame < frames:
            last += steps[place]
            for counts, of, other, came, delay in waits:
                before = frame * other + counts[place]
                if before > known[of]:
                    return of
                if before > 0:
                    due = came[before - 1] + delay
                    if due > last:  # noqa: PLR1730 - the innermost loop
                        last = due
            times[event] = last
            event += 1
            place += 1
            if event == few:  # there may be many
                event += self._many(number, frame, place)
                few, last = event + _FEW, times[event - 1]
                place = event - frame * size
            if place == size:
                frame, place = frame + 1, 0
            known[number] = event
        return None

    def _many(self, number: int, frame: int, place: int) -> int:
        """Compute the next events of a frame at once, if nothing that they wait for is missing for many."""
        until = len(self._steps[number])
        for counts, of, other, _, _ in self._waits[number]:
            until = bisect_right(counts, self._known[of] - frame * other, place, until)
        if until - place < _TOGETHER:
            return 0
        self._together(number, frame, place, until)
        return until - place

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
