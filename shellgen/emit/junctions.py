# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of ``ip/`` inside the junctions of a node."""

from __future__ import annotations

from shellgen.model import JunctionKind, Partition
from shellgen.resources import rtl_closure

_BLOCKS: dict[JunctionKind, tuple[str, ...]] = {
    "broadcast": ("axis_broadcast",),
    "concat": ("axis_concat",),
    "sum": ("axis_add",),
    "deal": ("axis_deal",),
    "gather": ("axis_gather",),
}


def junction_blocks(partition: Partition) -> tuple[str, ...]:
    """Return the modules that a partition takes from ``ip/``; FINN's take none."""
    if partition.junction is None:
        return ()
    return rtl_closure(("axis_register",) if partition.merges else _BLOCKS.get(partition.junction, ()))
