# SPDX-License-Identifier: BSD-3-Clause
"""Streams between two partitions that pass other boards: a relay on each board of the path.

The path is ``via`` of the [[link]]; without it, boards that share no kind of link are joined by the shortest
path of boards that do, and of equal ones by the path that uses the first nodes of cluster.toml. Each hop is
a boundary of its own, so it has a link, buffers, proofs, and its part in the limits of transfers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from shellgen.errors import PlanError, Problem, offer
from shellgen.links import link_registry
from shellgen.plan.docks import docks_of, offers
from shellgen.plan.draft import Draft, NodeDraft, Route
from shellgen.plan.joins import in_order
from shellgen.plan.junction import with_relay

Reach = Mapping[str, Mapping[str, bool]]  # by node, its docks for links; whether a program is the end


def insert_transits(draft: Draft) -> Draft:
    """Split each stream between partitions at the nodes that it passes.

    Raises:
        PlanError: An unknown node in ``via``, one that the stream would pass twice, neighbours without a
            common kind of link; a node without any partition.
    """
    problems: list[Problem] = []
    reach = {node.name: _linked(node) for node in draft.nodes}
    paths = [(route, _path(draft, route, reach, problems)) for route in draft.routes]
    if problems:
        raise PlanError(*dict.fromkeys(problems))
    crossed = [(route, path) for route, path in paths if path]
    for route, path in crossed:
        draft = _split(draft, route, path)
    if empty := list(_without_partition(draft)):
        raise PlanError(*empty)
    return in_order(draft) if crossed else draft


def _path(draft: Draft, route: Route, reach: Reach, problems: list[Problem]) -> tuple[str, ...]:
    """Return the nodes between the two ends of a stream."""
    ends = draft.ends(route)
    if len(ends) == 1:  # the host is at the other end
        return ()
    if route.via:
        problems.extend(_wrong_via(draft, route, ends, reach))
        return route.via
    if draft.is_inner(route) or route.kind is not None:
        return ()
    return _shortest(reach, ends[0].name, ends[1].name)


def _wrong_via(draft: Draft, route: Route, ends: Sequence[NodeDraft], reach: Reach) -> Iterator[Problem]:
    where, nodes = f"{route.where}.via", {node.name: node for node in draft.nodes}
    passed = [ends[0].name]
    for name in (*route.via, ends[1].name):
        if name not in nodes:
            yield Problem(where, f"there is no node {name!r}", offer(name, nodes, "Name one of"))
            return
        if name in passed:
            found = f"the stream from {route.producer} to {route.consumer} would be on {name} twice"
            yield Problem(where, found, "List only nodes between those of its two partitions, each once")
            return
        near = nodes[passed[-1]]
        if not _joined(reach, near.name, name):
            found = f"no link kind joins {near.name} and {name}: {offers([near, nodes[name]])}"
            yield Problem(where, found, "List nodes each of which shares a link kind with the one before it")
            return
        passed.append(name)


def _linked(node: NodeDraft) -> Mapping[str, bool]:
    """Return the docks of a node that links between nodes need, and whether a program is the end of each."""
    needed = {link.dock for link in link_registry().values() if "nodes" in link.reach}
    return {name: dock.software for name, dock in docks_of(node).items() if name in needed}


def _joined(reach: Reach, one: str, other: str) -> bool:
    """Return whether two nodes have a dock in common, not both as a program."""
    here, there = reach[one], reach[other]
    return any(not (here[dock] and there[dock]) for dock in here.keys() & there.keys())


def _shortest(reach: Reach, start: str, goal: str) -> tuple[str, ...]:
    """Return the nodes between two on the shortest path; none if there is no path, or a link joins them."""
    if _joined(reach, start, goal):
        return ()
    came: dict[str, tuple[str, ...]] = {start: ()}
    left = dict.fromkeys(reach)
    del left[start]
    ahead = [start]
    while ahead:
        beyond = []
        for near in ahead:
            found = [name for name in left if _joined(reach, near, name)]
            for name in found:
                came[name] = (*came[near], near)
                del left[name]
            beyond += found
        if goal in came:
            return came[goal][1:]
        ahead = beyond
    return ()


def _split(draft: Draft, route: Route, path: Sequence[str]) -> Draft:
    """Put a relay on each node of a path; the settings of the stream apply to every hop."""
    assert route.producer is not None
    port, made = draft.port(route.producer), route.producer
    hops: list[Route] = []
    for name in path:
        draft, taken, out = with_relay(draft, port, name, draft.named(route))
        hops.append(replace(route, producer=made, consumer=taken, via=tuple(path)))
        made = out
    hops.append(replace(route, producer=made, via=tuple(path)))
    # A depth is of a FIFO inside a board, and is refused once.
    hops[1:] = [replace(hop, depth=None, buffer=None) for hop in hops[1:]]
    routes = [one for old in draft.routes for one in (hops if old is route else (old,))]
    return replace(draft, routes=tuple(routes))


def _without_partition(draft: Draft) -> Iterator[Problem]:
    """Find boards that neither hold a part of the network nor are passed by a stream."""
    for index, node in enumerate(draft.nodes):
        if not node.partitions:
            where = f"{draft.where}: node[{index}].partitions"
            remedy = "Give it one or remove it, or let a stream pass it by via, at or [host] through"
            yield Problem(where, f"node {node.name} has no partition", remedy)
