# SPDX-License-Identifier: BSD-3-Clause
"""The state of each node, for somebody who runs no frames."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shellgen_host import protocol
from shellgen_host.cluster_map import read_map
from shellgen_host.errors import RefusedError
from shellgen_host.hosts import Address, read_hosts
from shellgen_host.wire import Message, WireError, connect, read

_SECONDS = 5.0


@dataclass(frozen=True)
class NodeStatus:
    """State of one node.

    Attributes:
        address: Host and port.
        answers: Whether it accepts this cluster: same build, token and protocol.
        busy: Whether a client controls it, so that it reports nothing to others.
        epoch: Its epoch; 0 before the first.
        counters: Of its epoch, as `Cluster.state` returns them; empty if it is busy or does not answer.
        why: What it refuses, or why it was not reached; empty if it answers.
    """

    address: Address
    answers: bool
    busy: bool
    epoch: int
    counters: dict[str, int]
    why: str


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

    async def ask_all() -> dict[str, NodeStatus]:
        work = [_ask(addresses[name], build_id, addresses.token) for name, build_id in found.nodes.items()]
        return dict(zip(found.nodes, await asyncio.gather(*work), strict=True))

    return asyncio.run(ask_all())


async def _ask(address: Address, build_id: int, token: bytes) -> NodeStatus:
    values: dict[str, Any] = {
        "low": protocol.VERSION,
        "high": protocol.VERSION,
        "role": protocol.ROLE_CONTROL,
    }
    hello = Message(protocol.HELLO, values=values | {"build_id": build_id, "token": token})
    try:
        connection = await connect(address, hello)
    except RefusedError as error:
        busy = error.code == protocol.FAULT_BUSY
        return NodeStatus(address, answers=busy, busy=busy, epoch=0, counters={}, why=str(error))
    except (OSError, WireError) as error:
        why = str(getattr(error, "strerror", None) or error)
        return NodeStatus(address, answers=False, busy=False, epoch=0, counters={}, why=why)
    try:
        epoch = connection.welcome.epoch
        connection.send(Message(protocol.PING, epoch=epoch))
        async with asyncio.timeout(_SECONDS):
            message = await read(connection.reader)
            while message.type != protocol.PING:
                message = await read(connection.reader)
        connection.send(Message(protocol.BYE, epoch=epoch))
        await connection.writer.drain()
    except (OSError, EOFError, WireError) as error:  # TimeoutError is an OSError
        why = str(error) or "no answer"
        return NodeStatus(address, answers=False, busy=False, epoch=0, counters={}, why=why)
    finally:
        connection.writer.close()
    return NodeStatus(address, answers=True, busy=False, epoch=epoch, counters=dict(message.values), why="")
