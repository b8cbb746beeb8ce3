# SPDX-License-Identifier: BSD-3-Clause
"""``[host] through`` and ``at`` of a [[link]]: streams of the host pass a node without their partition.

A relay is a generated partition on that node (`shellgen.plan.junction`).
"""

from __future__ import annotations

from dataclasses import replace

from shellgen.errors import PlanError, Problem, offer
from shellgen.model import Endpoint
from shellgen.plan.draft import Draft, NodeDraft, Route
from shellgen.plan.junction import with_relay

__all__ = ["insert_relays"]


def insert_relays(draft: Draft) -> Draft:
    """Add a relay for each data stream between the host and a partition on another node than it passes.

    Raises:
        PlanError: The node does not exist.
    """
    through = draft.spec.host.through
    nodes = {node.name: node for node in draft.nodes}
    if through is not None and through not in nodes:
        remedy = offer(through, nodes, "Name one of")
        found = f"there is no node {through!r}"
        raise PlanError(Problem(f"{draft.where}: host.through", found, remedy))
    for route in draft.routes:
        name = route.at or through
        if name is not None and _is_far(draft, nodes[name], route):
            draft = _through(draft, name, route)
    return draft


def _is_far(draft: Draft, near: NodeDraft, route: Route) -> bool:
    end = route.consumer if route.producer is None else route.producer
    if end is None or (route.producer is not None and route.consumer is not None):
        return False
    return not draft.port(end).carries_weights and _node_name(draft, end) != near.name


def _through(draft: Draft, near: str, route: Route) -> Draft:
    """Split the route at a new relay; its settings in cluster.toml apply to the host's part."""
    end = route.consumer or route.producer
    assert end is not None
    port = draft.port(end)
    origin = f"{draft.named(route)}.at" if route.at else "host.through"
    draft, into, out = with_relay(draft, port, near, origin)
    if route.producer is None:
        split = (replace(route, consumer=into), Route(out, end, where=route.where))
    else:
        split = (Route(end, into, where=route.where), replace(route, producer=out))
    routes = [one for old in draft.routes for one in (split if old is route else (old,))]
    order = (
        *(one for one in routes if one.producer is None),
        *(one for one in routes if one.producer is not None and one.consumer is not None),
        *(one for one in routes if one.consumer is None),
    )
    return replace(draft, routes=order)


def _node_name(draft: Draft, end: Endpoint) -> str:
    node = draft.node_of(end)
    assert node is not None
    return node.name
