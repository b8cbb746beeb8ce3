# SPDX-License-Identifier: BSD-3-Clause
"""Pass 3: the two ends of every stream carry the same elements; how many bits and beats that makes."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from shellgen.errors import PlanError, Problem
from shellgen.links import link_registry
from shellgen.model import Boundary, DirectPath, Endpoint, LinkPath, StreamPort
from shellgen.model.stream_block import is_described, unknown_stream
from shellgen.plan.depth import depth_of, depth_problems
from shellgen.plan.draft import Draft, NodeDraft, Route, placed

Packing = Literal["dense", "finn"]


def match_widths(draft: Draft) -> Draft:
    """Turn routes into boundaries and give every node its paths.

    Shapes: a frame is ``words * payload_bits`` bits, one little-endian bit string when dense. FINN pads
        inside each word, so equal TDATA widths prove nothing; elements are compared.

    Raises:
        PlanError: Unknown shapes; ends that differ in data type or element count; byte-padded packing
            between different foldings; no link kind, or one that the boards do not have.

    Source: docs/finn-builds.md, words of a stream.
    """
    problems = [problem for route in draft.routes for problem in _unknown_shapes(draft, route)]
    if problems:
        raise PlanError(*problems)
    boundaries = []
    for route in draft.routes:
        found = _mismatch(draft, route)
        kind = None if found else _link_kind(draft, route, found)
        problems.extend(found or depth_problems(draft, route, kind))
        if kind:
            boundary = _boundary(draft, route, kind)
            boundaries.append(boundary)
            boards = {n.board.name: n.board for n in _ends(draft, route)}
            wrong = link_registry()[kind].check(boundary, tuple(boards.values()))
            problems.extend(placed(problem, draft.where) for problem in wrong)
    if problems:
        raise PlanError(*problems)
    nodes = tuple(_with_paths(draft, node, boundaries) for node in draft.nodes)
    return replace(draft, boundaries=tuple(boundaries), nodes=nodes)


def _ends(draft: Draft, route: Route) -> list[NodeDraft]:
    return [node for end in (route.producer, route.consumer) if (node := draft.node_of(end))]


def _unknown_shapes(draft: Draft, route: Route) -> list[Problem]:
    problems = []
    for end in (route.producer, route.consumer):
        if end is None:
            continue
        port = draft.port(end)
        if not is_described(port):
            problems.append(unknown_stream(draft.where, end.partition, port))
        elif port.payload_bits > port.tdata_bits:
            found = (
                f"{port.elements_per_word} elements of {port.datatype} are {port.payload_bits} bits, "
                f"TDATA has {port.tdata_bits}"
            )
            remedy = "Correct the [[stream]] entry, or rebuild so that ONNX and stitched IP agree"
            problems.append(Problem(f"{draft.where}: stream {end}", found, remedy))
    return problems


def _mismatch(draft: Draft, route: Route) -> list[Problem]:
    """Compare the two ends element by element."""
    if route.producer is None or route.consumer is None:
        return []
    made, taken = draft.port(route.producer), draft.port(route.consumer)
    where = route.where
    problems = []
    if made.element != taken.element:
        found = f"{route.producer} sends {made.datatype}, {route.consumer} takes {taken.datatype}"
        remedy = "Both ends of a cut carry the same element type; check that both come from one build"
        problems.append(Problem(where, found, remedy))
    if made.elements_per_frame != taken.elements_per_frame:
        found = (
            f"{route.producer} sends {made.elements_per_frame} elements a frame, "
            f"{route.consumer} takes {taken.elements_per_frame}"
        )
        problems.append(Problem(where, found, "Both ends of a cut carry the same elements"))
    if not problems and _packing(draft, route) == "finn" and _wire_bits_differ(made, taken):
        found = (
            f"packing 'finn' pads each word, and the ends fold differently "
            f"({made.elements_per_word} and {taken.elements_per_word} elements a word)"
        )
        problems.append(Problem(where, found, "Use packing 'dense', or give both ends the same PE and SIMD"))
    return problems


def _wire_bits_differ(made: StreamPort, taken: StreamPort) -> bool:
    padded = made.payload_bits != made.tdata_bits or taken.payload_bits != taken.tdata_bits
    return padded and made.elements_per_word != taken.elements_per_word


def _packing(draft: Draft, route: Route) -> Packing:
    return "finn" if (route.packing or draft.spec.packing) == "finn" else "dense"


def _link_kind(draft: Draft, route: Route, problems: list[Problem]) -> str | None:
    """Return the stated kind, or the only one there can be."""
    registry = link_registry()
    nodes = _ends(draft, route)
    where = f"{route.where}.kind" if route.where else f"{draft.where}: link"
    if route.kind is not None and route.kind not in registry:
        remedy = f"Known kinds are: {', '.join(sorted(registry))}"
        problems.append(Problem(where, f"link kind {route.kind!r} is not known", remedy))
        return None
    if len(nodes) == 2 and nodes[0].name == nodes[1].name:
        if route.kind not in (None, "direct"):
            found = f"both ends are on node {nodes[0].name}, but the kind is {route.kind!r}"
            problems.append(Problem(where, found, "Remove the kind: a stream inside a node is direct"))
            return None
        return "direct"
    shared = [kind for kind in nodes[0].board.links if all(kind in n.board.links for n in nodes)]
    if route.kind is not None and route.kind not in shared:
        boards = " and ".join(dict.fromkeys(n.board.name for n in nodes))
        remedy = f"The boards share: {', '.join(shared) or 'nothing'}"
        problems.append(Problem(where, f"link kind {route.kind!r} is not carried by {boards}", remedy))
        return None
    if route.kind is None and len(shared) != 1:
        boards = " and ".join(dict.fromkeys(n.board.name for n in nodes))
        found = f"{boards} share {len(shared)} link kinds ({', '.join(shared) or 'none'})"
        problems.append(Problem(where, found, "State the kind of this link, or choose boards that share one"))
        return None
    return route.kind or shared[0]


def _name(end: Endpoint | None, draft: Draft) -> str:
    if end is None:
        return "host"
    partition = next(p for p in draft.partitions if p.name == end.partition)
    port = draft.port(end)
    alone = sum(other.direction == port.direction for other in partition.streams) == 1
    return end.partition if alone else f"{end.partition}_{end.port}"


def _wire_word_bits(port: StreamPort, packing: Packing) -> int:
    return port.payload_bits if packing == "dense" else port.tdata_bits


def _boundary(draft: Draft, route: Route, kind: str) -> Boundary:
    end = route.producer or route.consumer
    assert end is not None
    port = draft.port(end)
    packing = _packing(draft, route)
    wire = _wire_word_bits(port, packing)
    bits = wire * port.words_per_frame
    producer_node, consumer_node = draft.node_of(route.producer), draft.node_of(route.consumer)
    assert port.datatype is not None
    assert port.normal_shape is not None
    return Boundary(
        name=f"{_name(route.producer, draft)}_to_{_name(route.consumer, draft)}",
        producer=route.producer,
        consumer=route.consumer,
        producer_node=producer_node.name if producer_node else None,
        consumer_node=consumer_node.name if consumer_node else None,
        link=kind,
        packing=packing,
        datatype=port.datatype,
        normal_shape=port.normal_shape,
        elements_per_frame=port.elements_per_frame,
        wire_word_bits=wire,
        frame_bits=bits,
        frame_bytes=(bits + 7) // 8,
        role=port.role,
        passes=port.passes,
    )


def _with_paths(draft: Draft, node: NodeDraft, boundaries: list[Boundary]) -> NodeDraft:
    inside = [b for b in boundaries if b.producer_node == b.consumer_node == node.name]
    incoming = [b for b in boundaries if b.consumer_node == node.name and b not in inside]
    incoming.sort(key=lambda b: b.role == "weights")  # what has a DMA of its own comes after the pairs
    outgoing = [b for b in boundaries if b.producer_node == node.name and b not in inside]
    return replace(
        node,
        rx=tuple(_path(draft, node, b, b.consumer, index) for index, b in enumerate(incoming)),
        tx=tuple(_path(draft, node, b, b.producer, index) for index, b in enumerate(outgoing)),
        direct=tuple(_direct(draft, b) for b in inside),
    )


def _path(draft: Draft, node: NodeDraft, boundary: Boundary, end: Endpoint | None, index: int) -> LinkPath:
    assert end is not None
    port = draft.port(end)
    word_bits = _wire_word_bits(port, boundary.packing)
    link_bits = link_registry()[boundary.link].link_bits(node.board, word_bits)
    beats = -(-boundary.frame_bits // link_bits)
    return LinkPath(
        boundary=boundary.name,
        index=index,
        port=end,
        tdata_bits=port.tdata_bits,
        word_bits=word_bits,
        words_per_frame=port.words_per_frame,
        link_bits=link_bits,
        beats_per_frame=beats,
        last_bytes=boundary.frame_bytes - (beats - 1) * link_bits // 8,
        most_frames=1 if boundary.role == "weights" else link_registry()[boundary.link].most_frames(boundary),
        role=boundary.role,
    )


def _direct(draft: Draft, boundary: Boundary) -> DirectPath:
    assert boundary.producer is not None
    assert boundary.consumer is not None
    made, taken = draft.port(boundary.producer), draft.port(boundary.consumer)
    route = next(route for route in draft.routes if route.producer == boundary.producer)
    return DirectPath(
        boundary=boundary.name,
        producer=boundary.producer,
        consumer=boundary.consumer,
        producer_tdata_bits=made.tdata_bits,
        consumer_tdata_bits=taken.tdata_bits,
        producer_word_bits=made.payload_bits,
        consumer_word_bits=taken.payload_bits,
        producer_words=made.words_per_frame,
        consumer_words=taken.words_per_frame,
        depth=depth_of(route, draft.routes, made.words_per_frame),
    )
