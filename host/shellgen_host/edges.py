# SPDX-License-Identifier: BSD-3-Clause
"""Data connections of the client: one for each boundary, replaced whenever it breaks."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from shellgen_host import protocol
from shellgen_host.cluster_map import Edge
from shellgen_host.errors import HostError, LostError, RefusedError, reason
from shellgen_host.hosts import Address
from shellgen_host.security import Tokens
from shellgen_host.tickets import Tickets
from shellgen_host.wire import Connection, Message, WireError, connect, read, sealed_frame

_FIRST_PAUSE, _LONGEST_PAUSE = 0.004, 1.0
# A refusal for one of these may pass: the node has not begun the epoch, or still holds the old connection.
_PASSING = (protocol.FAULT_EPOCH, protocol.FAULT_BUSY)
_TOGETHER = 16  # results that are acknowledged together
_LONGEST_SILENCE = 0.002  # seconds until a result is acknowledged
_AGAIN = (OSError, EOFError, WireError)


class BrokenError(HostError):
    """The epoch cannot go on; a new one may."""


class LoadedError(BrokenError):
    """A node has loaded files on purpose; a new epoch must begin, and no frame has failed."""


class ReturnedError(BrokenError):
    """A replica is back that was away; a new epoch must begin, and no frame has failed."""


class HeldError(LostError):
    """Nodes may take no frames, for longer than the session waits."""


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


@dataclass(frozen=True)
class Epoch:
    """A run of frames without the loss of a node, the same for all boundaries.

    Attributes:
        number: Of the epoch.
        first: Number of its first frame.
        tokens: For the connections.
        tickets: Frames under way.
        note: Gets one line for each connection that broke.
    """

    number: int
    first: int
    tokens: Tokens
    tickets: Tickets
    note: Callable[[str], None]


def hello(edge: Edge, role: int, epoch: int, frame: int, token: bytes) -> Message:
    """Return the HELLO of a data connection."""
    values = {"low": protocol.VERSION, "high": protocol.VERSION, "role": role, "token": token}
    values |= {"frame_bytes": edge.layout.frame_bytes, "contract": edge.contract}
    return Message(protocol.HELLO, edge=edge.number, epoch=epoch, frame=frame, values=values)


def _greeting(edge: Edge, role: int, epoch: Epoch, frame: int) -> Message:
    return hello(edge, role, epoch.number, frame, epoch.tokens.of(role, edge.number))


async def _kept(  # noqa: PLR0913 - inputs of one edge in one epoch
    edge: Edge,
    address: Address,
    greeting: Callable[[], Message],
    tokens: Tokens,
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
            connection = await connect(address, greeting(), tokens.data(edge.node))
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
            note(f"the connection of {edge.name} to node {edge.node} broke: {reason(error)}")
        finally:
            connection.close()
        await backoff.pause()


def _in_reach(edge: Edge, epoch: Epoch, cursor: int) -> bool:
    """Tell whether a node may ask for this frame: none before is answered, and none that nobody has given."""
    place = cursor - epoch.first
    if place < 0:
        return False
    wanted = epoch.first + edge.frame_of(place)
    before = epoch.first + edge.frame_of(place - 1) if place else epoch.first - 1
    return wanted >= epoch.tickets.oldest and before < epoch.tickets.next


async def feed(edge: Edge, address: Address, epoch: Epoch) -> None:
    """Send the frames of one boundary, from the first that the node lacks, as its credits permit."""

    async def use(connection: Connection) -> None:
        cursor = connection.welcome.frame
        if not _in_reach(edge, epoch, cursor):
            oldest, newest = epoch.tickets.oldest, epoch.tickets.next
            raise WireError(
                f"it wants frame {cursor} of the boundary next; the network has {oldest} to {newest}"
            )
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
                ticket = await epoch.tickets.wait_for(epoch.first + edge.frame_of(cursor - epoch.first))
                payload = ticket.inputs[edge.stream]
                connection.writer.write(sealed_frame(edge.number, epoch.number, cursor, payload))
                cursor += 1
                await connection.writer.drain()

        await first_end(listen(), send())

    await _kept(
        edge,
        address,
        lambda: _greeting(edge, protocol.ROLE_SOURCE, epoch, 0),
        epoch.tokens,
        use,
        epoch.note,
    )


class _Receipts:
    """Acknowledges results, several together; soon, because a node may have room for only a few."""

    def __init__(self, edge: Edge, epoch: int, connection: Connection, wanted: int) -> None:
        self._edge, self._epoch, self._connection = edge, epoch, connection
        self._wanted = self._told = wanted
        self._timer: asyncio.TimerHandle | None = None

    def took(self, wanted: int) -> None:
        """Note that all before frame ``wanted`` have arrived."""
        self._wanted = wanted
        if wanted - self._told >= _TOGETHER:
            self._tell()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_LONGEST_SILENCE, self._tell)

    def end(self) -> None:
        """Say nothing more."""
        if self._timer:
            self._timer.cancel()
        self._timer = None

    def _tell(self) -> None:
        self.end()
        self._told = self._wanted
        edge, values = self._edge.number, {"credits": 1 << 16}
        self._connection.send(Message(protocol.ACK, edge, self._epoch, self._wanted, values=values))


async def drain(edge: Edge, address: Address, epoch: Epoch) -> None:
    """Take the results of one boundary, in order, each once."""
    wanted = epoch.first

    async def use(connection: Connection) -> None:
        nonlocal wanted
        receipts = _Receipts(edge, epoch.number, connection, wanted)
        try:
            while True:
                message = await read(connection.reader, edge.layout.frame_bytes)
                if message.type != protocol.FRAME:
                    raise WireError(f"it sent {protocol.TYPES[message.type]} instead of a frame")
                if (message.epoch, message.frame) != (epoch.number, wanted):
                    found = f"frame {message.frame} of epoch {message.epoch}"
                    raise WireError(f"{found} instead of {wanted} of {epoch.number}")
                number = epoch.first + edge.frame_of(wanted - epoch.first)
                wanted += 1
                await epoch.tickets.put(edge.stream, number, message.payload)
                receipts.took(wanted)
        finally:
            receipts.end()

    await _kept(
        edge,
        address,
        lambda: _greeting(edge, protocol.ROLE_SINK, epoch, wanted),
        epoch.tokens,
        use,
        epoch.note,
    )


async def first_end(*parts: Coroutine[Any, Any, None]) -> None:
    """Run all; when one raises, cancel the others, wait for them and raise the same.

    A cancellation from outside wins over an error of a part that comes at the same time. asyncio.TaskGroup of
    Python 3.11 and 3.12 loses it then (https://github.com/python/cpython/issues/116720), and who has
    cancelled waits forever.
    """
    tasks = [asyncio.ensure_future(part) for part in parts]
    cancelled: asyncio.CancelledError | None = None
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    except asyncio.CancelledError as error:
        cancelled = error
    failed = [task for task in tasks if task.done() and not task.cancelled() and task.exception()]
    for task in tasks:
        task.cancel()
    while not all(task.done() for task in tasks):
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled
    for task in failed:
        task.result()
