# SPDX-License-Identifier: BSD-3-Clause
"""Limits of Coyote that a plan may exceed, checked before any file is written."""

from __future__ import annotations

from shellgen.errors import Problem
from shellgen.model import NodePlan, Plan
from shellgen.platforms.coyote.facts import CLOCK_HZ, facts_of, options_of
from shellgen.platforms.coyote.streams import host_streams
from shellgen.platforms.coyote.versions import version_name, version_of
from shellgen.platforms.shared import double_pumped_problems

MEGA = 1_000_000
# One clock wizard makes Coyote's clocks of 250 MHz, and two are to have 250 MHz again: its oscillator runs at
# a multiple of that between 800 and 1600 MHz (DS923), and outputs divide by whole numbers up to 128 (UG572).
OSCILLATORS = (1000, 1250, 1500)
LEAST_MHZ, MOST_MHZ = 8, 750
# Coyote's static and dynamic layers own the clock managers.
NO_DOUBLE_CLOCK = "Coyote gives user logic a single clock"


def coyote_problems(plan: Plan, node: NodePlan) -> list[Problem]:
    """Return every reason why this node cannot be built; empty if it can."""
    where, known = f"node {node.name}", _version(node, f"node {node.name}")
    problems = [
        *known,
        *double_pumped_problems(plan, node, NO_DOUBLE_CLOCK),
        *_clock(node, where),
        *_regions(node, where),
    ]
    if not known:
        problems += [*_streams(node, where), *version_of(node).problems(plan, node)]
    return problems


def coyote_advice(node: NodePlan) -> list[str]:
    """Return what is known to go wrong elsewhere, and what the clock will be if not what was asked for."""
    return [*version_of(node).advice(node), *_clock_advice(node)]


def _clock_advice(node: NodePlan) -> list[str]:
    mhz = node.clock_hz // MEGA
    if any(oscillator % mhz == 0 for oscillator in OSCILLATORS):
        return []
    made = [oscillator / (oscillator // mhz + more) for oscillator in OSCILLATORS for more in (0, 1)]
    near = min(made, key=lambda one: abs(one - mhz))
    exact = [one for one in range(LEAST_MHZ, MOST_MHZ + 1) if any(osc % one == 0 for osc in OSCILLATORS)]
    below, above = max(one for one in exact if one < mhz), min(one for one in exact if one > mhz)
    return [
        f"node {node.name}: Coyote's clock wizard cannot make {mhz} MHz beside its own 250; it will be about "
        f"{near:.1f} MHz. {below} and {above} MHz are exact"
    ]


def _version(node: NodePlan, where: str) -> list[Problem]:
    name, has = version_name(node), facts_of(node).versions
    if name in has:
        return []
    found = f"Coyote {name} does not build for {node.board.name}; there is {' and '.join(has)}"
    return [
        Problem(f"{where}.options.{node.platform}.version", found, "Choose that version, or another card")
    ]


def _clock(node: NodePlan, where: str) -> list[Problem]:
    """Refuse a fraction, which Coyote's scripts do not take, and what no clock wizard can make."""
    mhz, rest = divmod(node.clock_hz, MEGA)
    if not rest and LEAST_MHZ <= mhz <= MOST_MHZ:
        return []
    found = f"{node.clock_hz / MEGA:g} MHz; Coyote's UCLK_F takes whole MHz from {LEAST_MHZ} to {MOST_MHZ}"
    remedy = f"Choose one of these, or leave it out for Coyote's own {CLOCK_HZ // MEGA} MHz"
    return [Problem(f"{where}.clock_mhz", found, remedy)]


def _regions(node: NodePlan, where: str) -> list[Problem]:
    options, problems = options_of(node), []
    for field, index, count in (
        ("region", options.region, options.regions),
        ("config", options.config, options.configs),
    ):
        if index >= count:
            last = f"0 to {count - 1}" if count > 1 else "only 0"
            found = f"{index}; with {field}s = {count} there is {last}"
            remedy = f"Choose one that there is, or raise {field}s"
            problems.append(Problem(f"{where}.options.{node.platform}.{field}", found, remedy))
    return problems


def _streams(node: NodePlan, where: str) -> list[Problem]:
    """Each way is counted apart: a host stream of Coyote has both."""
    version = version_of(node)
    first = version.first(node)
    have, problems = version.streams - first, []
    for sends, way in ((True, "sends to"), (False, "receives from")):
        needed = sum(one.sends == sends for one in host_streams(node, first))
        if needed > have:
            found = f"the host {way} the core over {needed} streams, and Coyote {version.name} has {have}"
            remedy = "Place some of these partitions on another node"
            problems.append(Problem(f"{where}: link coyote_stream", found, remedy))
    return problems
