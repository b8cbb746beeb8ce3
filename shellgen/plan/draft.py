# SPDX-License-Identifier: BSD-3-Clause
"""The state between passes: the inputs, and the decisions so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from shellgen.model import (
    Attachment,
    Board,
    Boundary,
    Buffer,
    Clock,
    ClusterSpec,
    Crossbar,
    Edge,
    Endpoint,
    HostWindow,
    Inner,
    JoinKind,
    JsonObject,
    LiteSpec,
    Partition,
    StreamPort,
    Window,
)
from shellgen.model.flow import Course
from shellgen.plan.rings import rings
from shellgen.plan.schedule import Level

Packing = Literal["dense", "finn"]


def wire_word_bits(port: StreamPort, packing: Packing) -> int:
    """Return the payload bits of a word."""
    return port.payload_bits if packing == "dense" else port.tdata_bits


@dataclass(frozen=True)
class NodeDraft:
    """Decisions about one node, in the order of the passes.

    Attributes:
        entry: Number of its [[node]], which several replicas share.
        places: Frames of an epoch that a replica gets; None is all of them.
    """

    name: str
    board: Board
    platform: str
    clocks: tuple[Clock, ...]
    host: HostWindow
    lite: LiteSpec
    partitions: tuple[Partition, ...] = ()
    entry: int = 0
    places: tuple[int, ...] | None = None
    attachments: tuple[Attachment, ...] = ()
    inner: tuple[Inner, ...] = ()
    windows: tuple[Window, ...] = ()
    crossbars: tuple[Crossbar, ...] = ()
    far_windows: tuple[Window, ...] = ()
    far_crossbars: tuple[Crossbar, ...] = ()
    crossing: Window | None = None
    options: JsonObject = field(default_factory=dict)
    link_options: dict[str, JsonObject] = field(default_factory=dict)


@dataclass(frozen=True)
class Route:
    """A stream with its two ends; None stands for the host.

    Attributes:
        producer: Master port.
        consumer: Slave port.
        kind: Kind of link in cluster.toml.
        packing: Packing in cluster.toml.
        depth: Depth in cluster.toml.
        buffer: Where its FIFO is, in cluster.toml or by `shellgen.plan.spill`.
        where: File and table that name the stream, for messages.
        link: After `choose_links`, the link; None inside a node.
        tensor: Name of a stream of the host: that of its [[link]], or the model's.
        join: How the streams of its consumer are joined in front of it, in their order.
        at: Node of a host stream in cluster.toml.
        via: Nodes between those of its partitions, in cluster.toml.
        spilled: The plan has chosen memory for its FIFO.
    """

    producer: Endpoint | None
    consumer: Endpoint | None
    kind: str | None = None
    packing: str | None = None
    depth: int | None = None
    buffer: Buffer | None = None
    where: str = ""
    options: JsonObject = field(default_factory=dict)
    link: str | None = None
    tensor: str | None = None
    join: JoinKind | None = None
    at: str | None = None
    via: tuple[str, ...] = ()
    spilled: bool = False

    @property
    def in_memory(self) -> bool:
        """Whether its FIFO is a ring in memory."""
        return self.buffer not in (None, "chip")


@dataclass(frozen=True)
class Draft:
    """The knowledge of all passes.

    Attributes:
        where: Name of cluster.toml, for messages.
        spec: Its content.
        partitions: The network's partitions, in network order.
        edges: The network's edges, from a parent ONNX, or none.
        tensors: As in `Network`.
        builds: As in `Network`.
        boards: Board of each node as in its file, by node name.
        platforms: Platform of each node, by node name.
        nodes: After `place_partitions`.
        routes: After `route_streams`.
        epoch: Frames after which all replicas have had their turns; after `expand_replicas`.
        boundaries: After `frame_streams`.
        levels: Words that streams of rings must hold, by number of the route; after `size_buffers`.
        spilled: Producers of streams whose FIFO goes into memory, since it would take too much of a device.
    """

    where: str
    spec: ClusterSpec
    partitions: tuple[Partition, ...]
    edges: tuple[Edge, ...]
    tensors: Mapping[Endpoint, str]
    builds: tuple[tuple[str, ...], ...]
    boards: dict[str, Board]
    platforms: dict[str, str]
    nodes: tuple[NodeDraft, ...] = ()
    routes: tuple[Route, ...] = ()
    epoch: int = 1
    boundaries: tuple[Boundary, ...] = field(default=())
    levels: Mapping[int, Level] = field(default_factory=dict)
    spilled: frozenset[Endpoint] = frozenset()

    def node_of(self, end: Endpoint | None) -> NodeDraft | None:
        """Return the node of an endpoint, or None for the host."""
        if end is None:
            return None
        return self.home(end.partition)

    def home(self, name: str) -> NodeDraft:
        """Return the node of a partition."""
        return self._nodes_by_partition[name]

    def partition(self, name: str) -> Partition:
        """Return the partition of this name, which must exist."""
        return self._by_name[name]

    def port(self, end: Endpoint) -> StreamPort:
        """Return the stream port of an endpoint whose existence routing has checked."""
        port = self._by_name[end.partition].stream(end.port)
        assert port is not None
        return port

    def course(self, end: Endpoint) -> Course | None:
        """Return the need curves of an endpoint's partition."""
        return self._by_name[end.partition].course

    @cached_property
    def _by_name(self) -> dict[str, Partition]:
        return {partition.name: partition for partition in self.partitions}

    @cached_property
    def _nodes_by_partition(self) -> dict[str, NodeDraft]:
        return {partition.name: node for node in self.nodes for partition in node.partitions}

    @cached_property
    def _ringed(self) -> dict[tuple[Endpoint | None, Endpoint | None], int]:
        """Return the frames that each stream on a ring must hold; replicas count as one partition.

        Where one way of a ring is dealt to replicas, the others hold a frame for each of these.
        """
        first = {part.name: part.copy_of or part.name for part in self.partitions}
        kinds = {part.name: part.junction for part in self.partitions}
        dealt = {part.name: len(part.outputs) for part in self.partitions if part.junction == "deal"}

        def alike(end: Endpoint, between: str) -> tuple[str, str]:
            return first[end.partition], "" if kinds[end.partition] == between else end.port

        ways = {
            number: (alike(route.producer, "deal"), alike(route.consumer, "gather"))
            for number, route in enumerate(self.routes)
            if route.producer and route.consumer
        }
        alone = {way: number for number, way in ways.items()}
        ends = {number: (made[0], taken[0]) for (made, taken), number in alone.items()}
        frames: dict[int, int] = {}
        for ring in rings(ends):
            most = max((dealt.get(name, 1) for number in ring for name in ends[number]), default=1)
            frames |= dict.fromkeys(ring, most)
        return {
            (self.routes[number].producer, self.routes[number].consumer): frames[alone[way]]
            for number, way in ways.items()
            if alone[way] in frames
        }

    def shared(self, stream: Route) -> bool:
        """Return whether other consumers get the same frames from the same port of the producer."""
        return stream.producer is not None and self._producers[stream.producer] > 1

    @cached_property
    def _producers(self) -> Counter[Endpoint]:
        return Counter(route.producer for route in self.routes if route.producer)

    @property
    def pairs(self) -> dict[int, tuple[str, str]]:
        """Return both partitions of each stream between partitions, by the number of its route.

        The host is not included: its streams depend on partitions only.
        """
        return {
            number: (route.producer.partition, route.consumer.partition)
            for number, route in enumerate(self.routes)
            if route.producer and route.consumer
        }

    def frames_on_rings(self, stream: Route) -> int:
        """Return the frames that a stream must hold for the other ways of its rings; 0 if it is on none."""
        return self._ringed.get((stream.producer, stream.consumer), 0)

    def rejoins(self, stream: Boundary) -> bool:
        """Return whether a stream lies on a ring, or meets another one that the host sends as well."""
        return (stream.producer, stream.consumer) in self._rejoining

    @cached_property
    def _rejoining(self) -> set[tuple[Endpoint | None, Endpoint | None]]:
        sent = {
            number: (" host", route.consumer.partition)
            for number, route in enumerate(self.routes)
            if route.producer is None and route.consumer and not self.port(route.consumer).carries_weights
        }
        found = rings({**self.pairs, **sent})
        return {(self.routes[n].producer, self.routes[n].consumer) for ring in found for n in ring}

    def copied(self, part: Partition) -> bool:
        """Return whether a partition is a replica or has replicas, or deals to or gathers from them."""
        return part.copy_of is not None or part.name in self._copied or part.junction in ("deal", "gather")

    @cached_property
    def _copied(self) -> set[str | None]:
        return {one.copy_of for one in self.partitions}

    def level(self, stream: Route) -> Level | None:
        """Return what a stream must hold; None if it is on no ring, or on one with unknown curves."""
        number = self._numbers.get((stream.producer, stream.consumer))
        return None if number is None else self.levels.get(number)

    @cached_property
    def _numbers(self) -> dict[tuple[Endpoint | None, Endpoint | None], int]:
        return {(route.producer, route.consumer): number for number, route in enumerate(self.routes)}

    def route_of(self, boundary: Boundary) -> Route:
        """Return the route of a boundary."""
        return self.routes[self._numbers[boundary.producer, boundary.consumer]]

    def boundary(self, name: str) -> Boundary:
        """Return the boundary of this name, which must exist."""
        return self._boundaries_by_name[name]

    @cached_property
    def _boundaries_by_name(self) -> dict[str, Boundary]:
        return {one.name: one for one in self.boundaries}

    @cached_property
    def _boundaries(self) -> dict[tuple[Endpoint | None, Endpoint | None], Boundary]:
        return {(one.producer, one.consumer): one for one in self.boundaries}

    def boundary_of(self, route: Route) -> Boundary:
        """Return the boundary of a route."""
        return self._boundaries[route.producer, route.consumer]

    def named(self, route: Route) -> str:
        """Return the place that names a stream, without the name of cluster.toml."""
        return route.where.removeprefix(f"{self.where}: ")

    def ends(self, route: Route) -> list[NodeDraft]:
        """Return the nodes at the ends of a stream."""
        return [node for end in (route.producer, route.consumer) if (node := self.node_of(end))]

    def is_inner(self, route: Route) -> bool:
        """Return whether both ends of a stream are on one node."""
        nodes = self.ends(route)
        return len(nodes) == 2 and nodes[0].name == nodes[1].name

    def packing(self, route: Route) -> Packing:
        """Return the packing of a stream's frames."""
        return "finn" if (route.packing or self.spec.packing) == "finn" else "dense"

    def inner(self, node: NodeDraft) -> list[Boundary]:
        """Return the boundaries inside a node."""
        return [
            b for b in self._at_node.get(node.name, ()) if b.link is None and b.producer_node == node.name
        ]

    def outer(self, node: NodeDraft) -> list[Boundary]:
        """Return the boundaries over links that begin or end at a node."""
        return [b for b in self._at_node.get(node.name, ()) if b.link is not None]

    @cached_property
    def _at_node(self) -> dict[str | None, list[Boundary]]:
        found: dict[str | None, list[Boundary]] = {}
        for one in self.boundaries:
            for name in dict.fromkeys((one.producer_node, one.consumer_node)):
                found.setdefault(name, []).append(one)
        return found
