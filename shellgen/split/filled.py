# SPDX-License-Identifier: BSD-3-Clause
"""Layers that fit onto boards of which some are filled region by region, such as cards with several SLRs.

Each region has consecutive layers, and regions may come in any order. Whatever fits a region, fewer of its
layers do, so the farthest that regions get is reached when each takes all that it can: the best of all orders
is found from sets of regions, each from those with one region less.

As for whole boards, bounds come first: those of the regions give a way, its ranges are looked at, and where
one does not fit, the bounds are lower.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shellgen.split.fits import Fits, modes_of
from shellgen.split.tables import Numbers
from shellgen.split.task import Choice, Kind, Task

Flags: TypeAlias = npt.NDArray[np.bool_]
_Set = tuple[int, ...]  # regions of a board, ascending
_Range = tuple[int, int, int]  # region, first layer, end


class Filled:
    """Ranges of layers that fit onto boards in a period.

    Attributes:
        modes: Kinds of boards with numbers of replicas, ascending for each kind.
        most: For each mode and first layer, the end that no range that fits goes beyond.
    """

    def __init__(self, task: Task, seconds: float, *, sure: bool = False) -> None:
        """Find the bounds; ``sure``: layers of which weighted sums do not tell whether they fit do not."""
        rooms, kind_of = _rooms(task)
        self._fits = Fits(rooms, seconds, sure=sure)
        self._task, self._limit = task, self._fits.limit
        self.modes = modes_of(task)
        places = {(one.kind, one.replicas): at for at, one in enumerate(self._fits.modes)}
        # For each mode, the mode among `rooms` of each of its regions.
        self._rooms = [[places[room, one.replicas] for room in kind_of[one.kind]] for one in self.modes]
        self._of_kind: list[list[int]] = [[] for _ in task.kinds]
        for at, one in enumerate(self.modes):
            self._of_kind[one.kind].append(at)
        self._starts = np.arange(len(task.layers) + 1)
        self._reach: list[dict[_Set, Numbers]] = [{} for _ in task.kinds]
        self._known: dict[tuple[int, int, int], tuple[_Range, ...]] = {}
        self.most: Numbers = np.zeros((len(self.modes), len(self._starts)), np.int64)
        for kind in range(len(task.kinds)):
            self._bound(kind)

    @property
    def exact(self) -> bool:
        """Whether all combinations were followed so far."""
        return self._fits.exact

    def receives(self, mode: int, before: int) -> Flags:
        """Tell for each range of layers whether a board behind one of a kind, or the host, is fast enough."""
        of = self.modes[mode]
        found: Flags = self._task.receiving(of.kind, before) <= self._limit * of.replicas
        return found

    def sends(self, mode: int, behind: int) -> Flags:
        """The same for what it sends to a board of a kind, or to the host."""
        of = self.modes[mode]
        found: Flags = self._task.sending(of.kind, behind) <= self._limit * of.replicas
        return found

    def check(self, mode: int, start: int, end: int) -> bool:
        """Tell whether layers fit; where they do not, ``most`` is lower afterwards."""
        key = (mode, start, end)
        while end <= self.most[mode, start]:
            ways = self._known.get(key) or self._way(mode, start, end)
            rooms = self._rooms[mode]
            # All are looked at, so that the next way is the better for each that does not fit.
            if sum(self._fits.check(rooms[region], *ends) for region, *ends in ways) == len(ways):
                self._known[key] = ways
                return True
            self._bound(self.modes[mode].kind)
        return False

    def regions(self, mode: int, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """Return (region, number of layers) for layers that fit; none on a board without regions."""
        if not self._task.kinds[self.modes[mode].kind].regions:
            return ()
        return tuple((region, last - first) for region, first, last in self._known[mode, start, end])

    def foldings(self, mode: int, start: int, end: int) -> tuple[Choice, ...]:
        """Return foldings with which layers that fit take a small share of their regions."""
        rooms = self._rooms[mode]
        return tuple(
            choice
            for region, *ends in self._known[mode, start, end]
            for choice in self._fits.foldings(rooms[region], *ends)
        )

    def _bound(self, kind: int) -> None:
        """Find how far boards of a kind get by the bounds of their regions."""
        own = self._of_kind[kind]
        if not own:
            return
        most = [self._fits.most[[self._rooms[mode][at] for mode in own]] for at in range(self._count(kind))]
        reach: dict[_Set, Numbers] = {(): np.broadcast_to(self._starts, most[0].shape)}
        for size in range(1, len(most) + 1):
            for some in combinations(range(len(most)), size):
                ways = [np.take_along_axis(most[last], reach[_without(some, last)], 1) for last in some]
                reach[some] = np.maximum.reduce(ways)
        self._reach[kind] = reach
        self.most[own] = reach[tuple(range(len(most)))]

    def _count(self, kind: int) -> int:
        return len(self._task.kinds[kind].rooms)

    def _way(self, mode: int, start: int, end: int) -> tuple[_Range, ...]:
        """Return the ranges of the fewest regions that hold the layers by the bounds, which they do."""
        kind = self.modes[mode].kind
        reach, row = self._reach[kind], self._of_kind[kind].index(mode)
        some = next(one for one in reach if reach[one][row, start] >= end)
        found: list[_Range] = []
        while some:
            for last in some:
                fewer = _without(some, last)
                first = int(reach[fewer][row, start])
                if self._fits.most[self._rooms[mode][last], first] >= end:
                    break
            found.append((last, first, end))
            some, end = fewer, first
        return tuple(reversed(found))


def _without(some: _Set, one: int) -> _Set:
    return tuple(other for other in some if other != one)


def _rooms(task: Task) -> tuple[Task, list[list[int]]]:
    """Return the task with a kind of board for each room, and for each kind of board those of its regions.

    Regions of a board that are alike are one kind.
    """
    kinds: list[Kind] = []
    of: list[list[int]] = []
    for kind in task.kinds:
        distinct = list(dict.fromkeys(kind.rooms))
        of.append([len(kinds) + distinct.index(room) for room in kind.rooms])
        kinds += [replace(kind, room=room, regions=(), region_names=()) for room in distinct]
    return task.sharing(replace(task, kinds=tuple(kinds))), of
