# SPDX-License-Identifier: BSD-3-Clause
"""Contents of the picture: a card for each board and each host, a wire for each stream between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from shellgen.counted import counted
from shellgen.estimate.turns import Turns
from shellgen.model import Boundary, End, Inner, JunctionKind, NodePlan, Plan
from shellgen.plan.fit import KINDS, fit_rows
from shellgen.report.loads import Level, Load, Loads
from shellgen.report.measure import text_width

FULLEST = 2  # resources that a card names
SIZE = 11.5  # of small text
WIDEST = 242  # label of a wire: "near the limit" of the link with the longest name
_JUNCTIONS: dict[JunctionKind, str] = {
    "relay": "forwards a stream",
    "broadcast": "copies a stream",
    "concat": "joins streams along the channels",
    "sum": "adds streams",
    "deal": "deals frames to replicas",
    "gather": "gathers replicas' frames",
}


@dataclass(frozen=True)
class Stage:
    """A partition in a card."""

    name: str
    lines: tuple[str, ...]
    load: Load
    anchor: str


@dataclass(frozen=True)
class Card:
    """A board, or a host's end of its streams.

    Attributes:
        key: Unique, made of numbers.
        kind: ``board`` or ``host``.
        title: Name.
        subtitle: Below it.
        anchor: Row that it links to; empty for none.
        rows: Stages and lines of text from top to bottom.
        told: What a screen reader says, and a tooltip shows.
        behind: Name and row of each further replica, stacked behind the card.
    """

    key: str
    kind: str
    title: str
    subtitle: str
    anchor: str
    rows: tuple[Stage | str, ...]
    told: str
    behind: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Stream:
    """A wire of the picture."""

    key: str
    source: str
    target: str
    lines: tuple[str, ...]
    bytes: int
    level: Level
    anchor: str
    told: str


@dataclass
class Scene:
    """All of it, in reading order: along the network."""

    title: str
    told: str
    cards: list[Card] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)


def scene(plan: Plan, loads: Loads) -> Scene:
    """Return cards and wires of a plan."""
    boards = len(plan.nodes)
    told = f"{boards} {'board' if boards == 1 else 'boards'} in the order of the network; "
    streams = len(plan.boundaries)
    told += f"{streams} {'stream' if streams == 1 else 'streams'}."
    found = Scene(f"Cluster {plan.name}", told)
    place = {partition.name: number for number, partition in enumerate(plan.partitions)}
    ordered = sorted(
        enumerate(plan.nodes), key=lambda pair: min(map(place.__getitem__, pair[1].partitions), default=0)
    )
    turns = Turns(plan)
    stacks = turns.stacks()
    numbers = {node.name: number for number, node in ordered}
    keys = {name: f"b{numbers[first]}" for name, first in stacks.items()}
    groups = [
        [node, *(one for one in plan.nodes if stacks[one.name] == node.name != one.name)]
        for _, node in ordered
        if stacks[node.name] == node.name
    ]
    hosts = [_host(plan, group, keys, incoming=True) for group in groups]
    found.cards += [card for card in hosts if card]
    for first, *others in groups:
        card = _board(plan, first, numbers[first.name], loads)
        found.cards.append(_stacked(card, [(one.name, f"node-{numbers[one.name]}") for one in others]))
    hosts = [_host(plan, group, keys, incoming=False) for group in groups]
    found.cards += [card for card in hosts if card]
    found.streams += _streams(plan, turns, keys, loads)
    return found


def _stacked(card: Card, others: list[tuple[str, str]]) -> Card:
    """Put the other replicas of a board behind its card."""
    if not others:
        return card
    names = ", ".join(name for name, _ in others)
    told = f"{len(others) + 1} replicas, {card.title}, {names}; {card.told}"
    line = f"{len(others) + 1} replicas: also {names}"
    return replace(card, rows=(line, *card.rows), told=told, behind=tuple(others))


def _streams(plan: Plan, turns: Turns, keys: dict[str, str], loads: Loads) -> Iterator[Stream]:
    """Return a wire for each stream, and one for those of stacked replicas that begin and end alike."""
    number = {one.name: place for place, one in enumerate(plan.boundaries)}
    done: set[str] = set()
    for boundary in plan.boundaries:
        if boundary.link is None or boundary.name in done:
            continue
        own = _stream(boundary, number[boundary.name], keys, loads)
        alike = [
            one
            for one in turns.alike(boundary)
            if one.link and (_ends(one, keys) == (own.source, own.target) or one is boundary)
        ]
        done |= {one.name for one in alike}
        if len(alike) > 1:
            told = f"{len(alike)} streams alike; {own.told}"
            own = replace(own, lines=(f"{len(alike)} streams", *own.lines), told=told)
        yield own


def stream_name(boundary: Boundary, *, producer: bool) -> str:
    """Name one end of a stream: partition, port and board, or the host."""
    end, node = (
        (boundary.producer, boundary.producer_node)
        if producer
        else (boundary.consumer, boundary.consumer_node)
    )
    if end is None:
        return "memory beside the board" if boundary.carries_weights else "host"
    return f"{end} on {node}"


def why_inner(plan: Plan, inner: Inner) -> str:
    """Say what determines the depth of a FIFO between two partitions of a board."""
    fifo = next(one for one in plan.fifos if one.boundary == inner.boundary)
    if fifo.reason == "stated":
        return "by cluster.toml"
    if fifo.reason == "frames":
        return "a frame: the stream is on a ring"
    if fifo.reason == "curves":
        return f"on a ring, where {fifo.live:,} are enough to run and {fifo.full_rate:,} for the full rate"
    return "the default"


def why_end(end: End) -> str:
    """Say what a FIFO between words and link is for."""
    whole = end.depth_beats >= end.beats_per_frame
    return "a frame or more, for the link" if whole else "for bursts of the link"


def _host(plan: Plan, nodes: Sequence[NodePlan], keys: dict[str, str], *, incoming: bool) -> Card | None:
    names = {node.name for node in nodes}
    found = [
        one
        for one in plan.boundaries
        if (one.producer is None and one.consumer_node in names)
        or (one.consumer is None and one.producer_node in names)
        if (one.producer is None) == incoming
    ]
    if not found:
        return None
    weights = all(one.carries_weights for one in found)
    title = "memory" if weights else "host"
    verb = "sends" if incoming else "receives"
    count = f"{verb} {len(found)} {'stream' if len(found) == 1 else 'streams'}"
    key = f"{'i' if incoming else 'o'}{keys[nodes[0].name]}"
    return Card(key, "host", title, count, "", (), f"{title} {count}")


def _board(plan: Plan, node: NodePlan, number: int, loads: Loads) -> Card:
    rows: list[Stage | str] = []
    for name in node.partitions:
        rows.append(_stage(plan, node, name, loads))
        rows += [
            f"{'ring' if one.ring else 'FIFO'} {counted(one.depth, 'word')}: {why_inner(plan, one)}"
            for one in node.inner
            if one.producer.partition == name
        ]
    rows += [
        f"{'in' if end.direction == 'in' else 'out'} {end.index}: FIFO {counted(end.depth_beats, 'beat')}"
        for end in node.ends
        if end.depth_beats
    ]
    rows += [f"{one}: fast converter" for one in _fast_converters(node)]
    streams, memories = len(node.ends), len(node.memories)
    core = f"core: {streams} {'stream' if streams == 1 else 'streams'}"
    rows.append(f"{core}, {memories} {'memory' if memories == 1 else 'memories'}")
    rows += [_fullest(plan, node)]
    mhz = " / ".join(f"{clock.hz / 1e6:g}" for clock in node.clocks)
    subtitle = f"{node.board.title}, {mhz} MHz"
    stages = [row for row in rows if isinstance(row, Stage)]
    said = "; ".join(f"{one.name}, {', '.join(one.lines)}, {one.load.words}" for one in stages)
    return Card(
        f"b{number}", "board", node.name, subtitle, f"node-{number}", tuple(rows), f"{node.name}: {said}"
    )


def _fast_converters(node: NodePlan) -> Iterator[str]:
    """Name the streams with a converter for high clock rates (`shellgen.plan.converters`)."""
    yield from (f"{end.direction} {end.index}" for end in node.ends if end.fast)
    yield from (inner.boundary for inner in node.inner if inner.fast)


def _stage(plan: Plan, node: NodePlan, name: str, loads: Loads) -> Stage:
    partition, load = plan.partition(name), loads.partition(node.name, name)
    if partition.junction is not None:
        lines: tuple[str, ...] = (_JUNCTIONS[partition.junction],)
    elif load.server:
        told, *more = load.server.detail.split("; ")
        lines = (*told.rsplit(", ", 1), *more)  # the layer, its cycles, and whose frames
    else:
        lines = ("cycles unknown",)
    number = next(place for place, one in enumerate(plan.partitions) if one.name == name)
    return Stage(name, lines, load, f"part-{number}")


def _fullest(plan: Plan, node: NodePlan) -> str:
    """Name the resources that the board uses most of."""
    whole = next(row for row in fit_rows(plan, node) if row.shares)
    shares = sorted(
        ((-share, kind) for kind, share in whole.figures.items() if share), key=lambda one: one[0]
    )
    told = [f"{KINDS[kind]} {-share * 100:.0f} %" for share, kind in shares[:FULLEST]]
    more = " or more" if whole.source else ""
    return f"{', '.join(told)}{more}" if told else "resources unknown"


def _ends(boundary: Boundary, keys: dict[str, str]) -> tuple[str, str]:
    """Return the cards between which a stream runs."""
    source = keys.get(boundary.producer_node or "") or f"i{keys[boundary.consumer_node or '']}"
    return source, keys.get(boundary.consumer_node or "") or f"o{keys[boundary.producer_node or '']}"


def _stream(boundary: Boundary, number: int, keys: dict[str, str], loads: Loads) -> Stream:
    load = loads.boundary(boundary.name)
    source, target = _ends(boundary, keys)
    size = f"{boundary.frame_bytes:,} {'byte' if boundary.frame_bytes == 1 else 'bytes'} per frame"
    lines = (size, f"{boundary.link}: {load.words}")
    ends = f"from {stream_name(boundary, producer=True)} to {stream_name(boundary, producer=False)}"
    told = f"{ends}: {', '.join(lines)}"
    return Stream(
        f"s{number}", source, target, lines, boundary.frame_bytes, load.level, f"stream-{number}", told
    )


def label_size(stream: Stream) -> tuple[float, float]:
    """Return width and height of a wire's label."""
    width = max(text_width(line, SIZE) for line in stream.lines)
    return min(width, WIDEST) + 12, 15 * len(stream.lines) + 6
