# SPDX-License-Identifier: BSD-3-Clause
"""A socket in place of a network that loses datagrams, for tests of programs that speak `vnx_udp`."""

from __future__ import annotations

import random
from typing import Any


class Lossy:
    """A socket that loses some of what comes, and of what leaves."""

    def __init__(self, inner: Any, loss: float) -> None:
        self._inner, self._loss, self._chance, self.lost = inner, loss, random.Random(1), 0

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
        return len(data) if self._loses() else int(self._inner.send(data))
