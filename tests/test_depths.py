# SPDX-License-Identifier: BSD-3-Clause
"""Depths of FIFOs on rings: random graphs in an executor of their own, closed forms, and plans."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import plan_replay
import pytest
from fake_network import chain, partition, plan_of, spec
from plan_replay import replay
from word_executor import Part, Stream, delivers

from shellgen.errors import PlanError
from shellgen.links.vnx_udp.link import VnxUdp
from shellgen.model import ClusterSpec, Network, Partition, Plan
from shellgen.model.curve import Curve
from shellgen.model.flow import Course
from shellgen.plan.schedule import Actor, Way, levels

FRAMES = 4


def graph(random: Random, most: int) -> tuple[dict[int, Way], dict[str, Actor]]:
    """A graph without cycles, with random curves; some streams go over links, some change their width."""
    size = random.randint(2, most)
    pairs = [(random.randrange(max(0, one - 4), one), one) for one in range(1, size)]
    for _ in range(random.randint(1, max(1, size // 2))):
        one = random.randrange(size - 1)
        pairs.append((one, random.randint(one + 1, min(size - 1, one + 9))))
    ways: dict[int, Way] = {}
    for one, other in pairs:
        made = random.choice((4, 6, 8, 12, 24))
        taken = made * random.choice((1, 1, 1, 2)) // random.choice((1, 1, 2))
        chunk = random.choice((0, 0, 0, made, random.randint(1, made)))
        if chunk and chunk * taken % made:
            chunk = made
        ways[len(ways)] = Way(f"p{one}", f"p{other}", made, taken, chunk)
    for one in range(size):
        name = f"p{one}"
        if not any(way.consumer == name for way in ways.values()):
            ways[len(ways)] = Way(None, name, 12, 12)
        if not any(way.producer == name for way in ways.values()):
            ways[len(ways)] = Way(name, None, 8, 8)
    return ways, {f"p{one}": _actor(random, ways, f"p{one}") for one in range(size)}


def _actor(random: Random, ways: Mapping[int, Way], name: str) -> Actor:
    """A partition of a few steps, some of which need as much as others."""
    steps = random.choice((1, 6, 24))
    into = {
        number: np.array(sorted(random.randint(0, way.taken) for _ in range(steps)))
        for number, way in ways.items()
        if way.consumer == name
    }
    for number in into:
        if random.random() < 0.6:
            into[number] = np.arange(1, steps + 1) * ways[number].taken // steps
    out = {
        number: np.array(sorted(random.randint(0, steps) for _ in range(way.made)))
        for number, way in ways.items()
        if way.producer == name
    }
    return Actor(into, out)


def parts(ways: Mapping[int, Way], actors: Mapping[str, Actor], rooms: Mapping[int, int]) -> Sequence[Part]:
    """Return the same graph for the executor, with room for so many words."""
    streams = {
        n: Stream(way.made, way.taken, way.chunk, rooms.get(n), way.producer is None)
        for n, way in ways.items()
    }
    found = []
    for actor in actors.values():
        takes = {}
        for one, need in actor.takes.items():
            way = ways[one]
            scaled = streams[one].unit != way.taken
            takes[one] = [-(-k * way.made // way.taken) if scaled else k for k in need.tolist()]
        into, out = ({n: streams[n] for n in side} for side in (actor.takes, actor.gives))
        gives = {n: need.tolist() for n, need in actor.gives.items()}
        found.append(Part(into, out, takes, gives, actor.steps, FRAMES))
    return found


def check(seed: int, most: int) -> tuple[int, int]:
    """Return the number of streams, and of those that are tight."""
    random = Random(seed)
    ways, actors = graph(random, most)
    found = levels(ways, actors)
    rooms = {number: level.words for number, level in found.items()}
    assert delivers(parts(ways, actors, rooms), random), seed
    tight = [number for number, level in found.items() if level.tight]
    for number in tight:
        assert not delivers(parts(ways, actors, rooms | {number: rooms[number] - 1})), (seed, number)
    return len(found), len(tight)


def test_random_graphs_run_at_the_computed_depths_and_some_stop_below() -> None:
    sizes = [4] * 25 + [12] * 20 + [64] * 3
    found = [check(seed, size) for seed, size in enumerate(sizes)]
    assert sum(tight for _, tight in found) > 12


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(20))
def test_a_thousand_random_graphs(part: int) -> None:
    for seed in range(1000 + 50 * part, 1050 + 50 * part):
        check(seed, 64)


def curve(need: Sequence[int]) -> Curve:
    """Return a need curve as plan.json has it."""
    rises = np.diff(need, prepend=0).tolist()
    found = Curve.of([(rise, len(list(same))) for rise, same in itertools.groupby(rises)])
    assert found is not None
    return found


def with_course(
    made: tuple[Partition, bytes], takes: Mapping[str, Sequence[int]], gives: Mapping[str, Sequence[int]]
) -> tuple[Partition, bytes]:
    """Give a partition need curves."""
    part, text = made
    course = Course(
        steps=len(next(iter(takes.values()))),
        takes={name: curve(need) for name, need in takes.items()},
        gives={name: curve(need) for name, need in gives.items()},
    )
    return part.model_copy(update={"course": course}), text


def convolution(size: int, words: int) -> list[int]:
    """Need of a padded 3 x 3 convolution of size x size pixels of so many words."""
    pixels = [
        min(row + 1, size - 1) * size + min(column + 1, size - 1) + 1
        for row in range(size)
        for column in range(size)
    ]
    return [most * words for most in itertools.accumulate(pixels, max) for _ in range(words)]


def residual(size: int, words: int, nodes: Sequence[tuple[str, list[int]]], board: str, **more: Any) -> Plan:
    """A fork, a branch of two padded convolutions, and a join with the skip edge; on one board or several."""
    total = size * size * words
    stream = ("UINT4", 2, 2 * total)
    plain, late = range(1, total + 1), convolution(size, words)
    both = late_twice(late)
    network = chain(
        with_course(
            partition("fork", (stream,), (stream, stream)),
            {"s_axis_0": plain},
            {"m_axis_0": plain, "m_axis_1": plain},
        ),
        with_course(partition("branch", (stream,), (stream,)), {"s_axis_0": both}, {"m_axis_0": plain}),
        with_course(
            partition("join", (stream, stream), (stream,)),
            {"s_axis_0": plain, "s_axis_1": plain},
            {"m_axis_0": plain},
        ),
        edges=False,
    )
    links = [
        {"from": "fork.m_axis_0", "to": "branch"},
        {"from": "branch", "to": "join.s_axis_0"},
        {"from": "fork.m_axis_1", "to": "join.s_axis_1", **more},
    ]
    placed = [{"name": name, "board": board, "partitions": numbers} for name, numbers in nodes]
    return plan_of(network, spec(placed, link=links))


def late_twice(need: Sequence[int]) -> list[int]:
    """Return the need of one layer behind another that is alike."""
    return [need[words - 1] for words in need]


ONE = [("n", [0, 1, 2])]
SKIP = "fork_m_axis_1_to_join_s_axis_1"


def test_the_plan_has_what_a_skip_edge_holds_and_who_asks_for_it() -> None:
    """Two rows and two pixels less the two words that fork and join have; one word less stops."""
    plan = residual(8, 2, ONE, "zedboard")
    fifos = {one.boundary: one for one in plan.fifos}
    skip = fifos[SKIP]
    assert (skip.live, skip.tight) == ((2 * 8 + 2 + 1) * 2 - 2, True)
    assert skip.beside == ("fork_m_axis_0_to_branch", "branch_to_join_s_axis_0")
    assert skip.reason == "curves"
    assert max(32, skip.live) <= skip.depth == max(32, min(skip.full_rate, 128))
    document = json.loads(plan.to_json())
    rooms = {name: one.live for name, one in fifos.items()}
    assert replay(document, rooms)
    assert not replay(document, rooms | {SKIP: skip.live - 1})


def test_the_skip_edge_of_a_branch_on_another_board_holds_a_frame() -> None:
    plan = residual(8, 2, [("n", [0, 2]), ("m", [1])], "zedboard")
    (skip,) = plan.fifos
    assert (skip.live, skip.tight) == (128 - 2, True)
    document = json.loads(plan.to_json())
    assert replay(document, {SKIP: skip.live})
    assert not replay(document, {SKIP: skip.live - 1})


def test_a_residual_block_of_56_x_56_x_64_over_cards() -> None:
    """By the closed form: what the last pixel of a packet of the branch needs, in whole packets."""
    plan = residual(56, 32, [("n0", [0, 2]), ("n1", [1])], "u280")
    (skip,) = plan.fifos
    (beats,) = {
        attachment.detail["packet_beats"]
        for node in plan.nodes
        for attachment in node.attachments
        if attachment.link == "vnx_udp"
    }
    assert isinstance(beats, int)
    packet = (beats * 64 - 32) // 32  # pixels
    pixels = packet - 1 + 2 * 56 + 2 + 1
    assert skip.live == pytest.approx(-(-pixels // packet) * packet * 32, rel=0.02)
    assert skip.tight


def test_a_depth_that_would_stop_the_cluster_is_refused() -> None:
    found = r"link\[2\].depth: it is 35, and with less than 36 words the cluster would lock up. State 36"
    with pytest.raises(PlanError, match=found):
        residual(8, 2, ONE, "zedboard", depth=35)
    fifos = residual(8, 2, ONE, "zedboard", depth=36).fifos
    assert [one.reason for one in fifos if one.boundary == SKIP] == ["stated"]


def test_large_graphs_are_planned_in_a_second() -> None:
    random = Random(64)
    ways, actors = graph(random, 64)
    while len(actors) < 60:
        ways, actors = graph(random, 64)
    start = time.process_time()
    levels(ways, actors)
    assert time.process_time() - start < 1


@pytest.mark.sweep
def test_the_plan_of_sixteen_joins_takes_less_than_a_second() -> None:
    """The whole plan of 64 partitions on 48 boards, not only its depths."""
    parts = []
    links: list[dict[str, str | list[str]]] = []
    for k in range(16):
        a, b, c = (f"{name}{k}" for name in "abc")
        parts += [partition(a), partition(b), partition(c, (("UINT5", 2, 16),))]
        links += [{"from": f"c{k - 1}", "to": a}] if k else []
        links += [{"from": a, "to": b}, {"from": [a, b], "to": c, "join": "sum"}]
    boards = [{"name": f"n{k}", "board": "zedboard", "partitions": [k]} for k in range(48)]
    taken = []
    for _ in range(2):
        start = time.process_time()
        plan = plan_of(chain(*parts, edges=False), spec(boards, link=links))
        taken.append(time.process_time() - start)
    assert len(plan.partitions) == 64
    assert min(taken) < 1


def test_curves_of_plan_json_are_those_that_were_written() -> None:
    need = convolution(12, 3)
    assert replayed(curve(need)) == need
    assert len(curve(need).steps) < 60


def replayed(found: Curve) -> list[int]:
    """Return a curve as the replay reads it."""
    return plan_replay.curve(found.steps)


def test_a_skip_edge_over_cards_has_a_fifo_for_what_its_link_cannot_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    three = [("n0", [0]), ("n1", [1]), ("n2", [2])]

    def queues() -> dict[str, int]:
        plan = residual(56, 32, three, "u280")
        return {end.boundary: end.depth_beats for node in plan.nodes for end in node.ends if end.depth_beats}

    assert queues() == {}
    monkeypatch.setattr(VnxUdp, "holds", lambda *_: 3000)
    (queue,) = queues().items()
    # What a FIFO inside a board would hold, and packets and beats of the skip edge itself.
    assert queue[0] == SKIP
    assert 5822 - 3000 <= queue[1] * 64 <= 5822 - 3000 + 2 * 1472, queue


LATE = """`default_nettype none
// Sends word k of a frame when min(k + {lead}, {words}) words are in, and takes none before it needs it.
module q_wrapper (
    input wire ap_clk, input wire ap_rst_n,
    input wire [{bits} - 1:0] s_axis_0_tdata, input wire s_axis_0_tvalid, output wire s_axis_0_tready,
    output wire [{bits} - 1:0] m_axis_0_tdata, output wire m_axis_0_tvalid, input wire m_axis_0_tready
);
    reg [{bits} - 1:0] words [0:{words} - 1];
    integer in = 0, out = 0;
    wire [31:0] need = out + {lead} > {words} ? {words} : out + {lead};
    assign s_axis_0_tready = in < need;
    assign m_axis_0_tvalid = in >= need;
    assign m_axis_0_tdata = words[out];
    always @(posedge ap_clk) begin
        if (s_axis_0_tvalid && s_axis_0_tready) begin
            words[in] <= s_axis_0_tdata;
            in <= in + 1;
        end
        if (m_axis_0_tvalid && m_axis_0_tready) begin
            out <= out + 1;
            if (out == {words} - 1) begin
                out <= 0;
                in <= 0;
            end
        end
        if (!ap_rst_n) begin
            in <= 0;
            out <= 0;
        end
    end
endmodule
`default_nettype wire
"""


def beside_a_late_one(
    lead: int, depth: int | None = None, words: int = 64, lanes: int = 0, wide: int = 2, **more: Any
) -> tuple[Network, ClusterSpec]:
    """A fork, a partition that sends its words late, and a sum with the skip edge, on one board.

    Words of ``wide`` elements; of the late partition ``lanes``, if they differ.
    """
    lanes = lanes or wide
    stream = ("UINT4", wide, wide * words)
    plain = range(1, words + 1)
    p = with_course(partition("p", (stream,), (stream,)), {"s_axis_0": plain}, {"m_axis_0": plain})
    own, long = ("UINT4", lanes, wide * words), wide * words // lanes
    q = partition("q", (own,), (own,))[0]
    text = LATE.format(lead=lead, words=long, bits=-(-4 * lanes // 8) * 8).encode()
    source = q.sources[0].model_copy(update={"sha256": hashlib.sha256(text).hexdigest()})
    late = [min(k + lead, long) for k in range(long)]
    made = (q.model_copy(update={"sources": (source,)}), text)
    r = with_course(
        partition("r", (("UINT5", wide, wide * words),), (("UINT5", wide, wide * words),)),
        {"s_axis_0": plain},
        {"m_axis_0": plain},
    )
    network = chain(
        p, with_course(made, {"s_axis_0": late}, {"m_axis_0": range(1, long + 1)}), r, edges=False
    )
    links: list[dict[str, Any]] = [
        {"from": "p", "to": "q", "depth": 2},
        {"from": ["p", "q"], "to": "r", "join": "sum", **more},
    ]
    if depth:
        links[1]["depth"] = depth
    return network, spec([{"name": "n", "board": "zedboard", "partitions": [0, 1, 2]}], link=links)


BESIDE = "broadcast_0_m_axis_1_to_sum_0_s_axis_0"


def test_the_skip_edge_of_a_late_partition() -> None:
    plan = plan_of(*beside_a_late_one(40))
    (skip,) = [one for one in plan.fifos if one.boundary == BESIDE]
    assert (skip.live, skip.tight) == (40 - 2, True)
