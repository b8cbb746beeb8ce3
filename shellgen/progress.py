# SPDX-License-Identifier: BSD-3-Clause
"""Progress of a long command: packages report it here, and a listener shows it.

A package calls `step` wherever more than a moment may pass, without knowing the listener; without one,
`step` does nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

# Receives the phase ("C++") and how far it is ("3 of 5", or nothing).
Listener = Callable[[str, str], None]
# Receives what goes on at the same time, a line for each, and what is new.
Watcher = Callable[[Sequence[str], str], None]
T = TypeVar("T")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def listening(listener: Listener, watcher: Watcher | None = None) -> Iterator[None]:
    """Send every step of the block to ``listener``; of threads that it starts, only those of `Tally`.

    Args:
        listener: Called with each step.
        watcher: Sees what goes on at the same time (`rows`).
    """
    token, other = _listener.set(listener), _watcher.set(watcher)
    try:
        yield
    finally:
        _listener.reset(token)
        _watcher.reset(other)


def step(phase: str, detail: str = "") -> None:
    """Say what is being done, in a few words; ``detail`` changes while a phase goes on."""
    listener = _listener.get()
    if listener:
        listener(phase, detail)


@contextmanager
def part(name: str, number: int, of: int) -> Iterator[None]:
    """Say with every step of the block which part of the whole it belongs to: ``stitch (2 of 4): FINN``."""
    listener = _listener.get()
    token = _listener.set(
        (lambda phase, detail: listener(f"{name} ({number} of {of}): {phase}", detail)) if listener else None
    )
    try:
        yield
    finally:
        _listener.reset(token)


def rows(lines: Sequence[str], news: str = "") -> None:
    """Say what goes on at the same time: lines that replace those before, and a line that stays."""
    watcher = _watcher.get()
    if watcher:
        watcher(lines, news)


def each(phase: str, items: Sequence[T]) -> Iterator[T]:
    """Yield the items, and say before each which one it is: ``reading partition 3 of 5``."""
    for index, item in enumerate(items, 1):
        step(phase, f"{index} of {len(items)}")
        yield item


class Tally:
    """Counts what several threads finish, of a total that may grow meanwhile: ``C++ 3 of 5``."""

    def __init__(self, phase: str) -> None:
        self._phase, self._listener = phase, _listener.get()
        self._lock = threading.Lock()
        self._done = self._total = 0

    def expect(self, more: int) -> None:
        """Let so many more things be to do."""
        self._say(0, more)

    def finish(self) -> None:
        """Let one more be done."""
        self._say(1, 0)

    def _say(self, done: int, more: int) -> None:
        with self._lock:
            self._done, self._total = self._done + done, self._total + more
            if self._listener:
                self._listener(self._phase, f"{self._done} of {self._total}")
