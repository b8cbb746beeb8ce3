# SPDX-License-Identifier: BSD-3-Clause
"""Replicas between cards: their frames have numbers, so that no lost frame shifts the results behind it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake
from fake_network import chain, partition, plan_of, spec
from test_joins import passing
from test_replicas import nodes
from test_vnx_cluster import play

from shellgen import costs
from shellgen.check.run import Options, check
from shellgen.errors import PlanError
from shellgen.model import Plan, Usage
from shellgen.model.meets import reset_nodes
from shellgen.plan.junction import junction_files
from shellgen.plan.numbers import order_notes, tags_usage
from vivado_check.report import Verdict

Stage = tuple[list[int], dict[str, Any]]
THREE: tuple[Stage, ...] = (([0], {}), ([1], {"replicas": 2}), ([2], {}))


def planned(*stages: Stage, board: str = "u280", **more: Any) -> Plan:
    count = sum(len(partitions) for partitions, _ in stages)
    return plan_of(
        chain(*(partition(name) for name in "pqr"[:count])), spec(nodes(*stages, board=board), **more)
    )


def numbered(plan: Plan) -> set[str]:
    return {one.name for one in plan.boundaries if one.numbered}


def test_gathers_go_by_number() -> None:
    """From one stream of the host on, and where a gather gets all frames; over links that carry numbers."""
    plan = planned(*THREE)
    assert numbered(plan) == {one.name for one in plan.boundaries}
    gather, deal = (next(p for p in plan.partitions if p.junction == kind) for kind in ("gather", "deal"))
    assert gather.pattern == ()
    assert deal.pattern == (0, 1)
    assert b"axis_register" in junction_files([gather])[gather.sources[0].sha256]
    assert reset_nodes(plan) == ("n1_0", "n2")
    assert not numbered(planned(*THREE, board="zedboard"))
    assert next(
        p for p in planned(*THREE, board="zedboard").partitions if p.junction == "gather"
    ).pattern == (0, 1)
    # Origins on several cards, and gathers that get every third frame.
    assert not numbered(planned(([0], {"replicas": 2}), ([1], {})))
    stages: tuple[Stage, ...] = (([0], {}), ([1], {"replicas": 2}), ([2], {"replicas": 3}))
    assert not numbered(planned(*stages))


def test_what_gives_frames_numbers() -> None:
    """The note of a plan names a field that helps: one card that all frames pass."""
    through: dict[str, Any] = {"host": {"through": "n1"}}
    two: tuple[Stage, ...] = (([0], {"replicas": 2}), ([1], {}))
    (note,) = order_notes(planned(*two))
    assert "since they enter at n0_0 and n0_1: the reset" in note
    assert "through in [host], with a card that has no replicas, gives them numbers" in note
    assert numbered(planned(*two, **through)) == {one.name for one in planned(*two, **through).boundaries}
    three: tuple[Stage, ...] = (([0], {}), ([1], {"replicas": 2}), ([2], {"replicas": 3}))
    through = {"host": {"through": "n0"}}
    (note,) = order_notes(planned(*three, **through))
    assert "since some replicas send to some others: the reset" in note
    over = planned(*three, **through, link=[{"from": "q", "to": "r", "via": ["n0"]}])
    assert numbered(over) == {one.name for one in over.boundaries}
    assert [*order_notes(over), *order_notes(planned(*three, board="zedboard"))] == []


def test_a_cage_with_more_streams_than_rows() -> None:
    found = "n1: 17 streams need a row each at cage 0, and the most is 16. Choose fewer replicas, or use the"
    with pytest.raises(PlanError, match=found):
        planned(([0], {"replicas": 16}), ([1], {}), ([2], {}))


def test_fit_counts_the_blocks_of_numbers(tmp_path: Path) -> None:
    """As many of each kind as the core has, whose scripts and sources are right."""
    parts = [passing(name, ("UINT8", 4, 64)) for name in "pqr"]
    out = generate_fake(chain(*parts), spec(nodes(*THREE, board="u280")), tmp_path / "out")
    plan = Plan.model_validate_json((out / "plan.json").read_text())
    blocks = {
        r"axis_frame_tag #": costs.frame_tag(),
        r"axis_frame_label #": costs.frame_label() + costs.mark(),
        r"axis_frame_match #": costs.frame_match(2, True),
        r"axis_tag_deal #": costs.tag_deal(2),
    }
    for node in plan.nodes:
        text = (out / node.name / f"{node.name}_core.v").read_text()
        fifos = re.findall(r"DEPTH\((\d+)\)\s*\) u_\w+_tag_fifo ", text)
        there = [costs.fifo(costs.TAG_BITS, int(deep)) for deep in fifos]
        there += [usage for name, usage in blocks.items() for _ in re.findall(name, text)]
        assert sum(there, Usage()) == tags_usage(plan)[node.name]
        assert len(there) >= 4
    found = check(out, Options())
    assert [one for one in found.messages if one.verdict is not Verdict.NOT_MODELLED] == []


@pytest.mark.sweep
@pytest.mark.parametrize("share", [[], [2, 1]])
def test_cards_are_reset_beside_replicas(tmp_path: Path, share: list[int]) -> None:
    """A replica and the card behind it: every result is right or marked, and so are all later ones."""
    parts = [passing(name, ("UINT4", 128, 7424)) for name in "pqr"]
    replicas: dict[str, Any] = {"replicas": 2, "share": share} if share else {"replicas": 2}
    stages = nodes(([0], {}), ([1], replicas), ([2], {}), board="u280")
    out = generate_fake(chain(*parts), spec(stages), tmp_path / "out")
    report = play(out, walk="sample", stalled=False)
    assert {one["reset"]["node"] for one in report["meets"]} == {"n1_0", "n2"}
    assert all(verdict["passed"] for one in report["meets"] for verdict in one["reset"]["verdicts"])
    for node in ("n0", "n1_1"):
        found = play(out, reset_node=node, full_rate=False, stalled=False)
        for by in ("control", "pin"):
            assert all(verdict["passed"] for verdict in found[f"reset_{by}"]["verdicts"])


@pytest.mark.sweep
def test_cards_are_reset_between_two_replicas_and_three(tmp_path: Path) -> None:
    """All frames pass one card on their way, and have numbers so."""
    parts = [passing(name, ("UINT4", 128, 7424)) for name in "pqr"]
    stages = nodes(([0], {}), ([1], {"replicas": 2}), ([2], {"replicas": 3}), board="u280")
    way: dict[str, Any] = {"host": {"through": "n0"}, "link": [{"from": "q", "to": "r", "via": ["n0"]}]}
    out = generate_fake(chain(*parts), spec(stages, **way), tmp_path / "out")
    report = play(out, walk="sample", stalled=False)
    assert {one["reset"]["node"] for one in report["meets"]} == {"n0", "n1_0", "n2_0"}
    assert all(verdict["passed"] for one in report["meets"] for verdict in one["reset"]["verdicts"])
