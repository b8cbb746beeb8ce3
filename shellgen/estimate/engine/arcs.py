# SPDX-License-Identifier: BSD-3-Clause
"""A system as arcs between moments: a moment of frame n is the latest of other moments plus a time each.

Each stage has three moments: start, finish, leave. An arc with lag k points to frame n - k; where replicas
take frames by a pattern, the lag depends on n and repeats with the pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from shellgen.estimate.engine.system import DeadlockError, Stage, System

START, FINISH, LEAVE = range(3)
BEGIN = -1  # the moment before all: time 0


@dataclass(frozen=True)
class Arc:
    """``target(n) >= source(n - lag[n % len(lag)]) + time``; ``extra`` names the stage of a time per frame.

    The extra time is that of the frame n itself, or with ``of_source`` of the frame that the arc comes from.
    """

    target: int
    source: int
    time: float
    lag: tuple[int, ...] = (0,)
    extra: int | None = None
    of_source: bool = False

    @property
    def now(self) -> bool:
        """Whether it points to the same frame."""
        return min(self.lag) == 0


def moment(stage: int, which: int) -> int:
    """Return the number of a moment."""
    return 3 * stage + which


def arcs_of(system: System) -> list[Arc]:
    """Return all arcs of a system."""
    index = {stage.name: number for number, stage in enumerate(system.stages)}
    found = [arc for number, stage in enumerate(system.stages) for arc in _own(number, stage)]
    for channel in system.channels:
        one, two = index[channel.producer], index[channel.consumer]
        if channel.lead is None:
            found.append(Arc(moment(two, START), moment(one, FINISH), channel.delay))
        else:
            if not channel.end_only:
                found.append(Arc(moment(two, START), moment(one, START), channel.lead))
            found.append(Arc(moment(two, FINISH), moment(one, LEAVE), channel.tail))
        if channel.room is not None:
            pattern = _pairs(system.stages[one].replicas, system.stages[two].replicas)
            lag = back(pattern, channel.room)
            found.append(Arc(moment(one, LEAVE), moment(two, START), channel.hold, lag))
    for window in system.windows:
        first, last = moment(index[window.first], START), moment(index[window.last], LEAVE)
        found.append(Arc(first, last, 0.0, (window.frames,)))
    return found


def _own(number: int, stage: Stage) -> list[Arc]:
    """Return the arcs inside a stage."""
    start, finish, leave = (moment(number, which) for which in (START, FINISH, LEAVE))
    extra = number if stage.extra else None
    found = [
        Arc(start, BEGIN, 0.0),
        Arc(finish, start, stage.through, extra=extra),
        Arc(leave, finish, 0.0),
        Arc(start, leave, 0.0, back(stage.replicas, stage.capacity)),
    ]
    before = back(stage.replicas, 1)
    apart = stage.period if stage.spaced else 0.0
    found += [Arc(finish, finish, apart, before), Arc(leave, leave, 0.0, before)]
    if stage.medium is None:
        found.append(Arc(start, start, stage.period, before, extra, of_source=True))
    else:  # its queue keeps the period
        found.append(Arc(start, start, 0.0, before))
    return found


def _pairs(one: Sequence[int], two: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the pair of replicas that each frame passes, as a pattern of both."""
    count = lcm(len(one), len(two))
    return tuple((one[n % len(one)], two[n % len(two)]) for n in range(count))


def back(pattern: Sequence[object], times: int) -> tuple[int, ...]:
    """Return for each frame of a pattern how far back its replica had so many frames before it."""
    if not times:
        return (0,)
    size = len(pattern)
    lags = []
    for n, who in enumerate(pattern):
        own = [k for k in range(size) if pattern[k] == who]
        whole, rest = divmod(times, len(own))
        at = own.index(n)
        lags.append(whole * size + (n - own[at - rest]) % size if rest else whole * size)
    return tuple(lags) if len(set(lags)) > 1 else (lags[0],)


def levels(system: System, arcs: Sequence[Arc]) -> list[int]:
    """Return for each moment the longest way to it along arcs inside a frame.

    Raises:
        DeadlockError: Moments of a frame wait for one another.
    """
    count = 3 * len(system.stages)
    after: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for arc in arcs:
        if arc.source != BEGIN and arc.now:
            after[arc.source].append(arc.target)
            waits[arc.target] += 1
    level = [0] * count
    ready = [number for number in range(count) if not waits[number]]
    for number in ready:
        for target in after[number]:
            level[target] = max(level[target], level[number] + 1)
            waits[target] -= 1
            if not waits[target]:
                ready.append(target)
    if len(ready) < count:
        stuck = {number // 3 for number in range(count) if waits[number]}
        names = ", ".join(system.stages[number].name for number in sorted(stuck))
        raise DeadlockError(f"no frame comes through: {names} wait for one another")
    return level


def stride_of(arcs: Sequence[Arc], level: Sequence[int]) -> int:
    """Return the steps from a frame to the next at which no moment waits for a later step."""
    gaps = (
        (level[arc.source] - level[arc.target]) // min(arc.lag) + 1
        for arc in arcs
        if arc.source != BEGIN and not arc.now
    )
    return max(1, *gaps, 1)


__all__ = ["BEGIN", "FINISH", "LEAVE", "START", "Arc", "arcs_of", "back", "levels", "moment", "stride_of"]
