# SPDX-License-Identifier: BSD-3-Clause
"""The system of a plan for the engine: a stage for each partition, interface, server and medium."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from shellgen.estimate.behind import alone, behind, even_span, first_behind, waits_later
from shellgen.estimate.engine import Channel, Stage, System, Window
from shellgen.estimate.figures import paced, period_of
from shellgen.estimate.lags import NONE, Lag, burst, dealt, early, entering, flows_of
from shellgen.estimate.turns import Turns
from shellgen.estimate.ways import Bench, Draft, end_of, stage_name, travel_of, way_of
from shellgen.links.base import Medium
from shellgen.model import Boundary, End, Endpoint, NodePlan, Partition, Plan
from shellgen.platforms.places import media_of, rings_of

SENDER, RECEIVER = "host sends", "host receives"


def system_of(plan: Plan, *, bench: Bench | None = None, in_flight: int | None = None) -> System:
    """Return the stages of a cluster; the unit of time is the second.

    Args:
        plan: The plan.
        bench: Parameters of the models of links, by link and name: the system is then what the bench of
            `shellgen simulate` runs. None: the boards, with networks and servers, as far as they are known.
        in_flight: Frames that the host keeps under way; None: any number.
    """
    draft = Draft(plan, Turns(plan), bench)
    turns = draft.turns
    draft.stages[SENDER] = Stage(SENDER, 0.0)
    for node in plan.nodes:
        for partition in filter(turns.counts, map(plan.partition, node.partitions)):
            stage = partition_stage(plan, node, partition)
            draft.stages[stage.name] = replace(stage, replicas=turns.of_partition(partition))
            draft.slowest = max(draft.slowest, stage.period * float(turns.share(node)))
    if bench is None:
        rings = (media for node in plan.nodes for _, media in rings_of(node, plan.estimate))
        for medium in (*(medium for _, medium in _all_media(plan)), *chain.from_iterable(rings)):
            draft.media[medium.name] = draft.media.get(medium.name, 0.0) + medium.seconds
    for boundary in plan.boundaries:
        if not boundary.carries_weights and turns.heads(boundary):
            _boundary(draft, boundary)
    for node in plan.nodes:
        for partition in filter(turns.counts, map(plan.partition, node.partitions)):
            behind(draft, node, partition)
    draft.stages[RECEIVER] = Stage(RECEIVER, 0.0)
    for node in plan.nodes:
        own = draft.servers.get(node.name, [])
        if len(own) > 1 and plan.estimate and plan.estimate.servers[node.name].in_sequence:
            draft.windows.append(Window(own[0], own[-1], round(1 / turns.share(node))))
    if in_flight is not None:
        draft.windows.append(Window(SENDER, RECEIVER, in_flight))
    return System(tuple(draft.stages.values()), tuple(draft.channels), tuple(draft.windows))


def networks_of(plan: Plan) -> frozenset[str]:
    """Return the stages that are a share of a network port."""
    return frozenset(stage_name(end, medium) for end, medium in _all_media(plan) if medium.network)


def _all_media(plan: Plan) -> Iterator[tuple[End, Medium]]:
    """Return each stream's share of each medium; weights are no stages, but take their part of a memory."""
    for node in plan.nodes:
        for place, media in media_of(node, plan.estimate):
            yield from ((place.end, medium) for medium in media)


def partition_stage(plan: Plan, node: NodePlan, partition: Partition) -> Stage:
    """Return a partition as a stage: its period is that of its layers or slowest port, weights included."""
    hz = node.compute.hz
    layers = period_of(plan, partition) / hz
    ports = [0.0]
    for end in node.ends:
        if end.port.partition == partition.name:
            passes = plan.boundary(end.boundary).passes
            ports.append(end.words_per_frame * passes / hz)
            if end.carries_weights:  # their interface of the core is no stage
                ports.append(end.beats_per_frame * passes / node.clock_hz)
    period = max(layers, *ports)
    if pace := paced(plan, partition):  # the first frame waits for none before it
        through = max(pace.last / hz, *ports)
    else:
        last = max((flow.last for flow in flows_of(partition)), default=partition.summed_cycles)
        through = max(last / hz, period)
    return Stage(f"{partition.name} on {node.name}", period, through, spaced=True)


def _boundary(draft: Draft, boundary: Boundary) -> None:
    """Add the way of a stream: its stages, one after the other."""
    before, lead, tail = SENDER, None, 0.0
    joined = draft.turns.joined(boundary)
    gap, span, passed = 0.0, 0.0, draft.turns.passed(boundary)
    if joined.producer:
        node, partition = _at(draft, joined.producer)
        before = f"{partition.name} on {node.name}"
        lead = _first_word(draft.plan, partition, joined.producer.port, node.compute.hz)
        words = _words(partition, joined.producer.port)
        if lead is not None:
            made = draft.stages[before].through - 1 / node.compute.hz  # of the last word
            gap = max(0.0, made - lead) / max(1, words - 1)
            hz = node.compute.hz
            span = even_span(draft, partition, words, made - lead, hz)
            late = first_behind(draft, partition, joined.producer.port, hz) - lead
            if late > 0:
                lead += late
                if alone(partition):  # one layer makes the others at its own pace behind the first
                    stage = draft.stages[before]
                    draft.stages[before] = replace(stage, latency=stage.through + late)
    for number, step in enumerate(way_of(draft, boundary, gap)):
        draft.stages[step.stage.name] = step.stage
        lag = step.lag
        if joined.producer and not number:
            lag += dealt(node, passed[0])
            if not step.whole:
                draft.out[partition.name, joined.producer.port] = (step.stage.name, lag)
        draft.channels.append(_channel(before, step.stage.name, lag, None if step.whole else lead, tail))
        before, lead, tail = step.stage.name, 0.0, 0.0
    if not joined.consumer:
        late = travel_of(draft, boundary).seconds if boundary.link else 0.0
        draft.channels.append(_channel(before, RECEIVER, Lag(late, late), None, 0.0))
        return
    node, partition = _at(draft, joined.consumer)
    end = _last_word(draft.plan, partition, joined.consumer.port, node.compute.hz)
    after, start = f"{partition.name} on {node.name}", None if end is None else lead
    lag, burst = _into(draft, boundary)
    lag += dealt(node, passed[1])
    draft.into[partition.name, joined.consumer.port] = (before, lag, burst)
    if boundary.link is None:  # a link may keep words until the frame is whole
        inner = next(one for one in node.inner if one.boundary == boundary.name)
        draft.spans[partition.name, joined.consumer.port] = span * (1 - early(inner) / max(1, words - 1))
    channel = _channel(before, after, lag, start, end or 0.0)
    if start is not None and waits_later(partition, joined.consumer.port):
        channel = replace(channel, end_only=True)
    draft.channels.append(channel)


def _channel(one: str, two: str, lag: Lag, lead: float | None, tail: float) -> Channel:
    """Return the channel to the next stage; without a lead, that waits for the whole frame."""
    if lead is None:
        return Channel(one, two, delay=lag.lead)
    return Channel(one, two, lead=lead + lag.lead, tail=tail + lag.tail)


def _at(draft: Draft, end: Endpoint) -> tuple[NodePlan, Partition]:
    return draft.plan.node(draft.turns.home(end)), draft.plan.partition(end.partition)


def _first_word(plan: Plan, partition: Partition, port: str, hz: int) -> float | None:
    """Return the seconds until a partition has its first word at an output; None if nothing tells."""
    pace = paced(plan, partition)
    if pace and port in pace.first:
        return pace.first[port] / hz
    firsts = [flow.first for flow in flows_of(partition) if flow.target == port]
    return max(firsts) / hz if firsts else None


def _last_word(plan: Plan, partition: Partition, port: str, hz: int) -> float | None:
    """Return the seconds from the last word at an input to the last word out; None if nothing tells."""
    pace = paced(plan, partition)
    if pace and port in pace.tail:
        return pace.tail[port] / hz
    tails = [flow.tail for flow in flows_of(partition) if flow.source == port]
    return max(tails) / hz if tails else None


def _words(partition: Partition, name: str) -> int:
    port = partition.stream(name)
    assert port is not None, "a stream of the plan"
    return port.words_per_frame


def _into(draft: Draft, boundary: Boundary) -> tuple[Lag, int]:
    """Return the lag in front of the consumer, and the words that come at once with the last one.

    Streams inside a board have the lag in front of their stage.
    """
    if boundary.consumer_node is None:
        return NONE, 0
    node = draft.plan.node(boundary.consumer_node)
    if boundary.link is None:
        return NONE, burst(next(one for one in node.inner if one.boundary == boundary.name))
    end = end_of(node, boundary, "in")
    return entering(node, end), burst(end)
