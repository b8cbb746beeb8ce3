# SPDX-License-Identifier: BSD-3-Clause
"""Layers that fit onto a board, or a region of one, in a period: bounds for all, the truth where needed.

If layers ``a..b`` fit onto a board, so do ``a+1..b``, and so they do if it has more time. So each layer
range that was looked at tells of many others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from shellgen.split.follow import Follow
from shellgen.split.narrow import Narrow
from shellgen.split.streams import Streams
from shellgen.split.tables import Numbers, Tables, tables_of
from shellgen.split.task import SLACK, Choice, Task
from shellgen.split.weighted import Verdict, Weighted

# With more layers, foldings with the least weighted sum are good enough; with fewer, all sums are compared.
_ALL_SUMS = 40


@dataclass(frozen=True)
class Mode:
    """Boards that a partition may go onto.

    Attributes:
        kind: Number of the kind of board.
        replicas: Boards that take the frames in turn.
    """

    kind: int
    replicas: int


def modes_of(task: Task) -> list[Mode]:
    """Return the kinds of boards with numbers of replicas, ascending for each kind."""
    return [
        Mode(number, replicas)
        for number, kind in enumerate(task.kinds)
        for replicas in range(1, min(task.replicas, kind.count) + 1)
    ]


class Fits:
    """Ranges of layers that fit onto boards in a period.

    Attributes:
        modes: Kinds of boards with numbers of replicas, ascending for each kind.
        most: For each mode and first layer, the end that no range that fits goes beyond.
        exact: Whether all combinations were followed so far.
    """

    def __init__(self, task: Task, seconds: float, *, sure: bool = False) -> None:
        """Find the bounds; ``sure``: layers of which weighted sums do not tell whether they fit do not."""
        self.exact, self._sure = True, sure
        self.limit = seconds * (1 + SLACK)
        self.modes = modes_of(task)
        if "streams" not in task.memo:
            streams = Streams(task)
            task.memo["streams"] = streams
            task.memo["weighted"] = [Weighted(tables, streams) for tables in tables_of(task)]
        self._task, self._tables = task, tables_of(task)
        self._streams: Streams = task.memo["streams"]
        self._weighted: list[Weighted] = task.memo["weighted"]
        self._fast = [self._tables[one.kind].fast(self.limit * one.replicas) for one in self.modes]
        self.most: Numbers = np.array(
            [
                self._tables[mode.kind].farthest(fast)
                for mode, fast in zip(self.modes, self._fast, strict=True)
            ]
        )
        self._least = np.tile(np.arange(len(task.layers) + 1), (len(self.modes), 1))
        self._followed: dict[tuple[int, int], Follow] = {}
        self._open: dict[tuple[int, int, int], Verdict] = {}
        kinds = [one.kind for one in self.modes]
        self._first = [kinds.index(kind) for kind in kinds]
        self._last = [len(kinds) - 1 - kinds[::-1].index(kind) for kind in kinds]

    def check(self, mode: int, start: int, end: int) -> bool:
        """Tell whether layers fit; where they do not, ``most`` is lower afterwards."""
        if end > self.most[mode, start]:
            return False
        if end <= self._least[mode, start]:
            return True
        found = self._weighted[self.modes[mode].kind].verdict(start, end, self._choices(mode))
        reached = found.end
        if not found.fits and reached == end:
            if self._sure:
                reached, self.exact = found.sure, False
            else:
                reached = self._narrow(mode, start, end).end
        if reached == end:
            rows = self._least[mode : self._last[mode] + 1, start : end + 1]
            np.maximum(rows, end, out=rows)
            return True
        rows = self.most[self._first[mode] : mode + 1, : start + 1]
        np.minimum(rows, reached, out=rows)
        return False

    def foldings(self, mode: int, start: int, end: int) -> tuple[Choice, ...]:
        """Return foldings with which layers that fit take a small share of the board."""
        if len(self._task.layers) <= _ALL_SUMS:
            follow = self._follow(mode, start)
            if follow.reaches(end) == end:
                return follow.foldings(end)
        weighted = self._weighted[self.modes[mode].kind]
        found = weighted.verdict(start, end, self._choices(mode), foldings=True)
        return (found if found.fits else self._narrow(mode, start, end)).foldings

    def _narrow(self, mode: int, start: int, end: int) -> Verdict:
        key = (mode, start, end)
        if key not in self._open:
            kind = self.modes[mode].kind
            ways, own = self._weighted[kind].ways(start, end, self._choices(mode))
            narrow = Narrow(ways, self._tables[kind].kind.room, self._tables[kind].weights)
            self._open[key], certain = narrow.verdict(start, own)
            self.exact &= certain
        return self._open[key]

    def _choices(self, mode: int) -> Callable[[int], tuple[Choice, ...]]:
        tables: Tables = self._tables[self.modes[mode].kind]
        return partial(tables.needed, fast=self._fast[mode])

    def _follow(self, mode: int, start: int) -> Follow:
        if (mode, start) not in self._followed:
            room = self._task.kinds[self.modes[mode].kind].room
            self._followed[mode, start] = Follow(self._streams, room, start, self._choices(mode))
        return self._followed[mode, start]
