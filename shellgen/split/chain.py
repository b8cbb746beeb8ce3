# SPDX-License-Identifier: BSD-3-Clause
"""For a period: which boards take which layers in a row so that no layer and no link is too slow.

A dynamic program over layers and boards cuts the network with bounds of how far each board gets. Then
the partitions that it found are looked at; if one of them does not fit, the bounds are lower, and it starts
again. With bounds no partition is missed, so the first cut whose partitions all fit is the best one.

A cut may go through branches that run side by side. Replicas, boards that take the frames of the same layers
in turn, may each be as many times slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from shellgen.split.filled import Filled
from shellgen.split.neighbours import NONE, Counts, Neighbours, Step, fewer
from shellgen.split.tables import Numbers
from shellgen.split.task import Found, Part, Task, measured


@dataclass
class Chain:
    """Layers in network order and a period.

    Attributes:
        task: Layers and boards.
        seconds: Period that no layer and no link may exceed.
        sure: Only take layers that weighted sums show to fit; what is left out is not looked at closely.
    """

    task: Task
    seconds: float
    sure: bool = False

    def __post_init__(self) -> None:
        self._count = len(self.task.layers)
        self._full = tuple(kind.count for kind in self.task.kinds)
        self._boards = sum(self._full)
        self._ends: Numbers = np.arange(self._count + 1)
        # Fewer boards first, then fewer replicas, then less traffic: one number, in that order.
        self._replica = 1 + sum(hop.bytes for hop in self.task.hops)
        self._board = self._replica * (self._boards + 1)

    @cached_property
    def _fits(self) -> Filled:
        return Filled(self.task, self.seconds, sure=self.sure)

    @property
    def exact(self) -> bool:
        """Whether nothing was left out so far."""
        return self._fits.exact

    def is_possible(self) -> bool:
        """Tell whether the boards are enough.

        Mostly they are with room to spare, or far from it; only else are layers looked at closely.
        """
        quick = Chain(self.task, self.seconds, sure=True)
        if quick._cut(all_boards=False) is not None:
            return True
        if quick.exact:
            self._fits = quick._fits
            return False
        return self._cut(all_boards=False) is not None

    def best(self, *, all_boards: bool = False) -> Found | None:
        """Return the split with the fewest boards, of these the fewest replicas, then the least traffic."""
        steps = self._cut(all_boards=all_boards)
        if steps is None:
            return None
        parts = []
        for mode, start, end in steps:
            of = self._fits.modes[mode]
            chosen = self._fits.foldings(mode, start, end)
            regions = self._fits.regions(mode, start, end)
            parts.append(Part(of.kind, tuple(range(start, end)), chosen, of.replicas, regions))
        return measured(self.task, tuple(parts), exact=self._fits.exact)

    def _cut(self, *, all_boards: bool) -> list[Step] | None:
        """Return the best cut; only then do all its partitions fit."""
        while True:
            if self.task.links is not None:
                steps = self._neighbours.cut(all_boards=all_boards)
            elif all_boards or len(self.task.kinds) > 1:
                steps = self._by_counts(all_boards=all_boards)
            else:
                steps = self._one_kind()
            # All are looked at, so that the next cut is the better for each that does not fit.
            if steps is None or sum(map(self._looked, steps)) == len(steps):
                return steps

    def _looked(self, step: Step) -> bool:
        if self._fits.check(*step):
            return True
        self._costs[self._ends[:, None, None] > self._fits.most[None]] = NONE
        return False

    @cached_property
    def _costs(self) -> Numbers:
        """Cost of layers a to b - 1 on boards of each mode, by [b, mode, a]."""
        ends, found = self._ends, []
        for at, (mode, most) in enumerate(zip(self._fits.modes, self._fits.most, strict=True)):
            may = (ends[None] > ends[:, None]) & (ends[None] <= most[:, None])
            if self.task.links is None:
                may &= self._fits.receives(at, 0) & self._fits.sends(at, 0)
            cost = mode.replicas * self._board + (mode.replicas - 1) * self._replica + self.task.sends
            found.append(np.where(may, cost, NONE).T)
        return np.stack(found, axis=1)

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours(self.task, self._fits, self._costs)

    def _one_kind(self) -> list[Step] | None:
        """Return the cheapest cut onto boards that are alike, if it does with those that are there."""
        best = np.full(self._count + 1, NONE)
        best[0] = 0
        came: list[tuple[int, int]] = [(0, 0)]
        for end in range(1, self._count + 1):
            ways = self._costs[end, :, :end] + best[:end]
            mode, start = divmod(int(ways.argmin()), end)
            best[end] = min(int(ways[mode, start]), NONE)
            came.append((mode, start))
        if best[-1] >= (self._boards + 1) * self._board:
            return None
        steps, end = [], self._count
        while end:
            mode, start = came[end]
            steps.append((mode, start, end))
            end = start
        return steps[::-1]

    def _by_counts(self, *, all_boards: bool) -> list[Step] | None:
        """Return the cheapest cut, by which boards of each kind are taken: all of them if asked for."""
        none = (0,) * len(self._full)
        best: dict[Counts, Numbers] = {none: np.where(self._ends == 0, 0, NONE)}
        came: dict[Counts, tuple[Numbers, Numbers]] = {}
        ranked = sorted(product(*(range(count + 1) for count in self._full)), key=lambda row: (sum(row), row))
        done: int | None = None  # boards that are enough
        for counts in ranked:
            if done is not None and sum(counts) > done and not all_boards:
                break
            ways = [
                (mode, self._costs[:, mode, :] + best[less][None])
                for mode, of in enumerate(self._fits.modes)
                if (less := fewer(counts, of.kind, of.replicas)) in best
            ]
            if ways:
                lasts = np.stack([rows.argmin(axis=1) for _, rows in ways])
                costs = np.stack([rows.min(axis=1) for _, rows in ways])
                chosen = costs.argmin(axis=0)
                modes = np.array([mode for mode, _ in ways])
                best[counts] = np.minimum(costs[chosen, self._ends], NONE)
                came[counts] = (modes[chosen], lasts[chosen, self._ends])
                done = sum(counts) if done is None and best[counts][-1] < NONE else done
        ends = [
            counts for counts in best if best[counts][-1] < NONE and (counts == self._full or not all_boards)
        ]
        if not ends:
            return None
        counts = min(ends, key=lambda counts: int(best[counts][-1]))
        steps, end = [], self._count
        while end:
            modes, starts = came[counts]
            mode, start = int(modes[end]), int(starts[end])
            steps.append((mode, start, end))
            of = self._fits.modes[mode]
            counts, end = fewer(counts, of.kind, of.replicas), start
        return steps[::-1]
