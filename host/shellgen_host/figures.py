# SPDX-License-Identifier: BSD-3-Clause
"""Results of the measurements of a client: throughput and latency."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from shellgen_host.errors import InputError

MOST_SECONDS = 86_400.0


def check_seconds(name: str, seconds: object) -> None:
    """Refuse an argument that is no number of seconds that a caller can mean."""
    known = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not known or not 0 < float(seconds) <= MOST_SECONDS:  # type: ignore[arg-type]
        raise InputError(f"{name}: {seconds!r} is no time; give seconds up to {MOST_SECONDS:g}")


@dataclass(frozen=True)
class Throughput:
    """Result of `Cluster.throughput_test`.

    Attributes:
        frames: Frames with a result.
        seconds: From the first frame to the last result.
        frames_per_second: Their quotient.
    """

    frames: int
    seconds: float
    frames_per_second: float


@dataclass(frozen=True)
class Latency:
    """Time from giving a frame in to its result.

    Attributes:
        frames: Frames that count, the latest 100,000 at most.
        median: Seconds.
        percentile_99: Seconds.
        nodes: Mean seconds from a frame's arrival at a node to the end of its transfer from the core, by
            node, of the present epoch.
    """

    frames: int
    median: float
    percentile_99: float
    nodes: dict[str, float]

    @classmethod
    def of(cls, seconds: Iterable[float], nodes: dict[str, float]) -> Latency:
        """Return it for the times of some frames, at least one; no percentile is below the median."""
        taken = sorted(seconds)
        late = taken[-(-99 * len(taken) // 100) - 1]  # 99 of 100 frames take no longer
        return cls(len(taken), statistics.median(taken), late, nodes)
