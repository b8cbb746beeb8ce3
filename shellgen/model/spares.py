# SPDX-License-Identifier: BSD-3-Clause
"""Replicas whose turns the boards around them can leave out, for the bench."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import gcd

from shellgen.model.partition import Endpoint, Partition
from shellgen.model.plan import NodePlan, Plan

LEAST_EPOCHS = 2  # of the others, in the order of `sim/bench_absent.py`

Places = Mapping[str, frozenset[int]]


def spares(plan: Plan, room: int) -> tuple[tuple[str, ...], ...]:
    """Return, for each stage with replicas, those without which the boards around them go on.

    The boards only skip turns in their patterns, so this needs that all of them come to the same order. A
    stage that the host feeds, or whose results it takes, does not count: the host has no register. Weights
    from memory are sent as often as each replica needs them with all its turns and no more.

    Args:
        plan: The plan.
        room: Epochs for which sinks and monitors have room.
    """
    whole = set(range(plan.epoch))
    for one in plan.boundaries:
        ends_at_host = one.producer is None or one.consumer is None
        if ends_at_host and set(one.places) != whole:
            return ()
    places = node_places(plan)
    stages: dict[str, list[str]] = {}
    for node in plan.nodes:
        if places[node.name] < whole and _goes_on(plan, places, node.name, room):
            first = plan.partition(node.partitions[0])
            stages.setdefault(first.copy_of or first.name, []).append(node.name)
    return tuple(tuple(names) for names in stages.values())


def node_places(plan: Plan) -> dict[str, frozenset[int]]:
    """Return the inferences of an epoch whose frames each node has."""
    found: dict[str, set[int]] = {node.name: set() for node in plan.nodes}
    for one in plan.boundaries:
        for name in (one.producer_node, one.consumer_node):
            if name is not None:
                found[name] |= set(one.places)
    return {name: frozenset(places) for name, places in found.items()}


def _goes_on(plan: Plan, places: Places, name: str, room: int) -> bool:
    """Tell whether all deals and gathers keep the order of frames without the turns of a node."""
    left = set(range(plan.epoch)) - places[name]
    idle = {other for other, own in places.items() if not own & left}
    if not left or runs(plan.epoch, len(left))[1] > room:
        return False
    return all(
        _follows(part, _far(plan, part), [place in left for place in sorted(places[node.name])], idle)
        for node in plan.nodes
        if node.name not in idle
        for part in _in_turns(plan, node)
    )


def runs(epoch: int, left: int) -> tuple[int, int]:
    """Return how many epochs are sent, and how many of those without the turns that are the same frames."""
    whole = left // gcd(epoch, left)
    count = -(-LEAST_EPOCHS // whole) * whole
    return count, count * epoch // left


def _in_turns(plan: Plan, node: NodePlan) -> list[Partition]:
    """Return the deals and gathers with a pattern; others go by the numbers of frames."""
    parts = map(plan.partition, node.partitions)
    return [part for part in parts if part.takes_turns and part.pattern]


def _far(plan: Plan, part: Partition) -> list[str | None]:
    """Return the node that each stream of a deal or gather leads to."""
    deals = part.junction == "deal"
    far = {
        (one.producer if deals else one.consumer): one.consumer_node if deals else one.producer_node
        for one in plan.boundaries
    }
    ports = part.outputs if deals else part.inputs
    return [far[Endpoint(partition=part.name, port=port.name)] for port in ports]


def _follows(part: Partition, far: list[str | None], stays: list[bool], idle: Collection[str]) -> bool:
    """Tell whether a core that skips streams in its pattern takes frames in the order that is left."""
    whole = [part.pattern[at % len(part.pattern)] for at in range(len(stays))]
    wanted = [one for one, kept in zip(whole, stays, strict=True) if kept]
    made = [one for one in part.pattern if far[one] not in idle]
    return wanted == made * (len(wanted) // len(made)) if made else not wanted
