# SPDX-License-Identifier: BSD-3-Clause
"""``[host] through``: what the host sends and receives passes one node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fake_network import chain, one_each, partition, plan_of

from shellgen.errors import PlanError
from shellgen.golden.walk import Inside, walk
from shellgen.model import Plan
from shellgen.plan.junction import junction_files


def three(through: str, **more: Any) -> Plan:
    network = chain(partition("p"), partition("q"), partition("r", makes=(("INT3", 1, 16), ("UINT8", 2, 4))))
    return plan_of(network, one_each(network, host={"through": through}, **more))


def ways(plan: Plan) -> list[tuple[str, str | None, str | None]]:
    return [(boundary.name, boundary.producer_node, boundary.consumer_node) for boundary in plan.boundaries]


def test_results_come_back_through_the_first_node() -> None:
    plan = three("n0")
    assert ways(plan) == [
        ("host_to_p", None, "n0"),
        ("p_to_q", "n0", "n1"),
        ("q_to_r", "n1", "n2"),
        ("r_m_axis_0_to_relay_0", "n2", "n0"),
        ("r_m_axis_1_to_relay_1", "n2", "n0"),
        ("relay_0_to_host", "n0", None),
        ("relay_1_to_host", "n0", None),
    ]
    assert plan.node("n0").partitions == ("p", "relay_0", "relay_1")
    assert plan.boundary("relay_1_to_host").datatype == "UINT8"
    sources = junction_files(plan.partitions)
    assert {one.sources[0].sha256 for one in plan.partitions if one.junction} == set(sources)
    assert any(b"[15:0] s_axis_0_tdata" in text for text in sources.values())


def test_everything_passes_a_node_in_the_middle() -> None:
    names = [name for name, *_ in ways(three("n1"))]
    assert names[:2] == ["host_to_relay_0", "relay_0_to_p"]
    assert names[-2:] == ["relay_1_to_host", "relay_2_to_host"]


def test_a_link_of_the_host_is_that_of_the_relay() -> None:
    plan = three("n1", link=[{"from": "host", "to": "p", "kind": "tcp_dma", "packing": "finn"}])
    assert plan.boundary("host_to_relay_0").packing == "finn"
    assert plan.boundary("relay_0_to_p").packing == "dense"


def test_without_edges_of_a_build() -> None:
    network = chain(partition("p"), partition("q"), edges=False)
    plan = plan_of(network, one_each(network, host={"through": "n0"}, link=[{"from": "p", "to": "q"}]))
    assert [name for name, *_ in ways(plan)] == ["host_to_p", "p_to_q", "q_to_relay_0", "relay_0_to_host"]


def test_a_partition_may_have_the_name() -> None:
    network = chain(partition("p"), partition("relay_0"))
    plan = plan_of(network, one_each(network, host={"through": "n0"}))
    assert [part.name for part in plan.partitions] == ["p", "relay_0", "relay_1"]


def test_golden_frames_pass_unchanged() -> None:
    plan = three("n2")
    relay = plan.partition("relay_0")
    ends = {
        "boundaries": (
            plan.boundary("host_to_relay_0"),
            plan.boundary("relay_0_to_p").model_copy(update={"consumer": None}),
        )
    }
    plan = plan.model_copy(update={"partitions": (relay,), **ends})
    frames = np.arange(32).reshape(2, 16)
    received, _ = walk(plan, Inside({}, {}), {"host_to_relay_0": frames})
    assert np.array_equal(received["relay_0_to_p"], frames)


def test_refuses_an_unknown_node() -> None:
    with pytest.raises(PlanError, match=r"host.through: there is no node 'x'. Name one of: n0, n1"):
        three("x")
