# SPDX-License-Identifier: BSD-3-Clause
"""All moments of all frames in the order of time, for systems whose stages share media.

Who gets a shared medium depends on who asks first, so the moments are not a maximum alone. Frame order:
of those that wait, the oldest frame is next, then the stage that the system names first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

import numpy as np

from shellgen.estimate.engine.arcs import BEGIN, START, Arc, levels, moment
from shellgen.estimate.engine.system import System, Times

_MOMENT, _GRANT = 0, 1  # at one time, media are given after all that asks for them at this time has asked


class _Medium:
    def __init__(self) -> None:
        self.free = 0.0
        self.waiting: list[tuple[int, int]] = []  # frame, stage


class Queues:
    """One run in the order of time."""

    def __init__(self, system: System, arcs: Sequence[Arc], frames: int) -> None:
        levels(system, arcs)  # refuses what waits for itself
        self._system, self._frames = system, frames
        count = 3 * len(system.stages)
        self.held = np.full((count, frames), -np.inf)
        self._missing = np.zeros((count, frames), dtype=np.int64)
        self._rows: list[list[float]] = []
        self._left: list[list[int]] = []
        self._out: list[list[tuple[Arc, dict[int, tuple[int, ...]]]]] = [[] for _ in range(count)]
        for arc in arcs:
            if arc.source != BEGIN:
                self._count(arc)
                self._out[arc.source].append((arc, _forward(arc)))
        self._media = {stage.medium: _Medium() for stage in system.stages if stage.medium is not None}
        self._agenda: list[tuple[float, int, int, int]] = []
        self._asked: set[tuple[float, str]] = set()

    def _count(self, arc: Arc) -> None:
        for phase, lag in enumerate(arc.lag):
            first = phase + -(-max(0, lag - phase) // len(arc.lag)) * len(arc.lag)
            self._missing[arc.target, first :: len(arc.lag)] += 1

    def run(self) -> Times:
        """Return each moment of each frame, (moments, frames)."""
        for number, frame in zip(*np.nonzero(self._missing == 0), strict=True):
            self.held[number, frame] = 0.0
            heappush(self._agenda, (0.0, _MOMENT, int(frame), int(number)))
        for number in range(0, len(self.held), 3):
            self.held[number] = np.maximum(self.held[number], 0.0)
        # Single elements of lists are several times as fast as those of arrays.
        self._rows, self._left = self.held.tolist(), self._missing.tolist()
        names = list(self._media)
        while self._agenda:
            now, kind, frame, number = heappop(self._agenda)
            if kind == _GRANT:
                self._give(names[number], now)
                continue
            medium = self._system.stages[number // 3].medium if number % 3 == START else None
            if medium is None:
                self._reached(number, frame, now)
            else:
                heappush(self._media[medium].waiting, (frame, number // 3))
                heappush(self._agenda, (now, _GRANT, 0, names.index(medium)))
        return np.array(self._rows)

    def _give(self, name: str, now: float) -> None:
        """Let the next one have a medium, if it is free."""
        medium = self._media[name]
        if not medium.waiting or medium.free > now:
            return
        frame, number = heappop(medium.waiting)
        stage = self._system.stages[number]
        medium.free = now + stage.period + (stage.extra[frame] if frame < len(stage.extra) else 0.0)
        heappush(self._agenda, (medium.free, _GRANT, 0, list(self._media).index(name)))
        self._rows[moment(number, START)][frame] = now
        self._reached(moment(number, START), frame, now)

    def _reached(self, number: int, frame: int, now: float) -> None:
        """Tell all that waited for a moment."""
        for arc, forward in self._out[number]:
            for lag in forward[frame % len(arc.lag)]:
                later = frame + lag
                if later >= self._frames:
                    continue
                time = now + arc.time + self._extra(arc, later, lag)
                held, left = self._rows[arc.target], self._left[arc.target]
                held[later] = max(held[later], time)
                left[later] -= 1
                if not left[later]:
                    heappush(self._agenda, (held[later], _MOMENT, later, arc.target))

    def _extra(self, arc: Arc, frame: int, lag: int) -> float:
        if arc.extra is None:
            return 0.0
        given, at = self._system.stages[arc.extra].extra, frame - (lag if arc.of_source else 0)
        return given[at] if at < len(given) else 0.0


def _forward(arc: Arc) -> dict[int, tuple[int, ...]]:
    """Return for each phase of a source's frame the lags by which frames point back to it."""
    size = len(arc.lag)
    found: dict[int, list[int]] = {phase: [] for phase in range(size)}
    for phase, lag in enumerate(arc.lag):
        found[(phase - lag) % size].append(lag)
    return {phase: tuple(lags) for phase, lags in found.items()}


def queues(system: System, arcs: Sequence[Arc], frames: int) -> Times:
    """Return each moment of each frame, (moments, frames)."""
    return Queues(system, arcs, frames).run()


def shared(system: System) -> Iterator[str]:
    """Return the media that several stages, or several replicas, share."""
    users: dict[str, int] = {}
    for stage in system.stages:
        if stage.medium is not None:
            users[stage.medium] = users.get(stage.medium, 0) + 1
    return (name for name, count in users.items() if count > 1)
