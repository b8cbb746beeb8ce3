# SPDX-License-Identifier: BSD-3-Clause
"""Resources of an Alveo card besides the kernel: target platform, UDP stack and memory controller.

Source: FINN, util/platforms.py: what it subtracts from a card's SLRs before it plans.
"""

from __future__ import annotations

from shellgen.model import NodePlan, Plan, Region, Resources, Usage
from shellgen.platforms.vitis.facts import HOST, facts_of
from shellgen.platforms.vitis.link import kernel_region, placed_partitions
from shellgen.platforms.vitis.streams import kept, movers, networks

# cmac and networklayer of one QSFP.
NETWORK = Usage(lut=35_219, ff=86_269, bram18=183)
CONTROLLERS = {
    "DDR": Usage(lut=33_256, ff=44_889, bram18=199, dsp=3),
    "HBM": Usage(lut=10_718, ff=21_793, bram18=8),
}


def vitis_usage(node: NodePlan) -> Usage:
    """Return what is not the kernel: what the target platform keeps of the card, and what v++ puts beside."""
    kept = _kept(node.board.resources, facts_of(node).slrs)
    return kept + _networks(node) + _controllers(node)


def vitis_regions(plan: Plan, node: NodePlan) -> tuple[Region, ...]:
    """Return the SLRs of a card, if anybody says where the kernel or its partitions are."""
    facts, own, placed = facts_of(node), kernel_region(plan, node), placed_partitions(plan, node)
    if own is None and not placed:
        return ()
    core = node.takes.core if node.takes else Usage()
    home = core_slr(node) if own is None else own
    regions = []
    for slr, has in enumerate(facts.slrs):
        inside = node.partitions if slr == own else tuple(name for name in placed if placed[name] == slr)
        takes = core if slr == home else Usage()
        if slr == facts.network_slr:
            takes += _networks(node)
        if slr == facts.memory_slr:
            takes += _controllers(node)
        regions.append(Region(name=f"SLR{slr}", has=has, takes=takes, partitions=inside))
    return tuple(regions)


def core_slr(node: NodePlan) -> int:
    """Return the SLR that the core is counted in where it is not placed: that of the kernels at its streams.

    Framers and buffers of 512 bits lie at VNx's kernels, since v++ keeps few wires between SLRs fast; movers
    without a network are at the memory.
    """
    return facts_of(node).network_slr if networks(node) else facts_of(node).memory_slr


def _networks(node: NodePlan) -> Usage:
    total = Usage()
    for _ in networks(node):
        total += NETWORK
    return total


def _controllers(node: NodePlan) -> Usage:
    total = Usage()
    banks = [*(mover.bank for mover in movers(node)), *(bank for _, bank in kept(node))]
    for kind in dict.fromkeys(bank.partition("[")[0] for bank in banks if bank != HOST):
        total += CONTROLLERS[kind]
    return total


def _kept(card: Resources, slrs: tuple[Resources, ...]) -> Usage:
    """Return the difference between a card and what kernels can have of it."""
    kept = {
        name: max(0, getattr(card, name) - sum(getattr(slr, name) for slr in slrs))
        for name in Resources.model_fields
    }
    return Usage(**kept)
