# SPDX-License-Identifier: BSD-3-Clause
"""Host to Alveo card: VNx's data movers between the card's memory and the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shellgen import costs
from shellgen.errors import Problem
from shellgen.links.base import Link, Reach, Shape, Site
from shellgen.model import Attachment, Boundary, Dock, End, Pin, Usage
from shellgen.model.plain import JsonObject

# Of krnl_mm2s and krnl_s2mm (Basic_kernels of Xilinx/xup_vitis_network_example): ap_axiu<512, 1, 1, 16>.
BITS, ID_BITS, DEST_BITS, USER_BITS = 512, 1, 16, 1
BEAT_BYTES = BITS // 8
NUMBER_BITS = 4  # of TDEST, which number the runs; VNx's own host library takes no TDEST above 15
MOST_FRAMES = (1 << 16) - 1  # what FRAMES_PER_TRANSFER holds


class VitisMover(Link):
    """A run of a mover is frames, filled up to whole beats each, which the core counts."""

    kind: ClassVar[str] = "vitis_mover"
    dock: ClassVar[str] = "mover"
    reach: ClassVar[frozenset[Reach]] = frozenset({"host"})
    peer: ClassVar[str] = "the data mover"
    about: ClassVar[str] = "between an Alveo card and its host: VNx's krnl_mm2s and krnl_s2mm to its memory"
    needs: ClassVar[str] = "a data mover for each stream; no weights from memory"
    options: ClassVar[str] = "packing (dense, or finn for FINN's byte-padded words)"
    fault: ClassVar[str] = "a run was not whole beats of zero-filled frames, with TLAST at its end"
    knobs: ClassVar[Mapping[str, int]] = {"restart": 12}

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:  # noqa: ARG002 - the mover's width
        """Fill whole beats of the mover's width."""
        return Shape.of(BITS, frame_bits)

    def memory_bytes(self, boundary: Boundary) -> int:
        """Return the bytes from frame to frame in memory: whole beats."""
        return -(-boundary.frame_bytes // BEAT_BYTES) * BEAT_BYTES

    def most_frames(self, boundary: Boundary, dock: Dock) -> int:
        """Return how many frames fit into what the mover's size holds."""
        if dock.transfer_bytes is None:
            return MOST_FRAMES
        return max(1, min(MOST_FRAMES, dock.transfer_bytes // self.memory_bytes(boundary)))

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:
        """Check that the mover is wide enough, sends each frame once, and holds one."""
        where = f"stream {boundary.name}"
        problems = []
        if boundary.role == "weights":
            found = f"{boundary.consumer} takes weights from memory again and again, and krnl_mm2s sends once"
            remedy = "Build its layer with mem_mode internal_decoupled, or put it on a board of platform zynq"
            problems.append(Problem(where, found, remedy))
        for dock in docks:
            if dock.bits < BITS:
                found = f"the platform's movers have {dock.bits} bits, and VNx's have {BITS}"
                problems.append(Problem(where, found, "Correct the platform's dock"))
            most, size = dock.transfer_bytes, self.memory_bytes(boundary)
            if most is not None and size > most:
                found = f"one frame is {size} bytes in memory; a run of the mover takes {most} at most"
                problems.append(
                    Problem(where, found, "Cut the network where less crosses, or use dense packing")
                )
        return problems

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Give each end a pin of its own: a mover serves one stream."""
        ends = tuple(end.model_copy(update={"counted": _pin_name(end)}) for end in site.ends)
        pins = tuple(
            Pin(
                name=_pin_name(end),
                role="mm2s" if end.direction == "in" else "s2mm",
                direction=end.direction,
                tdata_bits=BITS,
                tid_bits=ID_BITS,
                tdest_bits=DEST_BITS,
                tuser_bits=USER_BITS,
                stream=end.stream,
            )
            for end in ends
        )
        spare = DEST_BITS - NUMBER_BITS
        bits: JsonObject = {"keep_bits": BEAT_BYTES, "number_bits": NUMBER_BITS, "spare_bits": spare}
        return (
            Attachment(name=self.kind, link=self.kind, dock=self.dock, pins=pins, ends=ends, detail=bits),
        )

    def usage(self, attachment: Attachment) -> Usage:
        """Return the cost of what counts the beats."""
        total = Usage()
        for end in attachment.ends:
            total += costs.run_rx(BITS) if end.direction == "in" else costs.run_tx(BITS)
        return total


def _pin_name(end: End) -> str:
    return f"{'s' if end.direction == 'in' else 'm'}_axis_{end.index}"
