# SPDX-License-Identifier: BSD-3-Clause
"""Streams whose FIFO is a ring in the memory of the producer's board or its host, in place of the device's.

``buffer = "ddr"`` or ``"host"`` in a [[link]] asks for one. Without it, a FIFO that would take more than a
tenth of the block RAM that the layers leave goes to that of the board, too: block RAM, since ip/axis_fifo
takes no UltraRAM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from shellgen import costs
from shellgen.errors import PlanError, Problem
from shellgen.model import Endpoint, MemoryPort, Ring, RingPort
from shellgen.plan.draft import Draft, NodeDraft, Route
from shellgen.plan.joins import in_order
from shellgen.plan.junction import with_relay
from shellgen.plan.memory import ring_port, spills

PAGE = 4096  # bytes; a ring is whole pages, which no burst crosses (AXI4, A3.4.1)
MOST_BYTES = 1 << 30
_SHARE = 10  # of the free block RAM, as 1 / n


def insert_buffers(draft: Draft) -> Draft:
    """Choose the streams with a ring in memory, and end them on the producer's board.

    A stream that leaves the board gets a relay behind the ring, so that the ring is inside the board.

    Raises:
        PlanError: A board whose platform has no memory for a core.
    """
    problems: list[Problem] = []
    routes: list[Route] = []
    for one in draft.routes:
        spilled = one.buffer is None and one.producer in draft.spilled and one.consumer is not None
        route = replace(one, buffer="ddr", spilled=True) if spilled else one
        routes.append(route)
        if route.in_memory:
            problems.extend(_impossible(draft, route))
    if problems:
        raise PlanError(*dict.fromkeys(problems))
    draft = replace(draft, routes=tuple(routes))
    leaving = [route for route in draft.routes if route.in_memory and not draft.is_inner(route)]
    for route in leaving:
        draft = _with_relay(draft, route)
    return in_order(draft) if leaving else draft


def _impossible(draft: Draft, route: Route) -> Iterator[Problem]:
    node = draft.node_of(route.producer)
    assert node is not None
    if ring_port(node, route.buffer) is None:
        whose, places = ("no memory", "") if route.buffer == "ddr" else ("no memory of its host", ' or "ddr"')
        places = places if ring_port(node) else ""
        found = f"platform {node.platform} of {node.name} has {whose} that a core could reach by AXI4"
        remedy = f'Remove it, or say "chip"{places}; the file of the board may lack the figures of its memory'
        yield Problem(f"{route.where}.buffer", found, remedy)


def _with_relay(draft: Draft, route: Route) -> Draft:
    """End the ring at a relay on the producer's board; what follows has the settings of the link."""
    near = draft.node_of(route.producer)
    assert near is not None
    assert route.producer is not None
    draft, end, start = with_relay(draft, draft.port(route.producer), near.name, draft.named(route))
    into = replace(route, consumer=end, kind=None, packing=None, options={}, via=())
    out = replace(route, producer=start, depth=None, buffer=None, spilled=False)
    routes = tuple(one for old in draft.routes for one in ((into, out) if old is route else (old,)))
    return replace(draft, routes=routes)


def kept_at(node: NodeDraft, route: Route) -> RingPort | None:
    """Return the memory that the FIFO of a stream of a node is in; None for the device's."""
    return ring_port(node, route.buffer) if route.in_memory else None


def ring_of(
    offered: RingPort, rings: Sequence[Ring], words: int, word_bits: int, words_per_frame: int
) -> Ring:
    """Return the ring of a stream that must hold so many words of its producer.

    Args:
        offered: Where it is.
        rings: Those of the node before it.
        words: Words, over all frames.
        word_bits: Payload of each.
        words_per_frame: Words of a frame, whose last beat is filled with zeros.
    """
    bits = offered.width(word_bits)
    beats = -(-words_per_frame * word_bits // bits)
    # A beat more in each frame, which may be filled up, no more than whole frames take; and one at each end.
    frames = -(-words // words_per_frame)
    needed = min(-(-words * word_bits // bits) + frames, (frames + 1) * beats) + 2
    size = max(-(-needed * bits // 8 // PAGE) * PAGE, -(-2 * offered.burst * bits // 8 // PAGE) * PAGE)
    number = len(rings)
    port = MemoryPort(
        name=f"m_axi_ring_{number}",
        data_bits=bits,
        addr_bits=offered.addr_bits,
        bytes=size,
        host=offered.host,
        latency=offered.latency,
        dest=sum(one.port.host == offered.host for one in rings) if offered.requests else None,
    )
    return Ring(
        number=number,
        port=port,
        beats=beats,
        burst=offered.burst,
        bytes_per_s=offered.bytes_per_s,
        stage=offered.stage,
    )


def ring_problems(draft: Draft) -> list[Problem]:
    """Return rings that are too large or too many for the memory of their boards."""
    problems = []
    for node in draft.nodes:
        rings = [inner for inner in node.inner if inner.ring]
        for inner in rings:
            assert inner.ring
            if (size := inner.ring.port.bytes) > MOST_BYTES:
                route = draft.route_of(draft.boundary(inner.boundary))
                words = f"{inner.depth:,} words of {inner.producer_word_bits} bits"
                found = (
                    f"the stream from {_ends(draft, route)} would have a ring of {size:,} bytes for {words}, "
                )
                found += f"and one has {MOST_BYTES:,} at most"
                remedy = (
                    "State less, or cut the network elsewhere" if route.depth else "Cut the network elsewhere"
                )
                where = f"{route.where}.{'depth' if route.depth else 'buffer'}"
                problems.append(Problem(where, found, remedy))
        offered = ring_port(node) or ring_port(node, "host")
        if offered and len(rings) > offered.ports:
            found = f"node {node.name}: {len(rings)} streams with buffer in memory; a core has "
            found += f"{offered.ports} ports at most"
            remedy = 'Say buffer = "chip" for some, or put partitions on another node'
            problems.append(Problem(f"{draft.where}: node[{node.entry}]", found, remedy))
        total = sum(one.ring.port.bytes for one in rings if one.ring and not one.ring.port.host)
        if offered and offered.bytes and total > offered.bytes:
            found = f"node {node.name}: its rings take {total:,} bytes of memory, and the board has "
            found += f"{offered.bytes:,} for them"
            remedy = "State a smaller depth, or put partitions on another node"
            problems.append(Problem(f"{draft.where}: node[{node.entry}]", found, remedy))
    return problems


def _ends(draft: Draft, route: Route) -> str:
    """Name both ends of a stream as cluster.toml does, which knows no junctions."""
    made = {part.name: part for part in draft.partitions if part.junction}
    into = {one.consumer.partition: one.producer for one in draft.routes if one.consumer}
    out = {one.producer.partition: one.consumer for one in draft.routes if one.producer}
    first, last = route.producer, route.consumer
    while first and (part := made.get(first.partition)) and len(part.inputs) == 1:
        first = into[first.partition]
    while last and (part := made.get(last.partition)) and len(part.outputs) == 1:
        last = out[last.partition]
    return f"{first or 'host'} to {last or 'host'}"


def too_deep(draft: Draft) -> frozenset[Endpoint]:
    """Return the producers of streams whose FIFO takes more than a tenth of the block RAM that is free."""
    found = set()
    copies = {part.name: part.copy_of or part.name for part in draft.partitions}
    stated = {route.producer: route.buffer for route in draft.routes}
    for node in draft.nodes:
        if ring_port(node) is None or not spills(node):
            continue
        used = sum(part.takes.bram18 for part in node.partitions if part.takes)
        free = max(0, node.board.resources.bram18 - used)
        ends = [end for attachment in node.attachments for end in attachment.ends]
        takes = [
            *(
                (one.producer, costs.fifo(one.producer_word_bits, one.depth))
                for one in node.inner
                if not one.ring
            ),
            *(
                (end.port, costs.fifo(end.link_bits + 1, end.depth_beats))
                for end in ends
                if end.direction == "out" and end.depth_beats
            ),
        ]
        for end, usage in takes:
            if usage.bram18 * _SHARE > free and stated.get(end) is None:
                found.add(end.model_copy(update={"partition": copies[end.partition]}))
    return frozenset(found)
