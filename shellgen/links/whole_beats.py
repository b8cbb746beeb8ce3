# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of host links whose DMA counts beats: each frame fills whole beats in memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from shellgen.errors import Problem
from shellgen.links.base import Link, Medium, Place, Reach, Shape, Site, Travel
from shellgen.links.figures import Figures
from shellgen.model import Attachment, Boundary, Dock, End, Pin
from shellgen.model.plain import JsonObject

BITS = 512
BEAT_BYTES = BITS // 8
MOST_FRAMES = (1 << 16) - 1  # what FRAMES_PER_TRANSFER holds


class WholeBeats(Link):
    """Frames of a transfer begin at multiples of a beat, and each end has a pin of its own.

    Attributes:
        prefix: Of the names of the pins, behind their direction.
        roles: Of a pin that comes in, and of one that goes out, in the contract of the dock.
        sidebands: Bits of TID, TDEST and TUSER.
        carrier: What carries a transfer on the platform, in the plural, and whose width it has.
        sends_once: Why it cannot play weights again and again.
        one_transfer: The unit with the limit of bytes.
    """

    reach: ClassVar[frozenset[Reach]] = frozenset({"host"})
    prefix: ClassVar[str]
    roles: ClassVar[tuple[str, str]]
    sidebands: ClassVar[tuple[int, int, int]]
    carrier: ClassVar[tuple[str, str]]
    sends_once: ClassVar[str]
    one_transfer: ClassVar[str]

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:  # noqa: ARG002 - one width for all
        """Fill whole beats."""
        return Shape.of(BITS, frame_bits)

    def memory_bytes(self, boundary: Boundary) -> int:
        """Return the bytes from frame to frame in memory: whole beats."""
        return -(-boundary.frame_bytes // BEAT_BYTES) * BEAT_BYTES

    def most_frames(self, boundary: Boundary, dock: Dock) -> int:
        """Return how many frames fit into one transfer."""
        if dock.transfer_bytes is None:
            return MOST_FRAMES
        return max(1, min(MOST_FRAMES, dock.transfer_bytes // self.memory_bytes(boundary)))

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:
        """Check that the dock is wide enough, each frame is sent once, and a transfer holds one."""
        where = f"stream {boundary.name}"
        problems = []
        if boundary.carries_weights:
            found = f"{boundary.consumer} takes weights from memory again and again, and {self.sends_once}"
            remedy = "Build its layer with mem_mode internal_decoupled, or put it on a board of platform zynq"
            problems.append(Problem(where, found, remedy))
        for dock in docks:
            if dock.bits < BITS:
                what, whose = self.carrier
                found = f"the platform's {what} have {dock.bits} bits, and {whose} have {BITS}"
                problems.append(Problem(where, found, "Correct the platform's dock"))
            most, size = dock.transfer_bytes, self.memory_bytes(boundary)
            if most is not None and size > most:
                found = f"one frame is {size} bytes in memory; {self.one_transfer} takes {most} at most"
                remedy = "Cut the network where less crosses, or use dense packing"
                problems.append(Problem(where, found, remedy))
        return problems

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Give each end a pin of its own; one attachment has all of a node."""
        ends = tuple(end.model_copy(update={"counted": self._pin_name(end)}) for end in site.ends)
        pins = tuple(self._pin(end) for end in ends)
        detail = self.detail(pins)
        return (
            Attachment(
                name=self.attached, link=self.kind, dock=self.dock, pins=pins, ends=ends, detail=detail
            ),
        )

    @property
    def attached(self) -> str:
        """Name of the attachment."""
        return self.kind

    @abstractmethod
    def detail(self, pins: tuple[Pin, ...]) -> JsonObject:
        """Return what its templates must know."""

    def _pin(self, end: End) -> Pin:
        return Pin(
            name=self._pin_name(end),
            role=self.roles[end.direction == "out"],
            direction=end.direction,
            tdata_bits=BITS,
            tid_bits=self.sidebands[0],
            tdest_bits=self.sidebands[1],
            tuser_bits=self.sidebands[2],
            stream=end.stream,
        )

    def _pin_name(self, end: End) -> str:
        return f"{'s' if end.direction == 'in' else 'm'}_{self.prefix}_{end.index}"

    def media(self, at: Place, figures: Figures) -> tuple[Medium, ...]:
        """Return the share of PCIe, which all streams of a card have together in each direction."""
        way, name = ("into", "to_card") if at.end.direction == "in" else ("out of", "from_card")
        rate = figures[f"{name}_bytes_per_s"]
        seconds = at.end.beats_per_frame * BEAT_BYTES / rate
        source = f"{rate / 1e9:g} GB/s, whole beats"
        return (Medium(f"PCIe {way} {at.node.name}", seconds, source),)

    def travel(self, at: Place, figures: Figures, bench: Mapping[str, int] | None) -> Travel:
        """Return the time that a program takes to start a transfer."""
        if bench is not None:
            return Travel()
        return Travel(at.end.frame_bytes, figures["start_us"] * 1e-6, "start_us")
