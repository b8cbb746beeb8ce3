# SPDX-License-Identifier: BSD-3-Clause
"""Coroutines in the event loop of another thread."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
STOP_SECONDS = 1.0  # for tasks that are cancelled


class Calls:
    """Starts coroutines from any thread, as asyncio.run_coroutine_threadsafe does.

    Its futures refer to no task, though. A thread that dropped the last reference to one would run a
    callback of asyncio's set of all tasks, in which Python loses the exception of a signal handler: Ctrl-C.

    Args:
        loop: Of the other thread.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._numbers = itertools.count()
        self._tasks: dict[int, asyncio.Task[Any]] = {}  # the loop itself does not keep them

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Return a future of the result; its cancellation cancels the work."""
        future: Future[T] = Future()
        self._loop.call_soon_threadsafe(self._start, work, future)
        return future

    def _start(self, work: Coroutine[Any, Any, T], future: Future[T]) -> None:
        number = next(self._numbers)
        self._tasks[number] = task = self._loop.create_task(work)
        task.add_done_callback(partial(self._ended, number, future))
        future.add_done_callback(partial(self._left, number))

    def _ended(self, number: int, future: Future[T], task: asyncio.Task[T]) -> None:
        del self._tasks[number]
        if task.cancelled():
            future.cancel()
        if not future.set_running_or_notify_cancel():
            return
        if error := task.exception():
            future.set_exception(error)
        else:
            future.set_result(task.result())

    def _left(self, number: int, future: Future[T]) -> None:
        if future.cancelled() and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._cancel, number)

    def _cancel(self, number: int) -> None:
        if task := self._tasks.get(number):
            task.cancel()

    def stop(self) -> None:
        """Cancel what has not ended, and stop the loop: Python would speak of tasks that are pending."""
        self._loop.call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        self._last = self._loop.create_task(self._end())

    async def _end(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=STOP_SECONDS)
        self._loop.stop()
