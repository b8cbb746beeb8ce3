# SPDX-License-Identifier: BSD-3-Clause
"""The period: the shortest that boards can keep, by bisection over all times of layers and links."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Literal, Protocol

import numpy as np

from shellgen.split.chain import Chain
from shellgen.split.task import Found, Task

# Times the rate without replicas that replicas must bring: they add a deal, a gather and latency.
REPLICAS_BRING = 1.1

Goal = Literal["fps", "occupancy", "least-traffic"]


class Solver(Protocol):
    """A way to cut for a period."""

    def is_possible(self) -> bool:
        """Tell whether the boards are enough."""

    def best(self, *, all_boards: bool = False) -> Found | None:
        """Return the split with the fewest boards and the least traffic."""


Solve = Callable[[Task, float], Solver]


def periods(task: Task) -> list[float]:
    """Return all times that a layer on a board, or what crosses a cut, can take; ascending."""
    found: set[float] = set()
    carried = {*np.unique(task.reads).tolist(), *np.unique(task.sends_all).tolist()}
    for kind in task.kinds:
        own = {kind.seconds(choice) for choices in kind.choices for choice in choices}
        for rate in (kind.into, kind.out_of):
            if isfinite(rate):
                own |= {count / rate for count in carried}
        for replicas in range(1, min(task.replicas, kind.count) + 1):
            found |= {seconds / replicas for seconds in own}
    return sorted(found)


def fastest(task: Task, solve: Solve = Chain) -> Found | None:
    """Return the split with the shortest period, and of these the one with the fewest boards.

    Replicas must bring more than a tenth of the rate without them.
    """
    alone = task.with_replicas(1)
    key = (solve, *(kind.count for kind in task.kinds))
    if key not in task.memo:
        task.memo[key] = _shortest(alone, periods(alone), solve)
    found: Found | None = task.memo[key]
    if found is None or task.replicas == 1 or all(kind.count == 1 for kind in task.kinds):
        return found
    times = [seconds for seconds in periods(task) if seconds * REPLICAS_BRING < found.seconds]
    if not times or not solve(task, times[-1]).is_possible():
        return found
    return _shortest(task, times, solve) or found


def _shortest(task: Task, times: list[float], solve: Solve) -> Found | None:
    low, high = 0, len(times)
    while low < high:
        middle = (low + high) // 2
        if solve(task, times[middle]).is_possible():
            high = middle
        else:
            low = middle + 1
    return solve(task, times[low]).best() if low < len(times) else None


def for_rate(task: Task, seconds: float, solve: Solve = Chain) -> Found | None:
    """Return the split with the fewest boards that keeps a period."""
    return solve(task, seconds).best()


def least_traffic(task: Task, solve: Solve = Chain) -> Found | None:
    """Return the split onto all boards with the fewest bytes between them, and of these the fastest."""
    task = task.with_replicas(1)
    times = periods(task)
    slowest = solve(task, times[-1]).best(all_boards=True) if times else None
    if slowest is None:
        return None
    low, high, found = 0, len(times) - 1, slowest
    while low < high:
        middle = (low + high) // 2
        faster = solve(task, times[middle]).best(all_boards=True)
        if faster is not None and faster.traffic <= slowest.traffic:
            high, found = middle, faster
        else:
            low = middle + 1
    return found
