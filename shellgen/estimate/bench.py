# SPDX-License-Identifier: BSD-3-Clause
"""The estimate of a bench run at full rate, beside its measurement."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.estimate.rate import estimate
from shellgen.estimate.timing import timing
from shellgen.model import Plan
from shellgen.model.base import Json


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
    """

    cycles: int
    measured: int
    first: int
    first_measured: int
    frames: int
    unknown: int

    @property
    def error(self) -> float:
        """Estimate against measurement, as a share of it."""
        return self.cycles / self.measured - 1

    @property
    def rate_error(self) -> float | None:
        """Error of the period between frames; None for a single frame."""
        if self.frames < 2 or not self.first_measured or self.measured <= self.first_measured:
            return None
        return (self.cycles - self.first) / (self.measured - self.first_measured) - 1

    def sentence(self) -> str:
        """Return the estimate beside the measurement."""
        told = f"estimated: {self.cycles:,} cycles for these {self.frames} frames ({self.error:+.1%})"
        if self.first_measured:
            error = self.first / self.first_measured - 1
            told += f", the first after {self.first:,} of {self.first_measured:,} measured ({error:+.1%})"
        if self.unknown:
            told += f"; the cycles of {self.unknown} layers are not known and not counted"
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
        }


def compared(plan: Plan, *, frames: int, cycles: int, first: int, clock_hz: int) -> Compared:
    """Estimate a run of so many frames at full rate, without networks, as the bench models links."""
    found = timing(plan, frames=frames, scope="bench")
    total = found.total or 0.0
    unknown = sum(estimate(plan).unknown.values())
    return Compared(
        round(total * clock_hz), cycles, round(found.first_frame * clock_hz), first, frames, unknown
    )
