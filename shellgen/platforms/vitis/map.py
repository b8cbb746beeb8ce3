# SPDX-License-Identifier: BSD-3-Clause
"""The data movers of a card, as the memory map has them.

Source: Xilinx/xup_vitis_network_example, Basic_kernels: ``krnl_mm2s(in, k2n, size, dest)`` and
``krnl_s2mm(out, n2k, size)``; its host library takes no ``dest`` above 15.
"""

from __future__ import annotations

from shellgen.model import NodePlan
from shellgen.model.map_movers import MapArguments, MapMover
from shellgen.platforms.vitis.facts import MOVER_BYTES
from shellgen.platforms.vitis.streams import movers

_ARGUMENTS = {
    "krnl_mm2s": MapArguments(buffer=0, size=2, number=3, most_number=15),
    "krnl_s2mm": MapArguments(buffer=0, size=2),
}


def map_movers(node: NodePlan) -> tuple[MapMover, ...]:
    """Return what moves the host's frames, in the order of the core's ports."""
    found = []
    for mover in movers(node):
        assert mover.pin.stream is not None
        found.append(
            MapMover(
                name=mover.name,
                ip=f"{mover.kernel}:{{{mover.name}}}",
                stream=mover.pin.stream,
                max_bytes=MOVER_BYTES,
                arguments=_ARGUMENTS[mover.kernel],
            )
        )
    return tuple(found)
