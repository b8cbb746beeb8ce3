# SPDX-License-Identifier: BSD-3-Clause
"""More boards, and single changes: each is tried in the model, and the rate that follows is compared.

A board more is a copy of the board that limits: copies of a board take the frames in turn, each with its own
Ethernet. The rate is that of many frames in flight; the latency of a frame is as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from shellgen.estimate.figures import Layer, given_as, layers_of, slowest_of
from shellgen.estimate.rate import estimate
from shellgen.estimate.servers import Server
from shellgen.model import Partition, Plan

MOST_BOARDS = 64
FASTER_LINK = 10  # times
DEEPER_RING = 2
NOTABLE = 1.001  # times the rate before


@dataclass(frozen=True)
class Point:
    """A cluster with copies of some of its boards.

    Attributes:
        boards: Of all.
        copies: Of each node, in the order of the plan.
        frames_per_second: At most.
        efficiency: Rate for each board, against that of the cluster without copies.
        limit: The part that limits, by name.
    """

    boards: int
    copies: tuple[int, ...]
    frames_per_second: float
    efficiency: float
    limit: str


@dataclass(frozen=True)
class Change:
    """A single change.

    Attributes:
        text: What is done.
        frames_per_second: The rate that follows.
        limit: The part that limits then.
        boards: Whether it takes more boards.
    """

    text: str
    frames_per_second: float
    limit: str
    boards: bool = False


def scaled(plan: Plan, most: int) -> tuple[Point, ...]:
    """Add one board after the other, each a copy of the board that limits, up to so many in all."""
    found = estimate(plan).servers
    copies = {node.name: 1 for node in plan.nodes}
    first = 1 / found[0].seconds / len(copies)
    points = []
    while sum(copies.values()) <= most:
        limit = max(found, key=lambda one: _shared(one, copies))
        rate = 1 / _shared(limit, copies)
        boards = sum(copies.values())
        counts = tuple(copies.values())
        points.append(Point(boards, counts, rate, rate / boards / first, limit.name))
        if limit.node not in copies:  # a program of the host
            break
        copies[limit.node] += 1
    return tuple(points)


def circle_of(plan: Plan) -> tuple[str, ...]:
    """Return boards that pass frames in a circle: a frame has to come back to the copy that had it."""
    after: dict[str, set[str]] = {node.name: set() for node in plan.nodes}
    for boundary in plan.boundaries:
        one, two = boundary.producer_node, boundary.consumer_node
        if one and two and one != two:
            after[one].add(two)
    left = {name: set(names) for name, names in after.items()}
    while ends := [name for name, names in left.items() if not names & left.keys()]:
        for name in ends:
            del left[name]
    before = {name for names in left.values() for name in names}
    return tuple(name for name in left if name in before)


def _shared(server: Server, copies: Mapping[str, int]) -> float:
    return server.seconds / copies.get(server.node, 1)


def changes(plan: Plan) -> tuple[Change, ...]:
    """Try single changes, best first; those that bring nothing are left out."""
    before = estimate(plan).frames_per_second * NOTABLE
    found = [one for one in _tried(plan) if one.frames_per_second > before]
    if not any(one.boards for one in found) and not circle_of(plan):
        found += [one for one in _together(plan) if one.frames_per_second > before][:1]
    return tuple(sorted(found, key=lambda one: (-one.frames_per_second, one.text)))


def _together(plan: Plan) -> Iterator[Change]:
    """Copy board after board: where several are as slow, only a copy of each makes the cluster faster."""
    for point in scaled(plan, MOST_BOARDS):
        more = zip(plan.nodes, point.copies, strict=True)
        copies = ", ".join(f"{node.name} x {count}" for node, count in more if count > 1)
        yield Change(f"more boards at once ({copies})", point.frames_per_second, point.limit, boards=True)


def _folded(plan: Plan, partition: Partition, slowest: Layer) -> Plan:
    """Return the plan with half the cycles of a layer; nobody knows how the others wait for it then."""
    layers = layers_of(plan, partition)
    cycles = tuple(-(-(one.cycles or 0) // 2) if one == slowest else one.cycles for one in layers)
    changed = partition.model_copy(update={"layer_cycles": cycles, "pace": None})
    asked = plan.estimate
    if asked:  # what it says of the layers is in these cycles
        names = {given_as(plan, partition, layer) for layer in partition.timed}
        left = {name: count for name, count in asked.layers.items() if name not in names}
        asked = asked.model_copy(update={"layers": left})
    partitions = tuple(changed if one is partition else one for one in plan.partitions)
    return plan.model_copy(update={"partitions": partitions, "estimate": asked})


def _tried(plan: Plan) -> Iterator[Change]:
    servers = estimate(plan).servers
    names = {node.name: 1 for node in plan.nodes}
    for node in plan.nodes:
        copies = {**names, node.name: 2}
        worst = max(servers, key=lambda one: _shared(one, copies))
        yield Change(f"a second board {node.name}", 1 / _shared(worst, copies), worst.name, boards=True)
    for partition in plan.partitions:
        slowest = slowest_of(plan, partition)
        if slowest is None or slowest.cycles is None or slowest.cycles < 2:
            continue
        changed = estimate(_folded(plan, partition, slowest))
        alike = sum(one.cycles == slowest.cycles for one in layers_of(plan, partition)) - 1
        also = f" (as slow: {alike} more of its layers)" if alike else ""
        text = f"twice the folding of layer {slowest.name} of {partition.name}{also}"
        yield Change(text, changed.frames_per_second, changed.limit.name)
    for medium in (one for one in servers if one.medium):
        times = DEEPER_RING if medium.ring else FASTER_LINK
        faster = [replace(one, seconds=one.seconds / times) if one == medium else one for one in servers]
        worst = max(faster, key=lambda one: one.seconds)
        does = "with a ring twice as deep" if medium.ring else f"{FASTER_LINK} times as fast"
        yield Change(f"{medium.name} {does}", 1 / worst.seconds, worst.name)
    for boundary in plan.boundaries:
        dense = boundary.elements_per_frame * plan.port(boundary).element.bits / 8
        if boundary.packing == "dense" or dense >= boundary.frame_bytes or boundary.link is None:
            continue
        share = dense / boundary.frame_bytes
        nodes = {boundary.producer_node, boundary.consumer_node}
        packed = [
            replace(one, seconds=one.seconds * share) if one.medium and one.node in nodes else one
            for one in servers
        ]
        worst = max(packed, key=lambda one: one.seconds)
        yield Change(f'packing = "dense" of {boundary.name}', 1 / worst.seconds, worst.name)
