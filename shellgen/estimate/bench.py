# SPDX-License-Identifier: BSD-3-Clause
"""The estimate of a bench run at full rate, beside its measurement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shellgen.counted import counted
from shellgen.estimate.cluster import RECEIVER, system_of
from shellgen.estimate.engine import run as simulated
from shellgen.estimate.rate import estimate
from shellgen.model import Plan
from shellgen.model.base import Json
from shellgen.model.bench_report import RunReport

LEAST_FRAMES = 2  # that show a period
ALONE = 2  # frames for which sim/bench_streams.py waits before it sends the others, if no number is given


@dataclass(frozen=True)
class Compared:
    """Cycles of a run, estimated and measured; the clock is that of the bench.

    Attributes:
        cycles: Estimated cycles from the first beat in to the last beat out.
        measured: The same as simulated.
        first: Estimated cycles until the first frame was through.
        first_measured: The same as simulated; 0 if the bench did not tell.
        frames: Frames of the run.
        unknown: Layers whose cycles are not known, so that the estimate may be too low.
        arrivals: Estimated cycles until each of the first frames was through.
        arrived: The same as simulated.
    """

    cycles: int
    measured: int
    first: int
    first_measured: int
    frames: int
    unknown: int
    arrivals: tuple[int, ...] = ()
    arrived: tuple[int, ...] = ()

    @property
    def error(self) -> float:
        """Estimate against measurement, as a share of it."""
        return self.cycles / self.measured - 1

    @property
    def rate_error(self) -> float | None:
        """Error of the period between frames, in the second half of those that were timed; None for few."""
        half = len(self.arrived) // 2
        if half < LEAST_FRAMES:
            return None
        ours, theirs = (times[-1] - times[half - 1] for times in (self.arrivals, self.arrived))
        return ours / theirs - 1

    @property
    def frame_error(self) -> float | None:
        """Error of the cycle of a frame's last word, the largest of those that were timed."""
        errors = [ours / theirs - 1 for ours, theirs in zip(self.arrivals, self.arrived, strict=True)]
        return max(errors, key=abs, default=None)

    def sentence(self) -> str:
        """Return the estimate beside the measurement."""
        which = "this frame" if self.frames == 1 else f"these {self.frames:,} frames"
        told = f"estimated: {counted(self.cycles, 'cycle')} for {which} ({self.error:+.1%})"
        if self.first_measured:
            error = self.first / self.first_measured - 1
            told += f", the first after {self.first:,} of {self.first_measured:,} measured ({error:+.1%})"
        if self.rate_error is not None:
            told += f"; from frame to frame {self.rate_error:+.1%}"
        if self.unknown:
            told += f"; the cycles of {counted(self.unknown, 'layer')} are not known and not counted"
        return told

    def record(self) -> dict[str, Json]:
        """Return it for a JSON document; all values are cycles of the bench's clock."""
        return {
            "unit": "cycles",
            "cycles": self.cycles,
            "measured": self.measured,
            "first": self.first,
            "first_measured": self.first_measured,
            "frames": self.frames,
            "unknown_layers": self.unknown,
            "arrivals": list(self.arrivals),
            "arrived": list(self.arrived),
        }


def compared(plan: Plan, report: RunReport) -> Compared:
    """Estimate the run at full rate of a report, without networks, as the bench models links."""
    run, clock_hz = report.full_rate, report.clock_hz
    assert run is not None, "a report of a run at full rate"
    system = system_of(plan, bench=report.settings)
    found = simulated(system, run.timed)
    ends = np.maximum.accumulate(found.leave[found.row(RECEIVER)]) * clock_hz
    cycles = [round(float(one)) for one in ends]
    alone = ALONE * plan.epoch
    total = cycles[-1]
    if not run.times and run.timed > alone:  # the bench chose how many: it waited for the first ones
        total = cycles[alone - 1] + cycles[run.timed - alone - 1]
    unknown = sum(estimate(plan).unknown.values())
    return Compared(
        cycles=total,
        measured=run.cycles,
        first=cycles[plan.epoch - 1],
        first_measured=run.first,
        frames=run.timed,
        unknown=unknown,
        arrivals=tuple(cycles[plan.epoch - 1 :: plan.epoch][: len(run.times)]),
        arrived=run.times,
    )
