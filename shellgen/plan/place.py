# SPDX-License-Identifier: BSD-3-Clause
"""Placement: each partition on exactly one node."""

from __future__ import annotations

from dataclasses import replace

from shellgen.counted import counted
from shellgen.errors import PlanError, Problem
from shellgen.model import NodeSpec, Partition
from shellgen.plan.draft import Draft, NodeDraft
from shellgen.platforms import platform_registry

# Nets of every core (templates/verilog/core.v.j2), beside the clock of its ports and its reset.
_NETS = {"aclk2x", "drain", "drained", "frames_per_transfer", "inner_aresetn", "shut"}
_NETS |= {"compute_inner_aresetn", "compute_shut"}


def find_partition(key: int | str, partitions: tuple[Partition, ...]) -> Partition | None:
    """Return the partition with this index in network order, or with this name."""
    if isinstance(key, str) and key.isdigit():
        key = int(key)
    if isinstance(key, int):
        return partitions[key] if 0 <= key < len(partitions) else None
    return next((partition for partition in partitions if partition.name == key), None)


def known_partitions(partitions: tuple[Partition, ...]) -> str:
    """List the partitions for a remedy."""
    return ", ".join(f"{index} ({partition.name})" for index, partition in enumerate(partitions))


def place_partitions(draft: Draft) -> Draft:
    """Resolve the partitions of each node.

    Raises:
        PlanError: A partition that is unknown, placed twice or not placed.
    """
    problems: list[Problem] = []
    owner: dict[str, str] = {}
    nodes: list[NodeDraft] = []
    order = {partition.name: number for number, partition in enumerate(draft.partitions)}
    for index, spec in enumerate(draft.spec.node):
        where = f"{draft.where}: node[{index}].partitions"
        found: list[Partition] = []
        for key in spec.partitions:
            partition = find_partition(key, draft.partitions)
            if partition is None:
                remedy = f"The build has {known_partitions(draft.partitions)}"
                problems.append(Problem(where, f"there is no partition {key!r}", remedy))
            elif partition.name in owner:
                problems.append(
                    Problem(
                        where,
                        f"{partition.name} is placed twice, on {owner[partition.name]} and on {spec.name}",
                        "Keep one of the two",
                    )
                )
            else:
                owner[partition.name] = spec.name
                found.append(partition)
        found.sort(key=lambda partition: order[partition.name])
        node = _node(draft, index, spec, tuple(found))
        if spec.compute_mhz is not None and len(node.clocks) == 1:
            one_clock = f"platform {node.platform} gives a core of {node.board.name} one clock"
            remedy = "Leave it out; clock_mhz is the clock of the whole core"
            problems.append(Problem(f"{draft.where}: node[{index}].compute_mhz", one_clock, remedy))
        if spec.share and (spec.replicas == 1 or len(spec.share) != spec.replicas):
            text = f"{counted(len(spec.share), 'share')}, and {spec.name} has {_replicas(spec.replicas)}"
            remedy = "Give the frames of each replica in a turn of all, or leave it out"
            if spec.replicas == 1:
                remedy = f"Say replicas = {len(spec.share)}" if len(spec.share) > 1 else "Say replicas"
                remedy += ", or leave it out"
            problems.append(Problem(f"{draft.where}: node[{index}].share", text, remedy))
        problems.extend(_clock_names(node))
        nodes.append(node)
    problems.extend(
        Problem(
            f"{draft.where}: node", f"partition {p.name} is on no node", "Add it to the partitions of a node"
        )
        for p in draft.partitions
        if p.name not in owner
    )
    if problems:
        raise PlanError(*problems)
    return replace(draft, nodes=tuple(nodes))


def _replicas(count: int) -> str:
    return f"replicas = {count}" if count > 1 else "no replicas"


def _clock_names(node: NodeDraft) -> list[Problem]:
    """Return names of clocks and resets that something else in a core has already."""
    given = [name for clock in node.clocks for name in (clock.name, clock.reset)]
    # Inside, the clock of the ports is aclk and its reset aresetn, whatever the ports are called.
    inside = {name for name, port in zip(("aclk", "aresetn"), given, strict=False) if name != port}
    wrong = [name for name in dict.fromkeys(given) if name in _NETS | inside or given.count(name) > 1]
    remedy = f"Tell the authors of platform {node.platform}: each clock and reset needs a name of its own"
    return [
        Problem(
            f"platform {node.platform}", f"a core of {node.board.name} has another {name} already", remedy
        )
        for name in wrong
    ]


def _node(draft: Draft, entry: int, spec: NodeSpec, partitions: tuple[Partition, ...]) -> NodeDraft:
    """Query the platform's properties of every core; from here on the board is the platform's view of it."""
    kind, board = draft.platforms[spec.name], draft.boards[spec.name]
    platform = platform_registry()[kind]
    return NodeDraft(
        name=spec.name,
        board=board.on(kind, board.facts(kind, platform.Facts)),
        platform=kind,
        clocks=platform.clocks(board, spec),
        host=platform.window(board),
        lite=spec.lite,
        partitions=partitions,
        entry=entry,
    )
