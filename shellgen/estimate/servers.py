# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a cluster that serve one frame after the other, each with its time for one frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from shellgen.counted import counted
from shellgen.estimate.cluster import partition_stage
from shellgen.estimate.figures import GIVEN, PACES, layers_of, period_of, slowest_of
from shellgen.estimate.turns import Turns
from shellgen.links import link_registry
from shellgen.links.base import Medium
from shellgen.model import Attachment, Boundary, NodePlan, Partition, Plan
from shellgen.platforms import platform_registry
from shellgen.platforms.docks import offered
from shellgen.platforms.places import media_of, rings_of


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
        server: Whether it is the processor of a board.
        ring: Whether it is the wait for a place in a ring.
    """

    name: str
    seconds: float
    detail: str
    source: str
    node: str = ""
    medium: bool = False
    server: bool = False
    ring: bool = False


def servers(plan: Plan) -> tuple[Server, ...]:
    """Return partitions, streams, pins and media, in the order of the plan."""
    found: list[Server] = []
    turns = Turns(plan)
    for node in plan.nodes:
        for name in node.partitions:
            found += _partition(plan, node, plan.partition(name), turns.share(node))
        found += _streams(plan, node)
        for attachment in node.attachments:
            found += _pins(plan, node, attachment)
        found += _servers(plan, node, turns)
    return (*found, *_media(plan))


def unknown_layers(plan: Plan) -> dict[str, int]:
    """Return the number of layers whose cycles are unknown, by partition; 1 of one without any layer."""
    left = {}
    for one in plan.partitions:
        layers = layers_of(plan, one)
        missing = sum(layer.cycles is None for layer in layers)
        simulated = one.pace is not None and one.pace.source != "words"
        if one.junction is None and not simulated and (missing or not any(layer.cycles for layer in layers)):
            left[one.name] = missing or 1
    return left


def alone_layers(plan: Plan) -> tuple[str, ...]:
    """Return the partitions of several layers whose slowest one counts alone: the others may hold it up."""
    found = []
    for one in plan.partitions:
        layers = layers_of(plan, one)
        given = any(layer.source == GIVEN for layer in layers)
        if one.pace is None and not given and sum(layer.cycles is not None for layer in layers) > 1:
            found.append(one.name)
    return tuple(found)


def _partition(plan: Plan, node: NodePlan, partition: Partition, share: Fraction) -> Iterator[Server]:
    """The slowest layer, or more where layers wait for one another; they work on several frames at once."""
    slowest, pace = slowest_of(plan, partition), partition.pace
    cycles = period_of(plan, partition)
    if not cycles:
        return
    alone = f"layer {slowest.name}" if slowest else "layers"
    if slowest and cycles == slowest.cycles:
        detail, source = f"{alone}, {counted(cycles, 'cycle')} at {_mhz(node.compute.hz)}", slowest.source
    else:
        longer = slowest is None or cycles > (slowest.cycles or 0)
        how = "layers that wait for one another" if longer else "timed word by word"
        detail = f"{how}, {counted(cycles, 'cycle')} at {_mhz(node.compute.hz)}"
        by = "alone" if longer else "by FINN's formula"
        detail += f"; {alone} {by} {slowest.cycles:,}" if slowest else ""
        source = PACES[pace.source if pace else "words"]
    detail += _of_frames(share)
    seconds = float(cycles * share) / node.compute.hz
    yield Server(f"{partition.name} on {node.name}", seconds, detail, source, node.name)


def _of_frames(share: Fraction) -> str:
    """Say which frames of the network a replica has."""
    if share == 1:
        return ""
    return f"; {counted(share.numerator, 'frame')} of {share.denominator}"


def _streams(plan: Plan, node: NodePlan) -> Iterator[Server]:
    """Partition ports, and converters between partitions of one board: a word in each cycle."""
    hz = node.compute.hz
    for end in node.ends:
        boundary = plan.boundary(end.boundary)
        words, share = end.words_per_frame * boundary.passes, _share(plan, boundary)
        yield Server(
            f"port {end.port} on {node.name}",
            float(words * share) / hz,
            f"{counted(words, 'word')} of {counted(end.tdata_bits, 'bit')} at {_mhz(hz)}{_of_frames(share)}",
            "plan",
            node.name,
        )
    for inner in node.inner:
        boundary = plan.boundary(inner.boundary)
        words, share = (
            max(inner.producer_words, inner.consumer_words) * boundary.passes,
            _share(plan, boundary),
        )
        detail = f"{counted(words, 'word')} at {_mhz(hz)}{_of_frames(share)}"
        seconds = float(words * share) / hz
        yield Server(f"stream {inner.boundary} on {node.name}", seconds, detail, "plan", node.name)


def _share(plan: Plan, boundary: Boundary) -> Fraction:
    """Return the share of the network's frames that cross a boundary."""
    return Fraction(len(boundary.places), plan.epoch)


def _pins(plan: Plan, node: NodePlan, attachment: Attachment) -> Iterator[Server]:
    """Stream interfaces of a core: a beat in each cycle, for all streams that share one."""
    beats: dict[str, Fraction] = defaultdict(Fraction)
    for end in attachment.ends:
        boundary = plan.boundary(end.boundary)
        beats[attachment.pin(end).name] += end.beats_per_frame * boundary.passes * _share(plan, boundary)
    for pin in attachment.pins:
        if pin.name in beats:
            count = float(beats[pin.name])
            beats_of = "beat" if count == 1 else "beats"
            detail = f"{count:,.10g} {beats_of} of {pin.tdata_bits} bits at {_mhz(node.clock_hz)}"
            yield Server(f"{pin.name} of {node.name}", count / node.clock_hz, detail, "plan", node.name)


def _servers(plan: Plan, node: NodePlan, turns: Turns) -> Iterator[Server]:
    """The processor of a board, of which only cluster.toml tells."""
    asked = plan.estimate.servers.get(node.name) if plan.estimate else None
    if asked is None:
        return
    ends = [one for end in node.ends if not end.carries_weights for one in end.each]
    ways = (("receives", "in"), ("sends", "out"))
    times = {
        does: sum(
            asked.seconds(end.frame_bytes) * float(_share(plan, plan.boundary(end.boundary)))
            for end in ends
            if end.direction == way
        )
        for does, way in ways
    }
    if asked.in_sequence:
        pins = sum(
            float(end.beats_per_frame * _share(plan, plan.boundary(end.boundary))) / node.clock_hz
            for end in node.ends
            if not end.carries_weights
        )
        work = sum(partition_stage(plan, node, plan.partition(name)).through for name in node.partitions)
        total = sum(times.values()) + pins + work * float(turns.share(node))
        detail = "receives, waits for the board, sends: one frame in flight"
        yield Server(f"server of {node.name}", total, detail, GIVEN, node.name, server=True)
        return
    for does, seconds in times.items():
        if seconds:
            detail = "its rate and time per frame"
            yield Server(f"server of {node.name} {does}", seconds, detail, GIVEN, node.name, server=True)


@dataclass(frozen=True)
class _Use:
    """A stream's use of a medium: bytes and seconds of one of its frames."""

    medium: Medium
    boundary: str
    bytes: int
    node: str


def _media(plan: Plan) -> list[Server]:
    """Ethernet ports, cages and memories: those of one name serve one stream at a time."""
    parts: dict[str, list[_Use]] = defaultdict(list)
    for node in plan.nodes:
        for place, media in media_of(node, plan.estimate):
            for medium in media:
                whose = medium.node or node.name
                use = _Use(medium, place.end.boundary, place.end.frame_bytes, whose)
                parts[medium.name].append(use)
        for inner, media in rings_of(node, plan.estimate):
            assert inner.ring is not None, "of streams that have one"
            count = inner.ring.beats * inner.ring.port.data_bits // 8
            for medium in media:
                parts[medium.name].append(_Use(medium, inner.boundary, count, node.name))
    found = []
    crossing = {one.name: float(_share(plan, one) * one.passes) for one in plan.boundaries}
    for name, uses in parts.items():
        count = sum(one.bytes * plan.boundary(one.boundary).passes for one in uses)
        detail = f"{counted(count, 'byte')} of {counted(len(uses), 'stream')}"
        seconds = sum(one.medium.seconds * crossing[one.boundary] for one in uses)
        source = "; ".join(dict.fromkeys(one.medium.source for one in uses))
        ring = all(one.medium.ring for one in uses)
        found.append(Server(name, seconds, detail, source, uses[0].node, True, ring=ring))
    return found


def without_rate(plan: Plan) -> list[tuple[str, str]]:
    """Return each port whose rate the board file lacks, and the field that gives it."""
    links, platforms = link_registry(), platform_registry()
    found = {}
    for node in plan.nodes:
        docks = offered(platforms[node.platform], node.board)
        for attachment in node.attachments:
            field = links[attachment.link].rate_field
            if field and docks[attachment.dock].line_bps is None:
                found[f"the network port of {node.name}"] = field
    return list(found.items())


def _mhz(hz: int) -> str:
    return f"{hz / 1e6:g} MHz"
