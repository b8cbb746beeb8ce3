# SPDX-License-Identifier: BSD-3-Clause
"""Streams that are kept in the memory of a board: plan, core, bench, block design and host programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import plan_of, spec
from test_depths import beside_a_late_one
from test_joins import LINKS, NODES, graph, planned

LEAD, WORDS = 4000, 4096
FREE = "broadcast_0_m_axis_1_to_sum_0_s_axis_0"


def with_buffer(**more: Any) -> list[dict[str, Any]]:
    """The graph of test_joins with the streams of its sum in memory."""
    return [{**link, "buffer": "ddr", **more} if link.get("join") == "sum" else link for link in LINKS]


def test_the_plan_ends_rings_on_the_producers_board() -> None:
    plan = planned(with_buffer())
    rings = {node.name: [(one.boundary, one.ring) for one in node.inner if one.ring] for node in plan.nodes}
    print(rings)


@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_a_cluster_runs(tmp_path: Path, simulator: str) -> None:
    network, cluster = beside_a_late_one(LEAD, words=WORDS, buffer="ddr")
    print(plan_of(network, cluster).fifos)
    out = generate_fake(network, cluster, tmp_path / "out")
    report = run(out, simulator, frames=3)
    print(report_text(report))
    print(report["full_rate"]["links"], report["stalled"]["links"])
    assert report["passed"]
