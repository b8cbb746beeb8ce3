# SPDX-License-Identifier: BSD-3-Clause
"""The search of `split` against all solutions of small tasks."""

from __future__ import annotations

import random
from math import isclose

import pytest
from split_cases import brute_force, chain

from shellgen.split.search import fastest, for_rate, least_traffic
from shellgen.split.task import Found, Task, measured, within


def check(task: Task, found: Found) -> None:
    """A split is what it says, uses boards that are there, and fits."""
    again = measured(task, found.parts)
    assert (again.seconds, again.traffic) == (found.seconds, found.traffic)
    assert [layer for part in found.parts for layer in part.layers] == list(range(len(task.layers)))
    for number, kind in enumerate(task.kinds):
        parts = [part for part in found.parts if part.kind == number]
        assert len(parts) <= kind.count
        for part in parts:
            assert within(part.takes, kind.room)
            of = dict(zip(part.layers, part.choices, strict=True))
            assert all(
                hop.joins(of[hop.producer], of[hop.consumer])
                for hop in task.hops
                if hop.producer in of and hop.consumer in of
            )


def compare(task: Task) -> bool:
    """Compare each goal with all solutions; tell whether there is one."""
    every = brute_force(task)
    found = fastest(task)
    assert (found is None) == (not every)
    if found is None:
        return False
    check(task, found)
    assert found.exact
    best = min(one.seconds for one in every)
    assert isclose(found.seconds, best)
    fitting = [one for one in every if one.seconds <= best * (1 + 1e-9)]
    fewest = min(len(one.parts) for one in fitting)
    assert len(found.parts) == fewest
    assert found.traffic == min(one.traffic for one in fitting if len(one.parts) == fewest)
    slower = sorted({one.seconds for one in every})[len({one.seconds for one in every}) // 2]
    given = for_rate(task, slower)
    assert given is not None
    check(task, given)
    assert len(given.parts) == min(len(one.parts) for one in every if one.seconds <= slower)
    whole = brute_force(task, all_boards=True)
    quiet = least_traffic(task)
    assert (quiet is None) == (not whole)
    if quiet is not None:
        check(task, quiet)
        assert quiet.traffic == min(one.traffic for one in whole)
        assert isclose(quiet.seconds, min(one.seconds for one in whole if one.traffic == quiet.traffic))
    return True


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(60, 800), marks=pytest.mark.sweep)], ids=["few", "many"]
)
def test_chains_equal_brute_force(seeds: range) -> None:
    solved = 0
    for seed in seeds:
        rng = random.Random(seed)
        solved += compare(chain(rng, rng.randint(2, 6), rng.randint(1, 4)))
    assert solved > len(seeds) // 3
