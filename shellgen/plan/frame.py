# SPDX-License-Identifier: BSD-3-Clause
"""From routes to boundaries, with the bits of a frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from shellgen.errors import PlanError, Problem
from shellgen.links import link_registry
from shellgen.model import Boundary, Endpoint
from shellgen.plan.docks import docks_of, link_at
from shellgen.plan.draft import Draft, NodeDraft, Route, wire_word_bits
from shellgen.plan.where import in_the_link, placed

MOST_NAME = 230  # of a stream, so that the names of its nets and files have 255 characters at most
SHOWN = 20


def frame_streams(draft: Draft) -> Draft:
    """Turn routes into boundaries.

    Shapes: a frame is ``words * payload_bits`` bits, one little-endian bit string when dense.

    Raises:
        PlanError: A stream that its link cannot carry between these boards.
    """
    if long := [name for route in draft.routes if len(name := _stream_name(draft, route)) > MOST_NAME]:
        raise PlanError(*(_too_long(draft, name) for name in long))
    boundaries = tuple(_boundary(draft, route) for route in draft.routes)
    problems: list[Problem] = []
    for boundary, route in zip(boundaries, draft.routes, strict=True):
        if boundary.link is not None:
            wrong = _cannot_carry(boundary, draft.ends(route))
            problems.extend(
                placed(in_the_link(problem, boundary.name, route), draft.where) for problem in wrong
            )
    if problems:
        raise PlanError(*problems)
    return replace(draft, boundaries=boundaries)


def _cannot_carry(boundary: Boundary, nodes: Sequence[NodeDraft]) -> Iterator[Problem]:
    """Yield why a link cannot carry a boundary; where a program is its end, also the link to the program."""
    kind = str(boundary.link)
    link = link_registry()[kind]
    yield from link.check(boundary, tuple(docks_of(node)[link.dock] for node in nodes))
    for node in nodes:
        if (inner := link_at(node, kind)) is not link:
            own = boundary.model_copy(update={"link": inner.kind, "options": {}})
            yield from inner.check(own, (docks_of(node)[inner.dock],))


def _stream_name(draft: Draft, route: Route) -> str:
    return f"{_name(route.producer, draft)}_to_{_name(route.consumer, draft)}"


def _too_long(draft: Draft, name: str) -> Problem:
    shown = f"{name[:SHOWN]}...{name[-SHOWN:]}"
    found = f"the stream {shown} has a name of {len(name)} characters, and at most {MOST_NAME} go"
    return Problem(f"{draft.where}: build", found, "Give the partitions of the parent ONNX shorter names")


def _boundary(draft: Draft, route: Route) -> Boundary:
    end = route.producer or route.consumer
    assert end is not None
    port = draft.port(end)
    packing = draft.packing(route)
    wire = wire_word_bits(port, packing)
    bits = wire * port.words_per_frame
    producer_node, consumer_node = draft.node_of(route.producer), draft.node_of(route.consumer)
    assert port.datatype is not None
    assert port.normal_shape is not None
    return Boundary(
        name=_stream_name(draft, route),
        producer=route.producer,
        consumer=route.consumer,
        producer_node=producer_node.name if producer_node else None,
        consumer_node=consumer_node.name if consumer_node else None,
        link=route.link,
        packing=packing,
        datatype=port.datatype,
        normal_shape=port.normal_shape,
        elements_per_frame=port.elements_per_frame,
        wire_word_bits=wire,
        frame_bits=bits,
        frame_bytes=(bits + 7) // 8,
        role=port.role,
        passes=port.passes,
        places=_places(draft, producer_node, consumer_node),
        options=route.options,
        tensor=route.tensor,
    )


def _places(draft: Draft, *ends: NodeDraft | None) -> tuple[int, ...]:
    """Return the frames of an epoch that both ends of a stream have."""
    shared = set(range(draft.epoch))
    for node in ends:
        shared &= set(range(draft.epoch) if node is None or node.places is None else node.places)
    return tuple(sorted(shared))


def _name(end: Endpoint | None, draft: Draft) -> str:
    if end is None:
        return "host"
    partition = draft.partition(end.partition)
    port = draft.port(end)
    alone = sum(other.direction == port.direction for other in partition.streams) == 1
    return end.partition if alone else f"{end.partition}_{end.port}"
