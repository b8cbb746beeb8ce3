# SPDX-License-Identifier: BSD-3-Clause
"""A network between two UDP ports that loses, doubles, delays, cuts and alters what it carries."""

from __future__ import annotations

import random
import socket
from dataclasses import dataclass

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Faults:
    """Probability of each fault for a datagram, and number of later ones that pass a delayed one."""

    loss: float = 0.0
    double: float = 0.0
    delay: float = 0.0
    cut: float = 0.0
    alter: float = 0.0
    overtaken: int = 6

    def of(self, datagram: bytes, chance: random.Random) -> bytes:
        """Return what is left of a datagram."""
        if len(datagram) > 20 and chance.random() < self.cut:
            datagram = datagram[: chance.randrange(18, len(datagram))]
        if chance.random() < self.alter:
            place, bit = chance.randrange(len(datagram)), 1 << chance.randrange(8)
            datagram = datagram[:place] + bytes([datagram[place] ^ bit]) + datagram[place + 1 :]
        return datagram


def free_address() -> tuple[str, int]:
    """Return an address that nobody uses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind((HOST, 0))
        return HOST, int(one.getsockname()[1])


@dataclass
class Held:
    """A datagram that waits for a number of later ones to pass it."""

    left: int
    datagram: bytes
    target: tuple[str, int]


class Proxy:
    """One socket, between two ports: what comes from one goes to the other.

    Attributes:
        carried: Datagrams that came in.
        struck: Those that had a fault.
    """

    def __init__(self, faults: Faults, seed: int) -> None:
        self.faults, self.chance = faults, random.Random(seed)
        self.carried = self.struck = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((HOST, 0))
        self._socket.setblocking(False)
        self.address: tuple[str, int] = self._socket.getsockname()
        self.ends: tuple[tuple[str, int], tuple[str, int]] | None = None
        self._held: list[Held] = []

    def fileno(self) -> int:
        return self._socket.fileno()

    def pump(self, _: float) -> int:
        """Carry what has come."""
        assert self.ends is not None
        count = 0
        while True:
            try:
                datagram, source = self._socket.recvfrom(65536)
            except (BlockingIOError, ConnectionRefusedError):
                break
            count += 1
            self._carry(datagram, self.ends[source == self.ends[0]])
        if not count:  # nothing passes delayed datagrams any more
            for one in self._held:
                self._socket.sendto(one.datagram, one.target)
            self._held.clear()
        return count

    def _carry(self, datagram: bytes, target: tuple[str, int]) -> None:
        self.carried += 1
        for one in self._held:
            one.left -= 1
        ripe = [one for one in self._held if not one.left]
        self._held = [one for one in self._held if one.left]
        faults, copies = self.faults, 1
        if self.chance.random() < faults.loss:
            copies = 0
        elif self.chance.random() < faults.double:
            copies = 2
        altered = faults.of(datagram, self.chance)
        late = copies > 0 and self.chance.random() < faults.delay
        self.struck += copies != 1 or altered != datagram or late
        if late:
            self._held.append(Held(self.chance.randint(1, faults.overtaken), altered, target))
            copies -= 1
        for _ in range(copies):
            self._socket.sendto(altered, target)
        for one in ripe:
            self._socket.sendto(one.datagram, one.target)

    def close(self) -> None:
        self._socket.close()
