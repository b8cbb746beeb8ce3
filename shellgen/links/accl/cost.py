# SPDX-License-Identifier: BSD-3-Clause
"""Resource estimate of the ACCL link in a core."""

from __future__ import annotations

from shellgen import costs
from shellgen.model import Attachment, Usage

BITS, KEEP_BITS, DEST_BITS = 512, 64, 8


def accl_usage(attachment: Attachment) -> Usage:
    """Return the cost of an engine's kernel side, by what its template is given."""
    depths, ultra = attachment.detail["depths"], attachment.detail["stores"]
    assert isinstance(depths, dict)
    assert isinstance(ultra, dict)
    numbered = attachment.detail.get("numbered", {})
    assert isinstance(numbered, dict)
    sending = [end for end in attachment.ends if end.direction == "out"]
    receiving = [end for end in attachment.ends if end.direction == "in"]
    total = costs.accl_port(len(sending), len(receiving))
    if sending:
        total += costs.accl_command(len(sending))
    if len(sending) > 1:
        total += costs.arbiter(len(sending), BITS + DEST_BITS)
    for end in sending:
        total += costs.accl_gate(BITS)
        total += costs.accl_number(BITS) if str(end.stream) in numbered else Usage()
        depth = depths.get(str(end.stream))
        if isinstance(depth, int):
            total += costs.frame_fifo(BITS, depth, bool(ultra[str(end.stream)]))
    if receiving:
        total += costs.accl_demux(len(receiving), BITS)
    for end in receiving:
        total += costs.accl_frames(BITS)
        total += costs.accl_told(BITS) if str(end.stream) in numbered else Usage()
    return total
