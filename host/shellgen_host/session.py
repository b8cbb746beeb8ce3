# SPDX-License-Identifier: BSD-3-Clause
"""A client's session with a cluster: control of all nodes, epochs, and what happens when something breaks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from shellgen_host import protocol
from shellgen_host.cluster_map import ClusterMap
from shellgen_host.edges import (
    Backoff,
    BrokenError,
    Epoch,
    HeldError,
    LoadedError,
    ReturnedError,
    drain,
    feed,
    first_end,
)
from shellgen_host.errors import HostError, LostError, RefusedError, reason
from shellgen_host.hosts import Hosts, exchanged, spelled
from shellgen_host.security import Tokens
from shellgen_host.tickets import LASTING, Ticket, Tickets
from shellgen_host.waits import waits
from shellgen_host.wire import Connection, Message, WireError, connect, greeting, read

PING_SECONDS, DEAD_SECONDS, EPOCH_SECONDS = 0.5, 4.0, 10.0
SPARE_SECONDS = 2.0  # that a replica may be away before the others take its turns
STATE_SECONDS = 1.0
LAST_EPOCH = (1 << 32) - 1  # the header has no number after it
_PASSING = (protocol.FAULT_BUSY,)  # the control connection of a client that has just died


@dataclass
class Control:
    """The control connection to one node.

    Attributes:
        node: Its name.
        connection: None while there is none.
        epoch: Of the node.
        state: The fields of its last PING.
        fresh: Set by each PING.
        holds: Whether it takes no frames on purpose, by its last PING.
        absent: Whether it is away, and other replicas take its turns.
    """

    node: str
    connection: Connection | None = None
    epoch: int = 0
    state: dict[str, Any] = field(default_factory=dict)
    fresh: asyncio.Event = field(default_factory=asyncio.Event)
    holds: bool = False
    absent: bool = False

    def close(self) -> None:
        """Close the connection."""
        if self.connection:
            self.connection.close()
        self.connection = None


class Session:
    """A session; runs in an event loop of asyncio.

    Args:
        cluster: The cluster.
        hosts: Where its nodes listen.
        window: Frames under way at most.
        patience: Seconds that a node may be away before its frames are given up, and seconds without any
            result before the nodes are reset.
        note: Gets one line for everything that broke.
        first: Number of the first frame.
        limit: Seconds without any result while nodes are drained or load files; None: as long as they do.
        lasts: When a node is away for too long, only frames of that time are given up, and not the session.
    """

    def __init__(  # noqa: PLR0913 - all of a session
        self,
        cluster: ClusterMap,
        hosts: Hosts,
        window: int,
        patience: float,
        note: Callable[[str], None],
        first: int = 0,
        limit: float | None = None,
        *,
        lasts: bool = False,
    ) -> None:
        self._cluster, self._hosts, self._patience, self._note = cluster, hosts, patience, note
        self._limit, self._lasts = limit, lasts
        outputs = tuple(edge.name for edge in cluster.outputs)
        self.tickets = Tickets(outputs, window, first, min(LASTING, patience))
        self.controls = {name: Control(name) for name in cluster.nodes}
        self._tokens = Tokens(hosts.token, hosts.tls)
        self.epoch = 0
        self.epochs = 0  # begun so far
        self._first = first  # frame of the epoch
        self._task: asyncio.Task[None] | None = None

    @property
    def absent(self) -> frozenset[str]:
        """Replicas that are away, and whose turns others take."""
        return frozenset(name for name, control in self.controls.items() if control.absent)

    async def start(self) -> Session:
        """Connect to all nodes and begin an epoch; return itself.

        Raises:
            HostError: A node refuses, or is not reached within the patience.
        """
        try:
            await self._begin_epoch()
        except BaseException:
            await self.close()
            raise
        self._task = asyncio.ensure_future(self._run())
        return self

    async def submit(self, inputs: dict[str, bytes]) -> Ticket:
        """Give in a frame, by boundary; waits while too many are under way."""
        return await self.tickets.add(inputs)

    async def refresh(self) -> None:
        """Ask all nodes for their state now; one that does not answer soon keeps its last."""
        for control in self.controls.values():
            control.fresh.clear()
            if control.connection:
                control.connection.send(Message(protocol.PING, epoch=self.epoch))
        answers = [asyncio.ensure_future(control.fresh.wait()) for control in self.controls.values()]
        _, late = await asyncio.wait(answers, timeout=STATE_SECONDS)
        for answer in late:
            answer.cancel()

    async def close(self) -> None:
        """End the session; frames without an answer are given up."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        for control in self.controls.values():
            if control.connection:
                control.connection.send(Message(protocol.BYE, epoch=self.epoch))
                control.connection.writer.close()
            control.connection = None
        await self.tickets.end(LostError("the session was closed"))

    async def _run(self) -> None:
        try:
            await self._go_on()
        except Exception as error:  # ours: nobody must wait for results that never come
            await self.tickets.end(LostError(f"the client failed: {error!r}; please report it"))
            raise

    async def _go_on(self) -> None:
        while True:
            try:
                await self._serve()
            except LoadedError as error:
                self._note(str(error))
            except ReturnedError:  # `_begin_epoch` notes it
                pass
            except HeldError as error:
                await self.tickets.end(error)
                return
            except (HostError, OSError, EOFError) as error:
                self._note(reason(error))
                await self.tickets.tried(reason(error))
            if not await self._recovered():
                return

    async def _recovered(self) -> bool:
        """Begin an epoch; return False where the session has ended because that cannot be done."""
        while True:
            try:
                await self._begin_epoch()
            except HostError as error:
                if not self._lasts:
                    await self.tickets.end(LostError(str(error)))
                    return False
                self._note(str(error))
                await self.tickets.give_up(LostError(str(error)))
                await asyncio.sleep(PING_SECONDS)
            else:
                return True

    async def _serve(self) -> None:
        """Move frames until the epoch cannot go on, which raises."""
        epoch = Epoch(self.epoch, self._first, self._tokens, self.tickets, self._note)
        address, cluster, absent = self._hosts, self._cluster, self.absent
        await first_end(
            self._watch_progress(),
            *(self._watch(control) for control in self.controls.values() if not control.absent),
            *(self._await(control) for control in self.controls.values() if control.absent),
            *(feed(edge, address[edge.node], epoch) for edge in cluster.without(cluster.sources, absent)),
            *(drain(edge, address[edge.node], epoch) for edge in cluster.without(cluster.sinks, absent)),
        )

    async def _await(self, control: Control) -> None:
        """Raise ReturnedError when a replica is back: the next epoch gives it its turns again."""
        while control.connection is None:
            await asyncio.sleep(PING_SECONDS)
            with suppress(RefusedError, OSError, WireError):
                await self._connect(control)
        raise ReturnedError(control.node)

    async def _watch_progress(self) -> None:
        """Raise BrokenError or HeldError when frames wait for too long, although all nodes answer."""
        seen, told = -1, list[str]()
        since = still = time.monotonic()  # without a result: not counting what nodes are held for, and in all
        while True:
            held = [control.node for control in self.controls.values() if control.holds]
            if held and held != told:
                names = ", ".join(held)
                self._note(f"{names} may take no frames, drained or loading a file; see `status`")
            told = held
            if not len(self.tickets) or self.tickets.oldest != seen:
                seen = self.tickets.oldest
                since = still = time.monotonic()
            elif held:
                since = time.monotonic()
                if self._limit is not None and since - still > self._limit:
                    text = f"no result came for {self._limit:g} s, and {', '.join(held)} may take no frames"
                    raise HeldError(
                        f"{text}, drained or loading a file; `drain --end` lets drained ones go on"
                    )
            elif time.monotonic() - since > self._patience:
                raise BrokenError(f"no result came for {self._patience:g} s; {self._where()}")
            await asyncio.sleep(min(PING_SECONDS, self._patience / 4))

    def _where(self) -> str:
        """Return who waits for whom, as far as the counters of the nodes show it."""
        return waits(self._cluster, {name: control.state for name, control in self.controls.items()})

    async def _watch(self, control: Control) -> None:
        """Ask a node for its state again and again; raise BrokenError when it does not answer."""
        connection = control.connection
        if connection is None:
            raise BrokenError(f"node {control.node} is not connected")
        heard = time.monotonic()

        async def listen() -> None:
            nonlocal heard
            while True:
                message = await read(connection.reader)
                heard = time.monotonic()
                if message.type == protocol.FAULT:
                    loaded = message.values["code"] == protocol.FAULT_LOADED
                    kind = LoadedError if loaded else BrokenError
                    raise kind(f"node {control.node} reports: {message.fault}")
                if message.type == protocol.PING:
                    control.state = message.values
                    control.holds = bool(message.flags & protocol.FLAG_HOLDS)
                    control.fresh.set()

        async def ask() -> None:
            while True:
                connection.send(Message(protocol.PING, epoch=self.epoch))
                await connection.writer.drain()
                await asyncio.sleep(PING_SECONDS)
                if time.monotonic() - heard > DEAD_SECONDS:
                    raise BrokenError(f"node {control.node} has not answered for {DEAD_SECONDS:g} s")

        try:
            await first_end(listen(), ask())
        except (OSError, EOFError, WireError):
            control.close()
            raise BrokenError(f"the connection to node {control.node} broke") from None
        except BrokenError as error:
            if "reports" not in str(error):
                control.close()
            raise

    async def _begin_epoch(self) -> None:
        """Begin an epoch on all nodes, as often as it takes while they are reached.

        Raises:
            HostError: One refuses for good, or is not reached within the patience.
        """
        end = time.monotonic() + self._patience
        backoff = Backoff()
        while True:
            for control in self.controls.values():
                if control.absent and control.connection:  # whatever has ended the epoch before
                    self._note(f"node {control.node} is back, and gets its turns again")
                control.absent = control.absent and control.connection is None and self._spared(control)
            await first_end(*(self._reach(control, end) for control in self.controls.values()))
            self.epoch = 1 + max(self.epoch, *(control.epoch for control in self.controls.values()))
            if self.epoch >= LAST_EPOCH:
                raise LostError(f"a node is in epoch {self.epoch - 1}, the last; restart all nodes")
            self._first = self.tickets.oldest
            self._tokens.begin(self.epoch)
            wrong = await self._order_all()
            if not wrong:
                self.epochs += 1
                return
            self._note(wrong[0])
            if time.monotonic() > end:
                raise LostError(wrong[0])
            await backoff.pause()

    async def _order_all(self) -> list[str]:
        """Let all nodes begin the epoch; return what went wrong.

        Of the cores that hardware joins, all are held before one is released, which would get frames of the
        epoch before, or send into one that does not take them.
        """
        present = [
            (number, control) for number, control in enumerate(self.controls.values()) if not control.absent
        ]
        held = [one for one in present if one[1].node in self._cluster.held]
        for some, flags in ((held, protocol.FLAG_HOLD), (present, 0)):
            begun = await asyncio.gather(*(self._order(*one, flags) for one in some))
            if wrong := [text for text in begun if text]:
                return wrong
        return []

    def _spared(self, control: Control) -> bool:
        """Return whether other replicas are there to take the turns of this one."""
        gone = self.absent | {control.node}
        if (
            not self._cluster.works(gone) or gone & self._cluster.held
        ):  # whose neighbours wait for its network
            return False
        replicas = self._cluster.replicas - self._cluster.idle(gone)
        return any(self.controls[name].connection for name in replicas)

    async def _connect(self, control: Control) -> None:
        """Connect to a node.

        Raises:
            InputError, RefusedError, OSError, WireError: As `connect` and `Tokens.check`.
        """
        hello = greeting(protocol.ROLE_CONTROL, self._cluster.nodes[control.node], self._hosts.token)
        connection = await connect(self._hosts[control.node], hello, self._tokens.control(control.node))
        control.connection, control.epoch = connection, connection.welcome.epoch
        self._tokens.check(control.node, connection.welcome.flags)

    async def _reach(self, control: Control, end: float) -> None:
        """Connect to a node unless that is done, or it is away and others take its turns."""
        backoff = Backoff()
        spare_end = min(end, time.monotonic() + min(SPARE_SECONDS, self._patience / 4))
        where = spelled(self._hosts[control.node])
        while control.connection is None and not control.absent:
            if time.monotonic() > spare_end and self._spared(control):
                control.absent = True
                self._note(f"node {control.node} is away; other replicas take its turns")
                return
            try:
                await self._connect(control)
            except RefusedError as error:
                if error.code not in _PASSING or time.monotonic() > end:
                    text = f"node {control.node} at {where} refuses: {error}"
                    hint = exchanged(control.node, self.controls, str(error))
                    raise RefusedError(text + hint, error.code) from None
            except (OSError, WireError) as error:
                if time.monotonic() > end:
                    text = f"node {control.node} at {where} was not reached for {self._patience:g} s: "
                    raise LostError(
                        f"{text}{reason(error)}; start shellgen-node there, or correct hosts.toml"
                    ) from None
            else:
                return
            await backoff.pause()

    async def _order(self, number: int, control: Control, flags: int) -> str:
        """Let a node begin the epoch, or hold its core for it; return what went wrong, or nothing."""
        connection = control.connection
        if connection is None:
            return f"node {control.node} is not connected"

        async def answer() -> str:
            idle = self._cluster.idle(self.absent)
            out = [one.out(idle) for one in self._cluster.turns[control.node]]
            values = {"key": self._tokens.key, "number": number}
            values["out"] = b"".join(one.to_bytes(2, "little") for one in out)
            order = Message(protocol.EPOCH, epoch=self.epoch, frame=self._first, flags=flags, values=values)
            connection.send(order)
            while True:
                message = await read(connection.reader)
                if message.type == protocol.FAULT and message.epoch >= self.epoch:
                    return f"node {control.node} cannot begin epoch {self.epoch}: {message.fault}"
                answered = message.flags & protocol.FLAG_HOLD == flags
                if message.type == protocol.EPOCH and message.epoch == self.epoch and answered:
                    control.epoch = self.epoch
                    return ""

        try:
            async with asyncio.timeout(EPOCH_SECONDS):
                return await answer()
        except (OSError, EOFError, WireError, TimeoutError):
            control.close()
            return f"the connection to node {control.node} broke"
