# SPDX-License-Identifier: BSD-3-Clause
"""Chains, exactly: which boards take which layers in a row so that no layer and no link is too slow.

A board takes layers from ``start`` on as long as some combination of foldings fits. All combinations that
matter are followed: for each width of the last word, the sums of resources of which none is above another.
If layers ``a..b`` fit, so do ``a+1..b``; so it is enough to know how far each board gets from each layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from shellgen.split.prune import candidates, least
from shellgen.split.task import (
    SLACK,
    Choice,
    Found,
    Part,
    Takes,
    Task,
    added,
    fits_words,
    measured,
    share,
    within,
)

_MOST_SUMS = 256  # of one width that are followed; with more the result is no longer called exact

Counts = tuple[int, ...]


@dataclass
class Chain:
    """A chain and a period: how far boards get, and the best cut.

    Attributes:
        task: Layers and boards.
        seconds: Period that no layer and no link may exceed.
        exact: Whether all combinations were followed so far.
    """

    task: Task
    seconds: float
    exact: bool = True
    _sums: dict[tuple[int, int], list[dict[int, list[Takes]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._limit = self.seconds * (1 + SLACK)
        self._choices = [candidates(self.task, kind, self.seconds) for kind in self.task.kinds]
        into = sorted(self.task.hops, key=lambda hop: hop.consumer)
        self._same = [hop.same for hop in into]
        self._count = len(self.task.layers)

    def is_possible(self) -> bool:
        """Tell whether the boards are enough."""
        return self._farthest() if self._alike() else bool(self._reached())

    def best(self, *, all_boards: bool = False) -> Found | None:
        """Return the split with the fewest boards, and of these the one with the least traffic."""
        reached = self._reached()
        full = tuple(kind.count for kind in self.task.kinds)
        ends = [counts for counts in reached if not all_boards or counts == full]
        if not ends:
            return None
        ranked = min(ends, key=lambda counts: (sum(counts), reached[counts][0], counts))
        found = [self._part(kind, start, end) for kind, start, end in _way(reached[ranked][1])]
        return measured(self.task, tuple(found), exact=self.exact)

    def _starts(self, kind: int, at: int) -> bool:
        return self.task.crossing[at] / self.task.kinds[kind].into <= self._limit

    def _ends(self, kind: int, at: int) -> bool:
        return self.task.crossing[at] / self.task.kinds[kind].out_of <= self._limit

    def _alike(self) -> bool:
        """Tell whether all kinds of boards can cut at the same layers, and serve the host."""
        numbers = range(len(self.task.kinds))
        ways = (self._starts, self._ends)
        inner = range(1, self._count)
        return (
            all(len({way(kind, at) for kind in numbers for way in ways}) == 1 for at in inner)
            and all(self._starts(kind, 0) for kind in numbers)
            and all(self._ends(kind, self._count) for kind in numbers)
        )

    def _farthest(self) -> bool:
        """Fill boards as far as they go, which is best where all kinds can cut at the same layers."""
        allowed = [at for at in range(self._count + 1) if self._starts(0, at) or at == self._count]
        kinds = self.task.kinds
        far: dict[Counts, int] = {(0,) * len(kinds): 0}
        for counts in _all_counts(tuple(kind.count for kind in kinds)):
            if counts not in far:
                continue
            at = far[counts]
            for number, kind in enumerate(kinds):
                if counts[number] == kind.count:
                    continue
                reach = at + self._length(number, at)
                end = max((cut for cut in allowed if at < cut <= reach), default=at)
                if end == self._count:
                    return True
                more = _one_more(counts, number)
                far[more] = max(far.get(more, 0), end)
        return False

    def _reached(self) -> dict[Counts, tuple[int, _Way]]:
        """Return for each set of boards that is enough the least traffic, and the way to it."""
        kinds = self.task.kinds
        table: dict[Counts, dict[int, tuple[int, _Way]]] = {(0,) * len(kinds): {0: (0, None)}}
        done: dict[Counts, tuple[int, _Way]] = {}
        for counts in _all_counts(tuple(kind.count for kind in kinds)):
            for at, (traffic, way) in sorted(table.get(counts, {}).items()):
                if at == self._count:
                    done[counts] = (traffic, way)
                    continue
                for number, kind in enumerate(kinds):
                    if counts[number] == kind.count or not self._starts(number, at):
                        continue
                    row = table.setdefault(_one_more(counts, number), {})
                    for end in range(at + 1, at + self._length(number, at) + 1):
                        if not self._ends(number, end):
                            continue
                        more = traffic + (self.task.crossing[end] if end < self._count else 0)
                        if end not in row or more < row[end][0]:
                            row[end] = (more, (way, number, at, end))
        return done

    def _length(self, kind: int, start: int) -> int:
        """Return how many layers from this one on fit onto a board."""
        if (kind, start) not in self._sums:
            self._sums[kind, start] = list(self._follow(kind, start))
        return len(self._sums[kind, start])

    def _follow(self, kind: int, start: int) -> Iterator[dict[int, list[Takes]]]:
        """Return for each layer from ``start`` on the sums of resources by the width of its last word."""
        room = self.task.kinds[kind].room
        before: dict[int, list[Takes]] = {}
        for at in range(start, self._count):
            found: dict[int, list[Takes]] = {}
            for choice in self._choices[kind][at]:
                sums = [(0,) * len(room)] if at == start else self._beside(before, choice, at)
                fitting = [total for one in sums if within(total := added(one, choice.takes), room)]
                if fitting:
                    found.setdefault(choice.writes[0], []).extend(fitting)
            if not found:
                return
            before = {width: self._fewer(sums) for width, sums in found.items()}
            yield before

    def _beside(self, before: dict[int, list[Takes]], choice: Choice, at: int) -> list[Takes]:
        words = choice.reads[0]
        return [
            one for width, sums in before.items() if fits_words(width, words, self._same[at]) for one in sums
        ]

    def _fewer(self, sums: list[Takes]) -> list[Takes]:
        kept = least(sums)
        if len(kept) > _MOST_SUMS:
            self.exact = False
            kept = kept[:_MOST_SUMS]
        return kept

    def _part(self, kind: int, start: int, end: int) -> Part:
        """Return the layers on a board, with the combination that takes the smallest share of it."""
        room = self.task.kinds[kind].room
        self._length(kind, start)
        rows = self._sums[kind, start]
        width, total = min(
            ((width, one) for width, sums in rows[end - 1 - start].items() for one in sums),
            key=lambda pair: (share(pair[1], room), pair),
        )
        chosen: list[Choice] = []
        for at in range(end - 1, start - 1, -1):
            choice, width, total = next(self._came(kind, start, at, width, total))
            chosen.append(choice)
        return Part(kind, tuple(range(start, end)), tuple(reversed(chosen)))

    def _came(
        self, kind: int, start: int, at: int, width: int, total: Takes
    ) -> Iterator[tuple[Choice, int, Takes]]:
        """Return the foldings by which a sum was made, and the sum before."""
        for choice in self._choices[kind][at]:
            if choice.writes[0] != width:
                continue
            rest = tuple(a - b for a, b in zip(total, choice.takes, strict=True))
            if at == start:
                if not any(rest):
                    yield choice, 0, rest
                continue
            for before, sums in self._sums[kind, start][at - 1 - start].items():
                if rest in sums and fits_words(before, choice.reads[0], self._same[at]):
                    yield choice, before, rest


_Way = tuple["_Way", int, int, int] | None


def _way(way: _Way) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    while way is not None:
        way, *step = way
        found.append((step[0], step[1], step[2]))
    return found[::-1]


def _all_counts(most: Counts) -> list[Counts]:
    """Return all numbers of boards, those with fewer boards first."""
    return sorted(product(*(range(count + 1) for count in most)), key=lambda counts: (sum(counts), counts))


def _one_more(counts: Counts, kind: int) -> Counts:
    return (*counts[:kind], counts[kind] + 1, *counts[kind + 1 :])
