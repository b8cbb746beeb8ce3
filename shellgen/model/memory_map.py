# SPDX-License-Identifier: BSD-3-Clause
"""``memory_map.json`` as records: the one definition of its fields, its JSON schema included."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.map_bring_up import MapBringUp
from shellgen.model.names import BuildId, Contract, DataType, FileName, FilePath, Line, Name, Word
from shellgen.model.port import Memory, StreamRole
from shellgen.model.registers import Access, Hardware, RegisterField

MAP_SCHEMA: Literal["shellgen-memory-map-5"] = "shellgen-memory-map-5"


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
    """How the elements of a frame are packed: a little-endian bit string, the first element lowest.

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
        role: ``weights`` if memory sends the same frame over and over.
        passes: Frames for one inference.
        weights: File with that frame, relative to the generated folder, when its values are known.
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
    role: StreamRole = "data"
    passes: int = 1
    weights: FilePath | None = None


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


class MapInterrupt(Frozen):
    """Where an interrupt arrives.

    Attributes:
        controller: AXI interrupt controller in the FPGA, or None: a line of the processor's own.
        input: Number of the line at that controller, or among the lines from the FPGA.
        gic: Interrupt ID at the processor's controller (GIC), of the AXI interrupt controller if any.
            A device tree counts from the first shared interrupt, which is ID 32.
    """

    controller: Name | None
    input: int
    gic: int


class MapChannel(Frozen):
    """One direction of a DMA.

    Attributes:
        stream: Number of the stream in the status registers.
        interrupt: None if it is not connected.
    """

    stream: int
    interrupt: MapInterrupt | None


class MapChannels(Frozen):
    """The directions of a DMA; None for one that the hardware does not have.

    Attributes:
        mm2s: From memory to the core.
        s2mm: From the core to memory.
    """

    mm2s: MapChannel | None
    s2mm: MapChannel | None


class MapMemory(Frozen):
    """A part of the memory that a DMA reaches.

    Attributes:
        base: First byte.
        size: Bytes.
    """

    base: int
    size: int


class MapDma(Frozen):
    """One AXI DMA between memory and the core's streams.

    Attributes:
        name: Cell of the block design, which is its name in PYNQ.
        base: Absolute address of its registers (PG021).
        size: Bytes of their window.
        cyclic: It has scatter-gather and repeats one buffer (docs/zynq.md); otherwise direct register mode.
        address_bits: Of a buffer's address; above 32, the registers of the upper halves exist.
        max_bytes: Of one transfer.
        align: Bytes of which the address of a buffer must be a multiple.
        coherent: The processor's caches see what it reads and writes.
        channels: Its directions.
        memory: Where buffers may lie, ascending.
    """

    name: Name
    base: int
    size: int
    cyclic: bool
    address_bits: int
    max_bytes: int
    align: int
    coherent: bool
    channels: MapChannels
    memory: tuple[MapMemory, ...]


class MapArguments(Frozen):
    """Which arguments of a kernel are what, by number.

    Attributes:
        buffer: Where the frames lie.
        size: Bytes of a run, whole frames.
        number: Of the run; another one than that of the run before, and not 0. None if it takes none.
        most_number: The highest.
    """

    buffer: int
    size: int
    number: int | None = None
    most_number: int | None = None


class MapMover(Frozen):
    """A kernel that moves the frames of one stream between the card's memory and the core, a run at a time.

    Attributes:
        name: Its instance.
        ip: What XRT calls it, ``<kernel>:{<instance>}``.
        stream: Number of the stream in the status registers.
        max_bytes: Of one run.
        arguments: What it is called with.
    """

    name: Name
    ip: Line
    stream: int
    max_bytes: int
    arguments: MapArguments


class MapInterruptController(Frozen):
    """The AXI interrupt controller (PG099) between the DMAs and the processor.

    Attributes:
        name: Cell of the block design.
        base: Absolute address of its registers.
        size: Bytes of their window.
        inputs: How many there are; level-sensitive, active high.
        gic: Interrupt ID of its output at the processor's controller (GIC).
    """

    name: Name
    base: int
    size: int
    inputs: int
    gic: int


class MapNode(Frozen):
    """Everything that the host reaches on one node.

    Attributes:
        name: Node name.
        board: Board name.
        build_id: 16 hex digits; the core shows them in BUILD_ID_HIGH and BUILD_ID_LOW.
        bus: How the host's programs get to these addresses: ``devmem`` by the processor's own, ``xrt``
            by XRT.
        ip: What XRT calls the core, ``<kernel>:{<instance>}``; None on other buses.
        base: Absolute address of the core's window.
        slot_bytes: From a register in the host's space to the next. With 8, each is the lower half of a
            64-bit slot, and the host makes 64-bit accesses; behind a bridge it is always 4.
        span: Bytes of the window, a power of two.
        blocks: Everything that has registers or leaves the core, ascending.
        units: What has registers beside it, in the order of its links.
        aperture: Of the bridge, when memories lie behind one.
        streams: Link ports, receivers first.
        dma: What moves the frames of these streams, ascending by address; empty if the board has none.
        movers: The same where kernels do it, in the order of the core's ports.
        interrupt_controller: The one in the FPGA, if there is one.
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
    dma: tuple[MapDma, ...] = ()
    movers: tuple[MapMover, ...] = ()
    interrupt_controller: MapInterruptController | None = None
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

    schema_version: Literal["shellgen-memory-map-5"] = MAP_SCHEMA
    cluster: Name
    nodes: tuple[MapNode, ...]
    bring_up: MapBringUp | None = None

    def to_json(self) -> str:
        """Return the file; it has no steps where there are none."""
        return self.model_dump_json(indent=1, exclude=set() if self.bring_up else {"bring_up"}) + "\n"
