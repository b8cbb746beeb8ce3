# SPDX-License-Identifier: BSD-3-Clause
"""Replicas that are away: others take their turns, at the client and at boards that deal and gather."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import Chain
from fake_network import chain, partition, plan_of, spec
from rehearsed import rehearsed
from test_replicas import nodes

from shellgen.api import generate
from shellgen.emit.memory_map import memory_map
from shellgen.model import Plan
from shellgen_host.cluster_map import ClusterMap, read_map

pytestmark = pytest.mark.xdist_group("rehearse")


def planned(*stages: tuple[list[int], dict[str, Any]]) -> Plan:
    return plan_of(chain(*(partition(name) for name in "pqr")), spec(nodes(*stages)))


def read(folder: Path, plan: Plan) -> ClusterMap:
    (folder / "memory_map.json").write_text(memory_map(plan).to_json())
    return read_map(folder)


def dealt(found: ClusterMap, absent: frozenset[str], frames: int = 12) -> list[str]:
    """Return which node gets each frame."""
    edges = found.without(found.sources, absent)
    takers = {edge.frame_of(k): edge.node for edge in edges for k in range(frames)}
    return [takers[frame] for frame in range(frames)]


def test_the_client_deals_to_those_that_are_there(tmp_path: Path) -> None:
    found = read(tmp_path, planned(([0], {"replicas": 3, "share": [2, 1, 1]}), ([1, 2], {})))
    assert found.spare == {"n0_0", "n0_1", "n0_2"}
    assert dealt(found, frozenset())[:4] == ["n0_0", "n0_1", "n0_2", "n0_0"]
    assert dealt(found, frozenset({"n0_0"}))[:4] == ["n0_1", "n0_2", "n0_1", "n0_2"]
    assert dealt(found, frozenset({"n0_1"}))[:6] == ["n0_0", "n0_2", "n0_0", "n0_0", "n0_2", "n0_0"]
    (gather,) = found.turns["n1"]
    assert gather.nodes == ("n0_0", "n0_1", "n0_2")
    assert [gather.out(absent) for absent in ({"n0_1"}, {"n0_0", "n0_2"}, ())] == [2, 5, 0]
    assert [edge.node for edge in found.without(found.sinks, {"n0_1"})] == ["n1"]


def test_a_board_that_deals_and_gathers(tmp_path: Path) -> None:
    plan = planned(([0, 2], {}), ([1], {"replicas": 2}))
    found = read(tmp_path, plan)
    assert [one.nodes for one in found.turns["n0"]] == [("n1_0", "n1_1")] * 2
    assert found.spare == {"n1_0", "n1_1"}
    windows = {node.name: {one.name: one.counts for one in node.windows} for node in plan.nodes}
    assert windows["n0"]["turns"] == (("N", 2),)
    assert windows["n1_0"]["turns"] == windows["n1_1"]["turns"] == (("N", 1),)


def test_no_registers_without_replicas(tmp_path: Path) -> None:
    plan = planned(([0], {}), ([1, 2], {}))
    assert all(one.name != "turns" for node in plan.nodes for one in node.windows)
    assert read(tmp_path, plan).spare == frozenset()


def test_two_stages_of_replicas_wait_for_one_another(tmp_path: Path) -> None:
    """The frames of a replica that is away are in another order at the next stage."""
    assert read(tmp_path, planned(([0], {"replicas": 2}), ([1, 2], {"replicas": 3}))).spare == frozenset()


AWAY = [
    (60, 'kill = "slow_1"\naway = 4'),
    (61, 'kill = "fast"'),
    (400, 'kill = "slow_0"\naway = 3'),
]


@pytest.mark.sweep
def test_a_replica_that_is_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For longer than a restart takes: the others take its turns, by the client and by the gather in RTL."""
    stages = (("slow", "zedboard", (0,)), ("fast", "zedboard", (1,)))
    row = Chain((24, 12, 4), "UINT3", ((6, 8, 6), (4, 12, 1)), (0, 1), stages)
    path = row.write_inputs(tmp_path)
    path.write_text(path.read_text().replace('name = "slow"', 'name = "slow"\nreplicas = 3'))
    generate(path, tmp_path / "out")
    found = rehearsed(tmp_path / "out", 3000, AWAY, capsys)
    notes = " ".join(found["notes"])
    for name in ("slow_1", "slow_0"):
        assert f"node {name} is away; other replicas take its turns" in notes
        assert f"node {name} is back, and gets its turns again" in notes
