# SPDX-License-Identifier: BSD-3-Clause
"""Rings in DDR, HBM or the host's memory: FIFOs that are too large for the memory of a device."""

from __future__ import annotations

from pydantic import NonNegativeInt, PositiveInt

from shellgen.model.base import Frozen
from shellgen.model.names import Name

THREAD_LOW = 48  # of an address of requests: the thread in whose page table the bits below are


class RingPort(Frozen):
    """Access of a core to the memory of its board or of its host, as a platform offers it.

    Attributes:
        bits: Data of an AXI4 port, at most; a power of two from 32 to 512.
        least: At least, if a narrower one may be had.
        addr_bits: Its address.
        burst: Beats of a burst, a power of two.
        ports: Ports that a core may have.
        bytes_per_s: What the memory moves; None where the figures of the estimate say it.
        bytes: All rings of a board, at most; None where each has a memory of its own.
        host: It is the memory of the machine that the board is in, not of the board.
        stage: Beats of each FIFO on the chip; None for those of the block.
        latency: Cycles until it answers, in the bench.
        requests: The shell moves the data itself, by requests, and has no AXI4 port.
    """

    bits: PositiveInt
    least: PositiveInt | None = None
    addr_bits: PositiveInt
    burst: PositiveInt
    ports: PositiveInt
    bytes_per_s: PositiveInt | None = None
    bytes: PositiveInt | None = None
    host: bool = False
    stage: PositiveInt | None = None
    latency: PositiveInt = 40
    requests: bool = False

    def width(self, word_bits: int) -> int:
        """Return the bits of a port for such words: no wider than a word a cycle can use."""
        return min(self.bits, max(self.least or self.bits, 1 << (word_bits - 1).bit_length()))


class MemoryPort(Frozen):
    """An AXI4 master of a core, or what makes requests to its shell of such a master (ip/links/ddr_ring).

    Attributes:
        name: The core's ports are ``<name>_awaddr`` and so on.
        data_bits: Of a beat.
        addr_bits: Of an address.
        bytes: Memory that the host has to give it, from an address on that is a multiple of 4096.
        host: As of `RingPort`, as the next one.
        latency: Cycles until the memory answers, in the bench.
        dest: Of requests: its stream of the shell, among those of the board or of the host; None: it is a
            master of the core.
    """

    name: Name
    data_bits: PositiveInt
    addr_bits: PositiveInt
    bytes: PositiveInt
    host: bool = False
    latency: PositiveInt = 40
    dest: NonNegativeInt | None = None

    def place(self, node: str) -> str:
        """Say whose memory it is, for messages about a node."""
        return f"the memory of the host of {node}" if self.host else f"the memory of {node}"

    @property
    def signals(self) -> tuple[tuple[str, int, bool], ...]:
        """Signals in the order of a port list: name, bits, and whether the memory drives it."""
        return (
            *_address("aw", self.addr_bits),
            ("wdata", self.data_bits, False),
            ("wstrb", self.data_bits // 8, False),
            ("wlast", 1, False),
            ("wvalid", 1, False),
            ("wready", 1, True),
            ("bresp", 2, True),
            ("bvalid", 1, True),
            ("bready", 1, False),
            *_address("ar", self.addr_bits),
            ("rdata", self.data_bits, True),
            ("rresp", 2, True),
            ("rlast", 1, True),
            ("rvalid", 1, True),
            ("rready", 1, False),
        )


def _address(channel: str, addr_bits: int) -> tuple[tuple[str, int, bool], ...]:
    widths = (("addr", addr_bits), ("len", 8), ("size", 3), ("burst", 2), ("cache", 4), ("prot", 3))
    signals = tuple((f"{channel}{name}", bits, False) for name, bits in (*widths, ("valid", 1)))
    return (*signals, (f"{channel}ready", 1, True))


class Ring(Frozen):
    """The memory of a stream inside a board that is kept beside the device (ip/links/ddr_ring/axis_ddr_fifo).

    Attributes:
        number: Among the rings of its node.
        port: The core's AXI4 master.
        beats: Beats of a frame, the last filled with zeros.
        burst: Beats of a burst.
        bytes_per_s: What its memory moves; None where the figures of the estimate say it.
        stage: Beats of each FIFO on the chip; None for those of the block.
    """

    number: NonNegativeInt
    port: MemoryPort
    beats: PositiveInt
    burst: PositiveInt
    bytes_per_s: PositiveInt | None = None
    stage: PositiveInt | None = None
