# SPDX-License-Identifier: BSD-3-Clause
"""The engine of `estimate` against closed forms, and against SimPy on drawn systems and plans."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from drawn_plans import KINDS, drawn
from fake_network import chain as chain_of
from fake_network import partition, plan_of, spec
from simpy_system import simulated

from shellgen.estimate.cluster import networks_of, system_of
from shellgen.estimate.engine import Channel, DeadlockError, Stage, System, Timeline, Window, run
from shellgen.estimate.engine.arcs import arcs_of, levels, stride_of
from shellgen.estimate.noise import Noise, disturbed

FRAMES = 30


def chain(*periods: float, room: int | None = None) -> System:
    stages = tuple(Stage(f"s{number}", period) for number, period in enumerate(periods))
    channels = tuple(Channel(one.name, two.name, room) for one, two in pairwise(stages))
    return System(stages, channels)


def agree(system: System, frames: int = FRAMES) -> Timeline:
    expected = simulated(system, frames)
    assert expected is not None
    found = run(system, frames)
    for row, name in enumerate(found.names):
        times = np.array(expected[name])
        for which, held in enumerate((found.start, found.finish, found.leave)):
            np.testing.assert_array_equal(
                held[row], times[:, which], err_msg=f"{name}, moment {which}\n{system}"
            )
    return found


def test_closed_forms() -> None:
    found = agree(chain(3, 7, 2))
    assert found.leave[2, 0] == 3 + 7 + 2
    assert found.period("s2") == 7
    # One frame at the slow stage, one in the buffer, one that waits for a place there.
    found = agree(chain(1, 10, room=1))
    assert list(found.start[0, :5]) == [0, 1, 2, 11, 21]
    # One frame in flight: all times add up.
    one = chain(3, 7, 2)
    found = agree(System(one.stages, one.channels, (Window("s0", "s2", 1),)))
    assert found.period("s2") == 12
    found = agree(System(one.stages, one.channels, (Window("s0", "s2", 2),)))
    assert found.period("s2") == 7
    # Three of a stage in parallel, then two of three frames to one of two.
    fast = System((Stage("a", 1), Stage("b", 9, replicas=(0, 1, 2)), Stage("c", 1)), one_after("a", "b", "c"))
    assert agree(fast).period("c") == pytest.approx(3, rel=0.2)
    share = System((Stage("a", 1), Stage("b", 6, replicas=(0, 0, 1))), one_after("a", "b"))
    assert agree(share).period("b") == pytest.approx(4, rel=0.2)
    # Stages that work on one frame at once: the last word comes 5 after that of the stage before.
    both = System((Stage("a", 100, 120), Stage("b", 100, 120)), (Channel("a", "b", lead=20, tail=5),))
    found = agree(both)
    assert found.leave[1, 0] == max(20 + 120, 120 + 5)
    assert found.period("b") == 100
    # Two streams of a frame through one port.
    fork = System(
        (Stage("a", 1), Stage("b", 4, medium="port"), Stage("c", 4, medium="port"), Stage("d", 1)),
        (Channel("a", "b"), Channel("a", "c"), Channel("b", "d"), Channel("c", "d")),
    )
    assert agree(fork).period("d") == 8


def one_after(*names: str) -> tuple[Channel, ...]:
    return tuple(Channel(one, two, 2) for one, two in pairwise(names))


def test_jitter_counts_once_for_each_frame() -> None:
    draw = random.Random(5)
    extra = tuple(float(draw.randrange(9)) for _ in range(FRAMES))
    system = System((Stage("a", 5, extra=extra), Stage("b", 5)), (Channel("a", "b", 1),))
    found = agree(system)
    assert found.finish[0, 0] == 5 + extra[0]
    assert found.start[0, 1] == 5 + extra[0]


def test_what_waits_for_itself_is_refused() -> None:
    stages = (Stage("a", 1), Stage("b", 1), Stage("c", 1))
    loop = System(stages, (Channel("a", "b"), Channel("b", "c"), Channel("c", "b")))
    with pytest.raises(DeadlockError, match="b, c wait for one another"):
        run(loop, 2)
    for wrong in ((stages[0], stages[0]), (Stage("a", 1, replicas=(0, 1), medium="m"),)):
        with pytest.raises(ValueError, match=r"two stages|media of their own"):
            System(wrong)
    with pytest.raises(ValueError, match="no such stage: z"):
        System(stages, (Channel("a", "z"),))
    with pytest.raises(ValueError, match="window of no frame"):
        System(stages, (), (Window("a", "b", 0),))


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(n, marks=pytest.mark.sweep) for n in range(40, 300))]
)
def test_random_systems_have_the_times_of_simpy(seed: int) -> None:
    system = random_system(random.Random(seed))
    if simulated(system, FRAMES) is None:
        with pytest.raises(DeadlockError):
            run(system, FRAMES)
    else:
        agree(system)


def random_system(draw: random.Random) -> System:
    """An acyclic graph: forks, joins, skip edges, replicas, shared media, small buffers, windows."""
    count = draw.randint(2, 9)
    media = [None] * 3 + (["m0", "m1"] if draw.random() < 0.4 else [])
    stages = [stage(draw, f"s{number}", draw.choice(media)) for number in range(count)]
    channels = []
    for two in range(1, count):
        for one in sorted(draw.sample(range(two), k=min(two, draw.choice((1, 1, 1, 2, 3))))):
            channels.append(channel(draw, stages[one], stages[two]))
    windows = []
    for _ in range(draw.choice((0, 0, 1, 2))):
        first = draw.randrange(count)
        windows.append(Window(f"s{first}", f"s{draw.randrange(first, count)}", draw.randint(1, 4)))
    return System(tuple(stages), tuple(channels), tuple(windows))


def stage(draw: random.Random, name: str, medium: str | None) -> Stage:
    period = float(draw.randint(0, 50))
    replicas: tuple[int, ...] = (0,)
    if medium is None and draw.random() < 0.4:
        copies = draw.randint(2, 4)
        replicas = (*range(copies), *(draw.randrange(copies) for _ in range(draw.randint(0, 2))))
    extra = tuple(float(draw.randrange(20)) for _ in range(draw.choice((0, 0, FRAMES))))
    latency = draw.choice((None, period + draw.randint(0, 90), period / 2))
    spaced = draw.random() < 0.3
    return Stage(name, period, latency, draw.choice((None, None, 1, 3)), replicas, medium, spaced, extra)


def channel(draw: random.Random, one: Stage, two: Stage) -> Channel:
    room = draw.choice((None, 0, 1, 2, 5))
    if draw.random() < 0.3:
        lead, tail = float(draw.randint(0, 20)), float(draw.randint(0, 9))
        return Channel(one.name, two.name, room, lead, tail, hold=float(draw.randint(0, 30)))
    return Channel(one.name, two.name, room, delay=float(draw.choice((0, 7))))


PLANS, TOGETHER = 300, 20


@pytest.mark.parametrize(
    "start", [0, *(pytest.param(n, marks=pytest.mark.sweep) for n in range(TOGETHER, PLANS, TOGETHER))]
)
def test_drawn_plans_have_the_times_of_simpy(start: int) -> None:
    """The servers are those that `estimate` finds in what the planner made."""
    kinds: Counter[str] = Counter()
    for seed in range(start, start + TOGETHER):
        plan, found = drawn(seed)
        kinds.update(found)
        draw = random.Random(seed)
        system = system_of(plan, in_flight=draw.choice((None, None, 1, 3)))
        if draw.random() < 0.3:
            noise = Noise(jitter=draw.choice((0.0, 3e-6)), loss=draw.choice((0.0, 0.2)), seed=seed)
            system = disturbed(system, networks_of(plan), noise, FRAMES)
        agree(in_picoseconds(system))
    assert all(kinds[kind] >= TOGETHER // 10 for kind in KINDS), kinds


@pytest.mark.sweep
def test_every_kind_is_in_a_third_of_the_drawn_plans() -> None:
    """And any two of them are in one plan."""
    plans = [drawn(seed)[1] for seed in range(PLANS)]
    counts = Counter(kind for kinds in plans for kind in kinds)
    assert all(counts[kind] >= PLANS // 3 for kind in KINDS), counts
    assert all(any({one, two} <= kinds for kinds in plans) for one, two in combinations(KINDS, 2))


def test_a_pin_that_replicas_share_serves_one_after_the_other() -> None:
    """The sender in front of two replicas is one stage; each replica's receiver is its own."""
    stream = ("UINT4", 8, 512)
    network = chain_of(*(partition(name, (stream,), (stream,)) for name in "pqr"))
    nodes = [
        {"name": f"n{k}", "board": "u280", "partitions": [k], "replicas": 1 + (k == 1)} for k in range(3)
    ]
    system = system_of(plan_of(network, spec(nodes)))
    shared = [stage for stage in system.stages if stage.medium and stage.medium.startswith("m_vnx0 of n0")]
    assert [(len(set(stage.replicas)), stage.period > 0) for stage in shared] == [(1, True)]
    own = [stage for stage in system.stages if stage.name.endswith("at s_vnx0 of n1_0")]
    assert [(len(set(stage.replicas)), stage.medium) for stage in own] == [(2, None)]


def in_picoseconds(system: System) -> System:
    """Return a system with whole times, so that no rounding decides who of two comes first."""

    def whole(seconds: float) -> float:
        return float(round(seconds * 1e12))

    stages = tuple(
        replace(
            one,
            period=whole(one.period),
            latency=None if one.latency is None else whole(one.latency),
            extra=tuple(map(whole, one.extra)),
        )
        for one in system.stages
    )
    channels = tuple(
        replace(
            one,
            lead=None if one.lead is None else whole(one.lead),
            tail=whole(one.tail),
            hold=whole(one.hold),
            delay=whole(one.delay),
        )
        for one in system.channels
    )
    return replace(system, stages=stages, channels=channels)


def test_sixty_four_stages_and_ten_thousand_frames() -> None:
    """Under two seconds, which is a matter of the steps: each takes all stages that it can at once."""
    draw = random.Random(1)
    system = chain(*(draw.randint(50, 100) for _ in range(64)), room=2)
    arcs = arcs_of(system)
    assert stride_of(arcs, levels(system, arcs)) <= 3
    found = run(system, 10_000)
    slowest = max(stage.period for stage in system.stages)
    assert found.period("s63") == slowest
    assert found.leave[63, -1] == sum(stage.period for stage in system.stages) + 9_999 * slowest
