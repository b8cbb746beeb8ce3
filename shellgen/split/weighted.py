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
from shellgen.split.tables import Figures, Numbers, Tables, bound_of
from shellgen.split.task import Choice

_Choices = Callable[[int], tuple[Choice, ...]]


class Moves(NamedTuple):
    """Ways through a layer, a row for each state behind it; rows are filled up with costly ways."""

    states: tuple[Open, ...]
    source: Numbers
    choice: Numbers
    beside: Figures  # 0, and infinite where a row is filled up
    takes: Numbers  # of each folding


class Minima(NamedTuple):
    """Least weighted sums of layers in a row.

    `end` is the number of layers that may fit, `sure` of those for which a least sum fits, `sums` the least
    of each weight. `takes` has the resources of these sums by state and weight, `trail` how each came about,
    if asked for.
    """

    end: int
    sure: int
    sums: Figures
    takes: Numbers
    trail: list[tuple[Numbers, Numbers]]


@dataclass(frozen=True)
class Verdict:
    """The verdict of weighted sums on layers on a board.

    Attributes:
        fits: Foldings are known that fit.
        end: The layers before this one may fit, with it they do not; the end that was asked for if unknown.
        sure: Foldings are known with which the layers before this one fit.
        foldings: Of each layer, those that take the smallest share of the board; none if not asked for.
    """

    fits: bool
    end: int
    sure: int = 0
    foldings: tuple[Choice, ...] = ()


class Weighted:
    """Weighted sums of the layers of a network on a kind of board."""

    def __init__(self, tables: Tables, streams: Streams) -> None:
        """Keep what is looked up; ways through a layer are kept from call to call."""
        self._tables, self._streams = tables, streams
        self._moves: dict[tuple[int, tuple[Open, ...], int], Moves | None] = {}
        self._kept: dict[int, tuple[Choice, ...]] = {}

    def verdict(self, start: int, end: int, choices: _Choices, *, foldings: bool = False) -> Verdict:
        """Follow the layers from ``start`` to ``end`` - 1, of which each has some choices."""
        room = np.array(self._tables.kind.room)
        ways, own = self.ways(start, end, choices)
        found = minima(ways, self._tables.weights, room, foldings=foldings)
        reached, sure = start + found.end, start + found.sure
        if reached < end or sure < end:
            return Verdict(fits=False, end=reached, sure=sure)
        fitting = (found.takes <= room).all(axis=2)
        shares = np.where(fitting, (found.takes / np.maximum(room, 1)).sum(axis=2), np.inf)
        best = divmod(int(shares.argmin()), len(self._tables.most))
        return Verdict(True, end, sure, _back(found.trail, *best, own))

    def ways(self, start: int, end: int, choices: _Choices) -> tuple[list[Moves], list[tuple[Choice, ...]]]:
        """Return the ways through each layer, as far as there are some, and the foldings that it has."""
        states: tuple[Open, ...] = (self._streams.none(start),)
        found: list[Moves] = []
        given: list[tuple[Choice, ...]] = []
        for at in range(start, end):
            own = choices(at)
            moves = self._through(at, states, own)
            if moves is None:
                break
            found.append(moves)
            given.append(own)
            states = moves.states
        return found, given

    def _through(self, at: int, before: tuple[Open, ...], choices: tuple[Choice, ...]) -> Moves | None:
        key = (self._streams.alike(at), before, id(choices))
        if key not in self._moves:
            self._kept[id(choices)] = choices  # so that no other has its number
            self._moves[key] = self._made(at, before, choices)
        return self._moves[key]

    def _made(self, at: int, before: Sequence[Open], choices: Sequence[Choice]) -> Moves | None:
        found = self._streams.moves(at, before, choices)
        if not found:
            return None
        most = max(map(len, found.values()))
        filled = [row + [(0, 0)] * (most - len(row)) for row in found.values()]
        pairs = np.array(filled, np.int64)
        lengths = np.array([len(row) for row in found.values()])
        takes = np.array([one.takes for one in choices], np.int64)
        beside = np.where(np.arange(most)[None] < lengths[:, None], 0.0, np.inf)
        return Moves(tuple(found), pairs[..., 0], pairs[..., 1], beside, takes)


def minima(ways: Sequence[Moves], weights: Figures, room: Numbers, *, foldings: bool = False) -> Minima:
    """Follow layers with some weights, as far as their least sums are not above those of the board."""
    bound, all_ = bound_of(weights, room), np.arange(len(weights))
    sums = np.zeros((1, len(weights)))
    takes = np.zeros((1, len(weights), len(room)), np.int64)
    trail: list[tuple[Numbers, Numbers]] = []
    sure = 0
    for at, moves in enumerate(ways):
        each = sums[moves.source] + (moves.takes @ weights.T)[moves.choice] + moves.beside[:, :, None]
        best = each.argmin(axis=1)
        rows = np.arange(len(best))[:, None]
        source, chosen = moves.source[rows, best], moves.choice[rows, best]
        sums = each[rows, best, all_]
        if (sums.min(axis=0) > bound).any():
            return Minima(at, sure, sums.min(axis=0), takes, trail)
        takes = takes[source, all_] + moves.takes[chosen]
        if (takes <= room).all(axis=2).any():
            sure = at + 1
        if foldings:
            trail.append((source, chosen))
    return Minima(len(ways), sure, sums.min(axis=0), takes, trail)


def _back(
    trail: Sequence[tuple[Numbers, Numbers]], state: int, weight: int, choices: Sequence[tuple[Choice, ...]]
) -> tuple[Choice, ...]:
    """Return the foldings that led to a sum."""
    found: list[Choice] = []
    for (source, chosen), own in zip(reversed(trail), reversed(choices), strict=bool(trail)):
        found.append(own[chosen[state, weight]])
        state = int(source[state, weight])
    return tuple(reversed(found))
