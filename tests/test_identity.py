# SPDX-License-Identifier: BSD-3-Clause
"""Changes on one board change no file of another: a build id depends on a node and its boundaries."""

from __future__ import annotations

from typing import Any

import pytest
from fake_network import chain, lite, partition, plan_of, spec

from shellgen.emit.whole import emit
from shellgen.model import Network, Plan

NAMES = ("zed0", "zed1", "zed2")
WIDE, NARROW = ("UINT4", 4, 16), ("UINT4", 2, 16)
# Frames between the boards are packed densely, whatever the words of the partitions.
PARTS: tuple[dict[str, Any], ...] = (
    {"name": "a", "takes": (WIDE,), "makes": (WIDE,), "slaves": (lite(0),)},
    {"name": "b", "takes": (WIDE,), "makes": (WIDE,), "slaves": (lite(0),)},
    {"name": "c", "takes": (WIDE,), "makes": (WIDE,), "slaves": (lite(0),)},
)


def network(*changed: dict[str, Any]) -> Network:
    """The network, its first partitions with these changes."""
    more = [*changed, *({} for _ in PARTS[len(changed) :])]
    return chain(*(partition(**{**part, **change}) for part, change in zip(PARTS, more, strict=True)))


def planned(found: Network, first: dict[str, Any] | None = None, **cluster: Any) -> Plan:
    """The plan with other facts of the first node."""
    nodes: list[dict[str, Any]] = [
        {"name": name, "board": "zedboard", "partitions": [index]} for index, name in enumerate(NAMES)
    ]
    nodes[0] |= first or {}
    return plan_of(found, spec(nodes, **cluster))


def folders(plan: Plan, found: Network) -> dict[str, dict[str, bytes]]:
    """The files of each node: its folder, and the programs that run it."""
    files: dict[str, dict[str, bytes]] = {}
    for artifact in emit(plan, found.files):
        head, _, tail = artifact.path.partition("/")
        for index, node in enumerate(plan.nodes):
            if head == node.name or tail == f"run_{node.name}.py":
                files.setdefault(NAMES[index], {})[artifact.path] = artifact.content
    return files


BEFORE = planned(network())
FILES = folders(BEFORE, network())

FIRST: dict[str, dict[str, Any]] = {
    "clock": {"clock_mhz": 50.0},
    "board": {"board": "zcu104"},
    "window": {"lite": {"reserved": [{"offset": 0, "bytes": 65536}]}},
    "bridge": {"lite": {"access": "bridge"}},
    "name": {"name": "other"},
}
# What the first partition may be made of without another word to the second.
PARTITION: dict[str, dict[str, Any]] = {
    "memories": {"slaves": (lite(0), lite(1))},
    "folding": {"makes": (NARROW,)},
}


def other_boards_are_as_before(plan: Plan, found: Network) -> None:
    assert plan.nodes[0].build_id != BEFORE.nodes[0].build_id
    assert plan.cluster_id != BEFORE.cluster_id
    assert [node.build_id for node in plan.nodes[1:]] == [node.build_id for node in BEFORE.nodes[1:]]
    files = folders(plan, found)
    assert files[NAMES[0]] != FILES[NAMES[0]]
    for name in NAMES[1:]:
        assert len(FILES[name]) > 10
        assert any(plan.nodes[1].build_id in content.decode() for content in files[NAMES[1]].values())
        assert files[name] == FILES[name], [
            path for path in FILES[name] if files[name][path] != FILES[name][path]
        ]


@pytest.mark.parametrize("what", FIRST)
def test_another_first_node(what: str) -> None:
    other_boards_are_as_before(planned(network(), FIRST[what]), network())


@pytest.mark.parametrize("what", PARTITION)
def test_another_first_partition(what: str) -> None:
    found = network(PARTITION[what])
    other_boards_are_as_before(planned(found), found)


def test_what_crosses_an_edge_is_in_both_ids() -> None:
    """Another element type between the first two boards: their contract changes, the third's does not."""
    makes, takes = {"makes": (("UINT3", 4, 16),)}, {"takes": (("UINT3", 4, 16),)}
    plan = planned(network(makes, takes))
    assert [a.contract == b.contract for a, b in zip(plan.boundaries, BEFORE.boundaries, strict=True)] == [
        *(True, False, True, True)
    ]
    ids = [a.build_id == b.build_id for a, b in zip(plan.nodes, BEFORE.nodes, strict=True)]
    assert ids == [False, False, True]


def test_packing_is_in_the_contract() -> None:
    """With FINN's words on the wire, their width is part of what both ends agree on."""
    padded = planned(network(), packing="finn")
    assert all(a.contract != b.contract for a, b in zip(padded.boundaries, BEFORE.boundaries, strict=True))
    assert all(a.build_id != b.build_id for a, b in zip(padded.nodes, BEFORE.nodes, strict=True))


def test_a_cluster_is_told_by_its_name_but_no_core_is() -> None:
    other = planned(network(), name="another")
    assert other.cluster_id != BEFORE.cluster_id
    assert [node.build_id for node in other.nodes] == [node.build_id for node in BEFORE.nodes]


def test_no_core_depends_on_an_estimate() -> None:
    plain = network()
    told = [part.model_copy(update={"layers": ("a",), "layer_cycles": (7,)}) for part in plain.partitions]
    silent = [
        part.model_copy(update={"layers": ("a",), "layer_cycles": (None,)}) for part in plain.partitions
    ]
    one, two = (
        planned(Network(tuple(parts), plain.edges, plain.files, plain.origin)) for parts in (told, silent)
    )
    assert one.partitions[0].slowest_cycles == one.partitions[0].summed_cycles == 7
    assert two.partitions[0].slowest_cycles is None
    assert [node.build_id for node in one.nodes] == [node.build_id for node in two.nodes]
