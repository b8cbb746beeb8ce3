# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a search: foldings of a layer by time, and the least that they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shellgen.split.prune import needed
from shellgen.split.task import Choice, Hop, Kind, Task, within

Figures: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int64]

# Parts into which a weight of one is divided, by the number of resources that matter: 1, 25, 45 or 56 ways.
_PARTS = {0: 1, 1: 1, 2: 24, 3: 8, 4: 5}
_ROUNDED = 1e-9  # relative; sums of weighted resources are no whole numbers


@dataclass(frozen=True)
class LayerTable:
    """Foldings of a layer on a kind of board, fastest first, without those that do not fit alone.

    Attributes:
        choices: The foldings.
        seconds: Of each, shape (foldings,).
        least: The least weighted resources of the first n, shape (foldings, weights).
    """

    choices: tuple[Choice, ...]
    seconds: Figures
    least: Figures


class Tables:
    """All layers on a kind of board, with ways to weigh its resources against one another.

    A weighted sum tells two things. If the least sum of some layers is above that of the board, they do not
    fit. And the foldings with the least sum are those to try first.
    """

    def __init__(self, task: Task, number: int) -> None:
        """Prepare the tables of a kind of board."""
        kind = task.kinds[number]
        self.task, self.kind = task, kind
        self.weights = _weights(kind)
        self.most = bound_of(self.weights, np.array(kind.room))
        made: dict[int, LayerTable] = {}  # layers that are alike have the same choices, and one table
        for choices in kind.choices:
            if id(choices) not in made:
                made[id(choices)] = self._layer(kind, choices)
        self.layers = tuple(made[id(choices)] for choices in kind.choices)
        self._needed: dict[object, tuple[Choice, ...]] = {}

    def _layer(self, kind: Kind, choices: Sequence[Choice]) -> LayerTable:
        fitting = sorted(
            (one for one in choices if within(one.takes, kind.room)), key=lambda one: (one.cycles, one.number)
        )
        takes = np.array([one.takes for one in fitting], np.float64).reshape(-1, self.weights.shape[1])
        return LayerTable(
            tuple(fitting),
            np.array([kind.seconds(one) for one in fitting], np.float64),
            np.minimum.accumulate(takes @ self.weights.T, axis=0)
            if fitting
            else np.zeros((0, len(self.most))),
        )

    def fast(self, limit: float) -> Numbers:
        """Return for each layer how many foldings are fast enough, shape (layers,)."""
        return np.array([table.seconds.searchsorted(limit, side="right") for table in self.layers], np.int64)

    def farthest(self, fast: Numbers) -> Numbers:
        """Return for each layer a bound on where a board ends that begins with it, shape (layers + 1,)."""
        count = len(self.layers)
        least = np.array(
            [
                table.least[own - 1] if own else np.zeros(len(self.most))
                for table, own in zip(self.layers, fast, strict=True)
            ]
        ).reshape(count, len(self.most))
        before = np.vstack([np.zeros(len(self.most)), np.cumsum(least, axis=0)])
        found = np.full(count + 1, count, np.int64)
        for column, most in zip(before.T, self.most, strict=True):
            found = np.minimum(found, column.searchsorted(column + most, side="right") - 1)
        end = count
        for at in range(count - 1, -1, -1):  # no board goes beyond a layer that is too slow
            end = at if not fast[at] else end
            found[at] = min(found[at], end)
        return found

    def needed(self, layer: int, fast: Numbers) -> tuple[Choice, ...]:
        """Return the foldings of a layer that a cheapest split can need, `fast` of them being fast enough."""
        beside = self._beside[layer]
        around = [
            (hop.output, hop.input, hop.same, after, id(self.layers[other]), int(fast[other]))
            for hop, after, other in beside
        ]
        key = (id(self.layers[layer]), int(fast[layer]), *around)
        if key not in self._needed:
            words = [
                (
                    hop,
                    after,
                    sorted(
                        {_words(one, hop, not after) for one in self.layers[other].choices[: fast[other]]}
                    ),
                )
                for hop, after, other in beside
            ]
            self._needed[key] = needed(self.layers[layer].choices[: fast[layer]], words)
        return self._needed[key]

    @cached_property
    def _beside(self) -> list[list[tuple[Hop, bool, int]]]:
        """For each layer its streams to and from other layers, whether it reads them, and the other layer."""
        found: list[list[tuple[Hop, bool, int]]] = [[] for _ in self.layers]
        for hop in self.task.hops:
            if hop.producer >= 0 and hop.consumer < len(self.layers):
                found[hop.producer].append((hop, False, hop.consumer))
                found[hop.consumer].append((hop, True, hop.producer))
        return found


def bound_of(weights: Figures, room: Numbers) -> Figures:
    """Return the weighted sums of a full board, a little more as sums are rounded."""
    found: Figures = (weights * room).sum(axis=1) * (1 + _ROUNDED) + _ROUNDED
    return found


def _words(choice: Choice, hop: Hop, reads: bool) -> int:
    return choice.reads[hop.input] if reads else choice.writes[hop.output]


def tables_of(task: Task) -> tuple[Tables, ...]:
    """Return the tables of each kind of board; made once for a task and those that differ in numbers only."""
    if "tables" not in task.memo:
        task.memo["tables"] = tuple(Tables(task, number) for number in range(len(task.kinds)))
    found: tuple[Tables, ...] = task.memo["tables"]
    return found


def _weights(kind: Kind) -> Figures:
    """Return weights that make a full board one, or less where a resource is not there."""
    count = len(kind.room)
    used = [
        at for at in range(count) if any(one.takes[at] for choices in kind.choices for one in choices)
    ] or [0]
    parts = _PARTS[len(used)]
    rows = [row for row in product(range(parts + 1), repeat=len(used)) if sum(row) == parts]
    weights = np.zeros((len(rows), count))
    for column, at in enumerate(used):
        weights[:, at] = [row[column] / parts / max(kind.room[at], 1) for row in rows]
    return weights
