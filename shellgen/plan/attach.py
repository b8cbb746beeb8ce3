# SPDX-License-Identifier: BSD-3-Clause
"""The ends of each node, their attachments, and the streams inside the node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from shellgen.errors import PlanError, Problem
from shellgen.links import LINKS_FAULT, Link, Site, link_registry
from shellgen.model import Attachment, Boundary, End, Endpoint, Inner, Ring
from shellgen.plan.converters import with_converter, with_converters
from shellgen.plan.depth import depth_of, queue_words, transfers_on_rings
from shellgen.plan.docks import docks_of, link_at
from shellgen.plan.draft import Draft, NodeDraft, wire_word_bits
from shellgen.plan.memory import memory_link
from shellgen.plan.options import link_options, stream_options
from shellgen.plan.spill import kept_at, ring_of, ring_problems
from shellgen.plan.where import placed


def attach_links(draft: Draft) -> Draft:
    """Define the beats of each end, and have each link attach all ends of a node together.

    Raises:
        PlanError: A link that omits an end, or uses a name of another link.
    """
    problems: list[Problem] = []
    nodes = []
    limits = transfers_on_rings(draft)
    for node in draft.nodes:
        ends = _ends(draft, node, limits)
        attachments = tuple(_attachments(draft, node, ends))
        problems.extend(_by_program(draft, node, ends))
        problems.extend(_unsound(draft, node, ends, attachments))
        problems.extend(_wait_for_one_another(draft, node, attachments))
        inner, rings = _inside(draft, node)
        kept = memory_link().keep(rings) if rings else ()
        nodes.append(replace(node, attachments=(*attachments, *kept), inner=inner))
    draft = replace(draft, nodes=tuple(nodes))
    if problems := [*problems, *ring_problems(draft)]:
        raise PlanError(*problems)
    return draft


def _ends(draft: Draft, node: NodeDraft, limits: Mapping[str, int]) -> tuple[End, ...]:
    outer = draft.outer(node)
    incoming = [boundary for boundary in outer if boundary.consumer_node == node.name]
    incoming.sort(key=lambda boundary: boundary.carries_weights)
    outgoing: dict[Endpoint | None, list[Boundary]] = {}
    for boundary in outer:
        if boundary.producer_node == node.name:
            outgoing.setdefault(boundary.producer, []).append(boundary)
    return (
        *(_end(draft, node, [b], b.consumer, (index, index), limits) for index, b in enumerate(incoming)),
        *(
            _end(draft, node, group, port, (index, len(incoming) + index), limits)
            for index, (port, group) in enumerate(outgoing.items())
        ),
    )


def _end(  # noqa: PLR0913 - what an end is made of
    draft: Draft,
    node: NodeDraft,
    carried: Sequence[Boundary],
    port: Endpoint | None,
    number: tuple[int, int],
    limits: Mapping[str, int],
) -> End:
    """Return an end with its number in its direction and its number among all ends of the node.

    The FIFO of a stream over a link is in front of it, unless other consumers get the same frames: one that
    waits must not stop the others.
    """
    assert port is not None
    boundary, *copies = carried
    assert boundary.link is not None
    link, stream = link_at(node, boundary.link), draft.port(port)
    word_bits = wire_word_bits(stream, boundary.packing)
    dock = docks_of(node)[link.dock]
    shape = link.shape(dock, word_bits, boundary.frame_bits)
    direction, queue, route = stream.direction, 0, draft.route_of(boundary)
    if direction == ("in" if draft.shared(route) else "out"):
        asked = stream_options(draft, node, route)
        queue = queue_words(draft, route, link.holds(boundary, asked))
    most = 1 if boundary.carries_weights else link.most_frames(boundary, dock)
    end = End(
        boundary=boundary.name,
        copies=tuple(one.name for one in copies),
        direction=direction,
        index=number[0],
        stream=number[1],
        port=port,
        tdata_bits=stream.tdata_bits,
        word_bits=word_bits,
        words_per_frame=stream.words_per_frame,
        link_bits=shape.bits,
        beats_per_frame=shape.beats,
        last_bytes=shape.last_bytes,
        most_frames=min(most, *(limits.get(one.name, most) for one in carried)),
        depth_beats=-(-queue * word_bits // shape.bits) + 1 if queue else 0,
        counted=f"{'rx' if direction == 'in' else 'tx'}_{number[0]}_frame",
        role=boundary.role,
    )
    return with_converter(draft, node, end)


def _attachments(draft: Draft, node: NodeDraft, ends: Sequence[End]) -> Iterator[Attachment]:
    for link, own in _by_link(draft, node, ends).items():
        yield from link.attach(_site(draft, node, own, link))


def _by_link(draft: Draft, node: NodeDraft, ends: Sequence[End]) -> dict[Link, list[End]]:
    """Return the ends of a node by the link between core and carrier."""
    found: dict[Link, list[End]] = {}
    for end in ends:
        kind = draft.boundary(end.boundary).link
        assert kind is not None
        found.setdefault(link_at(node, kind), []).append(end)
    return found


def _site(draft: Draft, node: NodeDraft, ends: Sequence[End], link: Link) -> Site:
    """Return what a link must know of its ends at a node."""
    crossing = tuple(draft.boundary(end.boundary) for end in ends)
    others = tuple(
        one.consumer_node if end.direction == "out" else one.producer_node
        for end, one in zip(ends, crossing, strict=True)
    )
    options = tuple(
        stream_options(draft, node, draft.route_of(one))
        if one.link == link.kind
        else link_options(draft, node, link.kind, {})
        for one in crossing
    )
    dock, uram = docks_of(node)[link.dock], node.board.resources.uram
    return Site(node.name, dock, tuple(ends), crossing, others, options, uram)


def _by_program(draft: Draft, node: NodeDraft, ends: Sequence[End]) -> Iterator[Problem]:
    """Yield why programs of a node cannot be the ends of the links that its core does not have."""
    kinds: dict[str, list[End]] = {}
    for end in ends:
        kind = draft.boundary(end.boundary).link
        assert kind is not None
        if link_at(node, kind).kind != kind:
            kinds.setdefault(kind, []).append(end)
    for kind, own in kinds.items():
        link = link_registry()[kind]
        for problem in link.program_problems(_site(draft, node, own, link)):
            yield placed(problem, draft.where)


def _unsound(
    draft: Draft, node: NodeDraft, ends: Sequence[End], attachments: Sequence[Attachment]
) -> list[Problem]:
    """Find errors of a plug-in's link that Vivado would only report much later."""
    where, problems = f"{draft.where}: node {node.name}", []
    carried = Counter(end.stream for one in attachments for end in one.ends)
    for end in ends:
        if carried[end.stream] != 1:
            found = f"stream {end.boundary} is attached {carried[end.stream]} times"
            problems.append(Problem(where, found, LINKS_FAULT))
    for what, names in (
        ("attachments", [one.name for one in attachments]),
        ("interfaces", [pin.name for one in attachments for pin in one.pins]),
    ):
        for name, count in Counter(names).items():
            if count > 1:
                problems.append(Problem(where, f"{count} {what} are named {name}", LINKS_FAULT))
    return problems


def _wait_for_one_another(draft: Draft, node: NodeDraft, attachments: Sequence[Attachment]) -> list[Problem]:
    """Find streams that fork, share one queue of a link, and rejoin.

    The first frame in the queue may depend on a stream whose frames are behind it. The host forks, too: it
    sends the streams of several branches. So may a stream that reaches the fork through the queue: its next
    frames wait in front of what the branch returns.
    """
    where = f"{draft.where}: node {node.name}"
    problems = []
    for attachment in attachments:
        if link_registry()[attachment.link].isolates:
            continue
        names = {end.boundary for end in attachment.ends if end.direction == "in"}
        held = [b.name for b in draft.boundaries if b.name in names and draft.rejoins(b)]
        if len(held) > 1:
            found = f"{' and '.join(held)} share one {attachment.link} link, fork and rejoin"
            remedy = "They could deadlock: cut the network where they are one stream"
            problems.append(Problem(where, found, remedy))
        before = [one for one in sorted(names) if held and one not in held and _leads(draft, one, held[0])]
        if before and len(held) == 1:
            found = f"{held[0]} rejoins a way from {before[0]}, and both come over one {attachment.link} link"
            remedy = "They could deadlock: let the frames enter at this node, or fork and join at another one"
            problems.append(Problem(where, found, remedy))
    return problems


def _leads(draft: Draft, first: str, last: str) -> bool:
    """Return whether a stream is made of another one."""
    start, end = draft.boundary(first).consumer, draft.boundary(last).producer
    assert start is not None
    assert end is not None
    left, seen = [start.partition], {start.partition}
    while left:
        here = left.pop()
        more = {taker for maker, taker in draft.pairs.values() if maker == here} - seen
        seen |= more
        left += more
    return end.partition in seen


def _inside(draft: Draft, node: NodeDraft) -> tuple[tuple[Inner, ...], tuple[Ring, ...]]:
    """Return the streams inside a node, and those of their FIFOs that are rings in memory."""
    found: list[Inner] = []
    rings: list[Ring] = []
    for boundary in draft.inner(node):
        inner = _inner(draft, boundary)
        if (offered := kept_at(node, draft.route_of(boundary))) is not None:
            shape = (inner.depth, inner.producer_word_bits, inner.producer_words)
            ring = ring_of(offered, rings, *shape)
            rings.append(ring)
            inner = inner.model_copy(update={"ring": ring})
        found.append(with_converters(draft, node, inner))
    return tuple(found), tuple(rings)


def _inner(draft: Draft, boundary: Boundary) -> Inner:
    assert boundary.producer is not None
    assert boundary.consumer is not None
    made, taken = draft.port(boundary.producer), draft.port(boundary.consumer)
    route = draft.route_of(boundary)
    return Inner(
        boundary=boundary.name,
        producer=boundary.producer,
        consumer=boundary.consumer,
        producer_tdata_bits=made.tdata_bits,
        consumer_tdata_bits=taken.tdata_bits,
        producer_word_bits=made.payload_bits,
        consumer_word_bits=taken.payload_bits,
        producer_words=made.words_per_frame,
        consumer_words=taken.words_per_frame,
        depth=depth_of(draft, route),
    )
