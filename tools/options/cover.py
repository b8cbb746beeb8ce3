# SPDX-License-Identifier: BSD-3-Clause
"""Few combinations that have every value, or every pair of values, of several factors."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Choice = dict[str, Any]
_DRAWS, _TRIES = 40, 12


def each_value(factors: Mapping[str, tuple[Any, ...]]) -> Iterator[Choice]:
    """Yield combinations that have each value of each factor at least once."""
    for row in range(max(map(len, factors.values()), default=0)):
        yield {name: values[row % len(values)] for name, values in factors.items()}


def each_pair(
    factors: Mapping[str, tuple[Any, ...]], seed: int, fits: Callable[[Choice], bool] = lambda _: True
) -> Iterator[Choice]:
    """Yield combinations that have each pair of values of two factors at least once.

    Args:
        fits: Tells whether a combination can be had at all; a pair that none of several has is left out.
    """
    drawn = random.Random(seed)
    names = list(factors)
    left = {
        ((a, i), (b, j))
        for a, b in itertools.combinations(names, 2)
        for i in range(len(factors[a]))
        for j in range(len(factors[b]))
    }
    while left:
        pair = drawn.choice(sorted(left))
        rows = []
        for _ in range(_DRAWS):
            row = {name: drawn.randrange(len(factors[name])) for name in names} | dict(pair)
            rows.append((len(_pairs(names, row) & left), sorted(row.items())))
        rows.sort(reverse=True)
        for _, items in rows[:_TRIES]:
            choice = {name: factors[name][index] for name, index in items}
            if fits(choice):
                left -= _pairs(names, dict(items))
                yield {name: choice[name] for name in names}
                break
        left.discard(pair)


def _pairs(names: list[str], row: Mapping[str, int]) -> set[tuple[tuple[str, int], tuple[str, int]]]:
    return {((a, row[a]), (b, row[b])) for a, b in itertools.combinations(names, 2)}
