# SPDX-License-Identifier: BSD-3-Clause
"""Several boards with the same partitions, which take frames in turn."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import Chain, bench_of, generate_fake, read_report, report_text, run
from fake_network import chain, partition, plan_of, spec

from shellgen.api import generate
from shellgen.cli.ports import turn_table
from shellgen.emit.whole import emit
from shellgen.errors import InputError, PlanError
from shellgen.estimate import estimate
from shellgen.estimate.bench import compared
from shellgen.estimate.cluster import system_of
from shellgen.estimate.engine import run as run_engine
from shellgen.model import NodeSpec, Plan
from shellgen.model.bench_report import RunReport
from shellgen.plan.junction import junction_files
from shellgen.plan.replicas import turns
from shellgen.read.output import read_plan

pytestmark = pytest.mark.recorded


def nodes(*stages: tuple[list[int], dict[str, Any]], board: str = "zedboard") -> list[dict[str, Any]]:
    """A node for each stage: its partitions, and what else it has."""
    return [
        {"name": f"n{k}", "board": board, "partitions": partitions, **more}
        for k, (partitions, more) in enumerate(stages)
    ]


def planned(*stages: tuple[list[int], dict[str, Any]], **more: Any) -> Plan:
    count = sum(len(partitions) for partitions, _ in stages)
    parts = [partition(name) for name in "pqrs"[:count]]
    return plan_of(chain(*parts), spec(nodes(*stages), **more))


def ways(plan: Plan) -> dict[str, tuple[str | None, str | None, tuple[int, ...]]]:
    return {one.name: (one.producer_node, one.consumer_node, one.places) for one in plan.boundaries}


def test_two_replicas_in_a_chain() -> None:
    """A deal behind the board in front of them, a gather in front of the board behind them."""
    plan = planned(([0], {}), ([1], {"replicas": 2}), ([2], {}))
    assert plan.epoch == 2
    assert ways(plan) == {
        "host_to_p": (None, "n0", (0, 1)),
        "p_to_deal_0": ("n0", "n0", (0, 1)),
        "deal_0_m_axis_0_to_q": ("n0", "n1_0", (0,)),
        "deal_0_m_axis_1_to_q_copy_1": ("n0", "n1_1", (1,)),
        "q_to_gather_0_s_axis_0": ("n1_0", "n2", (0,)),
        "q_copy_1_to_gather_0_s_axis_1": ("n1_1", "n2", (1,)),
        "gather_0_to_r": ("n2", "n2", (0, 1)),
        "r_to_host": ("n2", None, (0, 1)),
    }
    assert plan.partition("q_copy_1").copy_of == "q"
    assert plan.partition("deal_0").origin == "node[1].replicas"


def test_stages_meet_pair_by_pair() -> None:
    """Between 2 and 3 replicas all pairs have a stream, between 2 and 4 those that a frame can take."""
    plan = planned(([0, 1], {"replicas": 2}), ([2], {"replicas": 3}))
    pairs = Counter((one.producer_node, one.consumer_node) for one in plan.boundaries if one.link)
    assert plan.epoch == 6
    met = [(f"n0_{a}", f"n1_{b}") for a in range(2) for b in range(3)]
    hosts = [*((None, f"n0_{k}") for k in range(2)), *((f"n1_{k}", None) for k in range(3))]
    assert pairs == Counter([*met, *hosts])
    # The streams of a deal are numbered by its first frames, so that all of a stage are alike.
    deals = [part for part in plan.partitions if part.junction == "deal"]
    assert [part.pattern for part in deals] == [(0, 1, 2)] * 2
    assert [part.copy_of for part in deals] == [None, "deal_0"]
    plan = planned(([0], {"replicas": 2}), ([1], {"replicas": 4}))
    links = {
        (one.producer_node, one.consumer_node) for one in plan.boundaries if one.producer and one.consumer
    }
    assert {pair for pair in links if pair[0] != pair[1]} == {
        ("n0_0", "n1_0"),
        ("n0_1", "n1_1"),
        ("n0_0", "n1_2"),
        ("n0_1", "n1_3"),
    }


def test_as_many_replicas_behind_as_before_need_no_deal() -> None:
    plan = planned(([0], {"replicas": 3}), ([1], {"replicas": 3}))
    assert [part.junction for part in plan.partitions] == [None] * 6
    assert ways(plan)["p_copy_2_to_q_copy_2"] == ("n0_2", "n1_2", (2,))


@pytest.mark.parametrize(
    ("share", "wanted"),
    [((), (0, 1, 2)), ((2, 1), (0, 1, 0)), ((1, 3), (1, 0, 1, 1)), ((2, 3, 1), (1, 0, 1, 2, 0, 1))],
)
def test_shares_are_spread_evenly(share: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    count = len(share) or 3
    node = NodeSpec(name="n", board="zedboard", partitions=(0,), replicas=count, share=share)
    assert turns(node) == wanted


def test_the_monolith_has_each_partition_once(tmp_path: Path) -> None:
    """Its input has the frames of both host streams in turn, its output is compared with both."""
    stages = nodes(([0], {"replicas": 2, "share": [2, 1]}), ([1], {}), ([2], {"replicas": 2}))
    network = chain(*(partition(name) for name in "pqr"))
    out = generate_fake(network, spec(stages), tmp_path / "out")
    top = (out / "bench" / "bench_top.sv").read_text()
    assert [top.count(f" u_mono_{name} (") for name in ("p", "q", "r", "p_copy_1", "deal_0")] == [
        1,
        1,
        1,
        0,
        0,
    ]
    bench = bench_of(out)
    names = [one["name"] for one in bench["boundaries"]]
    (given,), (made,) = bench["monolith"]["inputs"], bench["monolith"]["outputs"]
    assert bench["epoch"] == 6
    assert [names[k] for k in given["carriers"]] == ["host_to_p", "host_to_p_copy_1", "host_to_p"] * 2
    assert [names[k] for k in made["carriers"]] == ["r_to_host", "r_copy_1_to_host"] * 3


def test_replicas_share_a_core(tmp_path: Path) -> None:
    """One folder with the core, its sources and its project; a replica with another pattern has its own."""
    stages = nodes(([0, 1], {"replicas": 2}), ([2], {"replicas": 3, "share": [1, 2, 1]}))
    cluster = spec(stages)
    network = chain(*(partition(name) for name in "pqr"))
    plan = plan_of(network, cluster)
    cores = {node.name: node.copy_of for node in plan.nodes}
    assert cores == {"n0_0": None, "n0_1": "n0_0", "n1_0": None, "n1_1": None, "n1_2": "n1_0"}
    ids = {node.name: node.build_id for node in plan.nodes}
    assert len(set(ids.values())) == 3
    assert ids["n0_0"] == ids["n0_1"]
    out = generate_fake(network, cluster, tmp_path / "out")
    assert {path.name for path in (out / "n0_1").iterdir()} == {
        "memory_map.h",
        "memory_map.json",
        "memory_map.rdl",
    }
    assert {path.parent.name for path in out.glob("*/*_core.v")} == {"n0_0", "n1_0", "n1_1"}
    with pytest.raises(InputError, match="no number shows it"):
        run(out, "verilator", reset_node="n0_1")
    assert "n0_0_core u_n0_1 (" in (out / "bench" / "bench_top.sv").read_text()


def test_the_plan_lists_the_pairs() -> None:
    lines = turn_table(planned(([0], {"replicas": 2}), ([1], {"replicas": 3})))
    assert " ".join(lines[4].split()) == "n0_0 n1_0 0 of 6"
    assert len(lines) == 2 + 2 + 6 + 3


LARGE = (("UINT4", 2, 128),)
SKIP = [
    {"from": "p", "to": "q"},
    {"from": ["p", "q"], "to": "r", "join": "sum"},
]


@pytest.mark.parametrize(("replicas", "frames"), [(1, 1), (2, 2), (3, 3)])
def test_a_skip_edge_holds_a_frame_for_each_replica(replicas: int, frames: int) -> None:
    """Or only one of them would work at a time; and no transfer withholds a frame of a turn."""
    parts = (partition("p", LARGE, LARGE), partition("q", LARGE, LARGE))
    network = chain(*parts, partition("r", (("UINT5", 2, 128),)), edges=False)
    stages = nodes(([0, 2], {}), ([1], {"replicas": replicas}))
    plan = plan_of(network, spec(stages, link=SKIP))
    depths = {one.boundary: one.depth for one in plan.node("n0").inner}
    assert depths["broadcast_0_m_axis_1_to_sum_0_s_axis_0"] == frames * 64
    limits = {end.most_frames for node in plan.nodes for end in node.ends if "host" not in end.boundary}
    assert limits == {1}


def test_two_streams_between_replicas_are_a_ring() -> None:
    """As between any two partitions; what is inside a replica only is none."""
    two = partition("p", LARGE, LARGE * 2), partition("q", LARGE * 2, LARGE), partition("r", LARGE, LARGE)
    links = [{"from": f"p.m_axis_{k}", "to": f"q.s_axis_{k}"} for k in range(2)]
    network = chain(*two, edges=False)
    stages = nodes(([0, 1, 2], {"replicas": 2}))
    plan = plan_of(network, spec(stages, link=[*links, {"from": "q", "to": "r"}]))
    depths = [[one.depth for one in node.inner] for node in plan.nodes]
    assert depths == [[64, 64, 32]] * 2


def proved(out: Path, **options: Any) -> dict[str, Any]:
    document = run(out, "verilator", **options)
    text = report_text(document)
    assert document["passed"], text
    return document


def test_replicas_are_simulated(tmp_path: Path) -> None:
    """One board deals to two and gathers from them."""
    stages = nodes(([0, 2], {}), ([1], {"replicas": 2}))
    out = generate_fake(chain(*(partition(name) for name in "pqr")), spec(stages), tmp_path / "out")
    document = proved(out)
    full = read_report(document).full_rate
    assert full
    assert full.timed % 2 == 0
    assert full.epoch == 2
    assert [one["node"] for one in document["absent"]] == ["n1_1"]
    assert "without n1_1: 4 places of its streams saw nothing, and the 4 frames are right" in report_text(
        document
    )


@pytest.mark.sweep
@pytest.mark.parametrize(
    "stages",
    [
        (([0], {}), ([1], {"replicas": 2}), ([2], {})),
        (([0], {}), ([1], {"replicas": 3}), ([2], {})),
        (([0], {}), ([1], {"replicas": 2, "share": [2, 1]}), ([2], {})),
        (([0], {"replicas": 2}), ([1], {"replicas": 3}), ([2], {})),
        (([0, 1], {"replicas": 2}), ([2], {})),
        (([0], {}), ([1, 2], {"replicas": 4})),
        (([0, 1], {"replicas": 2}), ([2], {"replicas": 3, "share": [1, 2, 1]})),
    ],
    ids=["2", "3", "2:1", "2 into 3", "host 2", "host 4", "2 into 1:2:1"],
)
def test_all_patterns_are_simulated(
    tmp_path: Path, stages: tuple[tuple[list[int], dict[str, Any]], ...]
) -> None:
    out = generate_fake(chain(*(partition(name) for name in "pqr")), spec(nodes(*stages)), tmp_path / "out")
    proved(out, frames=24, own_frames=True)


@pytest.mark.parametrize(
    ("stage", "more", "wanted"),
    [
        ({"share": [2, 1, 1], "replicas": 2}, {}, "node[1].share: 3 shares, and n1 has replicas = 2"),
        (
            {"share": [2]},
            {},
            "node[1].share: 1 share, and n1 has no replicas. Say replicas, or leave it out",
        ),
        (
            {"share": [2, 1]},
            {},
            "node[1].share: 2 shares, and n1 has no replicas. Say replicas = 2, or leave it out",
        ),
        ({"replicas": 15}, {}, None),
        ({"replicas": 16}, {}, "Choose fewer replicas, or another link for some"),
        ({"replicas": 17}, {}, "node[1].replicas: a deal between replicas would have 17 streams, and 16 is"),
        (
            {"replicas": 2, "share": [64, 1]},
            {},
            "node[1].share: a deal between replicas would have 65 turns",
        ),
        (
            {"replicas": 2, "share": [1 << 60, 1]},
            {},
            "node[1].share: a turn has 1,152,921,504,606,846,977 frames, and 65,536 is the most. Choose",
        ),
        (
            {"replicas": 2},
            {"link": [{"from": "r", "to": "host", "at": "n1_1"}]},
            "link[0].at: n1_1 would be a replica of n1, which has replicas = 2",
        ),
    ],
)
def test_what_cannot_be(stage: dict[str, Any], more: dict[str, Any], wanted: str | None) -> None:
    stages: list[tuple[list[int], dict[str, Any]]] = [([0], {}), ([1], stage), ([2], {})]
    if wanted is None:
        planned(*stages, **more)
        return
    with pytest.raises(PlanError) as caught:
        planned(*stages, **more)
    assert wanted in str(caught.value)


@pytest.mark.parametrize("taken", ["n0_1", "N0_1"])
def test_names_of_replicas_are_free(taken: str) -> None:
    stages = nodes(([0], {"replicas": 2}), ([1], {}))
    stages[1]["name"] = taken
    with pytest.raises(PlanError) as caught:
        plan_of(chain(partition("p"), partition("q")), spec(stages))
    assert f"node[0].name: replica 1 of n0 is called n0_1, as is one of {taken}" in str(caught.value)


@pytest.mark.parametrize("field", [{"replicas": 0}, {"replicas": 2, "share": [1, 0]}])
def test_no_replica_has_nothing(field: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        spec(nodes(([0], field)))
    assert "got 0; expected a number above 0" in str(caught.value)


def test_two_replicas_are_twice_as_fast() -> None:
    """As far as nothing else is the limit; three with a larger share wait for that."""
    rates = []
    for stage in ({}, {"replicas": 2}, {"replicas": 3, "share": [2, 1, 1]}):
        plan = planned(([0], {}), ([1], stage), ([2], {}))
        parts = [
            part.model_copy(update={"layer_cycles": (1000,)}) if "q" in (part.name, part.copy_of) else part
            for part in plan.partitions
        ]
        plan = plan.model_copy(update={"partitions": tuple(parts)})
        engine = 1 / run_engine(system_of(plan, bench={}), 200).period("host receives")
        assert estimate(plan).frames_per_second == pytest.approx(engine)
        rates.append(engine)
    assert rates == pytest.approx([1e5, 2e5, 2e5], rel=0.02)


def test_many_replicas_are_planned_fast() -> None:
    network = chain(partition("p"))
    cluster = spec(nodes(([0], {"replicas": 64})))
    began = time.process_time()
    plan = plan_of(network, cluster)
    files = emit(plan, {**network.files, **junction_files(plan.partitions)})
    assert time.process_time() - began < 3
    assert [one.path for one in files if one.path.endswith("_core.v")] == ["n0_0/n0_0_core.v"]


def in_a_row(folder: Path, replicas: int) -> RunReport:
    """Simulate a matrix of 288 cycles, on so many boards, in front of a fast one; all proofs, golden too."""
    nodes_of = (("slow", "zedboard", (0,)), ("fast", "zedboard", (1,)))
    row = Chain((24, 12, 4), "UINT3", ((1, 1, 1), (4, 12, 1)), (0, 1), nodes_of)
    path = row.write_inputs(folder)
    text = path.read_text().replace('name = "slow"', f'name = "slow"\nreplicas = {replicas}')
    path.write_text(text)
    generate(path, folder / "out")
    return read_report(proved(folder / "out", frames=24, walk=False))


@pytest.mark.sweep
def test_two_replicas_have_twice_the_rate_of_one(tmp_path: Path) -> None:
    """At least 1.95 times the frames/s of one board, and the estimate says so."""
    rates = []
    for count in (1, 2):
        report = in_a_row(tmp_path / str(count), count)
        full = report.full_rate
        assert full
        found = compared(read_plan(tmp_path / str(count) / "out"), report)
        assert found.rate_error == pytest.approx(0, abs=0.02)
        half = len(full.times) // 2
        frames = full.epoch * (len(full.times) - half)
        rates.append(frames / (full.times[-1] - full.times[half - 1]))
    assert rates[1] / rates[0] > 1.95
