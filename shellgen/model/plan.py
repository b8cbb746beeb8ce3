# SPDX-License-Identifier: BSD-3-Clause
"""The plan: everything decided, nothing left to compute. All that is emitted is a function of it."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from shellgen.model.attachment import Attachment, Direction, End, Inner, Pin, Unit
from shellgen.model.base import Frozen
from shellgen.model.board import Board
from shellgen.model.bring_up import Step
from shellgen.model.estimate_spec import EstimateSpec
from shellgen.model.fifo import Fifo
from shellgen.model.names import BuildId, Contract, DataType, Digest, Generator, Line, Name, Word
from shellgen.model.partition import Endpoint, Partition
from shellgen.model.plain import JsonObject
from shellgen.model.platform import Clock, HostWindow
from shellgen.model.port import Memory, StreamPort, StreamRole
from shellgen.model.ring import MemoryPort
from shellgen.model.usage import NodeUsage


class Boundary(Frozen):
    """One stream edge of the partition graph; a host stands where an endpoint is None.

    Attributes:
        name: ``<producer>_to_<consumer>`` with partition and port names; a Verilog identifier.
        producer: Master port, or None for a stream that the host sends.
        consumer: Slave port, or None for a stream that the host receives.
        producer_node: Node of the producer, or None for the host.
        consumer_node: Node of the consumer, or None for the host.
        link: Key in the link registry; None if both ends sit on one node.
        packing: ``dense`` (payload bits only) or ``finn`` (each word padded to bytes).
        datatype: QONNX element type.
        normal_shape: Tensor shape of one frame.
        elements_per_frame: Elements of one frame.
        wire_word_bits: Bits that one producer word takes on the link (of the consumer if the host sends).
        frame_bits: Bits of one frame on the link, without the zero tail.
        frame_bytes: The same in whole bytes.
        role: ``weights`` if memory beside the consumer sends the same frame over and over.
        passes: Frames for one inference: 1, but for weights one for every input vector of the layer.
        places: Inferences of an epoch of the plan whose frames cross here; without replicas all of them.
        options: What cluster.toml asks of the link for this stream.
        numbered: Each frame has a number, since streams meet here that have gone different ways.
        tensor: Name of a stream of the host: that of its [[link]], or the model's; streams that the host
            sends under one name carry the same frames.
        contract: First 64 bits, as 16 hex digits, of the sha256 over what both ends must agree on: element,
            shape, packing, bytes of a frame, role, and the kind of link with ``options``.
    """

    name: Name
    producer: Endpoint | None
    consumer: Endpoint | None
    producer_node: Name | None
    consumer_node: Name | None
    link: Word | None
    packing: Literal["dense", "finn"]
    datatype: DataType
    normal_shape: tuple[int, ...]
    elements_per_frame: int
    wire_word_bits: int
    frame_bits: int
    frame_bytes: int
    role: StreamRole = "data"
    passes: int = 1
    places: tuple[int, ...] = (0,)
    options: JsonObject = Field(default_factory=dict)
    numbered: bool = False
    tensor: Line | None = None
    contract: Contract = ""

    @property
    def carries_weights(self) -> bool:
        """Memory sends one frame of weights again and again; otherwise each frame is data of its own."""
        return self.role == "weights"

    @property
    def per_epoch(self) -> int:
        """Frames that cross in an epoch."""
        return self.passes * len(self.places)


class Window(Frozen):
    """One address window of a node's core, as an offset from the core's base or behind its bridge.

    Attributes:
        name: ``status``, ``bridge``, the name of a claim, or ``<partition>_<interface>``.
        kind: ``status`` for the core's own registers, ``bridge`` for those of the bridge, ``block`` for those
            of a claim, ``master`` for an AXI-Lite master that leaves the core, ``partition`` for a slave of a
            partition, ``crossing`` for what lies behind the crossing to another clock.
        offset: First byte, a multiple of ``size``.
        size: Bytes, a power of two.
        partition: Partition that owns the slave.
        interface: AXI-Lite interface of that partition.
        addr_bits: Address bits the slave decodes.
        memory: What lies behind it, when known.
        block: Module whose ``registers.json`` says what lies there.
        counts: Parameters of that module which say how many registers it has.
    """

    name: Name
    kind: Literal["status", "bridge", "block", "master", "partition", "crossing"]
    offset: int
    size: int
    partition: Name | None = None
    interface: Name | None = None
    addr_bits: int
    memory: Memory | None = None
    block: Name | None = None
    counts: tuple[tuple[Name, int], ...] = ()


class CrossbarPort(Frozen):
    """One master port of a crossbar: a window, or another crossbar that serves a range of windows.

    Attributes:
        target: Name of the window or of the crossbar.
        offset: First byte.
        size_log2: The port serves ``2**size_log2`` bytes, naturally aligned.
    """

    target: Name
    offset: int
    size_log2: int


class Crossbar(Frozen):
    """One crossbar of a node's AXI-Lite tree; the first of a node is the root."""

    name: Name
    ports: tuple[CrossbarPort, ...]


class NodePlan(Frozen):
    """One board with everything on it.

    Attributes:
        name: Node name.
        board: The board, with all that the node's platform knows of it, so that a plan needs no other file.
        build_id: First 64 bits, as 16 hex digits, of the sha256 over this record, its partitions and the
            contracts of its boundaries, with ``options``, ``takes`` and the partitions' ``origin`` and
            ``slr`` empty, and ``link_options`` only of links that end here: what a host's memory holds, what
            the bench compares, where the build lies and what is on other boards may change under the same
            core.
        platform: Key in the platform registry.
        clocks: Clocks of the core; the first is that of its ports.
        partitions: Names of the partitions on it, in network order.
        attachments: What carries the boundaries that enter or leave.
        inner: Boundaries inside the node.
        windows: Address windows in the core's own space, ascending.
        crossbars: The tree that reaches them, root first, parents before children.
        far_windows: Address windows behind the bridge, ascending; empty without one.
        far_crossbars: The tree behind the bridge or the crossing to the clock of the partitions.
        crossing: The range of the near tree behind that crossing, if there is one and no bridge; addresses of
            the far tree count from its first byte.
        lite_addr_bits: Address bits of the core's own space, where a register takes 4 bytes.
        host: Where the host finds these addresses.
        takes: What lies around the partitions; None until everything is decided.
        options: What cluster.toml asks of the platform. Nothing here changes what the core computes.
        link_options: What it asks of links that the board can have, by their kind.
        copy_of: The first replica, if its core is that of this node, too: one folder and one bitstream.
    """

    name: Name
    board: Board
    build_id: BuildId = ""
    platform: Word
    clocks: Annotated[tuple[Clock, ...], Field(min_length=1)]
    partitions: tuple[Name, ...]
    attachments: tuple[Attachment, ...]
    inner: tuple[Inner, ...]
    windows: tuple[Window, ...]
    crossbars: tuple[Crossbar, ...]
    far_windows: tuple[Window, ...] = ()
    far_crossbars: tuple[Crossbar, ...] = ()
    crossing: Window | None = None
    lite_addr_bits: int
    host: HostWindow
    options: JsonObject = Field(default_factory=dict)
    link_options: dict[Word, JsonObject] = Field(default_factory=dict)
    copy_of: Name | None = None
    takes: NodeUsage | None = None

    @property
    def core(self) -> str:
        """The node in whose folder its core is."""
        return self.copy_of or self.name

    @cached_property
    def ends(self) -> tuple[End, ...]:
        """The boundaries that enter or leave, by their number in the status registers."""
        return tuple(sorted((e for one in self.attachments for e in one.ends), key=lambda end: end.stream))

    @cached_property
    def rx(self) -> tuple[End, ...]:
        """The boundaries that enter, by index."""
        return tuple(end for end in self.ends if end.direction == "in")

    @cached_property
    def tx(self) -> tuple[End, ...]:
        """The boundaries that leave, by index."""
        return tuple(end for end in self.ends if end.direction == "out")

    def attachment(self, end: End) -> Attachment:
        """Return what carries an end."""
        return next(one for one in self.attachments if one.serves(end))

    def pin(self, end: End) -> Pin:
        """Return the interface of the core through which an end leaves it."""
        return self.attachment(end).pin(end)

    @property
    def clock_hz(self) -> int:
        """Clock of the core's ports."""
        return self.clocks[0].hz

    @property
    def compute(self) -> Clock:
        """Clock of the partitions and of all that is on their side of the crossings."""
        return self.clocks[-1]

    @property
    def apart(self) -> bool:
        """Whether the partitions have a clock of their own."""
        return len(self.clocks) > 1

    @property
    def lite_base(self) -> int:
        """Host address of offset 0."""
        return self.host.base

    @property
    def lite_slot(self) -> Literal[4, 8]:
        """Bytes of the host's space that a register takes."""
        return self.host.slot

    @property
    def lite_scale(self) -> int:
        """Bytes of the host's space for each byte of the core's own."""
        return self.host.scale

    @property
    def lite_port_bits(self) -> int:
        """Address bits of the core's AXI-Lite slave port."""
        return self.lite_addr_bits + self.lite_scale.bit_length() - 1

    @property
    def status(self) -> Window:
        """The window of the core's own registers."""
        return next(window for window in self.windows if window.kind == "status")

    @property
    def bridge(self) -> Window | None:
        """The window of the bridge, if the memories lie behind one."""
        return next((window for window in self.windows if window.kind == "bridge"), None)

    @property
    def units(self) -> tuple[Unit, ...]:
        """Units beside the core."""
        return tuple(unit for attachment in self.attachments for unit in attachment.units)

    @property
    def memory_ports(self) -> tuple[MemoryPort, ...]:
        """The core's AXI4 masters, and what makes requests in place of one."""
        return tuple(port for attachment in self.attachments for port in attachment.memories)

    @property
    def memories(self) -> tuple[Window, ...]:
        """The windows of the partitions' slaves, wherever they lie."""
        return tuple(window for window in (*self.windows, *self.far_windows) if window.kind == "partition")


class GoldenVectors(Frozen):
    """Frames of one stream of the host.

    Attributes:
        boundary: Its name.
        sha256: Of the ``.npy`` file: whole numbers, (frames, *shape of the stream).
    """

    boundary: Name
    sha256: Digest


class Golden(Frozen):
    """The golden proof: what the host sends and what it must receive.

    Attributes:
        note: Where the vectors are from, or why there are none; a line for the bench's report.
        asked: ``[verify]`` asks for it.
        frames: Frames of each stream.
        vectors: Of all streams that the host sends, and of those that it receives as far as they are known;
            none, if the bench is to send noise.
    """

    note: Line
    asked: bool = False
    frames: int = 0
    vectors: tuple[GoldenVectors, ...] = ()


class ExternalWeights(Frozen):
    """Values for a weights port.

    Attributes:
        port: The port.
        sha256: Of one pass, a dense little-endian bit string filled up to bytes.
    """

    port: Endpoint
    sha256: Digest


class Plan(Frozen):
    """The decided system.

    Attributes:
        schema_version: Of plan.json; a reader refuses another.
        generator: ``shellgen <version>``.
        name: Cluster name.
        cluster_id: Of the whole plan, as 16 hex digits: over the build ids of its nodes and its boundaries.
            It is in no core; `bench/` and reports say by it what they are about.
        nodes: In the order of cluster.toml.
        boundaries: Host inputs first, host outputs last, both in the model's order; the others between them
            in network order.
        partitions: In network order.
        fifos: Of the streams inside nodes; no bitstream depends on more than the depth that ``inner`` has.
        epoch: Frames of the network after which all replicas have had their turns; 1 without replicas.
        golden: The golden proof; None as long as nobody has asked for it.
        weights: Values of the weights ports, as far as build or cluster.toml give them.
        bring_up: What the host does before the first frame, in order; no bitstream depends on it.
        estimate: What cluster.toml says of layers and servers, for the estimate; no bitstream depends on it.
    """

    schema_version: Literal[4] = 4
    generator: Generator
    name: Name
    cluster_id: BuildId
    nodes: tuple[NodePlan, ...]
    boundaries: tuple[Boundary, ...]
    partitions: tuple[Partition, ...]
    fifos: tuple[Fifo, ...] = ()
    epoch: int = 1
    golden: Golden | None = None
    weights: tuple[ExternalWeights, ...] = ()
    bring_up: tuple[Step, ...] = ()
    estimate: EstimateSpec | None = None

    @cached_property
    def _partitions(self) -> dict[str, Partition]:
        return {partition.name: partition for partition in self.partitions}

    @cached_property
    def _boundaries(self) -> dict[str, Boundary]:
        return {boundary.name: boundary for boundary in self.boundaries}

    @cached_property
    def _nodes(self) -> dict[str, NodePlan]:
        return {node.name: node for node in self.nodes}

    def partition(self, name: str) -> Partition:
        """Return the partition of this name, which must exist."""
        return self._partitions[name]

    def boundary(self, name: str) -> Boundary:
        """Return the boundary of this name, which must exist."""
        return self._boundaries[name]

    def port(self, boundary: Boundary) -> StreamPort:
        """Return the port that tells what a boundary's elements are: the producer's, if there is one."""
        end = boundary.producer or boundary.consumer
        assert end is not None
        port = self.partition(end.partition).stream(end.port)
        assert port is not None
        return port

    @cached_property
    def _ends(self) -> dict[tuple[str, str], tuple[NodePlan, End]]:
        ends = ((node, end) for node in self.nodes for end in node.ends)
        return {(name, end.direction): (node, end) for node, end in ends for name in end.carries}

    def end(self, boundary: Boundary, direction: Direction) -> tuple[NodePlan, End] | None:
        """Return the end by which a boundary enters ("in") or leaves ("out") a node, if a link carries it."""
        return self._ends.get((boundary.name, direction))

    @property
    def cores(self) -> tuple[NodePlan, ...]:
        """The nodes with a core of their own: of replicas that share one, the first."""
        return tuple(node for node in self.nodes if node.copy_of is None)

    def inside(self, node: NodePlan, name: str) -> str:
        """Return the name that a partition of a node has in its core."""
        return self.partition(name).copy_of or name if node.copy_of else name

    def node(self, name: str) -> NodePlan:
        """Return the node of this name, which must exist."""
        return self._nodes[name]
