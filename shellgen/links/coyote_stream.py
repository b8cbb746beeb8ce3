# SPDX-License-Identifier: BSD-3-Clause
"""Host to Coyote region: the shell's host streams, counted by length one way and ended by TLAST the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shellgen import costs
from shellgen.errors import Problem
from shellgen.links.base import Link, Reach, Shape, Site
from shellgen.model import Attachment, Boundary, Dock, End, Pin, Usage
from shellgen.model.plain import JsonObject

# AXI4SR of Coyote (hw/hdl/pkg/axi_intf.sv): a beat of 512 bits, TID is the thread of the host's program.
BITS, ID_BITS = 512, 6
BEAT_BYTES = BITS // 8
MOST_FRAMES = (1 << 16) - 1  # what FRAMES_PER_TRANSFER holds


class CoyoteStream(Link):
    """A transfer is frames, filled up to whole beats each: a write completes only if its beats do come."""

    kind: ClassVar[str] = "coyote_stream"
    dock: ClassVar[str] = "coyote_stream"
    reach: ClassVar[frozenset[Reach]] = frozenset({"host"})
    peer: ClassVar[str] = "Coyote"
    about: ClassVar[str] = "between a region of the Coyote shell and its host: axis_host_recv, axis_host_send"
    needs: ClassVar[str] = "a host stream for each; no weights from memory"
    options: ClassVar[str] = "packing (dense, or finn for FINN's byte-padded words)"
    fault: ClassVar[str] = (
        "a write did not get one transfer: zero-filled frames, TLAST on its last beat only, the thread's TID"
    )
    knobs: ClassVar[Mapping[str, int]] = {
        "pause": 12,
        "request": 8,
        "mark": 1,
        "pmtu": 8,
        "more": 4,
        "less": 4,
    }

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:  # noqa: ARG002 - the shell's width
        """Fill whole beats of the shell's width."""
        return Shape.of(BITS, frame_bits)

    def memory_bytes(self, boundary: Boundary) -> int:
        """Return the bytes from frame to frame in memory: whole beats."""
        return -(-boundary.frame_bytes // BEAT_BYTES) * BEAT_BYTES

    def most_frames(self, boundary: Boundary, dock: Dock) -> int:
        """Return how many frames fit into one request of the host."""
        if dock.transfer_bytes is None:
            return MOST_FRAMES
        return max(1, min(MOST_FRAMES, dock.transfer_bytes // self.memory_bytes(boundary)))

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:
        """Check that the stream is wide enough, is sent once, and a frame fits a request."""
        where = f"stream {boundary.name}"
        problems = []
        if boundary.role == "weights":
            found = f"{boundary.consumer} takes weights from memory again and again, and Coyote reads once"
            remedy = "Build its layer with mem_mode internal_decoupled, or put it on a board of platform zynq"
            problems.append(Problem(where, found, remedy))
        for dock in docks:
            if dock.bits < BITS:
                found = f"the platform's host streams have {dock.bits} bits, and Coyote's have {BITS}"
                problems.append(Problem(where, found, "Correct the platform's dock"))
            most, size = dock.transfer_bytes, self.memory_bytes(boundary)
            if most is not None and size > most:
                found = (
                    f"one frame is {size} bytes in memory; a request of Coyote's host takes {most} at most"
                )
                problems.append(
                    Problem(where, found, "Cut the network where less crosses, or use dense packing")
                )
        return problems

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Give each end a host stream of its own; one attachment has all of a node."""
        ends = tuple(end.model_copy(update={"counted": _pin_name(end)}) for end in site.ends)
        pins = tuple(
            Pin(
                name=_pin_name(end),
                role="recv" if end.direction == "in" else "send",
                direction=end.direction,
                tdata_bits=BITS,
                tid_bits=ID_BITS,
                stream=end.stream,
            )
            for end in ends
        )
        came = [pin.name for pin in pins if pin.direction == "in"]
        detail: JsonObject = {"beat_bytes": BEAT_BYTES, "id_bits": ID_BITS, "thread": came[0] if came else ""}
        return (Attachment(name="host", link=self.kind, dock=self.dock, pins=pins, ends=ends, detail=detail),)

    def usage(self, attachment: Attachment) -> Usage:
        """Return the cost of what frames, and of what ends a transfer in a reset and carries its thread."""
        total = Usage()
        for end in attachment.ends:
            if end.direction == "in":
                many = end.most_frames > 1
                total += costs.frame_rx(BITS, BEAT_BYTES, many=many) + costs.swallow()
            else:
                total += costs.run_tx(BITS)
                total += costs.thread_id(ID_BITS) if attachment.detail["thread"] else Usage()
        return total


def _pin_name(end: End) -> str:
    return f"{'s' if end.direction == 'in' else 'm'}_host_{end.index}"
