# SPDX-License-Identifier: BSD-3-Clause
"""Spaces of a board that are filled one by one: the whole of it, or its regions, such as the SLRs of a card.

Only sums are known of two things. What the target platform keeps of a card is spread over the regions in
proportion to what they offer to kernels. The core around the partitions counts in every region, since Vivado
may put it into any.
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
        has: Its resources, in the order of `RESOURCES`, with those that the platform keeps.
        shell: What shell and platform take of them.
    """

    name: str
    has: Takes
    shell: Takes


def spaces_of(plan: Plan, node: NodePlan) -> tuple[Space, ...]:
    """Return the spaces of a node: its regions where a partition is in one, or else the board."""
    assert node.takes is not None
    whole, core = figures(node.board.resources), figures(node.takes.core)
    beside = node.model_copy(update={"takes": None})  # so that the platform tells of its own alone
    regions = platform_registry()[node.platform].usage(plan, beside).regions
    if not regions:
        return (Space("", whole, added(core, figures(node.takes.platform or Usage()))),)
    offered = added(*(figures(region.has) for region in regions))
    kept = tuple(max(0, all_ - own) for all_, own in zip(whole, offered, strict=True))
    found = []
    for region in regions:
        own = figures(region.has)
        ratio = zip(kept, own, offered, strict=True)
        shares = tuple(-(-count * part // all_) if all_ else 0 for count, part, all_ in ratio)
        found.append(Space(region.name, added(own, shares), added(shares, figures(region.takes), core)))
    return tuple(found)


def figures(usage: Usage | Resources) -> Takes:
    """Return resources in the order of `RESOURCES`."""
    return tuple(getattr(usage, name) for name in RESOURCES)
