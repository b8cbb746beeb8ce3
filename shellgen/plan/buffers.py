# SPDX-License-Identifier: BSD-3-Clause
"""Words that the streams of each ring must hold, where the need curves of its partitions are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from shellgen.errors import PlanError
from shellgen.links import link_registry
from shellgen.model import Partition, StreamPort
from shellgen.model.curve import Curve
from shellgen.plan.depth import depth_problems
from shellgen.plan.docks import docks_of, link_at
from shellgen.plan.draft import Draft, NodeDraft, Route, wire_word_bits
from shellgen.plan.memory import ring_port
from shellgen.plan.options import stream_options
from shellgen.plan.ring_graph import Actor, Way, Words
from shellgen.plan.rings import rings
from shellgen.plan.schedule import Level, levels

_MOST_WORDS = 1 << 21  # of all streams of a ring in a frame: about three seconds


def size_buffers(draft: Draft) -> Draft:
    """Compute what the streams of every ring must hold, by the number of the route.

    Rings with replicas, and with partitions whose curves are not known, are left out.

    Raises:
        PlanError: A depth for a stream without FIFO, one that fits no device, or one that stops the cluster.
    """
    found: dict[int, Level] = {}
    period = _period(draft)
    for ring in rings(draft.pairs):
        ways = {number: _way(draft, draft.routes[number]) for number in ring}
        if sum(max(way.made, way.taken) for way in ways.values()) > _MOST_WORDS:
            continue
        names = dict.fromkeys(name for number in ring for name in draft.pairs[number])
        parts = [part for part in draft.partitions if part.name in names]
        _add_ends(draft, ways, names)
        actors = {}
        for part in parts:
            actor = None if draft.copied(part) else _actor(draft, part, ways)
            if actor is None:
                break
            actors[part.name] = replace(actor, lag=_lag(draft, part) / period if period else 0.0)
        else:
            found |= {
                number: level.without(_held(draft, draft.routes[number]))
                for number, level in levels(ways, actors).items()
            }
    draft = replace(draft, levels=found)
    if problems := [problem for route in draft.routes for problem in depth_problems(draft, route)]:
        raise PlanError(*dict.fromkeys(problems))
    return draft


def _way(draft: Draft, route: Route) -> Way:
    assert route.producer is not None
    assert route.consumer is not None
    made, taken = draft.port(route.producer), draft.port(route.consumer)
    way = Way(route.producer.partition, route.consumer.partition, made.words_per_frame, taken.words_per_frame)
    if route.in_memory:
        node = draft.node_of(route.producer)
        offered = ring_port(node, route.buffer) if node else None
        assert offered is not None
        bits = offered.width(made.payload_bits)
        return replace(way, chunk=bits, bits=made.payload_bits, beat=bits)
    if route.link is None:
        return way
    boundary = draft.boundary_of(route)
    node = draft.node_of(route.producer)
    assert node is not None
    options = stream_options(draft, node, route)
    chunk = link_registry()[route.link].hands_on(boundary, options) * 8
    bits, link = wire_word_bits(made, boundary.packing), link_at(node, route.link)
    beat = link.shape(docks_of(node)[link.dock], bits, boundary.frame_bits).bits
    return replace(way, chunk=min(chunk, boundary.frame_bits), bits=bits, beat=beat)


def _held(draft: Draft, route: Route) -> int:
    """Return the words of the producer that FIFOs of the partitions at both ends hold for certain."""
    assert route.producer is not None
    assert route.consumer is not None
    ends = (route.producer,) if route.link else (route.producer, route.consumer)
    if draft.shared(route):
        return 0  # what is in front of the copies is not one consumer's
    made, held = draft.port(route.producer).words_per_frame, 0
    for end in ends:
        course = draft.course(end)
        words = course.holds.get(end.port, 0) if course else 0
        held += words * made // draft.port(end).words_per_frame
    return held


def _add_ends(draft: Draft, ways: dict[int, Way], names: Mapping[str, None]) -> None:
    """Add the streams between the ring and the rest of the cluster."""
    for number, route in enumerate(draft.routes):
        if number in ways:
            continue
        if route.consumer and route.consumer.partition in names:
            port = draft.port(route.consumer)
            if not port.carries_weights:
                words = port.words_per_frame
                ways[number] = Way(None, route.consumer.partition, words, words)
        elif route.producer and route.producer.partition in names:
            words = draft.port(route.producer).words_per_frame
            ways[number] = Way(route.producer.partition, None, words, words)


def _actor(draft: Draft, part: Partition, ways: Mapping[int, Way]) -> Actor | None:
    """Return a partition with the numbers of its routes; None if its need curves are not known."""
    takes, gives = _curves(part)
    into = {n: end.port for n in ways if (end := draft.routes[n].consumer) and end.partition == part.name}
    out = {n: end.port for n in ways if (end := draft.routes[n].producer) and end.partition == part.name}
    if set(into.values()) != takes.keys() or set(out.values()) != gives.keys():
        return None
    actor = Actor({n: takes[port] for n, port in into.items()}, {n: gives[port] for n, port in out.items()})
    fits = all(len(need) == ways[n].made and need[-1] <= actor.steps for n, need in actor.gives.items())
    fits &= all(len(need) == actor.steps and need[-1] <= ways[n].taken for n, need in actor.takes.items())
    return actor if fits else None


def _curves(part: Partition) -> tuple[dict[str, Words], dict[str, Words]]:
    """Return the words of each input for each step, and the steps for each word of each output."""
    if part.junction in ("relay", "broadcast", "sum", "concat"):
        out = part.outputs[0]
        steps = np.arange(1, out.words_per_frame + 1)
        takes, before = dict.fromkeys((port.name for port in part.inputs), steps), 0
        if part.junction == "concat":
            for one in part.inputs:
                takes[one.name] = _turn(one, out, before)
                before += one.shape[-2]
        return takes, dict.fromkeys((port.name for port in part.outputs), steps)
    if part.course is None:
        return {}, {}
    takes, gives = (
        {port: _words(curve) for port, curve in side.items()}
        for side in (part.course.takes, part.course.gives)
    )
    return takes, gives


def _words(curve: Curve) -> Words:
    runs = np.array(list(curve.runs()), dtype=np.int64)
    found: Words = np.cumsum(np.repeat(runs[:, 0], runs[:, 1]))
    return found


def _turn(one: StreamPort, out: StreamPort, before: int) -> Words:
    """Return the need of a join along the channels at an input, behind so many words of each pixel."""
    pixel, word = np.divmod(np.arange(out.words_per_frame), out.shape[-2])
    need: Words = pixel * one.shape[-2] + np.clip(word + 1 - before, 0, one.shape[-2])
    return need


def _hz(node: NodeDraft) -> int:
    return node.clocks[-1].hz


def _period(draft: Draft) -> float:
    """Return the seconds from frame to frame of the slowest partition, as far as the builds tell."""
    most = 0.0
    for node in draft.nodes:
        for part in node.partitions:
            cycles = part.pace.period if part.pace else part.slowest_cycles or 0
            words = max((port.words_per_frame for port in part.streams if port.folded_shape), default=0)
            most = max(most, max(cycles, words) / _hz(node))
    return most


def _lag(draft: Draft, part: Partition) -> float:
    """Return the seconds by which a partition delays a word beyond what its need curves say."""
    cycles = [max(flow.first - flow.need_first, flow.tail, 0) for flow in part.flows]
    return max(cycles, default=0) / _hz(draft.home(part.name))
