# SPDX-License-Identifier: BSD-3-Clause
"""A logic analyser on every stream between a Zynq node's core and its DMAs."""

from __future__ import annotations

from shellgen.model import NodePlan
from shellgen.platforms.block_design import Bus, Cell
from shellgen.platforms.zynq.facts import options_of

ILA = "system_ila_0"
RAMB18_BITS = 18 * 1024


def ila_cell(node: NodePlan, core: str) -> tuple[Cell, tuple[Bus, ...]] | None:
    """Return the analyser and what it looks at, or None if the node is to have none.

    Source: public block designs with system_ila 1.1; PG357 for the depths, which its successor has too.
    """
    samples = options_of(node).ila
    if not samples:
        return None
    ports = [pin.name for attachment in node.attachments for pin in attachment.pins]
    config = {
        "C_MON_TYPE": "INTERFACE",
        "C_NUM_MONITOR_SLOTS": str(len(ports)),
        "C_DATA_DEPTH": str(samples),
        **{f"C_SLOT_{slot}_INTF_TYPE": "xilinx.com:interface:axis_rtl:1.0" for slot in range(len(ports))},
    }
    monitors = [Bus(f"{core}/{port}", f"{ILA}/SLOT_{slot}_AXIS") for slot, port in enumerate(ports)]
    return Cell(ILA, "system_ila", config), tuple(monitors)


def ila_ramb18(node: NodePlan) -> int:
    """Return how many RAMB18 the samples take at least: all signals of each stream, every cycle."""
    # TDATA, TKEEP, TLAST, TVALID, TREADY.
    bits = sum(path.link_bits + path.link_bits // 8 + 3 for path in (*node.rx, *node.tx))
    return -(-bits * options_of(node).ila // RAMB18_BITS)
