# SPDX-License-Identifier: BSD-3-Clause
"""The search of `split` against all solutions of small tasks."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf, isclose

import pytest
from split_cases import boards_of, brute_force, chain, divided, fits, graph, linked, shortest_period
from split_networks import network
from split_program import Program, sideways

from shellgen.read import read_board
from shellgen.split import Desk, Stock, Wanted
from shellgen.split.chain import Chain
from shellgen.split.follow import Follow
from shellgen.split.narrow import Narrow
from shellgen.split.search import REPLICAS_BRING, fastest, for_rate, least_traffic, periods
from shellgen.split.streams import Streams
from shellgen.split.tables import tables_of
from shellgen.split.task import Found, Part, Task, measured
from shellgen.split.weighted import Weighted


def check(task: Task, found: Found) -> None:
    """A split is what it says, uses boards that are there, and fits."""
    again = measured(task, found.parts)
    assert (again.seconds, again.traffic) == (found.seconds, found.traffic)
    assert [layer for part in found.parts for layer in part.layers] == list(range(len(task.layers)))
    for number, kind in enumerate(task.kinds):
        parts = [part for part in found.parts if part.kind == number]
        assert boards_of(tuple(parts)) <= kind.count
        assert all(fits(task, part) for part in parts)
    for piece in found.pieces:
        of = dict(zip(piece.layers, piece.choices, strict=True))
        assert all(
            hop.joins(of[hop.producer], of[hop.consumer])
            for hop in task.hops
            if hop.producer in of and hop.consumer in of
        )
        regions = task.kinds[piece.kind].regions
        assert piece.region in (range(len(regions)) if regions else (None,))
    for part in found.parts:
        numbers = [region for region, _ in part.regions]
        assert len(numbers) == len(set(numbers))


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


@pytest.mark.parametrize("make", [chain, graph])
@pytest.mark.parametrize(
    "seeds", [range(25), pytest.param(range(25, 400), marks=pytest.mark.sweep)], ids=["few", "many"]
)
def test_replicas_equal_brute_force(seeds: range, make: Callable[[random.Random, int, int], Task]) -> None:
    """They are taken where they bring more than a tenth; for a given rate, where they save boards."""
    taken = {True: 0, False: 0}
    for seed in seeds:
        rng = random.Random(seed)
        alone = make(rng, rng.randint(2, 4), rng.randint(2, 4))
        task = replace(alone, replicas=3)
        every, found = brute_force(task), fastest(task)
        assert (found is None) == (not every)
        if found is None:
            continue
        check(task, found)
        best = min(one.seconds for one in every)
        plain = min(one.seconds for one in every if all(part.replicas == 1 for part in one.parts))
        worth = best * REPLICAS_BRING < plain
        wanted = best if worth else plain
        assert isclose(found.seconds, wanted)
        taken[any(part.replicas > 1 for part in found.parts)] += 1
        assert worth or all(part.replicas == 1 for part in found.parts)
        given = for_rate(task, wanted)
        assert given is not None
        check(task, given)
        fitting = [one for one in every if one.seconds <= wanted * (1 + 1e-9)]
        cheapest = min((boards_of(one.parts), -len(one.parts), one.traffic) for one in fitting)
        assert (boards_of(given.parts), -len(given.parts), given.traffic) == cheapest
    assert min(taken.values()) > len(seeds) // 10


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(60, 800), marks=pytest.mark.sweep)], ids=["few", "many"]
)
def test_graphs_equal_brute_force(seeds: range) -> None:
    """Cuts go through branches, and streams pass boards by."""
    solved = 0
    for seed in seeds:
        rng = random.Random(seed)
        solved += compare(graph(rng, rng.randint(2, 6), rng.randint(1, 4)))
    assert solved > len(seeds) // 4


@pytest.mark.parametrize("make", [chain, graph])
@pytest.mark.parametrize(
    "seeds", [range(25), pytest.param(range(25, 500), marks=pytest.mark.sweep)], ids=["few", "many"]
)
def test_regions_equal_brute_force(seeds: range, make: Callable[[random.Random, int, int], Task]) -> None:
    """Boards with two or three regions: every cut onto regions in every order was tried."""
    solved = used = 0
    for seed in seeds:
        rng = random.Random(seed)
        task = divided(rng, make(rng, rng.randint(2, 5), rng.randint(1, 2)))
        solved += compare(task)
        found = fastest(task)
        used += found is not None and any(len(part.regions) > 1 for part in found.parts)
    assert solved > len(seeds) // 4
    assert used > len(seeds) // 10


@pytest.mark.parametrize("make", [chain, graph])
@pytest.mark.parametrize(
    "seeds", [range(25), pytest.param(range(25, 500), marks=pytest.mark.sweep)], ids=["few", "many"]
)
def test_rates_by_pairs_equal_brute_force(
    seeds: range, make: Callable[[random.Random, int, int], Task]
) -> None:
    """Links whose rate depends on the boards at both ends; with the slowest for all, boards are slower."""
    solved = better = 0
    for seed in seeds:
        rng = random.Random(seed)
        task = linked(rng, make(rng, rng.randint(2, 5), rng.randint(2, 4)))
        solved += compare(task)
        found, slow = fastest(task), fastest(replace(task, links=None))
        better += found is not None and (slow is None or found.seconds < slow.seconds * (1 - 1e-9))
    assert solved > len(seeds) // 4
    assert better > len(seeds) // 10


def same(one: Found, other: Found) -> bool:
    """Whether two splits are equally good in every respect."""
    return (
        isclose(one.seconds, other.seconds)
        and boards_of(one.parts) == boards_of(other.parts)
        and len(one.parts) == len(other.parts)
        and one.traffic == other.traffic
    )


@pytest.mark.parametrize(
    ("make", "replicas", "regions", "seeds"),
    [
        (chain, 1, False, range(15)),
        (graph, 3, False, range(6)),
        pytest.param(graph, 3, False, range(6, 15), marks=pytest.mark.sweep),
        (chain, 2, True, range(4)),
        pytest.param(chain, 2, True, range(4, 12), marks=pytest.mark.sweep),
        pytest.param(chain, 1, False, range(15, 515), marks=pytest.mark.sweep),
        pytest.param(chain, 3, False, range(100), marks=pytest.mark.sweep),
        pytest.param(graph, 1, False, range(15, 315), marks=pytest.mark.sweep),
        pytest.param(graph, 2, True, range(40), marks=pytest.mark.sweep),
    ],
)
def test_an_integer_program_finds_the_same(
    make: Callable[[random.Random, int, int], Task], replicas: int, regions: bool, seeds: range
) -> None:
    """HiGHS cuts as the search does: period, boards, replicas and traffic are equal."""
    solved = 0
    for seed in seeds:
        rng = random.Random(seed)
        task = replace(make(rng, rng.randint(2, 9), rng.randint(1, 4)), replicas=replicas)
        if regions:
            task = divided(rng, task)
        found, other = fastest(task), fastest(task, Program)
        assert (found is None) == (other is None), seed
        if found and other:
            assert same(found, other), seed
            solved += 1
    assert solved > len(seeds) // 5


@pytest.mark.sweep
def test_larger_graphs() -> None:
    """200 graphs of up to 14 layers on 2 to 4 boards, every cut and every folding tried.

    Partitions that are no ranges in network order are seldom faster: HiGHS tells how often.
    """
    solved = sideways_better = seed = 0
    while solved < 200:
        seed += 1
        rng = random.Random(seed)
        task = graph(rng, rng.randint(8, 14), rng.randint(2, 4), most=2)
        roomy = [replace(kind, room=tuple(3 * one for one in kind.room)) for kind in task.kinds]
        task = replace(task, kinds=tuple(roomy))
        found, best = fastest(task), shortest_period(task)
        assert (found is None) == (best == inf), seed
        if found is None:
            continue
        assert isclose(found.seconds, best), seed
        solved += 1
        other = fastest(task, sideways)
        assert other is not None
        assert other.seconds <= found.seconds * (1 + 1e-9)
        sideways_better += other.seconds < found.seconds * (1 - 1e-9)
    assert 0 < sideways_better < 50


@pytest.mark.parametrize("make", [chain, graph])
@pytest.mark.parametrize(
    "seeds", [range(30), pytest.param(range(30, 600), marks=pytest.mark.sweep)], ids=["few", "many"]
)
def test_sums_that_are_cut_off_are_not_missed(
    seeds: range, make: Callable[[random.Random, int, int], Task]
) -> None:
    """Layers fit by better weights and few sums where they fit by all sums of resources, and only there."""
    verdicts = {True: 0, False: 0}
    for seed in seeds:
        rng = random.Random(seed)
        task = make(rng, rng.randint(4, 9), 1)
        tight = [replace(kind, room=tuple(2 * one for one in kind.room)) for kind in task.kinds]
        task = replace(task, kinds=tuple(tight))
        (tables, *_), streams = tables_of(task), Streams(task)
        fast = tables.fast(inf)
        weighted, choices = Weighted(tables, streams), partial(tables.needed, fast=fast)
        for start in range(len(task.layers) - 2):
            follow = Follow(streams, task.kinds[0].room, start, choices)
            reached = follow.reaches(len(task.layers))
            for end in range(start + 2, len(task.layers) + 1):
                ways, own = weighted.ways(start, end, choices)
                if len(ways) < end - start:
                    continue
                told, certain = Narrow(ways, task.kinds[0].room, tables.weights).verdict(start, own)
                assert certain
                assert told.fits == (reached >= end)
                assert told.end >= min(reached, end)
                verdicts[told.fits] += 1
                if told.fits:
                    part = Part(0, tuple(range(start, end)), told.foldings)
                    assert fits(task, part)
                    of = dict(zip(part.layers, part.choices, strict=True))
                    inner = [hop for hop in task.hops if {hop.producer, hop.consumer} <= of.keys()]
                    assert all(hop.joins(of[hop.producer], of[hop.consumer]) for hop in inner)
    assert min(verdicts.values()) > len(seeds)


def test_a_long_chain_is_cut_exactly() -> None:
    """Bounds and weighted sums decide for 60 layers on six boards, with replicas; no sum is left out."""
    net = network(*((64, 48, 96, 32, 120)[at % 5] for at in range(31)), vectors=16)
    stock = Stock("zedboard", read_board("zedboard"), 6)
    task = Desk.of([stock], {net.part: net}, Wanted(replicas=6)).task()
    found, alone = fastest(task), fastest(task.with_replicas(1))
    assert found is not None
    assert alone is not None
    check(task, found)
    assert found.exact
    assert alone.exact
    assert found.seconds * REPLICAS_BRING < alone.seconds
    shorter = max(one for one in periods(task) if one < found.seconds * (1 - 1e-9))
    assert not Chain(task, shorter).is_possible()
