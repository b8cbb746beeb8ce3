# SPDX-License-Identifier: BSD-3-Clause
"""Routing: each stream port gets exactly one partner; the remaining ports connect to the host."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from shellgen.errors import PlanError, Problem
from shellgen.model import Edge, Endpoint, Partition
from shellgen.plan.draft import Draft, Route
from shellgen.plan.place import find_partition, known_partitions

# The value of `from` or `to` in a [[link]] for the host.
HOST = "host"


def route_streams(draft: Draft) -> Draft:
    """Join the edges of the parent ONNX with the links of cluster.toml and add the host's streams.

    Raises:
        PlanError: An unknown endpoint, a port connected twice, a link that contradicts the network,
            partitions without connection, a cycle.
    """
    problems: list[Problem] = []
    links = _link_routes(draft, problems)
    if draft.edges:
        routes = _network_routes(draft, links, problems)
    else:
        routes = links
        if not any(r.producer and r.consumer for r in routes) and len(draft.partitions) > 1 and not problems:
            found = f"{len(draft.partitions)} partitions, but neither the build nor a [[link]] joins them"
            remedy = "Add [[link]] entries, or name the parent ONNX as build"
            problems.append(Problem(f"{draft.where}: link", found, remedy))
    problems.extend(_joined_twice(routes))
    problems.extend(_fed_weights(draft, routes))
    problems.extend(_cycles(draft, routes))
    if problems:
        raise PlanError(*problems)
    return replace(draft, routes=_with_host(draft, routes))


def _link_routes(draft: Draft, problems: list[Problem]) -> list[Route]:
    routes = []
    for index, link in enumerate(draft.spec.link):
        where = f"{draft.where}: link[{index}]"
        producer, consumer = (
            None if name == HOST else _endpoint(name, side, f"{where}.{field}", draft.partitions, problems)
            for name, side, field in ((link.from_, "out", "from"), (link.to, "in", "to"))
        )
        if link.from_ == link.to == HOST:
            remedy = "Name a partition in one of the two"
            problems.append(Problem(where, "both ends are the host", remedy))
        elif (producer or link.from_ == HOST) and (consumer or link.to == HOST):
            routes.append(Route(producer, consumer, link.kind, link.packing, link.depth, where, link.options))
    if any(HOST in (link.from_, link.to) for link in draft.spec.link):
        problems.extend(_named_host(draft))
    return routes


def _named_host(draft: Draft) -> list[Problem]:
    """Refuse a partition with the reserved name of the host."""
    if all(partition.name != HOST for partition in draft.partitions):
        return []
    found = f"{HOST!r} is the host, and there is a partition of that name"
    return [Problem(f"{draft.where}: link", found, "Rename the partition")]


def _endpoint(
    text: str, direction: str, where: str, partitions: tuple[Partition, ...], problems: list[Problem]
) -> Endpoint | None:
    """Resolve ``<partition>`` or ``<partition>.<port>``."""
    name, _, port_name = text.partition(".")
    partition = find_partition(name, partitions)
    if partition is None:
        remedy = f"The build has {known_partitions(partitions)}"
        problems.append(Problem(where, f"there is no partition {name!r}", remedy))
        return None
    ports = partition.inputs if direction == "in" else partition.outputs
    side = "input" if direction == "in" else "output"
    choices = ", ".join(port.name for port in ports) or "none"
    if not port_name and len(ports) == 1:
        return Endpoint(partition=partition.name, port=ports[0].name)
    if not port_name:
        found = f"partition {partition.name} has {len(ports)} {side} streams"
        problems.append(Problem(where, found, f"Write {partition.name}.<port>, with one of: {choices}"))
    elif port_name not in {port.name for port in ports}:
        found = f"partition {partition.name} has no {side} stream {port_name!r}"
        problems.append(Problem(where, found, f"Its {side} streams are: {choices}"))
    else:
        return Endpoint(partition=partition.name, port=port_name)
    return None


def _network_routes(draft: Draft, links: list[Route], problems: list[Problem]) -> list[Route]:
    """Take the network's edges; a link only changes the transport of an edge."""
    problems.extend(_joined_twice(links))
    by_ends = {(route.producer, route.consumer): route for route in links}
    fed = {end for edge in draft.edges for end in (edge.producer, edge.consumer)}
    routes = []
    for edge in draft.edges:
        plain = Route(edge.producer, edge.consumer, where=f"{draft.spec.build}: {edge.producer}")
        routes.append(by_ends.pop((edge.producer, edge.consumer), plain))
    edges = ", ".join(_arrow(edge) for edge in draft.edges)
    for (producer, consumer), route in by_ends.items():
        if (producer is None or consumer is None) and not {producer, consumer} & fed:
            routes.append(route)
            continue
        found = f"the network has no stream from {producer or HOST} to {consumer or HOST}"
        problems.append(Problem(route.where, found, f"Its streams are: {edges}"))
    return routes


def _arrow(edge: Edge) -> str:
    return f"{edge.producer} -> {edge.consumer}"


def _joined_twice(routes: list[Route]) -> list[Problem]:
    counts = Counter(end for route in routes for end in (route.producer, route.consumer) if end)
    return [
        Problem(
            next(r.where for r in reversed(routes) if end in (r.producer, r.consumer)),
            f"stream port {end} is connected {count} times",
            "A stream has one producer and one consumer; let FINN insert DuplicateStreams for a fan-out",
        )
        for end, count in counts.items()
        if count > 1
    ]


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
    while True:
        fed = {consumer for producer, consumer, _ in edges if producer in waiting}
        free = waiting - fed
        if not free:
            break
        waiting -= free
    # The rest is the cycle and everything behind it; a partition that feeds nothing in the rest is behind it.
    while tail := waiting - {producer for producer, consumer, _ in edges if consumer in waiting}:
        waiting -= tail
    if not waiting:
        return []
    where = next(r.where for producer, consumer, r in edges if {producer, consumer} <= waiting)
    found = f"the links form a cycle through {', '.join(sorted(waiting))}"
    return [Problem(where, found, "A FINN dataflow graph has no cycles; remove one of the links")]


def _with_host(draft: Draft, routes: list[Route]) -> tuple[Route, ...]:
    """Sort: streams from the host, the network's streams, streams to the host.

    Streams whose tensors are known come in the model's order, by which a user numbers files of frames.
    """
    inner = [route for route in routes if route.producer and route.consumer]
    taken = {end for route in inner for end in (route.producer, route.consumer)}
    named = {route.producer or route.consumer: route for route in routes if route not in inner}
    free = [
        (port.direction, end)
        for partition in draft.partitions
        for port in partition.streams
        if (end := Endpoint(partition=partition.name, port=port.name)) not in taken
    ]
    inputs = [
        replace(named.get(end, Route(None, end)), tensor=draft.tensors.get(end))
        for end in _in_order(draft, [end for side, end in free if side == "in"])
    ]
    outputs = [
        replace(named.get(end, Route(end, None)), tensor=draft.tensors.get(end))
        for end in _in_order(draft, [end for side, end in free if side == "out"])
    ]
    return (*inputs, *inner, *outputs)


def _in_order(draft: Draft, ends: list[Endpoint]) -> list[Endpoint]:
    """Put the ports of known tensors in the model's order; others, such as weight ports, keep their place."""
    known = iter([end for end in draft.tensors if end in ends])
    return [next(known) if end in draft.tensors else end for end in ends]
