# SPDX-License-Identifier: BSD-3-Clause
"""The rate of a build's layers on boards in a row: folded and cut again for each number of them.

With the folding as it is, a cut makes no streaming network faster than its slowest layer; what boards more
bring is room for a higher folding. So each point is the best split onto so many boards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from shellgen.errors import InputError, PlanError
from shellgen.links import link_registry
from shellgen.model import Network, NodePlan, Plan
from shellgen.model.folding import SplitNetwork
from shellgen.split.ask import Wanted
from shellgen.split.boards import Desk, Stock, worst_of
from shellgen.split.built import built_network
from shellgen.split.costs import counted
from shellgen.split.mock import around
from shellgen.split.search import fastest
from shellgen.split.task import Found, Task

_COUNTS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64)
_ROW = 3  # boards that show what surrounds one between two others
_MOST_BRANCHES = 8


@dataclass(frozen=True)
class Cut:
    """A row of so many boards.

    Attributes:
        boards: That are used; more bring nothing.
        frames_per_second: At most, many frames in flight; None if the layers do not fit.
        latency: Seconds of a frame in the layers, one after the other: an upper bound, since they overlap.
        limit: What limits: a layer, or the link.
        layers: Of each board.
    """

    boards: int
    frames_per_second: float | None
    latency: float
    limit: str
    layers: tuple[int, ...]


@dataclass(frozen=True)
class Curve:
    """Boards of one kind, joined by one kind of link.

    Attributes:
        board: Its name.
        link: Kind of the link.
        of: What is cut: all layers, or a branch by its first and last layer.
        points: By rising number of boards.
    """

    board: str
    link: str
    of: str
    points: tuple[Cut, ...]


def curves(plan: Plan, network: Network, most: int, where: str) -> tuple[Curve, ...]:
    """Return a curve for each kind of board in the cluster and of link that their cores have.

    Raises:
        InputError: The build tells too little of its layers.
    """
    found = []
    nodes = {(node.board.name, node.platform): node for node in plan.nodes}
    for node in nodes.values():
        layers = counted(built_network(plan, network, node.board.part, where))
        for link in (kind for kind, one in link_registry().items() if not one.by_programs):
            desk = _desk(node, layers, link, where)
            if desk is None:
                continue
            task = desk.task()
            found.append(Curve(node.board.name, link, "all layers", tuple(_points(task, most))))
            for name, branch in branches(task):
                found.append(Curve(node.board.name, link, name, tuple(_points(branch, most))))
    return tuple(found)


def _desk(node: NodePlan, layers: SplitNetwork, link: str, where: str) -> Desk | None:
    """Return boards like a node's, joined in a row by this kind of link; None if they cannot be."""
    about: dict[str, object] = {"platform": node.platform, "clock_mhz": node.clock_hz / 1e6}
    about |= {"options": {node.platform: node.options}} if node.options else {}
    about |= {"compute_mhz": node.compute.hz / 1e6} if node.apart else {}
    try:
        between = worst_of(around([node.board] * _ROW, where, about, link))
    except (InputError, PlanError):
        return None
    stock = (Stock(node.board.name, node.board, 1),)
    return Desk(stock, {node.board.part: layers}, (between,), Wanted(replicas=1, where=where))


def _points(task: Task, most: int) -> Iterator[Cut]:
    """Return the best split onto 1, 2, 3 boards and so on, until more of them bring nothing."""
    best = fastest(task.with_counts((most,)))
    before = 0
    for count in (*(one for one in _COUNTS if one < most), most):
        found = best if count == most else fastest(task.with_counts((count,)))
        if found is None:
            yield Cut(count, None, 0.0, "", ())
        elif len(found.parts) > before:
            before = len(found.parts)
            chosen = [choice for part in found.parts for choice in part.choices]
            latency = sum(map(task.kinds[0].seconds, chosen))
            sizes = tuple(len(part.layers) for part in found.parts)
            yield Cut(before, 1 / found.seconds, latency, _limit(task, found), sizes)
        if found is not None and best is not None and found.seconds <= best.seconds:
            return


def _limit(task: Task, found: Found) -> str:
    """Return the slowest layer, or the link if that is slower."""
    kind = task.kinds[0]
    pairs = [
        (kind.seconds(choice), layer)
        for part in found.parts
        for layer, choice in zip(part.layers, part.choices, strict=True)
    ]
    seconds, layer = max(pairs, key=lambda pair: (pair[0], -pair[1]))
    return f"layer {task.layers[layer]}" if seconds >= found.seconds * (1 - 1e-9) else "link"


def branches(task: Task) -> Iterator[tuple[str, Task]]:
    """Return each branch of several layers between a fork and a join, by its first and last layer."""
    count, passed, at = len(task.layers), [0] * (len(task.layers) + 2), 0
    for hop in task.hops:  # layers that a stream goes past
        passed[hop.producer + 1] += 1
        passed[max(hop.producer + 1, hop.consumer)] -= 1
    beside, number = [], 0
    for layer in range(count):
        number += passed[layer]
        beside.append(number > 0)
    found = []
    while at < count:
        if not beside[at]:
            at += 1
            continue
        end = at
        while end < count and beside[end]:
            end += 1
        found += _components(task, range(at, end))
        at = end
    longest = sorted((one for one in found if len(one) > 1), key=lambda one: (-len(one), one))
    for own in sorted(longest[:_MOST_BRANCHES]):
        yield f"branch {task.layers[own[0]]} to {task.layers[own[-1]]}", _part(task, own)


def _components(task: Task, layers: range) -> list[tuple[int, ...]]:
    """Return the layers that streams join, in network order."""
    root = {layer: layer for layer in layers}

    def first(layer: int) -> int:
        while root[layer] != layer:
            root[layer] = root[root[layer]]
            layer = root[layer]
        return layer

    for hop in task.hops:
        if hop.producer in root and hop.consumer in root:
            one, two = sorted((first(hop.producer), first(hop.consumer)))
            root[two] = one
    groups: dict[int, list[int]] = {}
    for layer in layers:
        groups.setdefault(first(layer), []).append(layer)
    return [tuple(own) for own in groups.values()]


def _part(task: Task, own: tuple[int, ...]) -> Task:
    """Return the task of some layers; what they exchange with others goes to the host."""
    place = {layer: number for number, layer in enumerate(own)}
    hops = tuple(
        replace(hop, producer=place.get(hop.producer, -1), consumer=place.get(hop.consumer, len(own)))
        for hop in task.hops
        if hop.producer in place or hop.consumer in place
    )
    kinds = tuple(replace(kind, choices=tuple(kind.choices[at] for at in own)) for kind in task.kinds)
    return Task(tuple(task.layers[at] for at in own), kinds, hops, task.replicas)
