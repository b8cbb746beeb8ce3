# SPDX-License-Identifier: BSD-3-Clause
"""Spaces that are filled by themselves: a whole board, or each of its regions, such as the SLRs of a card.

A region has what it offers to kernels, without what the target platform keeps. Where partitions are in
several regions, the platform says which of them the core around them takes room in.
"""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import NodePlan, Plan, Resources, Usage
from shellgen.platforms import platform_registry
from shellgen.split.task import RESOURCES, Takes, added


@dataclass(frozen=True)
class Space:
    """A board, or a region of it.

    Attributes:
        name: As the vendor calls the region; empty for a whole board.
        has: Its resources, in the order of `RESOURCES`.
        shell: What shell and platform take of them.
    """

    name: str
    has: Takes
    shell: Takes


def spaces_of(plan: Plan, node: NodePlan, *, spread: bool) -> tuple[Space, ...]:
    """Return the spaces of a node: its regions where a partition is in one, or else the board.

    Args:
        plan: All nodes.
        node: One.
        spread: Whether its partitions are in several regions, and its core where the platform says.
    """
    assert node.takes is not None
    core = figures(node.takes.core)
    beside = node.model_copy(update={"takes": None})  # so that the platform tells of its own alone
    platform = platform_registry()[node.platform]
    regions = platform.usage(plan, beside).regions
    if not regions:
        shell = added(core, figures(node.takes.platform or Usage()))
        return (Space("", figures(node.board.resources), shell),)
    none, home = (0,) * len(core), platform.core_region(node)
    return tuple(
        Space(
            region.name,
            figures(region.has),
            added(figures(region.takes), core if not spread or number == home else none),
        )
        for number, region in enumerate(regions)
    )


def figures(usage: Usage | Resources) -> Takes:
    """Return resources in the order of `RESOURCES`."""
    return tuple(getattr(usage, name) for name in RESOURCES)
