# SPDX-License-Identifier: BSD-3-Clause
"""The program of the host as an end of streams that a link carries over a network, not a platform."""

from __future__ import annotations

from collections.abc import Container

from shellgen.links import link_registry
from shellgen.model import Boundary, Plan
from shellgen.model.plain import JsonObject

HOST = "host"  # no node has this name


def host_programs(plan: Plan) -> dict[str, JsonObject]:
    """Return what the program of the host must know of each stream that it is the end of, by its name."""
    kinds = dict.fromkeys(one.link for one in plan.boundaries if one.link)
    return {name: told for kind in kinds for name, told in link_registry()[kind].programs(plan, None).items()}


def station_node(plan: Plan, spoken: Container[str]) -> str | None:
    """Return the node whose clock the program of the host has in the bench, if there is one.

    Args:
        plan: The plan.
        spoken: Boundaries that the program is an end of, as `host_programs` returns them.
    """
    return next((own_node(one) for one in plan.boundaries if one.name in spoken), None)


def own_node(boundary: Boundary) -> str:
    """Return the node at the other end of a stream of the host."""
    return str(boundary.consumer_node or boundary.producer_node)


def host_clock_nodes(plan: Plan) -> dict[str, str]:
    """Return the node whose clock the host's end of each stream has in the bench, by boundary."""
    spoken = host_programs(plan)
    station = station_node(plan, spoken)
    return {one.name: station if station and one.name in spoken else own_node(one) for one in plan.boundaries}
