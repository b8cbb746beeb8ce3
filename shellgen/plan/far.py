# SPDX-License-Identifier: BSD-3-Clause
"""Streams with several consumers on one other board: they cross the link once and are copied there."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import replace

from shellgen.model import Endpoint
from shellgen.plan.draft import Draft, Route
from shellgen.plan.junction import add_junction, placed_on, replaced


def copy_at_consumers(draft: Draft) -> Draft:
    """Give each such stream a junction on the consumers' board.

    Of the host's streams these are those that enter ``at`` another board. Consumers whose [[link]] states
    other settings, or a FIFO of its own, keep a stream of their own.
    """
    groups: dict[Hashable, list[Route]] = {}
    for route in draft.routes:
        if key := _key(draft, route):
            groups.setdefault(key, []).append(route)
    for group in groups.values():
        if len(group) > 1:
            draft = _copied(draft, group)
    return draft


def _key(draft: Draft, route: Route) -> Hashable:
    """Return what routes have in common that one stream can serve; none if this one stays alone."""
    far, source = draft.node_of(route.consumer), route.producer or (route.at and (route.at, route.tensor))
    if far is None or not source or route.join or route.depth or route.buffer:
        return None
    near = draft.node_of(route.producer)
    if far.name == (near.name if near else route.at):
        return None
    options = json.dumps(route.options, sort_keys=True)
    return source, far.name, route.kind, route.packing, options, route.via


def _copied(draft: Draft, group: list[Route]) -> Draft:
    first = group[0]
    assert first.consumer is not None
    far = draft.node_of(first.consumer)
    assert far is not None
    port = draft.port(first.producer or first.consumer)
    part = add_junction(draft, "broadcast", [port], [port] * len(group), draft.named(first))
    into = replace(first, consumer=Endpoint(partition=part.name, port="s_axis_0"))
    out = [
        Route(Endpoint(partition=part.name, port=f"m_axis_{k}"), route.consumer, where=route.where)
        for k, route in enumerate(group)
    ]
    return replaced(placed_on(draft, part, far.name), group, [into, *out])
