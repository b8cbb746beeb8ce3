# SPDX-License-Identifier: BSD-3-Clause
"""Spaces that are filled by themselves: a whole board, or each of its regions, such as the SLRs of a card.

A region has what it offers to kernels, without what the target platform keeps. Where partitions are in
several regions, Vivado places the core around them as it likes, and here each region has an equal part of it.
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
        spread: Whether its core may be in all regions, and not where the partitions are.
    """
    assert node.takes is not None
    core = figures(node.takes.core)
    beside = node.model_copy(update={"takes": None})  # so that the platform tells of its own alone
    regions = platform_registry()[node.platform].usage(plan, beside).regions
    if not regions:
        shell = added(core, figures(node.takes.platform or Usage()))
        return (Space("", figures(node.board.resources), shell),)
    own = tuple(-(-count // len(regions)) for count in core) if spread else core
    return tuple(
        Space(region.name, figures(region.has), added(figures(region.takes), own)) for region in regions
    )


def figures(usage: Usage | Resources) -> Takes:
    """Return resources in the order of `RESOURCES`."""
    return tuple(getattr(usage, name) for name in RESOURCES)
