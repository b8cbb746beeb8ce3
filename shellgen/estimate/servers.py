# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a cluster that serve one frame after the other, each with its time for one frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from shellgen.estimate.cluster import partition_stage
from shellgen.estimate.figures import GIVEN, layers_of, slowest_of
from shellgen.links import link_registry
from shellgen.links.base import Medium
from shellgen.model import Attachment, End, NodePlan, Partition, Plan
from shellgen.platforms import platform_registry
from shellgen.platforms.docks import offered


@dataclass(frozen=True)
class Server:
    """A part that can hold up all others: it takes a frame when it is through with the one before.

    Attributes:
        name: Unique in the cluster.
        seconds: For one frame of the network, at least.
        detail: What takes this time.
        source: Where the figure comes from.
        node: Node whose part it is.
        medium: Whether it lies beyond the pins of a core: Ethernet, a cage.
    """

    name: str
    seconds: float
    detail: str
    source: str
    node: str = ""
    medium: bool = False


def servers(plan: Plan) -> tuple[Server, ...]:
    """Return partitions, streams, pins and media, in the order of the plan."""
    found: list[Server] = []
    for node in plan.nodes:
        for name in node.partitions:
            found += _partition(plan, node, plan.partition(name))
        found += _streams(plan, node)
        for attachment in node.attachments:
            found += _pins(plan, node, attachment)
        found += _servers(plan, node)
    return (*found, *_media(plan))


def unknown_layers(plan: Plan) -> dict[str, int]:
    """Return the number of layers whose cycles are unknown, by partition; 1 of one without any layer."""
    left = {}
    for one in plan.partitions:
        layers = layers_of(plan, one)
        missing = sum(layer.cycles is None for layer in layers)
        if one.junction is None and (missing or not any(layer.cycles for layer in layers)):
            left[one.name] = missing or 1
    return left


def _partition(plan: Plan, node: NodePlan, partition: Partition) -> Iterator[Server]:
    """The slowest layer: the layers of a partition work on several frames at once."""
    slowest = slowest_of(plan, partition)
    if slowest and slowest.cycles:
        detail = f"layer {slowest.name}, {slowest.cycles:,} cycles at {_mhz(node.compute.hz)}"
        name = f"{partition.name} on {node.name}"
        yield Server(name, slowest.cycles / node.compute.hz, detail, slowest.source, node.name)


def _streams(plan: Plan, node: NodePlan) -> Iterator[Server]:
    """Partition ports, and converters between partitions of one board: a word in each cycle."""
    hz = node.compute.hz
    for end in node.ends:
        words = end.words_per_frame * plan.boundary(end.boundary).passes
        yield Server(
            f"port {end.port} on {node.name}",
            words / hz,
            f"{words:,} words of {end.tdata_bits} bits at {_mhz(hz)}",
            "plan",
            node.name,
        )
    for inner in node.inner:
        words = max(inner.producer_words, inner.consumer_words) * plan.boundary(inner.boundary).passes
        detail = f"{words:,} words at {_mhz(hz)}"
        yield Server(f"stream {inner.boundary} on {node.name}", words / hz, detail, "plan", node.name)


def _pins(plan: Plan, node: NodePlan, attachment: Attachment) -> Iterator[Server]:
    """Stream interfaces of a core: a beat in each cycle, for all streams that share one."""
    beats: dict[str, int] = defaultdict(int)
    for end in attachment.ends:
        beats[attachment.pin(end).name] += end.beats_per_frame * plan.boundary(end.boundary).passes
    for pin in attachment.pins:
        if pin.name in beats:
            count = beats[pin.name]
            detail = f"{count:,} beats of {pin.tdata_bits} bits at {_mhz(node.clock_hz)}"
            yield Server(f"{pin.name} of {node.name}", count / node.clock_hz, detail, "plan", node.name)


def _servers(plan: Plan, node: NodePlan) -> Iterator[Server]:
    """The processor of a board, of which only cluster.toml tells."""
    asked = plan.estimate.servers.get(node.name) if plan.estimate else None
    if asked is None:
        return
    ends = [end for end in node.ends if not end.carries_weights]
    ways = (("receives", "in"), ("sends", "out"))
    times = {
        does: sum(
            asked.frame_us * 1e-6 + (end.frame_bytes / asked.bytes_per_s if asked.bytes_per_s else 0.0)
            for end in ends
            if end.direction == way
        )
        for does, way in ways
    }
    if asked.in_sequence:
        pins = sum(end.beats_per_frame / node.clock_hz for end in ends)
        work = sum(partition_stage(plan, node, plan.partition(name)).through for name in node.partitions)
        total = sum(times.values()) + pins + work
        detail = "receives, waits for the board, sends: one frame in flight"
        yield Server(f"server of {node.name}", total, detail, GIVEN, node.name)
        return
    for does, seconds in times.items():
        if seconds:
            yield Server(
                f"server of {node.name} {does}", seconds, "its rate and time per frame", GIVEN, node.name
            )


def _media(plan: Plan) -> list[Server]:
    """Ethernet ports and cages: those of one name serve one stream at a time."""
    links, platforms = link_registry(), platform_registry()
    parts: dict[str, list[tuple[Medium, End, str]]] = defaultdict(list)
    for node in plan.nodes:
        docks = offered(platforms[node.platform], node.board)
        for attachment in node.attachments:
            for end in attachment.ends:
                media = links[attachment.link].media(node, attachment, end, docks[attachment.dock])
                for medium in media:
                    parts[medium.name].append((medium, end, node.name))
    found = []
    for name, uses in parts.items():
        count = sum(end.frame_bytes for _, end, _ in uses)
        detail = f"{count:,} bytes of {len(uses)} {'stream' if len(uses) == 1 else 'streams'}"
        found.append(
            Server(name, sum(one.seconds for one, _, _ in uses), detail, uses[0][0].source, uses[0][2], True)
        )
    return found


def _mhz(hz: int) -> str:
    return f"{hz / 1e6:g} MHz"
