# SPDX-License-Identifier: BSD-3-Clause
"""Expectations about the scripts of a node, taken from the plan, in the types of `vivado_check`."""

from __future__ import annotations

from collections import defaultdict

from shellgen.model import NodePlan, Plan
from shellgen.platforms import platform_registry
from vivado_check.expectation import Expectation, Script


def scripts_of(node: NodePlan) -> tuple[Script, ...]:
    """Return what Vivado is given for a node."""
    return tuple(
        Script(one.file, one.arguments, one.opened, one.design, one.left, one.given)
        for one in platform_registry()[node.platform].scripts(node)
    )


def expectation_of(plan: Plan, name: str) -> Expectation:
    """Return what is expected of the scripts of a node.

    Args:
        plan: plan.json.
        name: Of the node.
    """
    node = plan.node(name)
    platform = platform_registry()[node.platform]
    buses: dict[str, set[str]] = defaultdict(set)
    for design in platform.designs(plan, node):
        buses[design.name].update(end for bus in design.buses for end in (bus.master, bus.slave))
    return Expectation(
        home=name,
        scripts=scripts_of(node),
        board=node.board.name,
        part=node.board.part or "",
        raised=platform.settings(node).raised,
        buses={design: frozenset(ends) for design, ends in buses.items()},
        loaded=any(plan.partition(one).uram_weights for one in node.partitions),
    )
