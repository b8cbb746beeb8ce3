# SPDX-License-Identifier: BSD-3-Clause
"""Attachments: the ends of a node's streams, the pins of its core, and the logic between them."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from shellgen.model.base import Frozen
from shellgen.model.names import Line, Name, Word
from shellgen.model.partition import Endpoint
from shellgen.model.plain import JsonObject
from shellgen.model.port import StreamRole
from shellgen.model.ring import MemoryPort, Ring

Direction = Literal["in", "out"]
Converter = Literal[
    "width", "pack", "unpack"
]  # of a stream inside a node; two only where it goes through memory


class Pin(Frozen):
    """One AXI-Stream interface of a core.

    Attributes:
        name: The core's ports are ``<name>_tdata`` and so on.
        role: Its role in the contract of the dock, by which a platform connects it.
        direction: ``in`` is a slave of the core.
        tdata_bits: Width of TDATA, whole bytes.
        tkeep: Whether there is a TKEEP.
        tlast: Whether there is a TLAST.
        tid_bits: Width of TID; 0: there is none.
        tdest_bits: Width of TDEST; 0: there is none.
        tuser_bits: Width of TUSER; 0: there is none.
        stream: Number of the only end that it serves; None if several share it.
    """

    name: Name
    role: Word
    direction: Direction
    tdata_bits: PositiveInt
    tkeep: bool = True
    tlast: bool = True
    tid_bits: NonNegativeInt = 0
    tdest_bits: NonNegativeInt = 0
    tuser_bits: NonNegativeInt = 0
    stream: int | None = None

    @property
    def signals(self) -> tuple[tuple[str, int, bool], ...]:
        """Signals in the order of a port list: name, bits, and whether it goes the other way."""
        found = [
            ("tdata", self.tdata_bits, False),
            ("tkeep", self.tdata_bits // 8 * self.tkeep, False),
            ("tlast", int(self.tlast), False),
            ("tid", self.tid_bits, False),
            ("tdest", self.tdest_bits, False),
            ("tuser", self.tuser_bits, False),
            ("tvalid", 1, False),
            ("tready", 1, True),
        ]
        return tuple(signal for signal in found if signal[1])


class End(Frozen):
    """One boundary at one node: a partition's port on one side, beats of a link on the other.

    Attributes:
        boundary: Name of the boundary.
        copies: Boundaries with other consumers, to which the sender's program hands the same frames.
        direction: ``in``: frames come from the link.
        index: Among the node's ends of this direction, data before weights.
        stream: Number in the status registers: what comes in first.
        port: Partition port.
        tdata_bits: TDATA of the partition port.
        word_bits: Bits of a partition word that travel (payload when dense, TDATA when finn).
        words_per_frame: Partition words of one frame.
        link_bits: Bits of a beat.
        beats_per_frame: Beats of one frame.
        last_bytes: Valid bytes of the last beat, 1 to link_bits/8.
        most_frames: Frames that one transfer can carry; of 1 there is nothing to be set.
        depth_beats: Beats that a FIFO between words and link holds; 0: there is none.
        fast: The converter is the one for high clock rates, axis_width_narrow_fast.
        counted: Nets whose handshakes the status registers count, as a prefix.
        role: As of the boundary.
    """

    boundary: Name
    copies: tuple[Name, ...] = ()
    direction: Direction
    index: NonNegativeInt
    stream: NonNegativeInt
    port: Endpoint
    tdata_bits: int
    word_bits: int
    words_per_frame: int
    link_bits: int
    beats_per_frame: int
    last_bytes: int
    most_frames: int = 1
    depth_beats: NonNegativeInt = 0
    fast: bool = False
    counted: Name
    role: StreamRole = "data"

    @property
    def carries_weights(self) -> bool:
        """Memory sends one frame of weights again and again; otherwise each frame is data of its own."""
        return self.role == "weights"

    @property
    def carries(self) -> tuple[str, ...]:
        """All boundaries whose frames cross here."""
        return (self.boundary, *self.copies)

    @property
    def each(self) -> tuple[End, ...]:
        """The end for each of these boundaries alone."""
        if not self.copies:
            return (self,)
        return tuple(self.model_copy(update={"boundary": name, "copies": ()}) for name in self.carries)

    @property
    def frame_bytes(self) -> int:
        """Bytes of one frame on the link."""
        return (self.beats_per_frame - 1) * self.link_bits // 8 + self.last_bytes

    @property
    def net(self) -> str:
        """Prefix of its nets in the core."""
        return f"{'rx' if self.direction == 'in' else 'tx'}_{self.index}"


class Claim(Frozen):
    """A request for an address window of a node.

    Attributes:
        name: Name of the window.
        addr_bits: The window has ``2**addr_bits`` bytes.
        block: Block of ``ip/`` whose ``registers.json`` describes the registers; None if unknown.
        offset: First byte, where the host expects it there, with 4 bytes a register; None: anywhere.
        leaves: The window leaves the core as the AXI-Lite master ``m_axil_<name>``.
        counts: Parameters of the block that say how many registers it has (``repeat`` in registers.json).
    """

    name: Name
    addr_bits: PositiveInt
    block: Name | None = None
    offset: NonNegativeInt | None = None
    leaves: bool = False
    counts: tuple[tuple[Name, int], ...] = ()


class Unit(Frozen):
    """Registers that the host reaches beside the core: of a kernel or an IP that the platform puts there.

    Attributes:
        name: Unique on its node, also among the windows.
        block: What it is: ``vendor/<block>/registers.json`` beside its model lists its registers.
        addr_bits: The host reaches ``2**addr_bits`` bytes of it, with 4 bytes a register.
        ip: What the host's runtime calls it, such as XRT's ``<kernel>:{<instance>}``.
        base: Its address, where the host finds it by that; None where it goes by ``ip``.
        counts: Parameters of the block that say how many registers it has.
    """

    name: Name
    block: Name
    addr_bits: PositiveInt
    ip: Line | None = None
    base: NonNegativeInt | None = None
    counts: tuple[tuple[Name, int], ...] = ()

    @model_validator(mode="after")
    def _found(self) -> Self:
        if (self.ip is None) == (self.base is None):
            raise ValueError("a unit is found either by its name at the runtime or by its address")
        return self


class Attachment(Frozen):
    """All that one node has of one link kind at one physical port.

    Attributes:
        name: Unique on its node.
        link: Key in the link registry.
        dock: What the platform offers it, by the name of the contract.
        slot: Which of the platform's docks of that name.
        pins: The core's interfaces, in the order of its port list.
        ends: The streams that it carries, what comes in first.
        claims: Address windows that it needs.
        units: Kernels or IP beside the core with their own registers.
        detail: What only the link itself understands, for its templates.
        memories: What reaches memory for the core, a ring each: AXI4 masters, or requests through `pins`.
    """

    name: Name
    link: Word
    dock: Word
    slot: NonNegativeInt = 0
    pins: tuple[Pin, ...]
    ends: tuple[End, ...]
    claims: tuple[Claim, ...] = ()
    units: tuple[Unit, ...] = ()
    detail: JsonObject = Field(default_factory=dict)
    memories: tuple[MemoryPort, ...] = ()

    def serves(self, end: End) -> bool:
        """Return whether it carries a stream of the node, for all consumers or one of them."""
        return any(one.stream == end.stream for one in self.ends)

    def pin(self, end: End) -> Pin:
        """Return the interface through which one of its ends leaves the core."""
        along = [pin for pin in self.pins if pin.direction == end.direction]
        return next((pin for pin in along if pin.stream == end.stream), along[0])


class Inner(Frozen):
    """A boundary whose two ends sit on one node: no link carries it.

    Attributes:
        boundary: Name of the boundary.
        producer: Master port.
        consumer: Slave port.
        producer_tdata_bits: TDATA of the master port.
        consumer_tdata_bits: TDATA of the slave port.
        producer_word_bits: Payload of a producer word.
        consumer_word_bits: Payload of a consumer word.
        producer_words: Producer words of one frame.
        consumer_words: Consumer words of one frame.
        depth: Words of FIFO between them.
        ring: The FIFO is in the board's memory; None: in the device.
        fast: Those of its converters that are for high clock rates, axis_width_narrow_fast.
    """

    boundary: Name
    producer: Endpoint
    consumer: Endpoint
    producer_tdata_bits: int
    consumer_tdata_bits: int
    producer_word_bits: int
    consumer_word_bits: int
    producer_words: int
    consumer_words: int
    depth: int
    ring: Ring | None = None
    fast: tuple[Converter, ...] = ()
