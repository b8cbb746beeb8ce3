# SPDX-License-Identifier: BSD-3-Clause
"""Times of a cluster by the engine: the first frame, and the rate by the frames in flight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shellgen.counted import counted
from shellgen.estimate.cluster import RECEIVER, SENDER, networks_of, system_of
from shellgen.estimate.engine import System, Timeline, run
from shellgen.estimate.noise import BEYOND, Noise, disturbed
from shellgen.estimate.noise import FRAMES as NOISY
from shellgen.estimate.rate import rate_text
from shellgen.model import Plan

FRAMES = 64  # after which the rate no longer changes, for the buffers that there are


@dataclass(frozen=True)
class Passage:
    """The first frame at a stage, in seconds since it left the host.

    Attributes:
        stage: Name.
        period: Least time from frame to frame.
        start: First word in.
        finish: Last word out.
        after: The stage before that finishes last, for which this one waits; empty at the host.
    """

    stage: str
    period: float
    start: float
    finish: float
    after: str

    @property
    def latency(self) -> float:
        """Seconds from the first word in to the last word out."""
        return self.finish - self.start


@dataclass(frozen=True)
class Regime:
    """Rate with so many frames in flight.

    Attributes:
        in_flight: Frames; None: as many as the cluster takes.
        frames_per_second: In the long run.
        latency: Median time of a frame from the host to the host; None where frames wait in unlimited queues.
        beyond: 99th percentile of this time, if the network delays or loses frames.
    """

    in_flight: int | None
    frames_per_second: float
    latency: float | None
    beyond: float | None = None


@dataclass(frozen=True)
class Timing:
    """Times of a cluster.

    Attributes:
        first: The first frame at each stage, in the order in which it leaves them.
        first_frame: Seconds until the first result is back, with the way to the host.
        regimes: One frame in flight, those that were asked for, and many.
        frames: Number of frames of ``total``.
        total: Seconds until the last of these frames is back; None if no number was asked for.
    """

    first: tuple[Passage, ...]
    first_frame: float
    regimes: tuple[Regime, ...]
    frames: int | None = None
    total: float | None = None

    @property
    def streaming(self) -> float:
        """Frames a second with many in flight."""
        return self.regimes[-1].frames_per_second

    def sentences(self) -> list[str]:
        """Return the time of the first frame, the rates by the frames in flight, and the time of all."""
        lines = [f"the first result is back after {micro(self.first_frame)}"]
        for one in self.regimes:
            if one.in_flight is not None:
                count = "one frame" if one.in_flight == 1 else f"{one.in_flight} frames"
                late = f", each {micro(one.latency)} after it was sent" if one.latency else ""
                late += f" in the median, {BEYOND} % within {micro(one.beyond)}" if one.beyond else ""
                lines.append(f"{count} in flight: {rate_text(one.frames_per_second)}{late}")
            else:
                lines.append(f"many frames in flight: {rate_text(one.frames_per_second)}")
        if self.total is not None:
            does = "takes" if self.frames == 1 else "take"
            lines.append(f"{counted(self.frames or 0, 'frame')} {does} {micro(self.total)}")
        return lines


def micro(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds * 1e6:.4g} us"


def timing(
    plan: Plan,
    *,
    most: float = math.inf,
    in_flight: Sequence[int] = (),
    frames: int | None = None,
    noise: Noise | None = None,
) -> Timing:
    """Run the first frames of a cluster; the first one without disturbance.

    Args:
        plan: The plan.
        most: Frames a second of the slowest part: over few frames the start counts a little.
        in_flight: Numbers of frames under way of which the rate is wanted, beside one and many.
        frames: Number of frames of which the time is wanted.
        noise: What networks do to frames.
    """
    streaming = system_of(plan)
    first = found = run(streaming, max(FRAMES, frames or 0))
    if noise:
        count = max(NOISY, frames or 0)
        found = run(disturbed(streaming, networks_of(plan), noise, count), count)
    regimes = [_held(plan, count, noise) for count in sorted({1, *in_flight})]
    regimes.append(Regime(None, min(_rate(found), most), None))
    total = None if frames is None else float(np.max(found.leave[:, frames - 1]))
    back = float(first.finish[first.row(RECEIVER), 0])
    return Timing(_first(streaming, first), back, tuple(regimes), frames, total)


def _rate(found: Timeline) -> float:
    period = found.period(RECEIVER)
    return 1 / period if period else float("inf")


def _held(plan: Plan, count: int, noise: Noise | None) -> Regime:
    system, frames = system_of(plan, in_flight=count), max(FRAMES, 4 * count)
    if noise:
        frames = max(NOISY, 4 * count)
        system = disturbed(system, networks_of(plan), noise, frames)
    found = run(system, frames)
    late = found.latency(SENDER, RECEIVER)
    beyond = float(np.percentile(late, BEYOND)) if noise else None
    return Regime(count, _rate(found), float(np.median(late)), beyond)


def _first(system: System, found: Timeline) -> tuple[Passage, ...]:
    finish = {name: float(found.finish[row, 0]) for row, name in enumerate(found.names)}
    passages = []
    for stage in system.parts:
        if stage.name in (SENDER, RECEIVER):
            continue
        after = max(system.before(stage.name), key=lambda name: finish[name], default="")
        start = float(found.start[found.row(stage.name), 0])
        passages.append(Passage(stage.name, stage.period, start, finish[stage.name], after))
    return tuple(sorted(passages, key=lambda one: (one.finish, one.start)))
