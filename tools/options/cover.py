# SPDX-License-Identifier: BSD-3-Clause
"""Few combinations that have every value, or every pair of values, of several factors."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from typing import Any

Choice = dict[str, Any]
_DRAWS = 40


def each_value(factors: Mapping[str, tuple[Any, ...]]) -> Iterator[Choice]:
    """Yield combinations that have each value of each factor at least once."""
    for row in range(max(map(len, factors.values()), default=0)):
        yield {name: values[row % len(values)] for name, values in factors.items()}


def each_pair(factors: Mapping[str, tuple[Any, ...]], seed: int) -> Iterator[Choice]:
    """Yield combinations that have each pair of values of two factors at least once."""
    drawn = random.Random(seed)
    names = list(factors)
    left = {
        ((a, i), (b, j))
        for a, b in itertools.combinations(names, 2)
        for i in range(len(factors[a]))
        for j in range(len(factors[b]))
    }
    while left:
        rows, pool = [], sorted(left)
        for _ in range(_DRAWS):
            (a, i), (b, j) = drawn.choice(pool)
            row = {name: drawn.randrange(len(factors[name])) for name in names} | {a: i, b: j}
            rows.append((len(_pairs(names, row) & left), sorted(row.items())))
        best = dict(max(rows)[1])
        left -= _pairs(names, best)
        yield {name: factors[name][index] for name, index in best.items()}


def _pairs(names: list[str], row: Mapping[str, int]) -> set[tuple[tuple[str, int], tuple[str, int]]]:
    return {((a, row[a]), (b, row[b])) for a, b in itertools.combinations(names, 2)}
