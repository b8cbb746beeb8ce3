# SPDX-License-Identifier: BSD-3-Clause
"""Pass 4: what carries each stream."""

from __future__ import annotations

from dataclasses import replace

from shellgen.errors import PlanError, Problem
from shellgen.links import link_registry
from shellgen.plan.depth import depth_problems
from shellgen.plan.draft import Draft, NodeDraft, Route


def choose_links(draft: Draft) -> Draft:
    """Give every stream that leaves a board its link: the stated kind, or the only one there can be.

    Raises:
        PlanError: No link kind, or one that the boards do not have; a depth where no FIFO is, or too large.
    """
    problems: list[Problem] = []
    routes = []
    for route in draft.routes:
        link, wrong = _link(draft, route)
        routes.append(replace(route, link=link))
        problems.extend(wrong or depth_problems(draft, routes[-1]))
    if problems:
        raise PlanError(*problems)
    return replace(draft, routes=tuple(routes))


def _link(draft: Draft, route: Route) -> tuple[str | None, list[Problem]]:
    """Return the key in the registry, None inside a node, and what is wrong with it."""
    where = f"{route.where}.kind" if route.where else f"{draft.where}: link"
    nodes = draft.ends(route)
    if draft.is_inner(route):
        if route.kind is None:
            return None, []
        found = f"both ends are on node {nodes[0].name}, but the kind is {route.kind!r}"
        return None, [Problem(where, found, "Remove the kind: no link carries a stream inside a node")]
    registry = link_registry()
    if route.kind is not None and route.kind not in registry:
        remedy = f"Known kinds are: {', '.join(sorted(registry))}"
        return None, [Problem(where, f"link kind {route.kind!r} is not known", remedy)]
    return _shared(route, nodes, where)


def _shared(route: Route, nodes: list[NodeDraft], where: str) -> tuple[str | None, list[Problem]]:
    shared = [kind for kind in nodes[0].board.links if all(kind in n.board.links for n in nodes)]
    boards = " and ".join(dict.fromkeys(n.board.name for n in nodes))
    if route.kind is not None and route.kind not in shared:
        remedy = f"The boards share: {', '.join(shared) or 'nothing'}"
        return None, [Problem(where, f"link kind {route.kind!r} is not carried by {boards}", remedy)]
    if route.kind is None and len(shared) != 1:
        found = f"{boards} share {len(shared)} link kinds ({', '.join(shared) or 'none'})"
        remedy = "State the kind of this link, or choose boards that share one"
        return None, [Problem(where, found, remedy)]
    return route.kind or shared[0], []
