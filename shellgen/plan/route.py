# SPDX-License-Identifier: BSD-3-Clause
"""Routing: the partners of each stream port; the remaining ports connect to the host."""

from __future__ import annotations

from dataclasses import replace

from shellgen.errors import PlanError, Problem
from shellgen.model import Edge, Endpoint
from shellgen.plan.draft import Draft, Route
from shellgen.plan.links import HOST, link_routes


def route_streams(draft: Draft) -> Draft:
    """Join the edges of the parent ONNX with the links of cluster.toml and add the host's streams.

    A producer may have several routes, and a consumer several that a join makes one
    (`shellgen.plan.joins`).

    Raises:
        PlanError: An unknown endpoint, a port connected twice, a link that contradicts the network,
            partitions without connection, a cycle.
    """
    problems: list[Problem] = []
    links = link_routes(draft, problems)
    routes = _network_routes(draft, links, problems) if draft.edges else links
    if not problems:
        problems.extend(_apart(draft, routes))
    problems.extend(_fed_weights(draft, routes))
    problems.extend(_cycles(draft, routes))
    if problems:
        raise PlanError(*problems)
    return replace(draft, routes=_with_host(draft, routes))


def _network_routes(draft: Draft, links: list[Route], problems: list[Problem]) -> list[Route]:
    """Take the network's edges; a link changes the transport of an edge, or joins what no edge joins."""
    by_ends = {(route.producer, route.consumer): route for route in links}
    fed = {edge.consumer for edge in draft.edges}
    routes, used = [], set()
    for edge in draft.edges:
        ends = (edge.producer, edge.consumer)
        source = edge.consumer if edge.join else edge.producer
        plain = Route(*ends, where=f"{', '.join(draft.spec.build)}: {source}")
        routes.append(replace(by_ends.get(ends, plain), join=edge.join))
        used.add(ends)
    edges = ", ".join(_arrow(edge) for edge in draft.edges)
    for route in links:
        if (route.producer, route.consumer) in used:
            continue
        if route.consumer not in fed and _is_new(draft, route):
            routes.append(route)
            continue
        found = f"the network has no stream from {route.producer or HOST} to {route.consumer or HOST}"
        problems.append(Problem(route.where, found, f"Its streams are: {edges}"))
    return routes


def _is_new(draft: Draft, route: Route) -> bool:
    """Whether a link may join two ends that the builds do not join: unless both are of one parent."""
    if route.producer is None or route.consumer is None:
        return True
    made, taken = (_build_of(draft, end.partition) for end in (route.producer, route.consumer))
    return made != taken or not any(edge.producer.partition in made for edge in draft.edges)


def _build_of(draft: Draft, partition: str) -> tuple[str, ...]:
    return next(names for names in draft.builds if partition in names)


def _arrow(edge: Edge) -> str:
    return f"{edge.producer} -> {edge.consumer}"


def _apart(draft: Draft, routes: list[Route]) -> list[Problem]:
    """Find builds of several partitions that nothing joins."""
    joined = {end.partition for r in routes if r.producer and r.consumer for end in (r.producer, r.consumer)}
    problems = []
    for names in draft.builds:
        if len(names) > 1 and not joined.intersection(names):
            found = f"{len(names)} partitions, but neither the build nor a [[link]] joins them"
            remedy = "Add [[link]] entries, or name the parent ONNX as build"
            problems.append(Problem(f"{draft.where}: link", found, remedy))
    return problems


def _fed_weights(draft: Draft, routes: list[Route]) -> list[Problem]:
    """Find streams that end at weight ports, which repeat the same frame from memory."""
    return [
        Problem(
            route.where,
            f"{route.consumer} is a weight port, but {route.producer} drives it",
            "Remove the link: the host's memory feeds that port",
        )
        for route in routes
        if route.producer and route.consumer and draft.port(route.consumer).carries_weights
    ]


def _cycles(draft: Draft, routes: list[Route]) -> list[Problem]:
    """Find partitions on cycles."""
    waiting = {p.name for p in draft.partitions}
    edges = [(r.producer.partition, r.consumer.partition, r) for r in routes if r.producer and r.consumer]
    waiting = _without_starts(waiting, [(producer, consumer) for producer, consumer, _ in edges])
    # The rest is the cycle and everything behind it; a partition that feeds nothing in the rest is behind it.
    waiting = _without_starts(waiting, [(consumer, producer) for producer, consumer, _ in edges])
    if not waiting:
        return []
    where = next(r.where for producer, consumer, r in edges if {producer, consumer} <= waiting)
    found = f"the links form a cycle through {', '.join(sorted(waiting))}"
    return [Problem(where, found, "A FINN dataflow graph has no cycles; remove one of the links")]


def _without_starts(names: set[str], edges: list[tuple[str, str]]) -> set[str]:
    """Return what is left when what no edge enters is removed again and again, each edge looked at once."""
    enters, leaves = dict.fromkeys(names, 0), {name: list[str]() for name in names}
    for start, end in edges:
        if start in names and end in names:
            enters[end] += 1
            leaves[start].append(end)
    free = [name for name, count in enters.items() if not count]
    for name in free:
        for end in leaves[name]:
            enters[end] -= 1
            if not enters[end]:
                free.append(end)
    return names.difference(free)


def _with_host(draft: Draft, routes: list[Route]) -> tuple[Route, ...]:
    """Sort: streams from the host, the network's streams, streams to the host.

    Streams whose tensors are known come in the model's order, by which a user numbers files of frames.
    """
    inner = [route for route in routes if route.producer and route.consumer]
    joined = [route for route in routes if route.join and route.consumer is None]
    others = [one for one in routes if one.producer is None or (one.consumer is None and not one.join)]
    fed = {route.consumer for route in inner}
    read = {route.producer for route in (*inner, *joined)}
    named = {route.producer or route.consumer: route for route in others}
    ends = [
        (port.direction, Endpoint(partition=partition.name, port=port.name))
        for partition in draft.partitions
        for port in partition.streams
    ]
    inputs = [
        _named(draft, named.get(end, Route(None, end)), end)
        for end in _in_order(draft, [end for side, end in ends if side == "in" and end not in fed])
    ]
    asked = {end for end in named if end is not None}
    sent = [end for side, end in ends if side == "out" and (end not in read or end in asked)]
    outputs = [_named(draft, named.get(end, Route(end, None)), end) for end in _in_order(draft, sent)]
    return (*inputs, *inner, *outputs, *joined)


def _named(draft: Draft, route: Route, end: Endpoint) -> Route:
    """Give a stream of the host the model's name, unless its [[link]] has another."""
    return replace(route, tensor=route.tensor or draft.tensors.get(end))


def _in_order(draft: Draft, ends: list[Endpoint]) -> list[Endpoint]:
    """Put the ports of known tensors in the model's order; others, such as weight ports, keep their place."""
    these = set(ends)
    known = iter([end for end in draft.tensors if end in these])
    return [next(known) if end in draft.tensors else end for end in ends]
