# SPDX-License-Identifier: BSD-3-Clause
"""A TCP relay before a node, so that a script can cut the connection of a boundary."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")
Address = tuple[str, int]
_PIECE = 1 << 16  # bytes


class Relays:
    """Relays in a thread of their own, as a context.

    Args:
        routes: From the address that a relay listens on to the one that it connects to.
    """

    def __init__(self, routes: dict[Address, Address]) -> None:
        self._routes = routes
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="relays")
        self._open: dict[Address, set[asyncio.WriteTransport]] = {here: set() for here in routes}
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

    def cut(self, here: Address) -> int:
        """Cut all connections through a relay with a reset; return their number."""
        return self._wait(self._cut(here))

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
        # Ends of a connection only count as cut together.
        self._open[here].add(writer.transport)
        ways = [
            asyncio.ensure_future(_copy(reader, far_writer)),
            asyncio.ensure_future(_copy(far_reader, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._open[here].discard(writer.transport)
            for way in ways:
                way.cancel()
            writer.transport.abort()
            far_writer.transport.abort()

    async def _cut(self, here: Address) -> int:
        found = list(self._open[here])
        for transport in found:
            transport.abort()
        return len(found)

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        own = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() if task is not own]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_PIECE):
            writer.write(data)
            await writer.drain()
