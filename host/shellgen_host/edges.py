# SPDX-License-Identifier: BSD-3-Clause
"""Data connections of the client: one for each boundary, replaced whenever it breaks."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from shellgen_host import protocol
from shellgen_host.cluster_map import Edge
from shellgen_host.errors import HostError, RefusedError
from shellgen_host.hosts import Address
from shellgen_host.tickets import Tickets
from shellgen_host.wire import Connection, Message, WireError, connect, read, sealed_frame

_FIRST_PAUSE, _LONGEST_PAUSE = 0.004, 1.0
# A refusal for one of these may pass: the node has not begun the epoch, or still holds the old connection.
_PASSING = (protocol.FAULT_EPOCH, protocol.FAULT_BUSY)
_QUARTER_OF = 16  # results that are acknowledged together
_AGAIN = (OSError, EOFError, WireError)


class BrokenError(HostError):
    """The epoch cannot go on; a new one may."""


class Backoff:
    """Pauses that double up to a second, with jitter."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def reset(self) -> None:
        """Begin again with the shortest."""
        self._seconds = 0.0

    async def pause(self) -> None:
        """Wait."""
        self._seconds = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, 2 * self._seconds))
        await asyncio.sleep(self._seconds * random.uniform(0.5, 1.0))  # noqa: S311 - jitter


def hello(edge: Edge, role: int, epoch: int, frame: int, token: bytes) -> Message:
    """Return the HELLO of a data connection."""
    values = {"low": protocol.VERSION, "high": protocol.VERSION, "role": role, "token": token}
    values |= {"frame_bytes": edge.layout.frame_bytes, "contract": edge.contract}
    return Message(protocol.HELLO, edge=edge.number, epoch=epoch, frame=frame, values=values)


async def _kept(
    edge: Edge,
    address: Address,
    greeting: Callable[[], Message],
    use: Callable[[Connection], Awaitable[None]],
    note: Callable[[str], None],
) -> None:
    """Use a connection, and another one whenever it breaks.

    Raises:
        BrokenError: The node refuses it for good.
    """
    backoff = Backoff()
    while True:
        try:
            connection = await connect(address, greeting())
        except RefusedError as error:
            if error.code not in _PASSING:
                raise BrokenError(f"node {edge.node} refuses {edge.name}: {error}") from None
            await backoff.pause()
            continue
        except _AGAIN:
            await backoff.pause()
            continue
        backoff.reset()
        try:
            await use(connection)
        except _AGAIN as error:
            note(f"the connection of {edge.name} to node {edge.node} broke: {error}")
        finally:
            connection.close()
        await backoff.pause()


async def feed(  # noqa: PLR0913 - inputs of one edge in one epoch
    edge: Edge, address: Address, epoch: int, token: bytes, tickets: Tickets, note: Callable[[str], None]
) -> None:
    """Send the frames of one boundary, from the first that the node lacks, as its credits permit."""

    async def use(connection: Connection) -> None:
        cursor = connection.welcome.frame
        if not tickets.oldest <= cursor <= tickets.next:
            raise WireError(f"it wants frame {cursor} next, of {tickets.oldest} to {tickets.next}")
        limit = cursor + connection.welcome.values["credits"]
        granted = asyncio.Event()

        async def listen() -> None:
            nonlocal limit
            while True:
                message = await read(connection.reader)
                if message.type != protocol.ACK:
                    text = message.fault if message.type == protocol.FAULT else protocol.TYPES[message.type]
                    raise WireError(f"it answered a frame with {text}")
                limit = message.frame + message.values["credits"]
                granted.set()

        async def send() -> None:
            nonlocal cursor
            while True:
                while cursor >= limit:
                    granted.clear()
                    await granted.wait()
                ticket = await tickets.wait_for(cursor)
                connection.writer.write(sealed_frame(edge.number, epoch, cursor, ticket.inputs[edge.name]))
                cursor += 1
                await connection.writer.drain()

        await first_end(listen(), send())

    await _kept(edge, address, lambda: hello(edge, protocol.ROLE_SOURCE, epoch, 0, token), use, note)


async def drain(  # noqa: PLR0913 - inputs of one edge in one epoch
    edge: Edge, address: Address, epoch: int, token: bytes, tickets: Tickets, note: Callable[[str], None]
) -> None:
    """Take the results of one boundary, in order, each once."""
    wanted = tickets.oldest

    async def use(connection: Connection) -> None:
        nonlocal wanted
        silent = 0
        while True:
            message = await read(connection.reader, edge.layout.frame_bytes)
            if message.type != protocol.FRAME:
                raise WireError(f"it sent {protocol.TYPES[message.type]} instead of a frame")
            if (message.epoch, message.frame) != (epoch, wanted):
                raise WireError(
                    f"frame {message.frame} of epoch {message.epoch} instead of {wanted} of {epoch}"
                )
            wanted += 1
            await tickets.put(edge.name, message.frame, message.payload)
            silent += 1
            if silent >= _QUARTER_OF or not len(tickets):
                silent = 0
                values = {"credits": 1 << 16}
                connection.send(
                    Message(protocol.ACK, edge=edge.number, epoch=epoch, frame=wanted, values=values)
                )
                await connection.writer.drain()

    await _kept(edge, address, lambda: hello(edge, protocol.ROLE_SINK, epoch, wanted, token), use, note)


async def first_end(*parts: Coroutine[Any, Any, None]) -> None:
    """Run all; when one raises, cancel the others and raise the same.

    A group of asyncio is used because it does not lose a cancellation that arrives while it ends its tasks.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(part)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
