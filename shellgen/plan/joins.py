# SPDX-License-Identifier: BSD-3-Clause
"""Junctions: one for each producer of several streams and one for each join.

A join is on the node of its consumer. The copies of a stream are made on the node of its producer, those for
several consumers on another node are made there, and what the host sends to several partitions ``at`` one
node is copied at that node. So only what has to cross a link does, and once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import gcd

from shellgen.errors import PlanError, Problem
from shellgen.model import ElementType, Endpoint, Partition, StreamPort
from shellgen.model.stream_block import is_described, unknown_stream
from shellgen.plan.draft import Draft, Route
from shellgen.plan.far import copy_at_consumers
from shellgen.plan.junction import add_junction, placed_on, replaced
from shellgen.plan.links import MOST_JOINED

_MOST_BITS = 62  # of an element of a sum: the golden proof computes with 64


def insert_junctions(draft: Draft) -> Draft:
    """Insert a junction for each join and each stream with several consumers.

    Raises:
        PlanError: A join of unknown streams, of shapes that do not meet, or whose result is not what the
            consumer takes.
    """
    groups = list(dict.fromkeys(_join_key(route) for route in draft.routes if route.join))
    if problems := [one for route in draft.routes if route.join for one in _unknown(draft, route)]:
        raise PlanError(*dict.fromkeys(problems))
    for key in groups:
        if wrong := _wrong_join(draft, [route for route in draft.routes if _is_of(route, key)]):
            problems.append(wrong)
    if problems:
        raise PlanError(*problems)
    for key in groups:
        draft = _with_join(draft, [route for route in draft.routes if _is_of(route, key)])
    draft = copy_at_consumers(draft)
    counts = Counter(route.producer for route in draft.routes if route.producer)
    for end in [end for end, count in counts.items() if count > 1]:
        draft = _with_copies(draft, [route for route in draft.routes if route.producer == end])
    entries = Counter((route.at, route.tensor) for route in draft.routes if route.at and not route.producer)
    for at, name in [key for key, count in entries.items() if count > 1]:
        draft = _with_copies(
            draft, [r for r in draft.routes if not r.producer and (r.at, r.tensor) == (at, name)]
        )
    return draft if not any(one.junction for one in draft.partitions) else in_order(draft)


def _join_key(route: Route) -> tuple[Endpoint | None, str]:
    return route.consumer, route.where


def _is_of(route: Route, key: tuple[Endpoint | None, str]) -> bool:
    """Whether a route is of a join; each edge to a partition's port is, whatever [[link]] carries it."""
    return (
        route.join is not None and route.consumer == key[0] and (key[0] is not None or route.where == key[1])
    )


def _unknown(draft: Draft, route: Route) -> list[Problem]:
    ends = [end for end in (route.producer, route.consumer) if end]
    return [
        unknown_stream(draft.where, end.partition, draft.port(end))
        for end in ends
        if not is_described(draft.port(end))
    ]


def _wrong_join(draft: Draft, routes: list[Route]) -> Problem | None:
    """Return why streams cannot be joined, or why the consumer cannot take the result."""
    made = [(route.producer, draft.port(route.producer)) for route in routes if route.producer]
    where = routes[0].where
    if len(made) > MOST_JOINED:
        found = f"{len(made)} streams are joined in front of {routes[0].consumer}"
        return Problem(where, found, f"Join at most {MOST_JOINED}; put a part of the join into a partition")
    wrong = _unlike(made, where) if routes[0].join == "concat" else _no_sum(made, where)
    if wrong is None and routes[0].consumer:
        wrong = _wrong_consumer(draft, routes, routes[0].consumer)
    return wrong


def _unlike(made: list[tuple[Endpoint, StreamPort]], where: str) -> Problem | None:
    """Return why streams cannot be joined along the channels."""
    (first, like), *others = made
    for end, port in others:
        if _pixels(port) != _pixels(like):
            found = f"rows and columns differ: {first} sends {like.normal_shape}, {end} {port.normal_shape}"
            return Problem(where, found, "Streams are joined along the channels, the last dimension")
        if port.element != like.element:
            found = f"{first} sends {like.datatype}, {end} {port.datatype}"
            return Problem(where, found, "Give all branches one output type")
    return None


def _no_sum(made: list[tuple[Endpoint, StreamPort]], where: str) -> Problem | None:
    """Return why streams cannot be added."""
    (first, like), *others = made
    for end, port in others:
        if port.normal_shape != like.normal_shape:
            found = f"{first} sends frames of {like.normal_shape}, {end} of {port.normal_shape}"
            return Problem(where, found, "Sum frames of one shape; check which streams belong together")
    named = [f"{end} ({port.datatype})" for end, port in made if port.datatype in ("BIPOLAR", "TERNARY")]
    if named:
        return Problem(where, f"{', '.join(named)} cannot be summed", "Give the branches UINT or INT outputs")
    if ElementType.parse(_sum_type([port.element for _, port in made])).bits > _MOST_BITS:
        return Problem(where, f"sums of more than {_MOST_BITS} bits", "Give the branches narrower outputs")
    return None


def _wrong_consumer(draft: Draft, routes: list[Route], consumer: Endpoint) -> Problem | None:
    port, result = draft.port(consumer), _result(draft, routes)
    if port.element != result.element:
        held = f"needs {result.datatype}" if routes[0].join == "sum" else f"is {result.datatype}"
        kinds = ", ".join(str(draft.port(r.producer).datatype) for r in routes if r.producer)
        found = f"the {routes[0].join} of {kinds} {held}, and {consumer} takes {port.datatype}"
        remedy = f"Build {consumer.partition} with inputs of {result.datatype}"
        return Problem(routes[0].where, found, remedy)
    if port.elements_per_frame != result.elements_per_frame:
        found = (
            f"the {routes[0].join} has {result.elements_per_frame} elements a frame, and {consumer} takes "
            f"{port.elements_per_frame}"
        )
        return Problem(routes[0].where, found, "List the streams that this input was built for")
    return None


def _pixels(port: StreamPort) -> tuple[int, ...]:
    assert port.normal_shape is not None
    return port.normal_shape[:-1]


def _channels(port: StreamPort) -> int:
    assert port.normal_shape is not None
    return port.normal_shape[-1]


def _result(draft: Draft, routes: list[Route]) -> StreamPort:
    """Return the port of what a join makes."""
    ports = [draft.port(route.producer) for route in routes if route.producer]
    step = _step(draft, routes)
    if routes[0].join == "concat":
        return _folded(ports[0], sum(map(_channels, ports)), step)
    return _folded(ports[0], _channels(ports[0]), step, _sum_type([port.element for port in ports]))


def _step(draft: Draft, routes: list[Route]) -> int:
    """Return the elements of a word in a join: those of its fastest stream, as far as they divide a pixel."""
    ports = [draft.port(route.producer) for route in routes if route.producer]
    wanted = max(port.elements_per_word for port in ports)
    if routes[0].consumer:
        wanted = max(wanted, draft.port(routes[0].consumer).elements_per_word)
    channels = gcd(*map(_channels, ports))
    return next(k for k in range(1, channels + 1) if channels % k == 0 and (k >= wanted or k == channels))


def _sum_type(elements: list[ElementType]) -> str:
    """Return the smallest type that holds every sum."""
    low, high = sum(one.low for one in elements), sum(one.high for one in elements)
    if low < 0:
        return f"INT{max((-low - 1).bit_length(), high.bit_length()) + 1}"
    return f"UINT{high.bit_length()}"


def _folded(like: StreamPort, channels: int, step: int, datatype: str | None = None) -> StreamPort:
    """Return a port with words of ``step`` elements along the channels."""
    kind = datatype or like.datatype
    assert kind is not None
    bits = ElementType.parse(kind).bits * step
    return like.model_copy(
        update={
            "datatype": kind,
            "tdata_bits": -(-bits // 8) * 8,
            "normal_shape": (*_pixels(like), channels),
            "folded_shape": (*_pixels(like), channels // step, step),
        }
    )


def _with_join(draft: Draft, routes: list[Route]) -> Draft:
    kind, consumer, step = routes[0].join, routes[0].consumer, _step(draft, routes)
    assert kind is not None
    ports = [draft.port(route.producer) for route in routes if route.producer]
    inputs = [_folded(port, _channels(port), step) for port in ports]
    part = add_junction(draft, kind, inputs, [_result(draft, routes)], draft.named(routes[0]))
    near = draft.node_of(consumer or routes[0].producer)
    node = routes[0].at if consumer is None and routes[0].at else near.name if near else ""
    into = [
        replace(route, consumer=_end(part, "s", k), join=None, tensor=None, at=None)
        for k, route in enumerate(routes)
    ]
    out = Route(_end(part, "m", 0), consumer, where=routes[0].where, tensor=routes[0].tensor)
    return replaced(placed_on(draft, part, node), routes, [*into, out])


def _with_copies(draft: Draft, routes: list[Route]) -> Draft:
    """Copy the stream of one producer; of the host's, at the node where it enters."""
    source = routes[0].producer
    like = draft.port(source or _consumer(routes[0]))
    part = add_junction(draft, "broadcast", [like], [like] * len(routes), draft.named(routes[0]))
    near = draft.node_of(source)
    node = near.name if near else str(routes[0].at)
    out = [replace(route, producer=_end(part, "m", k)) for k, route in enumerate(routes)]
    into = (
        replace(routes[0], consumer=_end(part, "s", 0)) if not source else Route(source, _end(part, "s", 0))
    )
    if not source:
        # The kind of a [[link]] from the host is that of the host's link.
        out = [
            replace(one, kind=None, packing=None, options={}, depth=None, at=None, tensor=None) for one in out
        ]
    into = replace(into, where=routes[0].where)
    return replaced(placed_on(draft, part, node), routes, [into, *out])


def _consumer(route: Route) -> Endpoint:
    assert route.consumer is not None
    return route.consumer


def _end(part: Partition, side: str, number: int) -> Endpoint:
    return Endpoint(partition=part.name, port=f"{side}_axis_{number}")


def in_order(draft: Draft) -> Draft:
    """Sort: what the host sends, streams in network order, what the host receives."""
    rank = dict.fromkeys((one.name for one in draft.partitions), 0)
    pairs = list(draft.pairs.values())
    for _ in draft.partitions:
        before = dict(rank)
        for made, taken in pairs:
            rank[taken] = max(rank[taken], rank[made] + 1)
        if rank == before:
            break
    inner = [one for one in draft.routes if one.producer and one.consumer]
    inner.sort(key=lambda one: rank[one.producer.partition] if one.producer else 0)
    sent = [one for one in draft.routes if one.producer is None]
    received = [one for one in draft.routes if one.consumer is None]
    return replace(draft, routes=(*sent, *inner, *received))
