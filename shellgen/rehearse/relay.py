# SPDX-License-Identifier: BSD-3-Clause
"""TCP relays before nodes, so that a script can disturb the connection of a boundary."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")
Address = tuple[str, int]
ACT_SECONDS = 30.0  # until a fault was seen to act
_PIECE = 1 << 16  # bytes
_TICK = 0.02  # seconds between two looks


class _Route:
    """The connections through one relay, and what is done to their bytes.

    Attributes:
        open: Connections, by the side that connected.
        passed: Pieces that were forwarded.
        held: Seconds to hold the next piece back.
        inverts: Whether a bit of the next piece is to be inverted.
        steals: Whether the next piece is to be kept, and its connection to be broken on the near side.
        stolen: The piece, and the far side where it belongs.
        done: Set when one of these was done.
    """

    def __init__(self) -> None:
        self.open: set[asyncio.WriteTransport] = set()
        self.passed = 0
        self.held = 0.0
        self.inverts = self.steals = False
        self.stolen: tuple[bytes, asyncio.StreamWriter] | None = None
        self.done = asyncio.Event()

    def clear(self) -> None:
        """Disturb nothing any more."""
        self.held, self.inverts, self.steals, self.stolen = 0.0, False, False, None
        self.done.clear()


class Relays:
    """Relays in a thread of their own, as a context.

    Args:
        routes: From the address that a relay listens on to the one that it connects to.
    """

    def __init__(self, routes: dict[Address, Address]) -> None:
        self._routes = routes
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="relays")
        self._at = {here: _Route() for here in routes}
        self._servers: list[asyncio.Server] = []

    def __enter__(self) -> Relays:
        self._thread.start()
        self._wait(self._listen())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._wait(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def disturb(
        self, kind: str, here: Address, seconds: float, over: threading.Event, armed: Callable[[], None]
    ) -> bool:
        """Disturb the connection through a relay; return whether that was seen to act.

        Args:
            kind: ``cut``, ``delay``, ``reorder`` or ``corrupt``.
            here: Address of the relay.
            seconds: Of a delay.
            over: Ends the wait until there is something to disturb.
            armed: Called when the next bytes will be disturbed.
        """
        acts = {
            "cut": self._cut(here),
            "delay": self._delay(here, seconds),
            "reorder": self._reorder(here),
            "corrupt": self._corrupt(here),
        }
        work = acts.pop(kind)
        for other in acts.values():
            other.close()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._wait(asyncio.sleep(0))  # the coroutine has begun
        armed()
        end = time.monotonic() + ACT_SECONDS
        while not over.is_set() and time.monotonic() < end:
            with suppress(NotYet):
                return future.result(_TICK)
        future.cancel()
        return False

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _listen(self) -> None:
        for here, there in self._routes.items():

            async def carry(
                reader: asyncio.StreamReader,
                writer: asyncio.StreamWriter,
                here: Address = here,
                there: Address = there,
            ) -> None:
                with suppress(asyncio.CancelledError):  # at the end; asyncio would report it as an error
                    await self._carry(reader, writer, here, there)

            self._servers.append(await asyncio.start_server(carry, *here))

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, here: Address, there: Address
    ) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(*there)
        except OSError:
            writer.transport.abort()
            return
        route = self._at[here]
        # Ends of a connection only count as cut together.
        route.open.add(writer.transport)
        ways = [
            asyncio.ensure_future(_forth(route, reader, far_writer)),
            asyncio.ensure_future(_back(far_reader, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            route.open.discard(writer.transport)
            for way in ways:
                way.cancel()
            writer.transport.abort()
            if not (route.stolen and route.stolen[1] is far_writer):
                far_writer.transport.abort()

    async def _cut(self, here: Address) -> bool:
        route = self._at[here]
        while not (found := list(route.open)):  # an earlier fault may have broken it just now
            await asyncio.sleep(_TICK)
        for transport in found:
            transport.abort()
        return True

    async def _delay(self, here: Address, seconds: float) -> bool:
        """Hold the next bytes back; TCP keeps all behind them waiting."""
        route = self._at[here]
        try:
            route.held = seconds
            await route.done.wait()
        finally:
            route.clear()
        return True

    async def _corrupt(self, here: Address) -> bool:
        """Invert a bit, and wait until the other side has ended the connection because of it."""
        route = self._at[here]
        try:
            route.inverts = True
            await route.done.wait()
            before = set(route.open)
            while before & route.open:
                await asyncio.sleep(_TICK)
        finally:
            route.clear()
        return True

    async def _reorder(self, here: Address) -> bool:
        """Break a connection with bytes on their way, which arrive after the first of the next connection."""
        route = self._at[here]
        try:
            route.steals = True
            await route.done.wait()
            passed = route.passed
            while route.passed < passed + 2:  # HELLO and what follows
                await asyncio.sleep(_TICK)
            assert route.stolen
            data, far = route.stolen
            with suppress(OSError):  # the node may have closed what is out of date
                far.write(data)
                await far.drain()
            far.transport.abort()
        finally:
            route.clear()
        return True

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        own = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() if task is not own]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _forth(route: _Route, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy towards the node, with what is done to the bytes."""
    with suppress(OSError):
        while data := await reader.read(_PIECE):
            if route.held:
                await asyncio.sleep(route.held)  # if the connection breaks meanwhile, the next one is held
                route.held = 0.0
                route.done.set()
            if route.inverts:
                route.inverts = False
                middle = len(data) // 2
                data = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
                route.done.set()
            if route.steals:
                route.steals = False
                route.stolen = (data, writer)
                route.done.set()
                return
            writer.write(data)
            await writer.drain()
            route.passed += 1


async def _back(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_PIECE):
            writer.write(data)
            await writer.drain()
