# SPDX-License-Identifier: BSD-3-Clause
"""A network that loses datagrams, and ends in place of cards, for tests of programs of `vnx_udp`."""

from __future__ import annotations

import random
import threading
from abc import ABC, abstractmethod
from typing import Any, Self

LARGE = 1000  # bytes of a datagram that carries payload, and is no ACK


class Lossy:
    """A socket that loses some of what comes and leaves, and in any case the first payload that it sends."""

    def __init__(self, inner: Any, loss: float) -> None:
        self._inner, self._loss, self._chance, self.lost = inner, loss, random.Random(1), 0
        self._first = loss > 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _loses(self) -> bool:
        struck = self._chance.random() < self._loss
        self.lost += struck
        return struck

    def recv(self, size: int) -> bytes:
        while True:
            found: bytes = self._inner.recv(size)
            if not self._loses():
                return found

    def send(self, data: bytes) -> int:
        lost = self._loses()
        if self._first and len(data) >= LARGE:
            self._first, lost = False, True
        return len(data) if lost else int(self._inner.send(data))


class Served(ABC):
    """Ends that a thread serves while a program runs.

    Attributes:
        ports: Their ports.
    """

    ports: list[Any]

    def __init__(self) -> None:
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._serve)

    @abstractmethod
    def _serve(self) -> None:
        """Serve the ports until `_end` is set."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        for port in self.ports:
            port.close()
