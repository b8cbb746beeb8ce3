# SPDX-License-Identifier: BSD-3-Clause
"""``[host] through``: all host streams pass one node, wherever their partitions are.

A relay is a generated partition on that node. It is linked, emitted and proved like any other partition, and
every boundary still has one producer and one consumer.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from shellgen import __version__
from shellgen.errors import PlanError, Problem, offer
from shellgen.model import Endpoint, Estimate, Partition, SourceFile, StreamPort
from shellgen.plan.draft import Draft, NodeDraft, Route
from shellgen.render import render

__all__ = ["insert_relays", "relay_files"]


def insert_relays(draft: Draft) -> Draft:
    """Add a relay on the named node for each data stream between the host and another node.

    Raises:
        PlanError: The node does not exist.
    """
    through = draft.spec.host.through
    if through is None:
        return draft
    near = next((node for node in draft.nodes if node.name == through), None)
    if near is None:
        remedy = offer(through, (node.name for node in draft.nodes), "Name one of")
        found = f"there is no node {through!r}"
        raise PlanError(Problem(f"{draft.where}: host.through", found, remedy))
    for route in draft.routes:
        if _is_far(draft, near, route):
            draft = _through(draft, near.name, route)
    return draft


def relay_files(partitions: tuple[Partition, ...]) -> dict[str, bytes]:
    """Return the sources of the relays among partitions, by sha256."""
    found = (partition for partition in partitions if partition.relay)
    return {one.sources[0].sha256: _source(one.top, one.streams[0].tdata_bits) for one in found}


def _is_far(draft: Draft, near: NodeDraft, route: Route) -> bool:
    end = route.consumer if route.producer is None else route.producer
    if end is None or (route.producer is not None and route.consumer is not None):
        return False
    return not draft.port(end).carries_weights and draft.node_of(end) is not near


def _through(draft: Draft, near: str, route: Route) -> Draft:
    """Split the route at a new relay; its settings in cluster.toml apply to the host's part."""
    end = route.consumer or route.producer
    assert end is not None
    relay = _relay(draft, draft.port(end))
    into = Endpoint(partition=relay.name, port="s_axis_0")
    out = Endpoint(partition=relay.name, port="m_axis_0")
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
    nodes = tuple(
        replace(node, partitions=(*node.partitions, relay)) if node.name == near else node
        for node in draft.nodes
    )
    return replace(draft, partitions=(*draft.partitions, relay), nodes=nodes, routes=order)


def _relay(draft: Draft, like: StreamPort) -> Partition:
    """Return a partition that forwards the words of a port."""
    taken = {partition.name for partition in draft.partitions}
    tops = {partition.top for partition in draft.partitions}
    number = next(k for k in range(len(taken) + 1) if not {f"relay_{k}", _top(k)} & (taken | tops))
    source = _source(_top(number), like.tdata_bits)
    return Partition(
        name=f"relay_{number}",
        top=_top(number),
        clock="ap_clk",
        reset="ap_rst_n",
        streams=(_port(like, "in"), _port(like, "out")),
        sources=(
            SourceFile(name=f"{_top(number)}.v", kind="verilog", sha256=hashlib.sha256(source).hexdigest()),
        ),
        takes=Estimate(
            lut=like.tdata_bits + 4, ff=2 * like.tdata_bits + 2, source="shellgen", told=0, layers=0
        ),
        relay=True,
        origin="host.through",
    )


def _port(like: StreamPort, direction: str) -> StreamPort:
    name = "s_axis_0" if direction == "in" else "m_axis_0"
    ports = {signal: f"{name}_{signal.lower()}" for signal in ("TDATA", "TVALID", "TREADY")}
    return like.model_copy(update={"name": name, "direction": direction, "ports": ports, "layer": ""})


def _top(number: int) -> str:
    return f"shellgen_relay_{number}"


def _source(module: str, bits: int) -> bytes:
    text = render("verilog/relay.v.j2", generator=f"shellgen {__version__}", module=module, bits=bits)
    return text.encode()
