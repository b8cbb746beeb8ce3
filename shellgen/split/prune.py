# SPDX-License-Identifier: BSD-3-Clause
"""Foldings of which none is needless: not slower than a period, and not worse than another in every way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shellgen.split.task import SLACK, Choice, Hop, Kind, Takes, Task, fits_words

Sums: TypeAlias = npt.NDArray[np.int64]  # a row for each combination of foldings, a column for each resource

_FEW = 2
_BLOCK = 64


def least(vectors: Sums) -> Sums:
    """Return the rows that no other is below, or equal to, in every resource; the first of equals.

    They come in ascending order of their sums.
    """
    varies = np.flatnonzero((vectors != vectors[0]).any(axis=0))
    if len(varies) < _FEW:  # one of one column is below all others
        return vectors[[np.argmin(vectors[:, varies[0]])]] if len(varies) else vectors[:1]
    order = np.lexsort((*vectors.T[::-1], vectors.sum(axis=1)))
    rows = vectors[order][:, varies]
    kept: list[int] = []
    left = np.arange(len(rows))
    while len(left):
        block = left[:_BLOCK]
        # Of rows in this order, only an earlier one can be below, or equal to, a later one.
        below = (rows[block][:, None] <= rows[block][None]).all(axis=2)
        needed = block[~np.triu(below, 1).any(axis=0)]
        kept += needed.tolist()
        rest = left[_BLOCK:]
        for at in needed:
            rest = rest[(rows[rest] < rows[at]).any(axis=1)]
        left = rest
    return vectors[order[kept]]


def _below(one: Takes, other: Takes) -> bool:
    for a, b in zip(one, other):  # noqa: B905, SIM110 - the innermost loop of the search
        if a > b:
            return False
    return True


def candidates(task: Task, kind: Kind, seconds: float) -> list[list[Choice]]:
    """Return the foldings of each layer that a cheapest split for this period can need.

    One folding makes another needless if it takes no more of anything and can stand beside all neighbours
    beside which the other can stand. In an empty list no folding of the layer is fast enough, or fits.
    """
    limit = seconds * (1 + SLACK)
    fast = [
        [choice for choice in choices if kind.seconds(choice) <= limit and _below(choice.takes, kind.room)]
        for choices in kind.choices
    ]
    last = len(task.layers)
    beside: list[list[tuple[Hop, int, list[int]]]] = [[] for _ in task.layers]
    for hop in task.hops:
        if hop.producer >= 0 and hop.consumer < last:
            reads = sorted({choice.reads[hop.input] for choice in fast[hop.consumer]})
            writes = sorted({choice.writes[hop.output] for choice in fast[hop.producer]})
            beside[hop.producer].append((hop, 0, reads))
            beside[hop.consumer].append((hop, 1, writes))
    return [_needed(choices, beside[layer]) for layer, choices in enumerate(fast)]


def _needed(choices: Sequence[Choice], beside: Sequence[tuple[Hop, int, list[int]]]) -> list[Choice]:
    known: dict[tuple[int, int, int], int] = {}

    def stands(choice: Choice) -> tuple[int, ...]:
        """Return the neighbours' words beside which it can stand, as bits of a number for each stream."""
        found = []
        for place, (hop, after, words) in enumerate(beside):
            own = choice.reads[hop.input] if after else choice.writes[hop.output]
            key = (place, own, after)
            if key not in known:
                known[key] = sum(
                    fits_words(other, own, hop.same) << bit
                    if after
                    else fits_words(own, other, hop.same) << bit
                    for bit, other in enumerate(words)
                )
            found.append(known[key])
        return tuple(found)

    groups: dict[tuple[int, ...], list[Choice]] = {}
    for choice in sorted(choices, key=lambda one: (sum(one.takes), one.takes, one.cycles, one.number)):
        kept = groups.setdefault(stands(choice), [])
        if not any(_below(other.takes, choice.takes) for other in kept):
            kept.append(choice)
    ranked = [(choice, signature) for signature, kept in groups.items() for choice in kept]
    return [
        choice
        for choice, own in ranked
        if not any(
            signature != own
            and all(mask & mine == mine for mask, mine in zip(signature, own, strict=True))
            and _below(other.takes, choice.takes)
            for other, signature in ranked
        )
    ]
