# SPDX-License-Identifier: BSD-3-Clause
"""The state of each node, for somebody who runs no frames."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from shellgen_host import protocol
from shellgen_host.cluster_map import ClusterMap, read_map
from shellgen_host.errors import HostError, RefusedError, reason
from shellgen_host.hosts import Address, Hosts, read_hosts
from shellgen_host.orders import Order
from shellgen_host.security import Tokens
from shellgen_host.wire import Message, connect, greeting

_SECONDS = 5.0


@dataclass(frozen=True)
class NodeStatus:
    """State of one node.

    Attributes:
        address: Host and port.
        answers: Whether it accepts this cluster: same build, token and protocol.
        busy: Whether a client controls it.
        epoch: Its epoch; 0 before the first.
        counters: Of its epoch, as `Cluster.state` returns them; empty if it does not answer.
        why: Who controls it, or what it refuses, or why it was not reached; empty if it waits for a client.
        holds: Whether it was ordered to take no frames, or loads a file.
    """

    address: Address
    answers: bool
    busy: bool
    epoch: int
    counters: dict[str, int]
    why: str
    holds: bool = False


def status(out: str | Path, hosts: str | Path) -> dict[str, NodeStatus]:
    """Ask every node for its state; a node that a client controls goes on undisturbed.

    Args:
        out: Folder that ``shellgen generate`` wrote; only ``memory_map.json`` is read.
        hosts: ``hosts.toml``.

    Raises:
        InputError: A file is wrong.
    """
    found = read_map(out)
    addresses = read_hosts(hosts, found.nodes)

    tokens = Tokens(addresses.token, addresses.tls)

    async def ask_all() -> dict[str, NodeStatus]:
        work = [_ask(found, addresses, name, tokens) for name in found.nodes]
        return dict(zip(found.nodes, await asyncio.gather(*work), strict=True))

    return asyncio.run(ask_all())


async def _ask(cluster: ClusterMap, hosts: Hosts, name: str, tokens: Tokens) -> NodeStatus:
    """Ask who controls it, as a client would, and then for its counters."""
    hello = greeting(protocol.ROLE_CONTROL, cluster.nodes[name], tokens.fixed)
    address, why = hosts[name], ""
    try:
        try:
            connection = await connect(address, hello, tokens.control(name))
            connection.send(Message(protocol.BYE))
            await connection.writer.drain()
            connection.writer.close()
        except RefusedError as error:
            if error.code != protocol.FAULT_BUSY:
                raise
            why = str(error)
        async with asyncio.timeout(_SECONDS), Order(cluster, hosts, name) as order:
            state = await order.state()
    except (HostError, OSError, TimeoutError) as error:
        why = reason(error) or "no answer"
        return NodeStatus(address, answers=False, busy=False, epoch=0, counters={}, why=why)
    return NodeStatus(address, True, bool(why), state.epoch, state.counters, why, state.holds)
