# SPDX-License-Identifier: BSD-3-Clause
"""``memory_map.json`` as records: the one definition of its fields, its JSON schema included."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.names import BuildId, FileName, FilePath, Line, Name, Word
from shellgen.model.partition import Memory, StreamRole

MAP_SCHEMA: Literal["shellgen-memory-map-2"] = "shellgen-memory-map-2"


class MapRegister(Frozen):
    """One 32-bit register of a block.

    Attributes:
        name: As in the block's header.
        offset: The host's byte offset from the block's base; for a register of a stream, of stream 0.
        access: ``r``, ``rw``, ``w`` or ``r/w1c`` (writing 1 clears).
        value: What it always reads, where that is fixed.
        description: Meaning of its bits.
    """

    name: Name
    offset: int
    access: Literal["r", "rw", "w", "r/w1c"]
    value: int | None = None
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


class MapStream(Frozen):
    """One link port of the core.

    Attributes:
        index: Number in the status registers.
        direction: ``rx`` into the core, ``tx`` out of it.
        boundary: What crosses there.
        frame_bytes: Bytes of one frame, which is one DMA transfer.
        role: ``weights`` if memory sends the same frame over and over.
        passes: Frames for one inference.
        weights: File with that frame, relative to the generated folder, when its values are known.
    """

    index: int
    direction: Literal["rx", "tx"]
    boundary: Name
    frame_bytes: int
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
    regions: tuple[MapRegion, ...]


class MemoryMap(Frozen):
    """The whole file. Addresses and sizes are in bytes.

    Attributes:
        schema_version: Name and version of this format; a reader refuses another.
        cluster: Cluster name.
        build_id: 16 hex digits; the core shows them in BUILD_ID_HIGH and BUILD_ID_LOW.
        nodes: In the order of cluster.toml.
    """

    schema_version: Literal["shellgen-memory-map-2"] = MAP_SCHEMA
    cluster: Name
    build_id: BuildId
    nodes: tuple[MapNode, ...]
