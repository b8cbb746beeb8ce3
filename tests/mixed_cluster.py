# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of Zynq boards and Alveo cards: a program is one end of the streams between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fake_network import chain, partition, plan_of, spec

from shellgen.links.vnx_udp import VnxUdp
from shellgen.model import ClusterSpec, Network, Plan

KIND = VnxUdp.kind
ZYNQ, CARD = "zedboard", "u280"
SMALL = (("UINT4", 16, 8192),)  # a frame of 4096 bytes: two full packets and a part


def network(count: int, streams: tuple[tuple[str, int, int], ...] = SMALL) -> Network:
    return chain(*(partition(f"p{k}", streams, streams) for k in range(count)), streams=len(streams))


def nodes(boards: Sequence[str], net: str = "192.168.0", **own: Mapping[str, object]) -> list[dict[str, Any]]:
    """Board k holds partition k; a Zynq has the address .20 + k. ``own`` are options of the link, by node."""
    found: list[dict[str, Any]] = []
    for k, board in enumerate(boards):
        address = {} if board == CARD else {"ip": [f"{net}.{20 + k}"]}
        asked = {**address, **own.get(f"n{k}", {})}
        found.append({"name": f"n{k}", "board": board, "partitions": [k], "options": {KIND: asked}})
    return found


def cluster(boards: Sequence[str], links: Mapping[str, object] | None = None, **more: Any) -> ClusterSpec:
    """Return cluster.toml of boards in a row."""
    return spec(nodes(boards, **more), **({"links": {KIND: dict(links)}} if links else {}))


def plan(boards: Sequence[str], links: Mapping[str, object] | None = None, **more: Any) -> Plan:
    return plan_of(network(len(boards)), cluster(boards, links, **more))
