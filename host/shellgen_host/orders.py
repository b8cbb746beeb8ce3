# SPDX-License-Identifier: BSD-3-Clause
"""Orders to nodes, beside a client that may control them: hold, go on, end, and files to load."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType

from shellgen_host import protocol
from shellgen_host.cluster_map import ClusterMap
from shellgen_host.errors import HostError, LostError, RefusedError, reason
from shellgen_host.hosts import Hosts, spelled
from shellgen_host.security import Tokens
from shellgen_host.signing import SignedFile
from shellgen_host.wire import Connection, Message, WireError, connect, greeting, read

HOLD, GO_ON, END = 1, 2, 3
_PIECE = 4096
_AHEAD = 32  # pieces without an answer
_PING_SECONDS, _LOOK_SECONDS = 1.0, 0.05


@dataclass(frozen=True)
class NodeState:
    """State of a node, as it reports it.

    Attributes:
        epoch: Its epoch; 0 before the first.
        holds: Whether it takes no frames into its core: it was ordered so, or loads a file.
        empty: Whether no frame is in its core, and all that it has put out is acknowledged.
        counters: Of its epoch.
    """

    epoch: int
    holds: bool
    empty: bool
    counters: dict[str, int]


@dataclass
class Order:
    """A connection for orders to one node, as an asynchronous context.

    Attributes:
        node: Name.
        connection: Set within the context.
    """

    cluster: ClusterMap
    hosts: Hosts
    node: str
    connection: Connection | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def __aenter__(self) -> Order:
        tokens = Tokens(self.hosts.token, self.hosts.tls)
        hello = greeting(protocol.ROLE_ORDERS, self.cluster.nodes[self.node], tokens.fixed)
        try:
            self.connection = await connect(self.hosts[self.node], hello, tokens.control(self.node))
        except RefusedError as error:
            raise RefusedError(f"node {self.node} refuses: {error}", error.code) from None
        except (OSError, WireError) as error:
            raise self._lost(error) from None
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        if self.connection:
            with suppress(OSError):
                self.connection.send(Message(protocol.BYE))
                await self.connection.writer.drain()
            self.connection.writer.close()
            self.connection = None

    @property
    def busy(self) -> bool:
        """Whether an order waits for its answer."""
        return self._lock.locked()

    def _lost(self, error: Exception) -> LostError:
        where, why = spelled(self.hosts[self.node]), reason(error) or "no answer"
        text = f"node {self.node} at {where} was not reached: {why}"
        return LostError(f"{text}; start shellgen-node there, or correct hosts.toml")

    async def _ask(self, message: Message, wanted: int) -> Message:
        async with self._lock:
            await self._send(message)
            return await self._answer(wanted)

    async def _send(self, message: Message) -> None:
        assert self.connection
        try:
            self.connection.send(message)
            await self.connection.writer.drain()
        except OSError as error:
            raise self._lost(error) from None

    async def _answer(self, wanted: int) -> Message:
        assert self.connection
        try:
            while True:
                message = await read(self.connection.reader)
                if message.type == protocol.FAULT:
                    code = message.values["code"]
                    raise RefusedError(f"node {self.node} refuses: {message.fault}", code)
                if message.type == wanted:
                    return message
        except (OSError, EOFError, WireError) as error:
            raise self._lost(error) from None

    async def state(self) -> NodeState:
        """Ask for the state."""
        answer = await self._ask(Message(protocol.PING), protocol.PING)
        flags = answer.flags
        holds, empty = bool(flags & protocol.FLAG_HOLDS), bool(flags & protocol.FLAG_EMPTY)
        return NodeState(answer.epoch, holds, empty, dict(answer.values))

    async def give(self, what: int) -> None:
        """Give an order without a file: `HOLD`, `GO_ON` or `END`."""
        await self._ask(Message(protocol.ORDER, values={"what": what}), protocol.ORDER)

    async def drained(self, end: float, *, waiting: bool = False) -> NodeState:
        """Wait until the node is empty; return its state, empty or not.

        Args:
            end: Time of the event loop after which it does not wait.
            waiting: No frame may wait for the core, either.
        """
        while True:
            state = await self.state()
            done = state.empty and not (waiting and state.counters["waiting"])
            if done or asyncio.get_running_loop().time() >= end:
                return state
            await asyncio.sleep(_LOOK_SECONDS)

    async def store(self, file: SignedFile) -> bool:
        """Send a file unless the node has it; return whether it was sent."""
        async with self._lock:
            await self._send(Message(protocol.STORE, values=file.fields()))
            first = have = sent = (await self._answer(protocol.STORE)).frame
            size = len(file.content)
            while have < size:
                while sent < size and sent - have < _AHEAD * _PIECE:
                    data = file.content[sent : sent + _PIECE]
                    values = {"length": len(data), "data": data}
                    await self._send(Message(protocol.PIECE, frame=sent, values=values))
                    sent += len(data)
                have = (await self._answer(protocol.ACK)).frame
            return first < size

    async def load(self, files: Load) -> None:
        """Load files that the node has; returns when it has done so."""
        values = {
            "bitstream": files.bitstream.hash if files.bitstream else b"",
            "weights": files.weights.hash if files.weights else b"",
        }
        async with self._lock:
            await self._send(Message(protocol.LOAD, values=values))
            answer = asyncio.ensure_future(self._answer(protocol.LOAD))
            while True:
                done, _ = await asyncio.wait([answer], timeout=_PING_SECONDS)
                if done:
                    answer.result()
                    return
                await self._send(Message(protocol.PING))  # a node cuts off who says nothing


@dataclass(frozen=True)
class Load:
    """Files for a node to load."""

    bitstream: SignedFile | None = None
    weights: SignedFile | None = None


async def load_all(
    cluster: ClusterMap, hosts: Hosts, loads: Mapping[str, Load], note: Callable[[str], None]
) -> None:
    """Load files on some nodes, so that no frame passes through old ones on one node and new ones on another.

    All nodes of the cluster hold meanwhile. Loading ends the epoch, so that frames under way are sent again.

    Args:
        cluster: The cluster.
        hosts: Where its nodes listen.
        loads: By node.
        note: Gets one line for each step.

    Raises:
        HostError: A node is not reached or refuses; if something was loaded, nodes go on holding.
    """
    orders = [Order(cluster, hosts, name) for name in cluster.nodes]
    async with Together(orders):
        chosen = [order for order in orders if order.node in loads]
        for order in chosen:  # what can be refused is, before anything is held
            for file in filter(None, (loads[order.node].bitstream, loads[order.node].weights)):
                sent = await order.store(file)
                note(f"{order.node}: {len(file.content)} bytes {'sent' if sent else 'are there already'}")
        await asyncio.gather(*(order.give(HOLD) for order in orders))
        work = [order.load(loads[order.node]) for order in chosen]
        done = await asyncio.gather(*work, return_exceptions=True)
        failed = [error for error in done if isinstance(error, BaseException)]
        if len(failed) < len(chosen) and failed:
            raise HostError(f"{failed[0]}; the other nodes hold until all have their files")
        await asyncio.gather(*(order.give(GO_ON) for order in orders))
        if failed:
            raise failed[0]
        for order in chosen:
            note(f"{order.node}: loaded")


class Together:
    """Contexts of several orders, kept alive while one of them takes its time."""

    def __init__(self, orders: Iterable[Order]) -> None:
        self._orders = list(orders)
        self._alive: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        done = await asyncio.gather(*(one.__aenter__() for one in self._orders), return_exceptions=True)
        for error in done:
            if isinstance(error, BaseException):
                await self.__aexit__(None, None, None)
                raise error
        self._alive = asyncio.ensure_future(self._keep())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        if self._alive:
            self._alive.cancel()
            await asyncio.wait([self._alive])
        await asyncio.gather(*(one.__aexit__(kind, error, place) for one in self._orders))

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(_PING_SECONDS)
            for order in self._orders:
                if not order.busy:
                    with suppress(HostError):
                        await order.state()
