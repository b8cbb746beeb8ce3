# SPDX-License-Identifier: BSD-3-Clause
"""Host to Alveo card: VNx's data movers between the card's memory and the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shellgen import costs
from shellgen.links.whole_beats import BEAT_BYTES, BITS, WholeBeats
from shellgen.model import Attachment, Pin, Usage
from shellgen.model.plain import JsonObject

# Of krnl_mm2s and krnl_s2mm (Basic_kernels of Xilinx/xup_vitis_network_example): ap_axiu<512, 1, 1, 16>.
ID_BITS, DEST_BITS, USER_BITS = 1, 16, 1
NUMBER_BITS = 4  # of TDEST, which number the runs; VNx's own host library takes no TDEST above 15


class VitisMover(WholeBeats):
    """A run of a mover is frames, filled up to whole beats each, which the core counts."""

    kind: ClassVar[str] = "vitis_mover"
    dock: ClassVar[str] = "mover"
    peer: ClassVar[str] = "the data mover"
    about: ClassVar[str] = "between an Alveo card and its host: VNx's krnl_mm2s and krnl_s2mm to its memory"
    needs: ClassVar[str] = "a data mover for each stream; no weights from memory"
    fault: ClassVar[str] = "a run was not whole beats of zero-filled frames, with TLAST at its end"
    parameters: ClassVar[Mapping[str, int]] = {"restart": 12}
    pauses: ClassVar[Mapping[str, int]] = {"restart": 1}

    prefix: ClassVar[str] = "axis"
    roles: ClassVar[tuple[str, str]] = ("mm2s", "s2mm")
    sidebands: ClassVar[tuple[int, int, int]] = (ID_BITS, DEST_BITS, USER_BITS)
    carrier: ClassVar[tuple[str, str]] = ("movers", "VNx's")
    sends_once: ClassVar[str] = "krnl_mm2s sends once"
    one_transfer: ClassVar[str] = "a run of the mover"

    def detail(self, pins: tuple[Pin, ...]) -> JsonObject:  # noqa: ARG002 - the same for all
        """Return which bits of TDEST number the runs."""
        spare = DEST_BITS - NUMBER_BITS
        return {"keep_bits": BEAT_BYTES, "number_bits": NUMBER_BITS, "spare_bits": spare}

    def usage(self, attachment: Attachment) -> Usage:
        """Return the cost of what counts the beats."""
        total = Usage()
        for end in attachment.ends:
            total += costs.run_rx(BITS) if end.direction == "in" else costs.run_tx(BITS)
        return total
