# SPDX-License-Identifier: BSD-3-Clause
"""All moments of all frames by numpy: those that wait for none of each other are computed together.

A moment of level l in frame n belongs to step l + stride * n. All that it waits for belongs to earlier steps,
so a step is one gather, one addition and one maximum by segments. Frames before the first one are minus
infinity, so the first frames need no case of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from shellgen.counted import counted
from shellgen.estimate.engine.arcs import BEGIN, Arc, levels, stride_of
from shellgen.estimate.engine.system import System, Times

_TABLES = 20_000  # steps with tables of their own; patterns that repeat later than that are refused


@dataclass(frozen=True)
class _Step:
    """One step: indices into the flat array, to which the shift by its frame is added."""

    sources: NDArray[np.int64]
    times: Times
    extras: NDArray[np.int64]
    segments: NDArray[np.int64]
    targets: NDArray[np.int64]


@dataclass(frozen=True)
class _Layout:
    """Layout of moments in the flat array: a row for each, frames as columns behind ``left`` empty ones."""

    level: Sequence[int]
    stride: int
    repeat: int
    width: int
    left: int

    def by_residue(self, arcs: Sequence[Arc]) -> list[dict[int, list[Arc]]]:
        """Return the arcs into each moment, by the residue of the steps to which it belongs."""
        found: list[dict[int, list[Arc]]] = [{} for _ in range(self.stride)]
        for arc in arcs:
            found[self.level[arc.target] % self.stride].setdefault(arc.target, []).append(arc)
        return found

    def step(self, own: Mapping[int, Sequence[Arc]], phase: int) -> _Step:
        """Return the tables of a step, in frames whose shift has this phase of the patterns."""
        sources: list[int] = []
        times: list[float] = []
        extras: list[int] = []
        segments: list[int] = []
        targets: list[int] = []
        for target, arcs in own.items():
            behind = self.level[target] // self.stride
            at = self.left - behind  # column of the frame, without the shift
            segments.append(len(sources))
            targets.append(target * self.width + at)
            for arc in arcs:
                lag = arc.lag[(phase - behind) % self.repeat % len(arc.lag)]
                row = len(self.level) if arc.source == BEGIN else arc.source
                sources.append(row * self.width + at - lag)
                times.append(arc.time)
                # Row 0 of the extras is zero everywhere.
                which = 0 if arc.extra is None else arc.extra + 1
                extras.append(which * self.width + at - (lag if arc.of_source else 0))
        return _Step(
            np.array(sources, dtype=np.int64),
            np.array(times, dtype=np.float64),
            np.array(extras, dtype=np.int64),
            np.array(segments, dtype=np.int64),
            np.array(targets, dtype=np.int64),
        )


def wavefront(system: System, arcs: Sequence[Arc], frames: int) -> Times:
    """Return each moment of each frame, (moments, frames)."""
    level = levels(system, arcs)
    stride = stride_of(arcs, level)
    count, top = len(level), max(level, default=0)
    edge = top // stride + 2
    left = edge + max(max(arc.lag) for arc in arcs)
    width = left + frames + edge
    repeat = lcm(*(len(arc.lag) for arc in arcs))
    if repeat * stride > _TABLES:
        raise ValueError(
            f"the patterns of the replicas repeat after {counted(repeat, 'frame')} only, which is too late"
        )
    # A last row for the beginning: 0 in frames that exist.
    held = np.full((count + 1) * width, -np.inf)
    held[count * width + left : count * width + left + frames] = 0.0
    extra = _extras(system, width, left)
    layout = _Layout(level, stride, repeat, width, left)
    own = layout.by_residue(arcs)
    steps = [[layout.step(ones, phase) for phase in range(repeat)] for ones in own]
    for number in range(stride * frames + top):
        shift, residue = divmod(number, stride)
        step = steps[residue][shift % repeat]
        if not len(step.targets):
            continue
        found = held[step.sources + shift]
        found += step.times
        if extra is not None:
            found += extra[step.extras + shift]
        held[step.targets + shift] = np.maximum.reduceat(found, step.segments)
    return held.reshape(count + 1, width)[:count, left : left + frames]


def _extras(system: System, width: int, left: int) -> Times | None:
    """Return the extra time of each stage and frame, with a row of zeros before them; None without any."""
    if not any(stage.extra for stage in system.stages):
        return None
    found = np.zeros((len(system.stages) + 1, width))
    for number, stage in enumerate(system.stages, 1):
        if stage.extra:
            room = found[number, left:]
            given = np.asarray(stage.extra)[: len(room)]
            room[: len(given)] = given
    return found.reshape(-1)
