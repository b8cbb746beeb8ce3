# SPDX-License-Identifier: BSD-3-Clause
"""Fast converters to narrower words: where the clock and the ratio need them, or as cluster.toml says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import chain, partition, plan_of, spec

from shellgen.model import Plan

# Words of 4 bits from beats of 32; inside the node 64 bits to 8, and to 24, which is no multiple.
NETWORK = chain(
    partition("a", takes=(("UINT4", 1, 48),), makes=(("UINT4", 16, 48),)),
    partition("b", takes=(("UINT4", 2, 48),), makes=(("UINT4", 16, 48),)),
    partition("c", takes=(("UINT4", 6, 48),), makes=(("UINT4", 6, 48),)),
)


def planned(**node: Any) -> Plan:
    return plan_of(NETWORK, spec([{"name": "n", "board": "zedboard", "partitions": [0, 1, 2], **node}]))


def fast(plan: Plan) -> list[str]:
    (node,) = plan.nodes
    return [
        *(end.boundary for end in node.ends if end.fast),
        *(one.boundary for one in node.inner if one.fast),
    ]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, []),
        ({"clock_mhz": 225.0}, []),
        ({"clock_mhz": 235.0}, ["host_to_a", "a_to_b"]),
        ({"clock_mhz": 235.0, "converters": "small"}, []),
        ({"converters": "fast"}, ["host_to_a", "a_to_b"]),
        # What comes in has the clock of the links, what is inside that of the partitions.
        ({"clock_mhz": 235.0, "compute_mhz": 100.0}, ["host_to_a"]),
        ({"clock_mhz": 100.0, "compute_mhz": 235.0}, ["a_to_b"]),
    ],
)
def test_fast_converters(asked: dict[str, Any], found: list[str]) -> None:
    plan = planned(**asked)
    assert fast(plan) == found
    assert planned(**asked) == plan


def test_the_build_id_follows_the_converters_and_their_cost_is_another() -> None:
    small, quick = planned(), planned(converters="fast")
    assert small.nodes[0].build_id != quick.nodes[0].build_id
    assert small.nodes[0].takes != quick.nodes[0].takes
    assert planned(converters="small").nodes[0].build_id == small.nodes[0].build_id


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("board", "count"),
    [({"board": "zcu104"}, 2), ({"board": "u280"}, 2), ({"board": "u55c", "platform": "coyote"}, 1)],
)
def test_clusters_with_fast_converters(board: dict[str, Any], count: int, tmp_path: Path) -> None:
    """Every stream bit-exact, also after resets: words of half a byte to four from beats of up to 64."""
    streams = (("UINT4", 1, 3000), ("UINT8", 2, 3000), ("UINT8", 4, 3004))
    network = chain(*(partition(f"p{k}", streams, streams) for k in range(count)), streams=len(streams))
    nodes = [{"name": f"n{k}", "partitions": [k], "converters": "fast", **board} for k in range(count)]
    out = generate_fake(network, spec(nodes), tmp_path / "out")
    assert (out / "n0/n0_core.v").read_text().count("axis_width_narrow_fast #(") >= 1
    report = run(out, "verilator", idle_limit=None, frames=4, walk="none")
    assert report["passed"], report_text(report)
