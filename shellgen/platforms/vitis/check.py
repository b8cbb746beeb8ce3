# SPDX-License-Identifier: BSD-3-Clause
"""Limits of an Alveo card that a plan may exceed, checked before any file is written; and slow settings."""

from __future__ import annotations

import re

from shellgen.errors import Problem
from shellgen.model import NodePlan, Plan
from shellgen.model.hooks import Moment
from shellgen.platforms.hooks import hook_problems
from shellgen.platforms.rings import ALIGN
from shellgen.platforms.shared import double_pumped_problems
from shellgen.platforms.vitis.facts import BANK_INTERFACES, HOST, facts_of, options_of
from shellgen.platforms.vitis.network import STEP_MHZ, payload_rate, slowest_clock, wire_rate
from shellgen.platforms.vitis.streams import kept, movers, networks

MEGA = 1_000_000
# Of the scalable clocks of a card (XRT, clock.c, frequency_table).
LEAST_MHZ, MOST_MHZ = 10, 650
# They are scaled by themselves, and so have no common phase (UG1393).
NO_DOUBLE_CLOCK = "the two clocks of a Vitis kernel are independent of each other"
# UG1393 names a run for an implementation, and none for the synthesis of a kernel.
ABSENT: dict[Moment, str] = {
    "synthesis": "v++ synthesises each kernel in a run of its own, which takes no script"
}


def vitis_problems(plan: Plan, node: NodePlan) -> list[Problem]:
    """Return every reason why this node cannot be built; empty if it can."""
    where = f"node {node.name}"
    return [
        *double_pumped_problems(plan, node, NO_DOUBLE_CLOCK),
        *_name(node, where),
        *_clocks(node, where),
        *_masters(node, where),
        *_regions(plan, node, where),
        *(_memory(node, where) or _full(node, where)),
        *hook_problems(node, options_of(node), ABSENT),
    ]


def vitis_advice(node: NodePlan) -> list[str]:
    """Return a sentence for each QSFP that the kernel clock is too slow for."""
    notes = []
    for network in networks(node):
        carried, possible = payload_rate(network.packet_bytes, node.clock_hz), wire_rate(network.packet_bytes)
        if carried < possible:
            notes.append(
                f"node {node.name}: at {node.clock_hz / MEGA:g} MHz QSFP {network.qsfp} carries "
                f"{carried / 1e9:.1f} Gb/s in packets of {network.packet_bytes} bytes, and Ethernet permits "
                f"{possible / 1e9:.1f}; clock_mhz = {slowest_clock(network.packet_bytes)} is enough"
            )
    return notes


def _name(node: NodePlan, where: str) -> list[Problem]:
    """IP integrator takes an underscore only between letters and digits (UG1393, RTL Kernel Wizard)."""
    if re.fullmatch(r"[A-Za-z0-9]+(_[A-Za-z0-9]+)*", node.name):
        return []
    found = "Vitis takes an underscore in the name of a kernel only between letters and digits"
    return [Problem(f"{where}.name", found, "Rename the node")]


def _clocks(node: NodePlan, where: str) -> list[Problem]:
    """A frequency between two steps would become the lower one when the bitstream is loaded."""
    problems, step = [], STEP_MHZ * MEGA
    for clock, field in zip(node.clocks, ("clock_mhz", "compute_mhz"), strict=False):
        lower = clock.hz // step * STEP_MHZ
        if clock.hz % step or not LEAST_MHZ <= lower <= MOST_MHZ:
            found = f"{clock.hz / MEGA:g} MHz; XRT sets {LEAST_MHZ} to {MOST_MHZ} MHz in steps of {STEP_MHZ}"
            near = [mhz for mhz in (lower, lower + STEP_MHZ) if LEAST_MHZ <= mhz <= MOST_MHZ]
            remedy = f"Choose {' or '.join(map(str, near))}" if near else "Choose one of these"
            problems.append(Problem(f"{where}.{field}", found, remedy))
    return problems


def _masters(node: NodePlan, where: str) -> list[Problem]:
    """Return windows that leave the core: a kernel has no AXI-Lite master that v++ could connect."""
    return [
        Problem(
            f"{where}: link {attachment.link}",
            f"its window {claim.name} leaves the core as m_axil_{claim.name}, and nothing here takes it",
            "Choose a link whose registers are in the core, or a board of another platform",
        )
        for attachment in node.attachments
        for claim in attachment.claims
        if claim.leaves
    ]


def _regions(plan: Plan, node: NodePlan, where: str) -> list[Problem]:
    """A floorplan counts only where cluster.toml does not say otherwise."""
    asked, have = options_of(node).slr, len(facts_of(node).slrs)
    has, problems = f"{node.board.name} has SLR 0 to {have - 1}", []
    if asked is not None and asked >= have:
        problems.append(
            Problem(f"{where}.options.{node.platform}.slr", f"{asked}; {has}", "Choose one of these")
        )
    for name in node.partitions if asked is None else ():
        planned = plan.partition(name).slr
        if planned is not None and planned >= have:
            found = f"FINN's floorplan has {name} in SLR {planned}; {has}"
            said = f"options.{node.platform}.slr = -1"
            remedy = f"Say {said} to leave it to Vivado, or take the card that it was made for"
            problems.append(Problem(f"{where}.partitions", found, remedy))
    return problems


def _memory(node: NodePlan, where: str) -> list[Problem]:
    facts = facts_of(node)
    return [
        Problem(
            f"{where}.options.{node.platform}.memory",
            f"{bank}; {node.board.name} has {facts.bank_names}",
            "Choose from these",
        )
        for bank in options_of(node).memory or ()
        if not facts.has_bank(bank)
    ]


def _full(node: NodePlan, where: str) -> list[Problem]:
    """Return banks that have too many interfaces, or too little room for the streams that are kept there."""
    facts, problems = facts_of(node), []
    users = [*(mover.bank for mover in movers(node)), *(bank for _, bank in kept(node) if bank != HOST)]
    field = f"{where}.options.{node.platform}.memory"
    for bank in dict.fromkeys(users):
        if (count := users.count(bank)) > BANK_INTERFACES:
            found = f"{count} data movers and streams in memory share {bank}, which takes {BANK_INTERFACES}"
            problems.append(Problem(field, found, "Name more banks"))
        needed = sum(port.bytes + ALIGN for port, own in kept(node) if own == bank)
        if needed and needed > (has := facts.size_of(bank)):
            found = f"streams in memory need {needed:,} bytes of {bank}, which has {has:,}"
            remedy = f"Name more or larger banks; {node.board.name} has {facts.bank_names}"
            remedy += ', or say buffer = "host"' if facts.host_bytes_per_s else ""
            problems.append(Problem(field, found, remedy))
    return problems
