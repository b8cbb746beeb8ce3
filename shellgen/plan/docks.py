# SPDX-License-Identifier: BSD-3-Clause
"""The docks that a node's platform offers, and their numbers of slots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from shellgen.errors import Problem
from shellgen.links import Link, link_registry
from shellgen.model import Dock
from shellgen.plan.draft import Draft, NodeDraft
from shellgen.platforms import platform_registry
from shellgen.platforms.docks import offered


def docks_of(node: NodeDraft) -> dict[str, Dock]:
    """Return the docks of a node's platform."""
    return offered(platform_registry()[node.platform], node.board)


def link_at(node: NodeDraft, kind: str) -> Link:
    """Return the link between a node's core and the carrier of a kind of link.

    It is that kind itself, or where a program is its end, the link through which the program has the frames.
    """
    registry = link_registry()
    if docks_of(node)[registry[kind].dock].software:
        return registry[platform_registry()[node.platform].host_link]
    return registry[kind]


def can_join(link: Link, nodes: Sequence[NodeDraft]) -> bool:
    """Return whether a link runs between nodes: each has its dock, and not all of them as a program."""
    offered_here = [docks_of(node).get(link.dock) for node in nodes]
    return all(offered_here) and (
        link.by_programs or not all(dock and dock.software for dock in offered_here)
    )


def programs_at(link: Link, nodes: Sequence[NodeDraft]) -> int:
    """Return at how many nodes a program is the end of a link that joins them."""
    return sum(docks_of(node)[link.dock].software for node in nodes)


def in_hardware(link: Link, nodes: Sequence[NodeDraft]) -> bool:
    """Return whether no program is an end of a link between nodes that it can join, nor the host's."""
    return len(nodes) > 1 and not programs_at(link, nodes)


def offers(nodes: Sequence[NodeDraft]) -> str:
    """Say which docks the platforms of nodes offer, for messages."""
    known = {
        node.platform: ", ".join(
            f"{name} (by a program)" if dock.software else name for name, dock in docks_of(node).items()
        )
        or "none"
        for node in nodes
    }
    return "; ".join(f"platform {platform} offers {docks}" for platform, docks in known.items())


def slot_problems(draft: Draft) -> list[Problem]:
    """Return a problem for each dock with more streams than slots."""
    registry, problems = link_registry(), []
    for node in draft.nodes:
        taken: dict[str, dict[str, int]] = defaultdict(dict)
        for boundary in draft.outer(node):
            assert boundary.link is not None
            for link in dict.fromkeys((registry[boundary.link], link_at(node, boundary.link))):
                taken[link.dock][boundary.name] = link.slots(boundary)
        for dock, streams in taken.items():
            slots, needed = docks_of(node)[dock].slots, sum(streams.values())
            if slots is not None and needed > slots:
                names = ", ".join(
                    f"{name} ({count})" if count > 1 else name for name, count in streams.items()
                )
                found = f"{len(streams)} streams take {needed} slots of dock {dock!r}, and platform "
                found += f"{node.platform} has {slots} on {node.board.name}: {names}"
                remedy = "Put neighbouring partitions on one node, or choose another link for some"
                if any(len(draft.boundary(name).places) < draft.epoch for name in streams):
                    remedy = "Choose fewer replicas, or another link for some"
                problems.append(Problem(f"{draft.where}: node[{node.entry}]", found, remedy))
    return problems
