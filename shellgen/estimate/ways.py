# SPDX-License-Identifier: BSD-3-Clause
"""The way of a stream from its producer to its consumer, as stages of the engine one after the other."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from shellgen.estimate.engine import Channel, Stage, Window
from shellgen.estimate.lags import BENCH_START, NONE, Lag, between, early, leaving, link_of
from shellgen.estimate.turns import Turns
from shellgen.links import Link
from shellgen.links.base import Medium, Place, Travel
from shellgen.model import Boundary, End, NodePlan, Plan
from shellgen.platforms.places import figures_of, places_of, rings_of

Bench = Mapping[str, int]  # parameters of the models of links
IDLE = 0.05  # memories and ports that are idle for more than the rest of the time hold up nobody


@dataclass
class Draft:
    """Stages and channels as they are found, in the order of the network.

    Attributes:
        plan: The plan.
        turns: Its replicas.
        bench: Of a run in the bench, which has links but no networks and processors; None: the boards.
        stages: By name.
        channels: Between them.
        windows: Over them.
        servers: Stages of each node's processor.
        slowest: Period of the slowest partition.
        media: Seconds of a frame at all streams of a medium.
        into: By partition and input: the last stage in front of it, the lag from there, and its `burst`.
        out: By partition and output: the first stage behind it, and the lag to there.
        spans: By partition and input: seconds from its first word of a frame to the last, evenly spread.
    """

    plan: Plan
    turns: Turns
    bench: Bench | None
    stages: dict[str, Stage] = field(default_factory=dict)
    channels: list[Channel] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    servers: dict[str, list[str]] = field(default_factory=dict)
    slowest: float = 0.0
    media: dict[str, float] = field(default_factory=dict)
    into: dict[tuple[str, str], tuple[str, Lag, int]] = field(default_factory=dict)
    out: dict[tuple[str, str], tuple[str, Lag]] = field(default_factory=dict)
    spans: dict[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """A stage on the way of a stream.

    Attributes:
        stage: Its own times.
        lag: From the stage before to this one.
        whole: It gets nothing before all of a frame has gone through the stage before.
    """

    stage: Stage
    lag: Lag = NONE
    whole: bool = False


def way_of(draft: Draft, boundary: Boundary, gap: float) -> Iterator[Step]:
    """Return the stages of a stream; words leave its producer with this distance, in seconds."""
    if boundary.link is None:
        node = draft.plan.node(str(boundary.producer_node))
        inner = next(one for one in node.inner if one.boundary == boundary.name)
        words = max(inner.producer_words, inner.consumer_words)
        period, through = (
            count * boundary.passes / node.compute.hz for count in (words, words - early(inner))
        )
        stream, replicas = f"stream {boundary.name} on {node.name}", draft.turns.of_stream(boundary)
        yield Step(Stage(stream, period, through, replicas=replicas), between(node, inner, gap))
        yield from map(Step, _kept(draft, boundary, node))
        return
    travel = travel_of(draft, boundary)
    before = False  # whether there are stages between the pins so far
    if boundary.producer_node:
        node = draft.plan.node(boundary.producer_node)
        end = end_of(node, boundary, "out")
        pin, around = _stages(draft, boundary, node, end)
        if travel.rest:
            pin = _rested(draft, pin, travel.rest)
        yield _packed(node, end, pin, gap)
        for stage in around:
            yield Step(stage, whole=not before and travel.gathered >= end.frame_bytes)
            before = True
    if boundary.consumer_node:
        node = draft.plan.node(boundary.consumer_node)
        end = end_of(node, boundary, "in")
        pin, around = _stages(draft, boundary, node, end)
        yield from map(Step, reversed(around))
        whole = travel.gathered >= end.frame_bytes and (bool(around) or not before)
        start = 0.0
        if boundary.producer_node is None and draft.bench is not None:
            start = BENCH_START / node.clock_hz
        part = travel.gathered / end.frame_bytes * max(pin.period, gap * end.words_per_frame)
        lead = start + travel.seconds + (0.0 if whole else part)
        yield Step(pin, Lag(lead, travel.seconds), whole)


def _rested(draft: Draft, pin: Stage, seconds: float) -> Stage:
    """Return a pin that takes a frame only when what is behind it has rested from the one before."""
    if len(pin.replicas) > 1:  # a window counts the frames of all replicas; in the long run this is the same
        return replace(pin, period=pin.period + seconds, latency=pin.through)
    rest = Stage(f"rest behind {pin.name}", seconds, bounds=pin.name)
    draft.stages[rest.name] = rest
    draft.channels.append(Channel(pin.name, rest.name))
    draft.windows.append(Window(pin.name, rest.name, 1))
    return pin


def end_of(node: NodePlan, boundary: Boundary, direction: str) -> End:
    """Return the end of a stream at a node."""
    ends = (one for end in node.ends if end.direction == direction for one in end.each)
    return next(one for one in ends if one.boundary == boundary.name)


def travel_of(draft: Draft, boundary: Boundary) -> Travel:
    """Return the way of a stream between its pins, or between a pin and the host."""
    names = (boundary.producer_node, boundary.consumer_node)
    nodes = [draft.plan.node(name) if name else None for name in names]
    sides: dict[str, tuple[Link, Place]] = {}
    for node, far, direction in zip(nodes, reversed(nodes), ("out", "in"), strict=True):
        for link, place in places_of(node) if node else ():
            if place.end.boundary == boundary.name and place.end.direction == direction:
                sides.setdefault(link.kind, (link, replace(place, host=far is None, far=far)))
    if len(sides) > 1 and draft.bench is None:
        # Two kinds meet in a program, which is a host to the one; the other has the network.
        sides = {kind: (link, replace(at, host=kind != boundary.link)) for kind, (link, at) in sides.items()}
    ways = (
        link.travel(at, figures_of(link, draft.plan.estimate), draft.bench) for link, at in sides.values()
    )
    return reduce(operator.add, ways)


def stage_name(end: End, medium: Medium) -> str:
    """Return the name of the stage that is a stream's share of a medium."""
    return f"{end.boundary} through {medium.name}"


def _media(draft: Draft, node: NodePlan, end: End) -> Iterator[tuple[Stage, str | None]]:
    """Return the share of ports, cages and memories, and its owner; one of a name serves one at a time."""
    link, place = next(found for found in places_of(node) if found[1].end == end)
    for medium in link.media(place, figures_of(link, draft.plan.estimate)):
        if medium.network or draft.media.get(medium.name, 0.0) >= IDLE * draft.slowest:
            yield Stage(stage_name(end, medium), medium.seconds, medium=medium.name), medium.node


def _kept(draft: Draft, boundary: Boundary, node: NodePlan) -> Iterator[Stage]:
    """Return the share of the memory that a stream with a ring there has; the bench's is nobody else's."""
    if draft.bench is not None:
        return
    replicas = draft.turns.of_stream(boundary)
    for inner, media in rings_of(node, draft.plan.estimate):
        for medium in media if inner.boundary == boundary.name else ():
            if draft.media.get(medium.name, 0.0) >= IDLE * draft.slowest:
                name = f"{boundary.name} through {medium.name}"
                alone = len(set(replicas)) == 1
                yield Stage(name, medium.seconds, replicas=replicas, medium=medium.name if alone else None)


def _packed(node: NodePlan, end: End, pin: Stage, gap: float) -> Step:
    """Return the pin of a sender, whose logic may keep a packet or a frame until it is whole."""
    link, attachment = link_of(node, end)
    lag = leaving(node, end, gap)
    gathered = link.gathered(attachment, end)
    if gathered >= end.frame_bytes:
        return Step(pin, Lag(lag.tail, lag.tail), whole=True)
    beats = max(0, -(-8 * gathered // end.link_bits) - 1) / node.clock_hz
    part = gathered / end.frame_bytes * max(pin.period, gap * end.words_per_frame)
    return Step(pin, lag + Lag(part, beats))


def _stages(draft: Draft, boundary: Boundary, node: NodePlan, end: End) -> tuple[Stage, list[Stage]]:
    """Return the pin of a stream at a node, and on boards what is behind it, outwards."""
    pin = node.pin(end)
    hardware = Stage(
        f"{boundary.name} at {pin.name} of {node.name}",
        end.beats_per_frame * boundary.passes / node.clock_hz,
        medium=None if pin.stream is not None else f"{pin.name} of {node.name}",
    )
    if pin.stream is not None:  # else all replicas at the other end share the pin
        hardware = replace(hardware, replicas=draft.turns.of_stream(boundary))
    found = []
    if draft.bench is None:
        found = [(stage, node.name) for stage in _server(draft, node, end)]
        found += [(stage, of or node.name) for stage, of in _media(draft, node, end)]
    around = []
    for stage, of in found:
        # A port of its own each: what else they carry is left out.
        many = draft.turns.of_side(boundary, of)
        around.append(replace(stage, replicas=many, medium=None) if len(many) > 1 else stage)
    if len(replicas := draft.turns.of_side(boundary, node.name)) > 1:
        hardware = replace(hardware, replicas=hardware.replicas if pin.stream is not None else replicas)
        hardware = replace(hardware, medium=None)
    return hardware, around


def _server(draft: Draft, node: NodePlan, end: End) -> Iterator[Stage]:
    """Return the part of a board's processor, if cluster.toml tells its rate."""
    asked = draft.plan.estimate.servers.get(node.name) if draft.plan.estimate else None
    if asked is None:
        return
    does = "receives" if end.direction == "in" else "sends"
    name = f"server of {node.name} {does} {end.boundary}"
    draft.servers.setdefault(node.name, []).append(name)
    yield Stage(name, asked.seconds(end.frame_bytes))
