# SPDX-License-Identifier: BSD-3-Clause
"""Frames that have been given in and not yet answered, in order."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field

from shellgen_host.errors import LostError

MOST_TRIES = 3
LASTING = 5.0  # seconds: nodes that die in quick succession say nothing about a frame


@dataclass
class Ticket:
    """A frame under way.

    Attributes:
        number: Of the frame.
        inputs: Its bytes by boundary of the client.
        answer: Becomes the bytes of the results, by boundary.
        results: Those that have arrived.
        answered: Whether the answer is complete. It stays among the open ones while an older one is not.
        tries: Epochs that ended while this was the oldest frame without an answer.
        first_try: When the first of them ended.
        sent: When it was given in, seconds of a monotonic clock.
    """

    number: int
    inputs: dict[str, bytes]
    answer: asyncio.Future[dict[str, bytes]]
    results: dict[str, bytes] = field(default_factory=dict)
    answered: bool = False
    tries: int = 0
    first_try: float = 0.0
    sent: float = field(default_factory=time.monotonic)


class Tickets:
    """All frames under way, at most ``most``.

    Args:
        outputs: Boundaries that answer a frame.
        most: Frames under way; `add` waits while there are as many.
        first: Number of the first frame.
        lasting: Seconds that the tries of a frame take at least, before it is given up.
    """

    def __init__(self, outputs: tuple[str, ...], most: int, first: int = 0, lasting: float = LASTING) -> None:
        self._outputs, self._most, self._lasting = outputs, most, lasting
        self._open: dict[int, Ticket] = {}
        self._room = asyncio.Condition()
        self._fresh = asyncio.Event()
        self._ended: LostError | None = None
        self.next = first
        self.answered = 0
        self.seconds: deque[float] = deque(maxlen=100_000)  # that each answer took

    @property
    def oldest(self) -> int:
        """Number of the oldest frame without an answer, or of the next one."""
        return next(iter(self._open), self.next)

    def __len__(self) -> int:
        return len(self._open)

    async def add(self, inputs: dict[str, bytes]) -> Ticket:
        """Take a frame, as soon as there is room.

        Raises:
            LostError: The cluster is given up.
        """
        async with self._room:
            await self._room.wait_for(lambda: self._ended or len(self._open) < self._most)
            if self._ended:
                raise self._ended
            ticket = Ticket(self.next, inputs, asyncio.get_running_loop().create_future())
            self._open[self.next] = ticket
            self.next += 1
            self._fresh.set()
            return ticket

    async def wait_for(self, number: int) -> Ticket:
        """Return the frame of a number, once it has been given in."""
        while number >= self.next:
            self._fresh.clear()
            await self._fresh.wait()
        return self._open[number]

    async def put(self, boundary: str, number: int, payload: bytes) -> None:
        """Take a result; the answer is complete when all boundaries have one.

        A result that arrives again after a new epoch is the same, and changes nothing.
        """
        ticket = self._open.get(number)
        if ticket is None:
            return
        ticket.results[boundary] = payload
        if len(ticket.results) < len(self._outputs):
            return
        if ticket.answered:
            return
        ticket.answered = True
        self._drop()
        self.answered += 1
        self.seconds.append(time.monotonic() - ticket.sent)
        if not ticket.answer.done():
            ticket.answer.set_result(ticket.results)
        async with self._room:
            self._room.notify_all()

    def _drop(self) -> None:
        """Forget what is answered, up to the oldest that is not: a new epoch begins with that one."""
        while self._open and (first := next(iter(self._open.values()))).answered:
            del self._open[first.number]

    async def tried(self, why: str) -> None:
        """Count an epoch that has ended; give up its oldest frame after `MOST_TRIES` in some seconds."""
        ticket = next(iter(self._open.values()), None)
        if ticket is None:
            return
        ticket.tries += 1
        if ticket.tries == 1:
            ticket.first_try = time.monotonic()
        if ticket.tries >= MOST_TRIES and time.monotonic() - ticket.first_try >= self._lasting:
            del self._open[ticket.number]
            self._drop()
            text = f"frame {ticket.number} got no result in {ticket.tries} tries, the last time because {why}"
            self._refuse(ticket, LostError(text, ticket.number))
            async with self._room:
                self._room.notify_all()

    async def end(self, error: LostError) -> None:
        """Give up all frames, those to come included."""
        self._ended = error
        await self.give_up(error)

    async def give_up(self, error: LostError) -> None:
        """Give up all frames under way."""
        for ticket in self._open.values():
            self._refuse(ticket, LostError(str(error), ticket.number))
        self._open.clear()
        async with self._room:
            self._room.notify_all()

    @staticmethod
    def _refuse(ticket: Ticket, error: LostError) -> None:
        if not ticket.answer.done():
            ticket.answer.set_exception(error)
            ticket.answer.exception()  # or asyncio complains when the caller waits no more
