# SPDX-License-Identifier: BSD-3-Clause
"""Results of the measurements of a client: throughput and latency."""

from __future__ import annotations

from dataclasses import dataclass


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
