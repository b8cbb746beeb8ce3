# SPDX-License-Identifier: BSD-3-Clause
"""Layers in a row on one board, by weighted sums of resources: whether they surely fit, or surely do not.

For each way to weigh resources against one another, a dynamic program over the layers finds the foldings with
the least sum, exactly. If a least sum is more than a board has, nothing fits. If one of the foldings fits, it
is an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shellgen.split.streams import Open, Streams
from shellgen.split.tables import Figures, Numbers, Tables
from shellgen.split.task import Choice

_Choices = Callable[[int], tuple[Choice, ...]]


class _Moves(NamedTuple):
    """Ways through a layer, a row for each state behind it; rows are filled up with costly ways."""

    states: tuple[Open, ...]
    source: Numbers
    choice: Numbers
    beside: Figures  # 0, and infinite where a row is filled up
    sums: Figures
    takes: Numbers


@dataclass(frozen=True)
class Verdict:
    """What weighted sums tell of layers on a board.

    Attributes:
        fits: Foldings are known that fit.
        end: The layers before this one may fit, with it they do not; the end that was asked for if unknown.
        foldings: Of each layer, those that take the smallest share of the board; none if not asked for.
    """

    fits: bool
    end: int
    foldings: tuple[Choice, ...] = ()


class Weighted:
    """Weighted sums of the layers of a network on a kind of board."""

    def __init__(self, tables: Tables, streams: Streams) -> None:
        """Keep what is looked up; ways through a layer are kept from call to call."""
        self._tables, self._streams = tables, streams
        self._moves: dict[tuple[int, tuple[Open, ...], int], _Moves | None] = {}
        self._kept: dict[int, tuple[Choice, ...]] = {}
        self._all = np.arange(len(tables.most))

    def verdict(self, start: int, end: int, choices: _Choices, *, foldings: bool = False) -> Verdict:
        """Follow the layers from ``start`` to ``end`` - 1, of which each has some choices."""
        room = np.array(self._tables.kind.room)
        states: tuple[Open, ...] = (self._streams.none(start),)
        sums = np.zeros((1, len(self._all)))
        takes = np.zeros((1, len(self._all), len(room)), np.int64)
        trail: list[tuple[Numbers, Numbers, tuple[Choice, ...]]] = []
        for at in range(start, end):
            own = choices(at)
            moves = self._through(at, states, own)
            if moves is None:
                return Verdict(fits=False, end=at)
            ways = sums[moves.source] + moves.sums[moves.choice] + moves.beside[:, :, None]
            best = ways.argmin(axis=1)
            rows = np.arange(len(best))[:, None]
            source, chosen = moves.source[rows, best], moves.choice[rows, best]
            sums = ways[rows, best, self._all]
            if (sums.min(axis=0) > self._tables.most).any():
                return Verdict(fits=False, end=at)
            takes = takes[source, self._all] + moves.takes[chosen]
            states = moves.states
            if foldings:
                trail.append((source, chosen, own))
        fitting = (takes <= room).all(axis=2)
        if not fitting.any():
            return Verdict(fits=False, end=end)
        shares = np.where(fitting, (takes / np.maximum(room, 1)).sum(axis=2), np.inf)
        return Verdict(fits=True, end=end, foldings=_back(trail, int(shares.argmin()), len(self._all)))

    def _through(self, at: int, before: tuple[Open, ...], choices: tuple[Choice, ...]) -> _Moves | None:
        key = (at, before, id(choices))
        if key not in self._moves:
            self._kept[id(choices)] = choices  # so that no other has its number
            self._moves[key] = self._made(at, before, choices)
        return self._moves[key]

    def _made(self, at: int, before: Sequence[Open], choices: Sequence[Choice]) -> _Moves | None:
        found = self._streams.moves(at, before, choices)
        if not found:
            return None
        most = max(map(len, found.values()))
        filled = [row + [(0, 0)] * (most - len(row)) for row in found.values()]
        pairs = np.array(filled, np.int64)
        lengths = np.array([len(row) for row in found.values()])
        takes = np.array([one.takes for one in choices], np.int64)
        beside = np.where(np.arange(most)[None] < lengths[:, None], 0.0, np.inf)
        return _Moves(
            tuple(found), pairs[..., 0], pairs[..., 1], beside, takes @ self._tables.weights.T, takes
        )


def _back(
    trail: Sequence[tuple[Numbers, Numbers, tuple[Choice, ...]]], best: int, weights: int
) -> tuple[Choice, ...]:
    """Return the foldings that led to a sum."""
    state, weight = divmod(best, weights)
    found: list[Choice] = []
    for source, chosen, own in reversed(trail):
        found.append(own[chosen[state, weight]])
        state = int(source[state, weight])
    return tuple(reversed(found))
