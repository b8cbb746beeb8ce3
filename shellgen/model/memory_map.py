# SPDX-License-Identifier: BSD-3-Clause
"""``memory_map.json`` as records: the one definition of its fields, its JSON schema included."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.map_bring_up import MapBringUp
from shellgen.model.map_movers import (
    MapDma,
    MapInterruptController,
    MapMover,
    MapRing,
    MapShellChannel,
    MapVfpga,
)
from shellgen.model.names import BuildId, Contract, DataType, FileName, FilePath, Line, Name, Word
from shellgen.model.port import Memory, StreamRole
from shellgen.model.registers import Access, Hardware, RegisterField

MAP_SCHEMA: Literal["shellgen-memory-map-6"] = "shellgen-memory-map-6"


class MapRegister(Frozen):
    """One 32-bit register of a block, or the first of several that are alike.

    Attributes:
        name: As in the block's header; where each of several alike has a name, it is ``<name>_<k>``.
        offset: The host's byte offset from the block's base.
        stride: The host's bytes from one to the next, if there are several.
        count: How many there are.
        width: Bits that it has, from bit 0; those above read 0.
        access: What the host may do; see `shellgen.model.registers`.
        hw: What the core does with it: nothing (``na``), read, write, both.
        value: What it always reads, where that is fixed.
        reset: After reset, where that is defined.
        sticky: A bit that the core has set stays until it is cleared.
        fields: Its parts, ascending; none if it is one number.
        text: Meaning.
    """

    name: Name
    offset: int
    stride: int | None = None
    count: int | None = None
    width: int = 32
    access: Access
    hw: Hardware
    value: int | None = None
    reset: int | None = None
    sticky: bool = False
    fields: tuple[RegisterField, ...] = ()
    text: Line

    @property
    def elements(self) -> tuple[tuple[str, int], ...]:
        """Name and offset of each register."""
        if self.stride is None or self.count is None:
            return ((self.name, self.offset),)
        return tuple((f"{self.name}_{k}", self.offset + k * self.stride) for k in range(self.count))

    def name_at(self, offset: int) -> str | None:
        """Return the name of the one at an offset, if it is one of these."""
        if self.stride is None or self.count is None:
            return self.name if offset == self.offset else None
        number, rest = divmod(offset - self.offset, self.stride)
        return f"{self.name}_{number}" if not rest and 0 <= number < self.count else None


class MapBlock(Frozen):
    """Registers in a window of their own.

    Attributes:
        name: Unique within the node; ``status`` is that of the core itself, ``bridge`` the way to regions
            whose ``access`` is ``bridge``.
        block: Module, which says what the registers mean; None if the window leaves the core.
        base: Absolute address.
        size: Bytes of the window.
        registers: Ascending by offset; none if the window leaves the core.
    """

    name: Name
    block: Name | None
    base: int
    size: int
    registers: tuple[MapRegister, ...] = ()

    def register(self, name: str) -> MapRegister:
        """Return the register of this name, which must exist."""
        return next(register for register in self.registers if register.name == name)


class MapUnit(MapBlock):
    """Registers beside the core, 4 bytes apart, which the host reaches without going through it.

    Attributes:
        name: Unique within the node, also among its blocks.
        block: Kernel or IP, which says what the registers mean.
        ip: What the host's runtime calls it (XRT: ``<kernel>:{<instance>}``); None if it has an address.
        base: Its address. Where it has none, a number that no other address of the node is near: what is
            above ``base`` is the offset that the runtime is asked for.
        size: Bytes that the host reaches.
        registers: Ascending by offset.
    """

    ip: Line | None


class MapAperture(Frozen):
    """The part of a bridge's window that shows far memory.

    Attributes:
        base: Absolute address.
        bytes: Far bytes that it shows, 4 in each slot; page ``p`` shows those from ``p * bytes``.
    """

    base: int
    bytes: int


class MapLayout(Frozen):
    """Packing of a frame's elements: a little-endian bit string, the first element lowest.

    Attributes:
        datatype: QONNX element type.
        shape: Of the tensor that one frame is; the order of its elements is the stream's.
        elements: Their number.
        bits: Of an element.
        signed: Two's complement. BIPOLAR is not: -1 is 0, +1 is 1.
        low: Smallest value.
        high: Largest value.
        per_word: Elements of a word.
        word_bits: Bits that a word takes; those above its elements are 0.
    """

    datatype: DataType
    shape: tuple[int, ...]
    elements: int
    bits: int
    signed: bool
    low: int
    high: int
    per_word: int
    word_bits: int


class MapDeal(Frozen):
    """Turns of a stream with the host whose other frames go to or come from other replicas.

    Attributes:
        stream: Name of the boundary with the first replica, the same for all of them.
        places: Positions of the frames that cross here, within a period, in order. Position 0 is the
            first frame after the reset of the cores.
        period: Frames after which the pattern repeats.
    """

    stream: Name
    places: tuple[int, ...]
    period: int


class MapTurns(Frozen):
    """A deal to replicas or a gather from them in a core: register OUT of block ``turns``, by its place here.

    Attributes:
        kind: ``deal`` or ``gather``.
        nodes: For each bit of OUT, the replica at the other end of the stream that the bit takes out.
        pattern: The bit of each of the node's frames in turn, without OUT; none if they come by number.
        streams: For each bit, the number of the stream that it takes out.
    """

    kind: Literal["deal", "gather"]
    nodes: tuple[Name, ...]
    streams: tuple[int, ...]
    pattern: tuple[int, ...] = ()


class MapCopy(Frozen):
    """Another consumer of the frames of a stream: each is read once and sent to all of them.

    Attributes:
        boundary: What crosses there; everything else is as of the stream.
        host: The host is that consumer, and not another board.
        tensor: The model's name of it at the host, if an ONNX tells.
        deal: As of a stream.
    """

    boundary: Name
    host: bool
    tensor: Line | None = None
    deal: MapDeal | None = None


class MapTerms(Frozen):
    """Terms that both ends of such a stream compare, besides contract and bytes of a frame (docs/vnx.md).

    Attributes:
        link: The boundary.
        packet_beats: Of a full packet, 64 bytes each.
        packing: Of the frames, as a number.
        role: What they are, as a number.
        element: The type of their elements.
        shape: The shape of a frame.
        slots: Packets that either end keeps.
    """

    link: int
    packet_beats: int
    packing: int
    role: int
    element: int
    shape: int
    slots: int


class MapProgram(Frozen):
    """Addresses and terms of a stream between nodes whose end is a program of the host, over a UDP socket.

    Attributes:
        link: The kind of link, whose packets it speaks.
        address: Of the board's network port.
        port: UDP port there.
        peer: Address of the other end.
        peer_port: UDP port of the other end.
        reorder: Packets by which the network may change their order.
        terms: What both ends compare.
    """

    link: Word
    address: Line
    port: int
    peer: Line
    peer_port: int
    reorder: int
    terms: MapTerms


class MapStream(Frozen):
    """One link port of the core.

    Attributes:
        index: Number in the status registers.
        direction: ``rx`` into the core, ``tx`` out of it.
        boundary: What crosses there.
        frame_bytes: Bytes of one frame.
        memory_bytes: Bytes from frame to frame in the host's memory: more where each is filled up. What moves
            them moves as many at a time as the stream's FRAMES_PER_TRANSFER says.
        most_frames: The most that may be written there: the limit of the register or of the DMA's length.
        port: AXI4-Stream port of the core.
        host: The host is at the other end, and not another board.
        contract: What both ends must agree on, as 16 hex digits; boards compare them when they connect.
        layout: What a frame is made of.
        tensor: The model's name of a stream of the host, if an ONNX tells.
        role: ``weights`` if memory sends the same frame over and over.
        passes: Frames for one inference.
        weights: File with that frame, relative to the generated folder, when its values are known.
        deal: Of a stream with the host that carries only some frames; None if all frames cross here.
        copies: Other consumers of the same frames, of a stream out of the core.
        program: Of a stream whose other end is hardware on the network, for the program that serves it.
    """

    index: int
    direction: Literal["rx", "tx"]
    boundary: Name
    frame_bytes: int
    memory_bytes: int
    most_frames: int
    port: Name
    host: bool
    contract: Contract
    layout: MapLayout
    tensor: Line | None = None
    role: StreamRole = "data"
    passes: int = 1
    weights: FilePath | None = None
    deal: MapDeal | None = None
    copies: tuple[MapCopy, ...] = ()
    program: MapProgram | None = None

    @property
    def consumers(self) -> tuple[MapCopy, ...]:
        """All consumers of a stream out of the core, the first included."""
        own = MapCopy(boundary=self.boundary, host=self.host, tensor=self.tensor, deal=self.deal)
        return (own, *self.copies)


class MapRegion(Frozen):
    """One AXI-Lite slave of a partition.

    Attributes:
        name: Unique within the node.
        node: Node that it sits on.
        partition: Partition that owns it.
        layer: FINN node behind it, when known.
        interface: AXI-Lite interface of the partition.
        access: ``direct``: ``base`` is an absolute address of the host; ``bridge``: a byte address behind the
            node's bridge.
        base: First byte, a multiple of ``size``.
        size: Bytes, a power of two; of the host's space where ``access`` is ``direct``.
        dat: Name of the file with its words, 32 bits a line, from word 0.
        memory: How the words are laid out, when known.
    """

    name: Name
    node: Name
    partition: Name
    layer: Line | None
    interface: Name
    access: Literal["direct", "bridge"]
    base: int
    size: int
    dat: FileName
    memory: Memory | None


class MapNode(Frozen):
    """Everything that the host reaches on one node.

    Attributes:
        name: Node name.
        board: Board name.
        build_id: 16 hex digits; the core shows them in BUILD_ID_HIGH and BUILD_ID_LOW.
        bus: How the host's programs get to these addresses: ``devmem`` by the processor's own, ``xrt``
            by XRT, ``coyote`` by Coyote's driver, where they begin at 0.
        ip: What XRT calls the core, ``<kernel>:{<instance>}``; None on other buses.
        base: Absolute address of the core's window.
        slot_bytes: From a register in the host's space to the next. With 8, each is the lower half of a
            64-bit slot, and the host makes 64-bit accesses; behind a bridge it is always 4.
        span: Bytes of the window, a power of two.
        blocks: Everything that has registers or leaves the core, ascending.
        units: What has registers beside it, in the order of its links.
        aperture: Of the bridge, when memories lie behind one.
        streams: Link ports, receivers first.
        turns: Deals and gathers of the core.
        places: Positions of the frames that the node has, within a period, in order; a replica has not all.
        period: Frames after which the turns of all replicas repeat.
        dma: What moves the frames of these streams, ascending by address; empty if the board has none.
        movers: The same where kernels do it, in the order of the core's ports.
        channels: The same where they are streams of the shell, ascending by stream.
        vfpga: Where the core is, on bus ``coyote``.
        interrupt_controller: The one in the FPGA, if there is one.
        rings: Streams inside the core that are kept in memory.
        regions: Slaves of the partitions, ascending within their space.
    """

    name: Name
    board: Word
    build_id: BuildId
    bus: Word = "devmem"
    ip: Line | None = None
    base: int
    slot_bytes: Literal[4, 8] = 4
    span: int
    blocks: tuple[MapBlock, ...]
    units: tuple[MapUnit, ...] = ()
    aperture: MapAperture | None
    streams: tuple[MapStream, ...]
    turns: tuple[MapTurns, ...] = ()
    places: tuple[int, ...] = (0,)
    period: int = 1
    dma: tuple[MapDma, ...] = ()
    movers: tuple[MapMover, ...] = ()
    channels: tuple[MapShellChannel, ...] = ()
    vfpga: MapVfpga | None = None
    interrupt_controller: MapInterruptController | None = None
    rings: tuple[MapRing, ...] = ()
    regions: tuple[MapRegion, ...]

    def block(self, name: str) -> MapBlock:
        """Return the block or unit of this name, which must exist."""
        return next(block for block in (*self.blocks, *self.units) if block.name == name)


class MemoryMap(Frozen):
    """The whole file. Addresses and sizes are in bytes.

    Attributes:
        schema_version: Name and version of this format; a reader refuses another.
        cluster: Cluster name.
        nodes: In the order of cluster.toml.
        bring_up: Left out where nothing is to be done before the first frame.
    """

    schema_version: Literal["shellgen-memory-map-6"] = MAP_SCHEMA
    cluster: Name
    nodes: tuple[MapNode, ...]
    bring_up: MapBringUp | None = None

    def to_json(self) -> str:
        """Return the file; it has no steps where there are none."""
        return self.model_dump_json(indent=1, exclude=set() if self.bring_up else {"bring_up"}) + "\n"
