# SPDX-License-Identifier: BSD-3-Clause
"""The choice of a link for each stream."""

from __future__ import annotations

import json
from dataclasses import replace

from shellgen.errors import PlanError, Problem, offer
from shellgen.links import broken_links, link_registry
from shellgen.plan.docks import can_join, docks_of, offers, programs_at
from shellgen.plan.draft import Draft, NodeDraft, Route
from shellgen.plan.platform import known_platforms
from shellgen.platforms import platform_registry
from shellgen.platforms.docks import offered


def choose_links(draft: Draft) -> Draft:
    """Assign a link to every stream that leaves a board: the stated kind, or the only possible one.

    A link needs its dock at both ends. A kind whose ends are both hardware precedes those with a program at
    one end, and these one with programs at both. The platform names the link to the host.

    Raises:
        PlanError: No link kind, or one that the boards do not support; a depth without a FIFO, or too large.
    """
    problems: list[Problem] = []
    routes = []
    for route in draft.routes:
        link, wrong = _link(draft, route)
        routes.append(replace(route, link=link))
        problems.extend(wrong)
    if problems:
        raise PlanError(*dict.fromkeys(problems))
    return replace(draft, routes=tuple(routes))


def _link(draft: Draft, route: Route) -> tuple[str | None, list[Problem]]:
    """Return the key in the registry, None inside a node, and the problems with it."""
    stated = route.where.startswith(f"{draft.where}: link[")
    where = f"{route.where}.kind" if stated else f"{draft.where}: link: {route.producer} -> {route.consumer}"
    nodes = draft.ends(route)
    if draft.is_inner(route):
        if route.kind is None:
            return None, []
        said = f"both ends are on node {nodes[0].name}, but the kind is {route.kind!r}"
        return None, [Problem(where, said, "Remove the kind: no link carries a stream inside a node")]
    found: str | Problem
    if route.kind is not None and route.kind not in link_registry():
        found = _unknown(where, route.kind)
    elif route.kind is None and len(nodes) == 1:
        found = _host_link(nodes[0])
    else:
        found = _shared(draft, where, route, nodes)
    return (found, []) if isinstance(found, str) else (None, [found])


def _unknown(where: str, kind: str) -> Problem:
    broken = "; ".join(f"{one.where} is left out, since {one.found}" for one in broken_links())
    remedy = f"{offer(kind, sorted(link_registry()), 'Known kinds are')}{f' ({broken})' if broken else ''}"
    return Problem(where, f"link kind {kind!r} is not known", remedy)


def _host_link(node: NodeDraft) -> str | Problem:
    kind = platform_registry()[node.platform].host_link
    link = link_registry().get(kind)
    if link and link.dock in docks_of(node) and "host" in link.reach:
        return kind
    lacks = "is not known"
    if link:
        lacks = "it has no dock for" if "host" in link.reach else "joins nodes only"
    found = f"its link to the host is {kind!r}, which {lacks}"
    return Problem(f"platform {node.platform}", found, "Correct the platform, or install that link")


def _shared(draft: Draft, where: str, route: Route, nodes: list[NodeDraft]) -> str | Problem:
    """Return the only kind of link with its dock at both ends and the fewest programs, or the problem."""
    registry = link_registry()
    reach = [
        kind for kind, link in registry.items() if ("host" if len(nodes) == 1 else "nodes") in link.reach
    ]
    shared = [kind for kind in reach if can_join(registry[kind], nodes)]
    programs = {kind: programs_at(registry[kind], nodes) for kind in shared}
    shared.sort(key=lambda kind: programs[kind])
    first = [kind for kind in shared if programs[kind] == programs[shared[0]]]
    boards = " and ".join(dict.fromkeys(n.board.name for n in nodes))
    if route.kind is None:
        if len(first) == 1:
            return first[0]
        if not shared:
            found = f"no link kind joins {' and '.join(n.name for n in nodes)}: {offers(nodes)}"
            remedy = "Give both the same platform, or choose boards that share a link kind"
            return Problem(where, found, remedy)
        found = f"{boards} share {len(first)} link kinds ({', '.join(first)}): {offers(nodes)}"
        table = f'from = "{route.producer}", to = "{route.consumer}", kind = "{shared[0]}"'
        remedy = f"State the kind: [[link]] {table}; or choose boards that share one"
        if route.via:
            fields = f'via = {json.dumps(route.via)} and kind = "{shared[0]}"'
            remedy = f"State {fields} in the [[link]] of the stream"
        return Problem(where, found, remedy)
    if route.kind in shared:
        return route.kind
    remedies = [f"The boards share: {', '.join(shared) or 'nothing'}"]
    if route.kind not in reach:
        ends = "a node with its host" if len(nodes) == 1 else "nodes with each other"
        return Problem(where, f"link kind {route.kind!r} cannot connect {ends}", remedies[0])
    dock = registry[route.kind].dock
    found = (
        f"link kind {route.kind!r} is not carried by {boards}: it needs dock {dock!r}, and {offers(nodes)}"
    )
    remedies += [f"or choose {text}" for node in nodes if (text := _other_platform(draft, node, dock))]
    return Problem(where, found, "; ".join(remedies))


def _other_platform(draft: Draft, node: NodeDraft, dock: str) -> str:
    """Return a remedy that selects another platform of the board with this dock, or nothing."""
    board, registry = draft.boards[node.name], platform_registry()
    having = [kind for kind in known_platforms(board) if dock in offered(registry[kind], board)]
    return f'platform = "{having[0]}" for {node.name}' if having and dock not in docks_of(node) else ""
