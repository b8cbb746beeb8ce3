# SPDX-License-Identifier: BSD-3-Clause
"""Layers in a row on one board where the first weighted sums do not tell whether they fit.

The least weighted sum is a concave function of the weights, so the weights that tell most are found by steps
that get smaller. If they do not tell either, sums of resources are followed from layer to layer; one that is
too large together with the least weighted sum of the layers behind it, for any of the weights, is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from shellgen.split.prune import Sums, least_at
from shellgen.split.tables import Figures, Numbers, bound_of
from shellgen.split.task import Choice, Takes, share
from shellgen.split.weighted import Moves, Verdict, minima

_STEPS = (1 / 8, 1 / 24, 1 / 72, 1 / 216)
_KEPT = 24  # weights with which sums are left out
# Sums for one width of words: a few at first, which mostly find foldings that fit, then more; if more than
# the last are needed, the result is not called exact.
_SUMS = (16, 64, 400)


@dataclass(frozen=True)
class _Row:
    """Sums behind a layer, by state; for each the sum before it and the folding."""

    sums: list[Sums]
    before: list[Numbers]
    source: list[Numbers]
    choice: list[Numbers]


class Narrow:
    """The layers that a verdict of weighted sums leaves open."""

    def __init__(self, moves: Sequence[Moves], room: Takes, weights: Figures) -> None:
        """Take the ways through the layers, and the weights that did not tell."""
        self._moves, self._room = moves, np.array(room)
        self._weights = weights

    def verdict(self, start: int, choices: Sequence[tuple[Choice, ...]]) -> tuple[Verdict, bool]:
        """Return whether layers from ``start`` on fit, and whether this is certain."""
        told = self._refined()
        if told is not None:
            return Verdict(fits=False, end=start + told), True
        behind = self._behind()
        for most in _SUMS:
            rows, whole = self._followed(behind, most)
            if len(rows) == len(self._moves):
                end = start + len(rows)
                return Verdict(True, end, end, self._back(rows, choices)), True
            if whole:
                break
        # Sums were left out for what the last layers take, so without the last one all others may fit.
        return Verdict(fits=False, end=start + len(self._moves) - 1), whole

    def _refined(self) -> int | None:
        """Look for weights that tell more; return the layers that may fit if some tell that not all do."""
        used = np.flatnonzero(self._weights.any(axis=0))
        scale = 1 / np.maximum(self._room, 1)
        shares = self._weights / scale  # of a full board
        for step in _STEPS:
            found = minima(self._moves, shares * scale, self._room)
            if found.end < len(self._moves):
                return found.end
            order = np.argsort(-found.sums)
            centre = shares[order[0]]
            around = [
                np.array(row, np.float64) * step
                for row in product((-1, 0, 1), repeat=len(used) - 1)
                if any(row)
            ]
            moved = np.tile(centre, (len(around), 1))
            for row, own in zip(moved, around, strict=True):
                row[used[:-1]] += own
                row[used[-1]] -= own.sum()
            moved = np.maximum(moved, 0)
            shares = np.vstack([shares[order[:_KEPT]], moved / moved.sum(axis=1, keepdims=True)])
        self._weights = shares * scale
        found = minima(self._moves, self._weights, self._room)
        return found.end if found.end < len(self._moves) else None

    def _behind(self) -> list[Figures]:
        """Return the least weighted sums of the layers behind each, by state; (states, weights)."""
        last = self._moves[-1]
        found = [np.zeros((len(last.states), len(self._weights)))]
        for earlier, moves in zip(self._moves[-2::-1], self._moves[:0:-1], strict=True):
            own = (moves.takes @ self._weights.T)[moves.choice]
            ways = own + moves.beside[:, :, None] + found[-1][:, None]
            before = np.full((len(earlier.states), len(self._weights)), np.inf)
            np.minimum.at(before, moves.source.ravel(), ways.reshape(-1, ways.shape[2]))
            found.append(before)
        return found[::-1]

    def _followed(self, behind: Sequence[Figures], most: int) -> tuple[list[_Row], bool]:
        """Follow sums as far as there are some; tell whether none that could fit was left out."""
        bound, whole = bound_of(self._weights, self._room), True
        rows: list[_Row] = []
        sums: list[Sums] = [np.zeros((1, len(self._room)), np.int64)]
        for moves, rest in zip(self._moves, behind, strict=True):
            row = _Row([], [], [], [])
            for state in range(len(moves.states)):
                ways = np.flatnonzero(np.isfinite(moves.beside[state]))
                sources, chosen = moves.source[state, ways], moves.choice[state, ways]
                counts = [len(sums[one]) for one in sources]
                totals = np.concatenate(
                    [sums[one] + moves.takes[own] for one, own in zip(sources, chosen, strict=True)]
                )
                places = np.concatenate([np.arange(count) for count in counts])
                sources, chosen = np.repeat(sources, counts), np.repeat(chosen, counts)
                weighted = totals @ self._weights.T + rest[state]
                may = (weighted <= bound).all(axis=1) & (totals <= self._room).all(axis=1)
                keep = np.flatnonzero(may)
                if len(keep):
                    keep = keep[least_at(totals[keep])]
                    if len(keep) > most:
                        whole = False
                        tight = (weighted[keep] / bound).max(axis=1)
                        keep = keep[np.argsort(tight, kind="stable")[:most]]
                row.sums.append(totals[keep])
                row.before.append(places[keep])
                row.source.append(sources[keep])
                row.choice.append(chosen[keep])
            if not any(map(len, row.sums)):
                return rows, whole
            rows.append(row)
            sums = row.sums
        return rows, whole

    def _back(self, rows: Sequence[_Row], choices: Sequence[tuple[Choice, ...]]) -> tuple[Choice, ...]:
        """Return the foldings of the sum that takes the smallest share of the board."""
        room = tuple(self._room.tolist())
        _, state, place = min(
            (share(tuple(one), room), state, place)
            for state, sums in enumerate(rows[-1].sums)
            for place, one in enumerate(sums.tolist())
        )
        found: list[Choice] = []
        for row, own in zip(reversed(rows), reversed(choices), strict=True):
            found.append(own[row.choice[state][place]])
            state, place = int(row.source[state][place]), int(row.before[state][place])
        return tuple(reversed(found))
