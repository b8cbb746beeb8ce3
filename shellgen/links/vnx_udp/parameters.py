# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of the blocks at the ends of streams over VNx."""

from __future__ import annotations

import hashlib

from shellgen.links.vnx_udp.options import VnxOptions
from shellgen.links.vnx_udp.window import sizes
from shellgen.model import Boundary, End

PACKINGS = {"dense": 0, "finn": 1}
ROLES = {"data": 0, "weights": 1}


def parameters(end: End, boundary: Boundary, options: VnxOptions) -> dict[str, str]:
    """Return the parameters of an end's block as Verilog constants; the contract is not known yet."""
    return {
        "FRAME_BYTES": str(boundary.frame_bytes),
        "PACKET_BEATS": str(options.packet_beats),
        "LINK": f"16'h{_digest(boundary.name, 4)}",
        "PACKING": f"8'd{PACKINGS[boundary.packing]}",
        "ROLE": f"8'd{ROLES[boundary.role]}",
        "ELEMENT": f"32'h{_digest(boundary.datatype, 8)}",
        "SHAPE": f"32'h{_digest(','.join(map(str, boundary.normal_shape)), 8)}",
        **{name: str(value) for name, value in sizes(options)[end.direction].items()},
        **({"NUMBERED": "1"} if boundary.numbered and boundary.producer else {}),
    }


def _digest(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]
