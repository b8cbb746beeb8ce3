# SPDX-License-Identifier: BSD-3-Clause
"""Layers in a row on one board, exactly: all sums of resources that matter.

For each width of the words that later layers on the board still read, the sums of resources are kept of which
none is above another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from shellgen.split.prune import Sums, least
from shellgen.split.streams import Open, Streams
from shellgen.split.task import Choice, Takes, share

# Up to so many layers, so many sums for one width are followed; with more of them the result is no longer
# called exact.
MOST_SUMS = ((14, 256), (40, 24), (10_000, 8))


class Follow:
    """Layers from one on, as far as they fit onto a board.

    Attributes:
        exact: Whether all combinations were followed.
    """

    def __init__(
        self, streams: Streams, room: Takes, start: int, choices: Callable[[int], tuple[Choice, ...]]
    ) -> None:
        """Follow nothing yet."""
        self._streams, self._room, self._start, self._choices = streams, room, start, choices
        self._rows: list[dict[Open, Sums]] = []
        self.exact = True

    def reaches(self, end: int) -> int:
        """Return the end that the layers reach on the way to ``end``."""
        most = next(sums for layers, sums in MOST_SUMS if self._streams.layers <= layers)
        none: dict[Open, Sums] = {self._streams.none(self._start): np.zeros((1, len(self._room)), np.int64)}
        before = self._rows[-1] if self._rows else none
        for at in range(self._start + len(self._rows), end):
            before = self._further(at, before, most)
            if not before:
                break
            self._rows.append(before)
        return min(end, self._start + len(self._rows))

    def _further(self, at: int, before: dict[Open, Sums], most: int) -> dict[Open, Sums]:
        room, found = np.array(self._room), dict[Open, list[Sums]]()
        for choice in self._choices(at):
            for words, sums in before.items():
                behind = self._streams.behind(at, words, choice)
                if behind is None:
                    continue
                totals = sums + np.array(choice.takes)
                fitting = totals[(totals <= room).all(axis=1)]
                if len(fitting):
                    found.setdefault(behind, []).append(fitting)
        return {words: self._fewer(np.concatenate(sums), most) for words, sums in found.items()}

    def _fewer(self, sums: Sums, most: int) -> Sums:
        kept = least(sums)
        if len(kept) <= most:
            return kept
        self.exact = False
        by_luts = np.unique(kept, axis=0)  # from few LUTs and much memory to the reverse
        return by_luts[np.arange(most) * (len(by_luts) - 1) // (most - 1)]

    def foldings(self, end: int) -> tuple[Choice, ...]:
        """Return the combination that takes the smallest share of the board."""
        words, total = min(
            (
                (words, one)
                for words, sums in self._rows[end - 1 - self._start].items()
                for one in _takes(sums)
            ),
            key=lambda pair: (share(pair[1], self._room), pair),
        )
        chosen: list[Choice] = []
        for at in range(end - 1, self._start - 1, -1):
            choice, words, total = next(self._came(at, words, total))
            chosen.append(choice)
        return tuple(reversed(chosen))

    def _came(self, at: int, behind: Open, total: Takes) -> Iterator[tuple[Choice, Open, Takes]]:
        """Return the foldings by which a sum was made, and the words and the sum before."""
        none: dict[Open, Sums] = {self._streams.none(at): np.zeros((1, len(total)), np.int64)}
        earlier = self._rows[at - 1 - self._start] if at > self._start else none
        known = {words: set(_takes(sums)) for words, sums in earlier.items()}
        for choice in self._choices(at):
            rest = tuple(a - b for a, b in zip(total, choice.takes, strict=True))
            for words, sums in known.items():
                if rest in sums and self._streams.behind(at, words, choice) == behind:
                    yield choice, words, rest


def _takes(sums: Sums) -> list[Takes]:
    return [tuple(row) for row in sums.tolist()]
