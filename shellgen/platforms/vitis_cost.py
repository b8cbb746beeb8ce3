# SPDX-License-Identifier: BSD-3-Clause
"""What an Alveo card has besides the kernel: shell, UDP stack and memory controller.

Source: FINN, util/platforms.py: what it subtracts from a card's SLRs before it plans.
"""

from __future__ import annotations

from shellgen.model import NodePlan, Resources, Usage
from shellgen.platforms.vitis_facts import facts_of
from shellgen.platforms.vitis_streams import Mover, movers, networks

# cmac and networklayer of one QSFP.
NETWORK = Usage(lut=35_219, ff=86_269, bram18=183)
CONTROLLERS = {
    "DDR": Usage(lut=33_256, ff=44_889, bram18=199, dsp=3),
    "HBM": Usage(lut=10_718, ff=21_793, bram18=8),
}


def vitis_usage(node: NodePlan) -> Usage:
    """Return what is not the kernel: what the shell keeps of the card, and what v++ puts beside."""
    total = _shell(node.board.resources, facts_of(node.board).slrs)
    for _ in networks(node):
        total += NETWORK
    for kind in dict.fromkeys(_kind(mover) for mover in movers(node)):
        total += CONTROLLERS[kind]
    return total


def _kind(mover: Mover) -> str:
    return mover.bank.partition("[")[0]


def _shell(card: Resources, slrs: tuple[Resources, ...]) -> Usage:
    """Return the difference between a card and what kernels can have of it."""
    kept = {
        name: max(0, getattr(card, name) - sum(getattr(slr, name) for slr in slrs))
        for name in Resources.model_fields
    }
    return Usage(**kept)
