# SPDX-License-Identifier: BSD-3-Clause
"""Exactly, for a period: which boards take which layers in a row so that no layer and no link is too slow.

A board takes layers from ``start`` on, in network order, as long as some combination of foldings fits. All
combinations that matter are followed: for each width of the words that later layers on the board still read,
the sums of resources of which none is above another. If layers ``a..b`` fit, so do ``a+1..b``; so it is
enough to know how far each board gets from each layer. A cut may go through branches that run side by side.
Replicas, boards that take the frames of the same layers in turn, may each be as many times slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from shellgen.split.prune import Sums, candidates, least
from shellgen.split.task import (
    SLACK,
    Choice,
    Found,
    Hop,
    Part,
    Takes,
    Task,
    fits_words,
    measured,
    share,
)

# Up to so many layers, so many sums for one width are followed; with more of them the result is no longer
# called exact.
_MOST_SUMS = ((14, 256), (40, 24), (10_000, 8))

Counts = tuple[int, ...]
_Mode = tuple[int, int]  # kind of board, and replicas
Open = tuple[
    int, ...
]  # elements of a word of each stream that waits for its reader, in the order of the hops
_Way = tuple["_Way", _Mode, int, int] | None
_Cost = tuple[int, int]  # boards that are replicas, without the first of each; bytes between boards


@dataclass
class Chain:
    """Layers in network order and a period: how far boards get, and the best cut.

    Attributes:
        task: Layers and boards.
        seconds: Period that no layer and no link may exceed.
        exact: Whether all combinations were followed so far.
    """

    task: Task
    seconds: float
    exact: bool = True
    _sums: dict[tuple[_Mode, int], list[dict[Open, Sums]]] = field(default_factory=dict)
    _fast: dict[_Mode, list[list[Choice]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._limit = self.seconds * (1 + SLACK)
        self._count = len(self.task.layers)
        self._into: list[list[Hop]] = [[] for _ in range(self._count)]
        for hop in self.task.hops:
            if hop.producer >= 0 and hop.consumer < self._count:
                self._into[hop.consumer].append(hop)
        # Streams between layers that are under way behind each layer, in a fixed order.
        self._waiting: list[list[Hop]] = [
            [hop for row in self._into for hop in row if hop.producer <= at < hop.consumer]
            for at in range(self._count)
        ]

    def is_possible(self) -> bool:
        """Tell whether the boards are enough."""
        cuts = self._cuts()
        return bool(self._reached()) if cuts is None else self._farthest(cuts)

    def best(self, *, all_boards: bool = False) -> Found | None:
        """Return the split with the fewest boards, of these the fewest replicas, then the least traffic."""
        reached = self._reached()
        full = tuple(kind.count for kind in self.task.kinds)
        ends = [counts for counts in reached if not all_boards or counts == full]
        if not ends:
            return None
        ranked = min(ends, key=lambda counts: (sum(counts), reached[counts][0], counts))
        found = [self._part(mode, start, end) for mode, start, end in _way(reached[ranked][1])]
        return measured(self.task, tuple(found), exact=self.exact)

    def _modes(self, counts: Counts) -> Iterator[tuple[_Mode, Counts]]:
        """Return what the next layers may go onto, with the boards that are taken then."""
        for number, kind in enumerate(self.task.kinds):
            for replicas in range(1, min(self.task.replicas, kind.count - counts[number]) + 1):
                yield (number, replicas), _more(counts, number, replicas)

    def _choices(self, mode: _Mode) -> list[list[Choice]]:
        if mode not in self._fast:
            self._fast[mode] = candidates(self.task, self.task.kinds[mode[0]], self.seconds * mode[1])
        return self._fast[mode]

    def _passes(self, mode: _Mode, start: int, end: int) -> bool:
        """Tell whether the links of a board are fast enough for what its layers read and send."""
        board, limit = self.task.kinds[mode[0]], self._limit * mode[1]
        into, out_of = self.task.ends[start, end]
        return into / board.into <= limit and out_of / board.out_of <= limit

    def _cuts(self) -> list[int] | None:
        """Return where any board may end and any other begin; None if it depends on boards and layers."""
        rates = [rate for kind in self.task.kinds for rate in (kind.into, kind.out_of)]
        if all(self.task.most_bytes / rate <= self._limit for rate in rates):
            return list(range(self._count + 1))
        if not self.task.is_chain or self.task.replicas > 1:
            return None
        inner = range(1, self._count)
        crossing = {at: self.task.ends[at, self._count][0] for at in inner}
        passes = {at: {crossing[at] / rate <= self._limit for rate in rates} for at in inner}
        into, out_of = self.task.ends[0, self._count]
        host = all(into / kind.into <= self._limit >= out_of / kind.out_of for kind in self.task.kinds)
        if not host or any(len(verdicts) > 1 for verdicts in passes.values()):
            return None
        return [at for at in inner if passes[at] == {True}] + [self._count]

    def _farthest(self, cuts: list[int]) -> bool:
        """Fill boards as far as they go, which is best where all of them can be cut at the same layers."""
        kinds = self.task.kinds
        far: dict[Counts, int] = {(0,) * len(kinds): 0}
        for counts in _all_counts(tuple(kind.count for kind in kinds)):
            if counts not in far:
                continue
            at = far[counts]
            for mode, more in self._modes(counts):
                reach = at + self._length(mode, at)
                end = max((cut for cut in cuts if at < cut <= reach), default=at)
                if end == self._count:
                    return True
                far[more] = max(far.get(more, 0), end)
        return False

    def _reached(self) -> dict[Counts, tuple[_Cost, _Way]]:
        """Return for each set of boards that is enough the least cost, and the way to it."""
        kinds = self.task.kinds
        table: dict[Counts, dict[int, tuple[_Cost, _Way]]] = {(0,) * len(kinds): {0: ((0, 0), None)}}
        done: dict[Counts, tuple[_Cost, _Way]] = {}
        for counts in _all_counts(tuple(kind.count for kind in kinds)):
            for at, ((others, traffic), way) in sorted(table.get(counts, {}).items()):
                if at == self._count:
                    done[counts] = ((others, traffic), way)
                    continue
                for mode, more in self._modes(counts):
                    row = table.setdefault(more, {})
                    for end in range(at + 1, at + self._length(mode, at) + 1):
                        if not self._passes(mode, at, end):
                            continue
                        cost = (others + mode[1] - 1, traffic + self.task.sends[at, end])
                        if end not in row or cost < row[end][0]:
                            row[end] = (cost, (way, mode, at, end))
        return done

    def _length(self, mode: _Mode, start: int) -> int:
        """Return how many layers from this one on fit onto a board."""
        if (mode, start) not in self._sums:
            self._sums[mode, start] = list(self._follow(mode, start))
        return len(self._sums[mode, start])

    def _follow(self, mode: _Mode, start: int) -> Iterator[dict[Open, Sums]]:
        """Return for each layer from ``start`` on the sums of resources by the words that wait behind it."""
        room, choices = np.array(self.task.kinds[mode[0]].room), self._choices(mode)
        before: dict[Open, Sums] = {(): np.zeros((1, len(room)), np.int64)}
        for at in range(start, self._count):
            found: dict[Open, list[Sums]] = {}
            for choice in choices[at]:
                for words, sums in before.items():
                    behind = self._behind(start, at, words, choice)
                    if behind is None:
                        continue
                    totals = sums + np.array(choice.takes)
                    fitting = totals[(totals <= room).all(axis=1)]
                    if len(fitting):
                        found.setdefault(behind, []).append(fitting)
            if not found:
                return
            before = {words: self._fewer(np.concatenate(sums)) for words, sums in found.items()}
            yield before

    def _behind(self, start: int, at: int, words: Open, choice: Choice) -> Open | None:
        """Return the words that wait behind a layer; None if it cannot read those before it."""
        waiting = [hop for hop in self._waiting[at - 1] if hop.producer >= start] if at > start else []
        known = dict(zip(waiting, words, strict=True))
        for hop in self._into[at]:
            if hop.producer >= start and not fits_words(known[hop], choice.reads[hop.input], hop.same):
                return None
        return tuple(
            choice.writes[hop.output] if hop.producer == at else known[hop]
            for hop in self._waiting[at]
            if hop.producer >= start
        )

    def _fewer(self, sums: Sums) -> Sums:
        kept = least(sums)
        most = next(sums for layers, sums in _MOST_SUMS if self._count <= layers)
        if len(kept) <= most:
            return kept
        self.exact = False
        by_luts = np.unique(kept, axis=0)  # from few LUTs and much memory to the reverse
        return by_luts[np.arange(most) * (len(by_luts) - 1) // (most - 1)]

    def _part(self, mode: _Mode, start: int, end: int) -> Part:
        """Return the layers on a board, with the combination that takes the smallest share of it."""
        room = self.task.kinds[mode[0]].room
        self._length(mode, start)
        rows = self._sums[mode, start]
        words, total = min(
            ((words, one) for words, sums in rows[end - 1 - start].items() for one in _takes(sums)),
            key=lambda pair: (share(pair[1], room), pair),
        )
        chosen: list[Choice] = []
        for at in range(end - 1, start - 1, -1):
            choice, words, total = next(self._came(mode, start, at, words, total))
            chosen.append(choice)
        return Part(mode[0], tuple(range(start, end)), tuple(reversed(chosen)), mode[1])

    def _came(
        self, mode: _Mode, start: int, at: int, behind: Open, total: Takes
    ) -> Iterator[tuple[Choice, Open, Takes]]:
        """Return the foldings by which a sum was made, and the words and the sum before."""
        none: dict[Open, Sums] = {(): np.zeros((1, len(total)), np.int64)}
        earlier = self._sums[mode, start][at - 1 - start] if at > start else none
        known = {words: set(_takes(sums)) for words, sums in earlier.items()}
        for choice in self._choices(mode)[at]:
            rest = tuple(a - b for a, b in zip(total, choice.takes, strict=True))
            for words, sums in known.items():
                if rest in sums and self._behind(start, at, words, choice) == behind:
                    yield choice, words, rest


def _takes(sums: Sums) -> list[Takes]:
    return [tuple(row) for row in sums.tolist()]


def _way(way: _Way) -> list[tuple[_Mode, int, int]]:
    found: list[tuple[_Mode, int, int]] = []
    while way is not None:
        way, mode, start, end = way
        found.append((mode, start, end))
    return found[::-1]


def _all_counts(most: Counts) -> list[Counts]:
    """Return all numbers of boards, those with fewer boards first."""
    return sorted(product(*(range(count + 1) for count in most)), key=lambda counts: (sum(counts), counts))


def _more(counts: Counts, kind: int, boards: int) -> Counts:
    return (*counts[:kind], counts[kind] + boards, *counts[kind + 1 :])
