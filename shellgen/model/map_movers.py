# SPDX-License-Identifier: BSD-3-Clause
"""Data movers between the host's memory and the core, as listed in ``memory_map.json``."""

from __future__ import annotations

from typing import Literal

from shellgen.model.attachment import Direction
from shellgen.model.base import Frozen
from shellgen.model.names import Line, Name


class MapInterrupt(Frozen):
    """Destination of an interrupt.

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
    """Numbers of a kernel's arguments.

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


class MapShellChannel(Frozen):
    """One direction of one of a shell's host streams, which moves a transfer of whole frames at a time.

    Attributes:
        stream: Number of the stream in the status registers.
        direction: ``in``: from the host to the core.
        dest: What the shell calls it: Coyote's ``axis_host_recv[dest]`` or ``axis_host_send[dest]``.
        max_bytes: Of one transfer.
    """

    stream: int
    direction: Direction
    dest: int
    max_bytes: int


class MapVfpga(Frozen):
    """Place of the core in a card that runs Coyote.

    Attributes:
        version: Of Coyote: what its driver's interface is.
        region: Number of the vFPGA.
    """

    version: Literal["v1", "v2"]
    region: int


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


class MapRing(Frozen):
    """A stream inside the core that is kept in memory; the host gives it this memory when it uses the core.

    Attributes:
        name: Of the core's port.
        boundary: Of the stream.
        bytes: Of its memory.
        align: Bytes of which its address must be a multiple.
        memory: Where it may lie, ascending.
        base_low: Address of the register for the lower half of its address.
        base_high: The same of the upper half.
        arm: Address of the register whose bits let rings use their memory.
        idle: The same of the bits that tell that nothing is under way.
        write_faults: The same of the bits that tell that a write was answered with an error.
        read_faults: The same of reads.
        mask: Its bit in these.
        bank: Where it lies, in place of `memory`: a bank as the runtime calls it, such as ``HBM[0]``.
    """

    name: Name
    boundary: Name
    bytes: int
    align: int
    memory: tuple[MapMemory, ...]
    base_low: int
    base_high: int
    arm: int
    idle: int
    write_faults: int
    read_faults: int
    mask: int
    bank: Line | None = None
