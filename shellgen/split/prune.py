# SPDX-License-Identifier: BSD-3-Clause
"""Foldings of which none is needless: not slower than a period, and not worse than another in every way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shellgen.split.task import Choice, Hop

Sums: TypeAlias = npt.NDArray[np.int64]  # a row for each combination of foldings, a column for each resource
Stands: TypeAlias = npt.NDArray[np.bool_]

_FEW = 2
_BLOCK = 64


def least(vectors: Sums) -> Sums:
    """Return the rows that no other is below, or equal to, in every resource; the first of equals.

    They come in ascending order of their sums.
    """
    return vectors[least_at(vectors)]


def least_at(vectors: Sums) -> Sums:
    """Return the numbers of these rows."""
    varies = np.flatnonzero((vectors != vectors[0]).any(axis=0))
    if len(varies) < _FEW:  # one of one column is below all others
        return np.array([np.argmin(vectors[:, varies[0]]) if len(varies) else 0])
    order = np.lexsort((*vectors.T[::-1], vectors.sum(axis=1)))
    columns = [vectors[order, column] for column in varies]
    kept: list[Sums] = []
    left = np.arange(len(order))
    while len(left):
        block, rest = left[:_BLOCK], left[_BLOCK:]
        # Of rows in this order, only an earlier one can be below, or equal to, a later one.
        needed = block[~np.triu(_below(columns, block, block), 1).any(axis=0)]
        kept.append(needed)
        left = rest[~_below(columns, needed, rest).any(axis=0)]
    return order[np.concatenate(kept)]


def _below(columns: Sequence[Sums], some: Sums, others: Sums) -> Stands:
    """Tell for each two rows whether one is below, or equal to, the other; a column at a time is fastest."""
    found: Stands = np.ones((len(some), len(others)), np.bool_)
    for column in columns:
        found &= column[some][:, None] <= column[others][None]
    return found


def needed(choices: Sequence[Choice], beside: Sequence[tuple[Hop, bool, list[int]]]) -> tuple[Choice, ...]:
    """Return the foldings of a layer that a cheapest split for a period can need.

    One folding makes another needless if it takes no more of anything and can stand beside all neighbours
    beside which the other can stand. ``beside`` has for each stream whether the layer reads it, and the words
    of the layer at the other end.
    """
    if not choices:
        return ()
    ranked = sorted(choices, key=lambda one: (sum(one.takes), one.takes, one.cycles, one.number))
    takes: Sums = np.array([one.takes for one in ranked], np.int64)
    no_worse = (takes[:, None] <= takes[None]).all(axis=2)
    for hop, after, words in beside:
        own = np.array([one.reads[hop.input] if after else one.writes[hop.output] for one in ranked])
        stands = _stands(own, np.array(words, np.int64), same=hop.same)
        for column in stands.T:
            no_worse &= column[:, None] | ~column[None]
    earlier = np.triu(np.ones_like(no_worse), 1)
    needless: Sums = np.flatnonzero((no_worse & (~no_worse.T | earlier)).any(axis=0))
    gone = set(needless.tolist())
    return tuple(one for at, one in enumerate(ranked) if at not in gone)


def _stands(own: Sums, others: Sums, *, same: bool) -> Stands:
    """Return beside which of the other words each word can stand: `fits_words` for arrays."""
    found: Stands = own[:, None] == others[None]
    return found if same else (own[:, None] % others[None] == 0) | (others[None] % own[:, None] == 0)
