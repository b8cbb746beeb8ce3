# SPDX-License-Identifier: BSD-3-Clause
"""The period: the shortest that boards can keep, by bisection over all times of layers and links."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, Protocol

import numpy as np

from shellgen.split.chain import Chain
from shellgen.split.task import Found, Task

# Times the rate without replicas that replicas must bring: they add a deal, a gather and latency.
REPLICAS_BRING = 1.1

Goal = Literal["fps", "occupancy", "least-traffic"]


class Solver(Protocol):
    """A way to cut for a period."""

    @property
    def exact(self) -> bool:
        """Whether nothing was left out so far."""

    def is_possible(self) -> bool:
        """Tell whether the boards are enough."""

    def best(self, *, all_boards: bool = False) -> Found | None:
        """Return the split with the fewest boards and the least traffic."""


Solve = Callable[[Task, float], Solver]


def periods(task: Task) -> list[float]:
    """Return all times that a layer on a board, or what crosses a cut, can take; ascending."""
    found: set[float] = set()
    neighbours = range(len(task.kinds) + 1) if task.links else (0,)
    for number, kind in enumerate(task.kinds):
        own = {kind.seconds(choice) for choices in kind.choices for choice in choices}
        for other in neighbours:
            own |= {*np.unique(task.receiving(number, other)).tolist()}
            own |= {*np.unique(task.sending(number, other)).tolist()}
        for replicas in range(1, min(task.replicas, kind.count) + 1):
            found |= {seconds / replicas for seconds in own}
    return sorted(found - {0.0})


def fastest(task: Task, solve: Solve = Chain) -> Found | None:
    """Return the split with the shortest period, and of these the one with the fewest boards.

    Replicas must bring more than a tenth of the rate without them.
    """
    key = (solve, task.replicas, *(kind.count for kind in task.kinds))
    if key not in task.memo:
        task.memo[key] = _fastest(task, solve)
    found: Found | None = task.memo[key]
    return found


def _fastest(task: Task, solve: Solve) -> Found | None:
    if task.replicas == 1:
        return _shortest(task, periods(task), solve)
    found = fastest(task.with_replicas(1), solve)
    if found is None or all(kind.count == 1 for kind in task.kinds):
        return found
    times = [seconds for seconds in periods(task) if seconds * REPLICAS_BRING < found.seconds]
    if not times:
        return found
    slowest = solve(task, times[-1])
    if not slowest.is_possible():
        return replace(found, exact=found.exact and slowest.exact)
    return _shortest(task, times, solve) or found


def _shortest(task: Task, times: list[float], solve: Solve) -> Found | None:
    """Return the split with the shortest of some periods that is possible.

    With more room, nothing was possible below `Task.floors`; mostly that period is still possible, or one of
    the next.
    """
    key = (task.replicas, *(kind.count for kind in task.kinds))
    low, high = bisect_left(times, task.floors.get(key, 0.0)), len(times)
    exact, step = True, 1 if low else 0
    while low < high:
        middle = min(low + step - 1, high - 1) if step else (low + high) // 2
        tried = solve(task, times[middle])
        if tried.is_possible():
            high, step = middle, 0
        else:
            low, step, exact = middle + 1, 2 * step, exact and tried.exact
    if low == len(times):
        return None
    task.floors[key] = times[low]
    found = solve(task, times[low]).best()
    return replace(found, exact=found.exact and exact) if found else None


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
