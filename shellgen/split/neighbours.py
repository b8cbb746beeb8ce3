# SPDX-License-Identifier: BSD-3-Clause
"""The dynamic program where the rate of a link depends on the boards at both of its ends.

Whether a board's links are fast enough is known once the kinds of boards before and behind it are. So the
state at a cut is the kind of the board before it, that of the one behind it, and the boards that are taken so
far; the host is before the first board and behind the last.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product

import numpy as np

from shellgen.split.filled import Filled, Flags
from shellgen.split.tables import Numbers
from shellgen.split.task import Task

NONE = 1 << 60  # the cost of what is impossible; four times that is a number, too

Counts = tuple[int, ...]
Step = tuple[int, int, int]  # mode, first layer, end
_Way = tuple[list[int], list[int], Numbers]  # kinds before, kinds behind, what is too slow, by [end, first]


def fewer(counts: Counts, kind: int, boards: int) -> Counts:
    """Return the boards without some of a kind; a number below 0 where it has fewer."""
    return (*counts[:kind], counts[kind] - boards, *counts[kind + 1 :])


class Neighbours:
    """Cuts by the kinds of boards on both sides."""

    def __init__(self, task: Task, fits: Filled, costs: Numbers) -> None:
        """Take the cost of layers a to b - 1 on boards of each mode, by [b, mode, a], without links."""
        self._fits, self._costs = fits, costs
        self._full = tuple(kind.count for kind in task.kinds)
        self._host = len(self._full)
        self._ends: Numbers = np.arange(len(task.layers) + 1)

    def cut(self, *, all_boards: bool) -> list[Step] | None:
        """Return the cheapest cut, by which boards of each kind are taken: all of them if asked for."""
        host, count = self._host, len(self._ends)
        # By boards taken: the cost by [kind before the cut, kind behind it, layers before it].
        start = np.full((host + 1, host + 1, count), NONE)
        start[host, :, 0] = 0
        best: dict[Counts, Numbers] = {(0,) * host: start}
        came: dict[Counts, Numbers] = {}
        ranked = sorted(product(*(range(has + 1) for has in self._full)), key=lambda row: (sum(row), row))
        done: int | None = None  # boards that are enough
        for counts in ranked[1:]:
            if done is not None and sum(counts) > done and not all_boards:
                break
            best[counts], came[counts] = self._reached(counts, best)
            done = sum(counts) if done is None and self._cost(best[counts]) < NONE else done
        ends = [
            counts
            for counts in came
            if self._cost(best[counts]) < NONE and (counts == self._full or not all_boards)
        ]
        if not ends:
            return None
        return self._back(min(ends, key=lambda counts: self._cost(best[counts])), best, came)

    def _cost(self, best: Numbers) -> int:
        return int(best[:, self._host, -1].min())

    def _reached(self, counts: Counts, best: dict[Counts, Numbers]) -> tuple[Numbers, Numbers]:
        """Return the costs with these boards, and mode, first layer and kind before of each last board."""
        costs = np.full((self._host + 1, self._host + 1, len(self._ends)), NONE)
        came = np.zeros((3, *costs.shape), np.int64)
        for mode, of in enumerate(self._fits.modes):
            before = best.get(fewer(counts, of.kind, of.replicas))
            if before is None:
                continue
            for kinds, others, slow in self._ways[mode]:
                rows = before[kinds, of.kind]
                ways = self._costs[:, mode, :] + slow + rows.min(axis=0)
                firsts = ways.argmin(axis=1)
                least = ways[self._ends, firsts]
                whence = np.array(kinds)[rows.argmin(axis=0)[firsts]]
                for behind in others:
                    better = least < costs[of.kind, behind]
                    costs[of.kind, behind][better] = least[better]
                    for at, column in enumerate((np.full_like(firsts, mode), firsts, whence)):
                        came[at, of.kind, behind][better] = column[better]
        return costs, came

    def _back(self, counts: Counts, best: dict[Counts, Numbers], came: dict[Counts, Numbers]) -> list[Step]:
        """Return the steps that lead to these boards."""
        kind, behind, end = int(best[counts][:, self._host, -1].argmin()), self._host, len(self._ends) - 1
        steps = []
        while end:
            mode, first, before = (int(one) for one in came[counts][:, kind, behind, end])
            steps.append((mode, first, end))
            counts = fewer(counts, kind, self._fits.modes[mode].replicas)
            kind, behind, end = before, kind, first
        return steps[::-1]

    @cached_property
    def _ways(self) -> list[list[_Way]]:
        """For each mode, kinds of boards on both sides; those that links are as fast to are together."""
        found = []
        for mode in range(len(self._fits.modes)):
            around = range(self._host + 1)
            into = _alike([self._fits.receives(mode, kind) for kind in around])
            out_of = _alike([self._fits.sends(mode, kind) for kind in around])
            found.append(
                [
                    (before, behind, np.where(takes & gives, 0, NONE).T)
                    for before, takes in into
                    for behind, gives in out_of
                ]
            )
        return found


def _alike(rows: list[Flags]) -> list[tuple[list[int], Flags]]:
    """Return the numbers of rows that are alike, and the row."""
    found: dict[bytes, list[int]] = {}
    for number, row in enumerate(rows):
        found.setdefault(row.tobytes(), []).append(number)
    return [(numbers, rows[numbers[0]]) for numbers in found.values()]
