# SPDX-License-Identifier: BSD-3-Clause
"""Resource estimate of the VNx link in a core: the part shared by a cage, and a block for each row."""

from __future__ import annotations

from shellgen import costs
from shellgen.model import Attachment, Usage

BITS, KEEP_BITS, OK_BITS = 512, 64, 1


def vnx_usage(attachment: Attachment) -> Usage:
    """Return the cost of a cage, by the parameters that its template is given."""
    beats, told, rows = attachment.detail["packet_beats"], attachment.detail["ends"], len(attachment.ends)
    assert isinstance(beats, int)
    assert isinstance(told, dict)
    total = costs.vnx_check() + costs.vnx_seal(beats) + costs.vnx_port()
    total += costs.demux(rows, BITS + KEEP_BITS + OK_BITS, registered=False)
    total += costs.arbiter(rows, BITS + KEEP_BITS)
    for end in attachment.ends:
        entry = told[str(end.stream)]
        assert isinstance(entry, dict)
        parameters = entry["parameters"]
        assert isinstance(parameters, dict)
        sizes = int(str(parameters["SLOTS"])), int(str(parameters["PACKET_BEATS"]))
        ultra = "ULTRA" in parameters
        if end.direction == "in":
            total += costs.vnx_receiver(*sizes, end.frame_bytes, ultra)
        else:
            total += costs.vnx_sender(*sizes, ultra)
    return total
