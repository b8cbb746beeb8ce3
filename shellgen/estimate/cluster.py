# SPDX-License-Identifier: BSD-3-Clause
"""The system of a plan for the engine: a stage for each partition, interface, server and medium."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from shellgen.estimate.engine import Channel, Stage, System, Window
from shellgen.estimate.figures import period_of
from shellgen.estimate.turns import Turns
from shellgen.links import link_registry
from shellgen.model import Boundary, End, NodePlan, Partition, Plan
from shellgen.platforms import platform_registry
from shellgen.platforms.docks import offered

SENDER, RECEIVER = "host sends", "host receives"
Scope = Literal["boards", "bench"]


@dataclass
class _Draft:
    """Stages and channels as they are found, in the order of the network."""

    turns: Turns
    stages: dict[str, Stage] = field(default_factory=dict)
    channels: list[Channel] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    servers: dict[str, list[str]] = field(default_factory=dict)


def system_of(plan: Plan, *, scope: Scope = "boards", in_flight: int | None = None) -> System:
    """Return the stages of a cluster; the unit of time is the second.

    Args:
        plan: The plan.
        scope: ``boards`` with networks and servers, as far as they are known; ``bench`` as the bench of
            `shellgen simulate` models it, where links forward frames without these.
        in_flight: Frames that the host keeps under way; None: any number.
    """
    draft = _Draft(Turns(plan))
    turns = draft.turns
    draft.stages[SENDER] = Stage(SENDER, 0.0)
    for node in plan.nodes:
        for partition in filter(turns.counts, map(plan.partition, node.partitions)):
            stage = partition_stage(plan, node, partition)
            draft.stages[stage.name] = replace(stage, replicas=turns.of_partition(partition))
    for boundary in plan.boundaries:
        if not boundary.carries_weights and turns.heads(boundary):
            _boundary(draft, plan, boundary, scope)
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
    return frozenset(stage.name for node in plan.nodes for end in node.ends for stage in _media(node, end))


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
    last = max((flow.last for flow in partition.flows), default=partition.summed_cycles)
    # The first frame waits for none before it, whatever the pace is of those that follow.
    alone = min(period, max(partition.pace.last / hz, *ports)) if partition.pace else period
    return Stage(f"{partition.name} on {node.name}", period, max(last / hz, alone))


def _boundary(draft: _Draft, plan: Plan, boundary: Boundary, scope: Scope) -> None:
    """Add the way of a stream: its stages, one after the other."""
    before, lead, tail = SENDER, None, 0.0
    whole, joined = False, draft.turns.joined(boundary)
    if joined.producer:
        node, partition = (
            plan.node(draft.turns.home(joined.producer)),
            plan.partition(joined.producer.partition),
        )
        before = f"{partition.name} on {node.name}"
        firsts = [flow.first for flow in partition.flows if flow.target == joined.producer.port]
        lead = max(firsts) / node.compute.hz if firsts else None
    for stage, stores in _way(draft, plan, boundary, scope):
        draft.stages[stage.name] = stage
        streams = lead is not None and not whole
        draft.channels.append(Channel(before, stage.name, lead=lead if streams else None, tail=tail))
        before, lead, tail, whole = stage.name, 0.0, 0.0, stores
    if joined.consumer:
        node, partition = (
            plan.node(draft.turns.home(joined.consumer)),
            plan.partition(joined.consumer.partition),
        )
        after = f"{partition.name} on {node.name}"
        flows = [flow.tail for flow in partition.flows if flow.source == joined.consumer.port]
        streams = bool(flows) and lead is not None and not whole and before != SENDER
        tail = max(flows, default=0) / node.compute.hz if streams else 0.0
        draft.channels.append(Channel(before, after, lead=lead if streams else None, tail=tail))
    else:
        draft.channels.append(Channel(before, RECEIVER))


def _way(draft: _Draft, plan: Plan, boundary: Boundary, scope: Scope) -> Iterator[tuple[Stage, bool]]:
    """Return the stages of a stream, and for each whether the next one waits for the whole frame."""
    if boundary.link is None:
        node = plan.node(str(boundary.producer_node))
        inner = next(one for one in node.inner if one.boundary == boundary.name)
        words = max(inner.producer_words, inner.consumer_words) * boundary.passes
        stream, replicas = f"stream {boundary.name} on {node.name}", draft.turns.of_stream(boundary)
        yield Stage(stream, words / node.compute.hz, replicas=replicas), False
        return
    whole = link_registry()[boundary.link].whole_frames
    for name, direction in ((boundary.producer_node, "out"), (boundary.consumer_node, "in")):
        if name is None:
            continue
        node = plan.node(name)
        end = next(one for one in node.ends if one.boundary == boundary.name and one.direction == direction)
        pin = node.pin(end)
        hardware = Stage(
            f"{boundary.name} at {pin.name} of {name}",
            end.beats_per_frame * boundary.passes / node.clock_hz,
            medium=None if pin.stream is not None else f"{pin.name} of {name}",
        )
        hardware = replace(hardware, replicas=draft.turns.of_stream(boundary))
        around = [] if scope == "bench" else [*_server(draft, plan, node, end), *_media(node, end)]
        if len(replicas := draft.turns.of_side(boundary, name)) > 1:
            # A port of its own each: what else they carry is left out.
            hardware = replace(hardware, medium=None)
            around = [replace(one, replicas=replicas, medium=None) for one in around]
        if direction == "out":
            yield hardware, whole
            yield from ((stage, False) for stage in around)
        else:
            yield from ((stage, stage is around[0] and whole) for stage in reversed(around))
            yield hardware, False


def _server(draft: _Draft, plan: Plan, node: NodePlan, end: End) -> Iterator[Stage]:
    """Return the part of a board's processor, if cluster.toml tells its rate."""
    asked = plan.estimate.servers.get(node.name) if plan.estimate else None
    if asked is None:
        return
    does = "receives" if end.direction == "in" else "sends"
    name = f"server of {node.name} {does} {end.boundary}"
    draft.servers.setdefault(node.name, []).append(name)
    seconds = asked.frame_us * 1e-6 + (end.frame_bytes / asked.bytes_per_s if asked.bytes_per_s else 0.0)
    yield Stage(name, seconds)


def _media(node: NodePlan, end: End) -> Iterator[Stage]:
    """Return the share of ports and cages; those of one name serve one stream at a time."""
    docks = offered(platform_registry()[node.platform], node.board)
    attachment = next(one for one in node.attachments if end in one.ends)
    link = link_registry()[attachment.link]
    for medium in link.media(node, attachment, end, docks[attachment.dock]):
        yield Stage(f"{end.boundary} through {medium.name}", medium.seconds, medium=medium.name)
