# SPDX-License-Identifier: BSD-3-Clause
"""The part of ``memory_map.json`` that a client needs: nodes, and the boundaries that it feeds or reads."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shellgen_host.crc32c import crc32c
from shellgen_host.ends import AFTER, BEFORE
from shellgen_host.errors import InputError
from shellgen_host.folder import refuse_changed
from shellgen_host.packing import Layout

SCHEMA = "shellgen-memory-map-6"
_OTHER = {"rx": "tx", "tx": "rx"}
HOST = "host"  # the server of the host's streams in the network of cards; no node of a cluster has this name
_BUSES = ("devmem", "xrt", "coyote")


@dataclass(frozen=True)
class Edge:
    """A boundary between the client and a node.

    Attributes:
        name: Of the boundary.
        number: As messages carry it.
        node: Where it ends or begins.
        tensor: The model's name of it; that of the boundary if there is none.
        contract: Of the stream.
        layout: Of its frames.
        stream: Name of the first boundary with the same frames, or with those before and after these.
        places: Positions of the frames that cross here, within ``period`` frames from the first of an epoch.
        period: Frames after which they repeat.
    """

    name: str
    number: int
    node: str
    tensor: str
    contract: int
    layout: Layout
    stream: str
    places: tuple[int, ...] = (0,)
    period: int = 1

    def frame_of(self, index: int) -> int:
        """Return which frame of an epoch crosses here as number ``index``."""
        turns, place = divmod(index, len(self.places))
        return turns * self.period + self.places[place]


@dataclass(frozen=True)
class Turns:
    """A deal to replicas or a gather from them in a core.

    Attributes:
        nodes: The node that each of its streams leads to.
        pattern: The stream of each frame in turn, by its number; empty where frames are gathered by number.
    """

    nodes: tuple[str, ...]
    pattern: tuple[int, ...] = ()

    def out(self, absent: Collection[str]) -> int:
        """Return the value of its register OUT: a bit for each replica without a turn."""
        return sum(1 << place for place, node in enumerate(self.nodes) if node in absent)

    def follows(self, left: Collection[bool], absent: Collection[str]) -> bool:
        """Return whether the core takes frames in their order without the turns of some nodes.

        Args:
            left: For each frame of an epoch that its node has, whether it is left.
            absent: The nodes. The core skips their turns and goes on as its pattern says.
        """
        if not self.pattern:
            return not set(self.nodes) & set(absent)  # by numbers, of which each replica must tell
        whole = [self.pattern[k % len(self.pattern)] for k in range(len(left))]
        wanted = [one for one, stays in zip(whole, left, strict=True) if stays]
        made = [one for one in self.pattern if self.nodes[one] not in absent]
        return wanted == made * (len(wanted) // len(made)) if made else not wanted


@dataclass(frozen=True)
class Turn:
    """Frames that a node has: their positions within ``period`` frames."""

    places: tuple[int, ...] = (0,)
    period: int = 1


@dataclass(frozen=True)
class ClusterMap:
    """A cluster as its client sees it.

    Attributes:
        cluster: Its name.
        nodes: Build id by node, in the order of cluster.toml; `HOST` comes last if there is one.
        inputs: What the client sends: of boundaries with the same stream, the first.
        outputs: What it receives, in the same way.
        sources: All boundaries that it feeds.
        sinks: All boundaries that it reads.
        between: Of each boundary between two nodes: the one that sends and the one that takes.
        turns: Deals and gathers of each node's core.
        shares: The frames of each node.
        joined: Boundaries between cards that hardware carries.
    """

    cluster: str
    nodes: dict[str, int]
    inputs: tuple[Edge, ...]
    outputs: tuple[Edge, ...]
    sources: tuple[Edge, ...]
    sinks: tuple[Edge, ...]
    between: dict[str, tuple[str, str]]
    turns: dict[str, tuple[Turns, ...]]
    shares: dict[str, Turn]
    joined: frozenset[str] = frozenset()

    @property
    def held(self) -> frozenset[str]:
        """Nodes that such a boundary begins or ends at: an epoch holds all of them before it releases one."""
        return frozenset(node for name in self.joined for node in self.between[name])

    @property
    def spare(self) -> frozenset[str]:
        """Replicas of which each may be away."""
        return frozenset(name for name in self.shares if self.works({name}))

    @property
    def replicas(self) -> frozenset[str]:
        """Nodes that have some of the frames only."""
        return frozenset(name for name, one in self.shares.items() if len(one.places) < one.period)

    def works(self, absent: Collection[str]) -> bool:
        """Return whether the cluster goes on without some replicas.

        Their turns are left out, for all nodes, so that frames keep their order at every stage. That works
        where cores do the same, which only skip these replicas in their patterns.
        """
        left, idle = self._left(absent), self.idle(absent)
        if not left or not absent:
            return not absent
        if self.held & set(absent):
            return False  # what is joined to it waits until it answers
        return all(
            one.follows([place in left for place in self.shares[name].places], idle)
            for name, turns in self.turns.items()
            if name not in idle
            for one in turns
        )

    def idle(self, absent: Collection[str]) -> frozenset[str]:
        """Return nodes that get no frames if these are away: these, and neighbours of them alone."""
        left = set(self._left(absent))
        return frozenset(absent) | {name for name, one in self.shares.items() if not left & set(one.places)}

    def without(self, edges: Collection[Edge], absent: Collection[str]) -> tuple[Edge, ...]:
        """Return the edges of the other nodes, with the turns that they have if these nodes have none."""
        left, idle = self._left(absent), self.idle(absent)
        return tuple(_turned(edge, left) for edge in edges if edge.node not in idle)

    def _left(self, absent: Collection[str]) -> list[int]:
        """Return the places of an epoch at which none of these nodes has a frame."""
        period = max((one.period for one in self.shares.values()), default=1)
        gone = {place for name in absent for place in self.shares[name].places}
        return [place for place in range(period) if place not in gone]


def read_map(out: str | Path) -> ClusterMap:
    """Return the cluster of a folder that ``shellgen generate`` wrote.

    Raises:
        InputError: It has no ``memory_map.json``, one that this package does not read, or nodes that
            shellgen-node does not serve.
    """
    if not isinstance(out, (str, Path)):
        raise InputError(f"out: {out!r} is no folder; give the one that shellgen generate wrote")
    path = Path(out) / "memory_map.json"
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give the folder that shellgen generate wrote") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: it is not JSON; generate the folder again") from None
    refuse_changed(Path(out), (path.name, BEFORE, AFTER), "generate the folder again")
    version = found.get("schema_version") if isinstance(found, dict) else None
    if version != SCHEMA:
        text = f"{path}: schema_version is {version!r}, and this package reads {SCHEMA!r}"
        raise InputError(f"{text}; generate the folder with the shellgen of this package")
    try:
        if other := [node["name"] for node in found["nodes"] if node["bus"] not in _BUSES]:
            text = (
                f"{path}: {', '.join(other)}: shellgen-node serves boards with AXI DMAs, cards behind XRT or"
            )
            raise InputError(f"{text} with Coyote; use the programs run_* in its folder host (docs/host.md)")
        if linked := [f"{node['name']} ({name})" for node in found["nodes"] for name in _unserved(node)]:
            text = f"{path}: {', '.join(linked)}: shellgen-node serves cards with a network of their own only"
            raise InputError(
                f"{text} towards each other, a Zynq board or the host; use the programs run_* in its folder "
                "host (docs/host.md)"
            )
        if alone := _half(found):
            text = (
                f"{path}: it is the map of {', '.join(node['name'] for node in found['nodes'])} only, since"
            )
            raise InputError(f"{text} {alone} has no other end; give the folder of the whole cluster")
        return _cluster(found)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: it is damaged ({error!r}); generate the folder again") from None


def _joined(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the streams of a card that do not pass its host."""
    moved = {one["stream"] for one in (*node["movers"], *node["channels"])}
    return [one for one in node["streams"] if node["bus"] != "devmem" and one["index"] not in moved]


def _unserved(node: dict[str, Any]) -> list[str]:
    """Return the boundaries over the network of cards that no server takes part in."""
    cards = [one for one in _joined(node) if one["host"] and not one["program"]]
    programs = [one for one in node["streams"] if one["program"] and one["copies"]]
    return [one["boundary"] for one in (*cards, *programs)]


def _half(found: dict[str, Any]) -> str | None:
    """Return a boundary of which only one end is in the map: a node's folder has a map of its own."""
    ends: dict[str, set[str]] = {}
    for node in found["nodes"]:
        for stream in _consumers(node["streams"]):
            if not stream["host"]:
                ends.setdefault(stream["boundary"], set()).add(stream["direction"])
    return next((name for name, sides in ends.items() if len(sides) == 1), None)


def _cluster(found: dict[str, Any]) -> ClusterMap:
    sources: list[Edge] = []
    sinks: list[Edge] = []
    ends: dict[str, dict[str, str]] = {}
    gateway: int | None = None
    for node in found["nodes"]:
        for stream in _consumers(node["streams"]):
            name = stream["boundary"]
            if not stream["host"]:
                ends.setdefault(name, {})[stream["direction"]] = node["name"]
                continue
            if stream["role"] != "data":
                continue
            contract, served = int(stream["contract"], 16), node["name"]
            if stream["program"]:
                ends[name] = {stream["direction"]: served, _OTHER[stream["direction"]]: HOST}
                gateway, served = (gateway or 0) ^ contract, HOST
            deal = stream.get("deal") or {"stream": name, "places": [0], "period": 1}
            edge = Edge(
                name=name,
                number=crc32c(name.encode()),
                node=served,
                tensor=stream["tensor"] or deal["stream"],
                contract=contract,
                layout=Layout.of(stream),
                stream=deal["stream"],
                places=tuple(deal["places"]),
                period=deal["period"],
            )
            (sources if stream["direction"] == "rx" else sinks).append(edge)
    turns = {
        node["name"]: tuple(Turns(tuple(one["nodes"]), tuple(one["pattern"])) for one in node["turns"])
        for node in found["nodes"]
    }
    shares = {node["name"]: Turn(tuple(node["places"]), node["period"]) for node in found["nodes"]}
    nodes = {node["name"]: int(node["build_id"], 16) for node in found["nodes"]}
    if gateway is not None:
        period = max(one.period for one in shares.values())
        nodes[HOST], turns[HOST], shares[HOST] = gateway, (), Turn(tuple(range(period)), period)
    sources = _forked(sources)
    inputs, outputs = _streams(sources), _streams(sinks)
    return ClusterMap(
        cluster=found["cluster"],
        nodes=nodes,
        inputs=inputs,
        outputs=outputs,
        sources=tuple(sources),
        sinks=tuple(sinks),
        between={name: (end["tx"], end["rx"]) for name, end in ends.items()},
        turns=turns,
        shares=shares,
        joined=frozenset(one["boundary"] for node in found["nodes"] for one in _joined(node)),
    )


def _turned(edge: Edge, left: list[int]) -> Edge:
    """Return an edge with the places of its frames among those that are left of an epoch."""
    if edge.period == 1:
        return edge
    places = tuple(at for at, place in enumerate(left) if place in edge.places)
    return replace(edge, places=places, period=len(left))


def _consumers(streams: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield each stream, and another one for every further consumer of what leaves a node."""
    for stream in streams:
        yield stream
        for copy in stream["copies"]:
            yield stream | copy


def _forked(edges: list[Edge]) -> list[Edge]:
    """Let boundaries that carry one tensor in the same bytes be one stream: each gets every frame of it."""
    first: dict[str, Edge] = {}
    for edge in edges:
        first.setdefault(edge.tensor, edge)
    return [
        replace(edge, stream=one.stream) if edge.layout.same_bytes(one.layout) else edge
        for edge in edges
        for one in (first[edge.tensor],)
    ]


def _streams(edges: list[Edge]) -> tuple[Edge, ...]:
    """Return the first boundary of each stream, in order.

    Raises:
        InputError: Boundaries of a stream or of a tensor pack frames differently.
    """
    first: dict[str, Edge] = {}
    for edge in edges:
        one = first.setdefault(edge.stream, edge)
        if not edge.layout.same_bytes(one.layout):
            text = f"memory_map.json: {one.name} and {edge.name} carry one stream, but pack it differently"
            raise InputError(f"{text}; generate the folder again")
    names = [edge.tensor for edge in first.values()]
    if doubled := [edge.name for edge in first.values() if names.count(edge.tensor) > 1]:
        text = f"memory_map.json: {' and '.join(doubled)} carry one tensor, but pack it differently"
        remedy = 'give their [[link]] packing = "dense", or let one board take it and fork it there'
        raise InputError(f"{text}; {remedy}, in cluster.toml")
    return tuple(first.values())
