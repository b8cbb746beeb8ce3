# SPDX-License-Identifier: BSD-3-Clause
"""``memory_map.json`` as records: the one definition of its fields, its JSON schema included."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.names import BuildId, DataType, FileName, FilePath, Line, Name, Word
from shellgen.model.port import Memory, StreamRole

MAP_SCHEMA: Literal["shellgen-memory-map-3"] = "shellgen-memory-map-3"


class MapRegister(Frozen):
    """One 32-bit register of a block.

    Attributes:
        name: As in the block's header.
        offset: The host's byte offset from the block's base; for a register of a stream, of stream 0.
        access: ``r``, ``rw``, ``w`` or ``r/w1c`` (writing 1 clears).
        value: What it always reads, where that is fixed.
        bits: Bits that it has, from bit 0; those above read 0.
        description: Meaning of its bits.
    """

    name: Name
    offset: int
    access: Literal["r", "rw", "w", "r/w1c"]
    value: int | None = None
    bits: int = 32
    description: Line


class MapStatus(Frozen):
    """The core's own registers.

    Attributes:
        base: Absolute address.
        size: Bytes.
        registers: Those of the core.
        stream_stride: Bytes from the registers of one stream to those of the next.
        stream_registers: Those of stream 0.
    """

    base: int
    size: int
    registers: tuple[MapRegister, ...]
    stream_stride: int
    stream_registers: tuple[MapRegister, ...]


class MapBridge(Frozen):
    """The way to regions whose ``access`` is ``bridge``.

    Attributes:
        base: Absolute address of its registers.
        size: Bytes of its window; the upper half is the aperture.
        aperture: Absolute address of the aperture.
        aperture_bytes: Far bytes that it shows, 4 in each slot; page ``p`` shows those from
            ``p * aperture_bytes``.
        registers: Its registers, from ``base``.
    """

    base: int
    size: int
    aperture: int
    aperture_bytes: int
    registers: tuple[MapRegister, ...]


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
        frame_bytes: Bytes of one frame. A DMA transfer is as many frames, without gaps, as the stream's
            FRAMES_PER_TRANSFER says.
        most_frames: The most that may be written there: the limit of the register or of the DMA's length.
        port: AXI4-Stream port of the core.
        peer: Node at the other end, or None: the host.
        layout: What a frame is made of.
        role: ``weights`` if memory sends the same frame over and over.
        passes: Frames for one inference.
        weights: File with that frame, relative to the generated folder, when its values are known.
    """

    index: int
    direction: Literal["rx", "tx"]
    boundary: Name
    frame_bytes: int
    most_frames: int
    port: Name
    peer: Name | None
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
        build_id: Of the core that this map is for.
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
    build_id: BuildId
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
        base: Absolute address of the core's window.
        slot_bytes: From a register in the host's space to the next. With 8, each is the lower half of a
            64-bit slot, and the host makes 64-bit accesses; behind a bridge it is always 4.
        span: Bytes of the window, a power of two.
        status: The core's own registers.
        bridge: The bridge, when memories lie behind one.
        streams: Link ports, receivers first.
        dma: What moves the frames of these streams, ascending by address; empty if the board has none.
        interrupt_controller: The one in the FPGA, if there is one.
        regions: Slaves of the partitions, ascending within their space.
    """

    name: Name
    board: Word
    base: int
    slot_bytes: Literal[4, 8] = 4
    span: int
    status: MapStatus
    bridge: MapBridge | None
    streams: tuple[MapStream, ...]
    dma: tuple[MapDma, ...] = ()
    interrupt_controller: MapInterruptController | None = None
    regions: tuple[MapRegion, ...]


class MemoryMap(Frozen):
    """The whole file. Addresses and sizes are in bytes.

    Attributes:
        schema_version: Name and version of this format; a reader refuses another.
        cluster: Cluster name.
        build_id: 16 hex digits; the core shows them in BUILD_ID_HIGH and BUILD_ID_LOW.
        nodes: In the order of cluster.toml.
    """

    schema_version: Literal["shellgen-memory-map-3"] = MAP_SCHEMA
    cluster: Name
    build_id: BuildId
    nodes: tuple[MapNode, ...]
