# SPDX-License-Identifier: BSD-3-Clause
"""Host to Coyote region: the shell's host streams, counted by length one way and ended by TLAST the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shellgen import costs
from shellgen.links.base import Place, Travel
from shellgen.links.figures import Figures
from shellgen.links.whole_beats import BEAT_BYTES, BITS, WholeBeats
from shellgen.model import Attachment, Pin, Usage
from shellgen.model.plain import JsonObject

# AXI4SR of Coyote (hw/hdl/pkg/axi_intf.sv): a beat of 512 bits, TID is the thread of the host's program.
ID_BITS = 6
# Of sim/links/coyote_stream/coyote_host_write.sv: beats that go to memory together, cycles from the last of
# them to the first there, and cycles from the end of a transfer to the start of the next.
PIECE_BEATS, BENCH_CYCLES, BENCH_REST = 64, 2, 5


class CoyoteStream(WholeBeats):
    """A transfer is frames, filled up to whole beats each: a write completes only if its beats do come."""

    kind: ClassVar[str] = "coyote_stream"
    dock: ClassVar[str] = "coyote_stream"
    peer: ClassVar[str] = "Coyote"
    about: ClassVar[str] = "between a region of the Coyote shell and its host: axis_host_recv, axis_host_send"
    needs: ClassVar[str] = "a host stream for each; no weights from memory"
    lingers: ClassVar[bool] = True
    fault: ClassVar[str] = (
        "a write did not get one transfer: zero-filled frames, TLAST on its last beat only, the thread's TID"
    )
    parameters: ClassVar[Mapping[str, int]] = {
        "pause": 12,
        "request": 8,
        "mark": 1,
        "pmtu": 8,
        "more": 4,
        "less": 4,
    }
    # Between two requests, each of which may be for one beat.
    pauses: ClassVar[Mapping[str, int]] = {"pause": 1}
    beat_pauses: ClassVar[Mapping[str, int]] = {"pause": 1}

    prefix: ClassVar[str] = "host"
    roles: ClassVar[tuple[str, str]] = ("recv", "send")
    sidebands: ClassVar[tuple[int, int, int]] = (ID_BITS, 0, 0)
    carrier: ClassVar[tuple[str, str]] = ("host streams", "Coyote's")
    sends_once: ClassVar[str] = "Coyote reads once"
    one_transfer: ClassVar[str] = "a request of Coyote's host"

    @property
    def attached(self) -> str:
        """Name of the attachment: it is the host's."""
        return "host"

    def detail(self, pins: tuple[Pin, ...]) -> JsonObject:
        """Return the pin whose thread id is copied to the output, if any."""
        came = [pin.name for pin in pins if pin.direction == "in"]
        return {"beat_bytes": BEAT_BYTES, "id_bits": ID_BITS, "thread": came[0] if came else ""}

    def travel(self, at: Place, figures: Figures, bench: Mapping[str, int] | None) -> Travel:
        """Return the way of a frame; in the bench a write goes in pieces, and rests behind a transfer."""
        if bench is None or at.end.direction == "in":
            return super().travel(at, figures, bench)
        piece = (bench.get("coyote_stream.pmtu", 0) or PIECE_BEATS) * BEAT_BYTES
        rest = BENCH_REST + bench.get("coyote_stream.pause", 0)
        hz = at.node.clock_hz
        return Travel(min(at.end.frame_bytes, piece), BENCH_CYCLES / hz, rest=rest / hz)

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
