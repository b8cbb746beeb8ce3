# SPDX-License-Identifier: BSD-3-Clause
"""Packets between cards that a script disturbs, by orders to the models of cards (host/node/card_model)."""

from __future__ import annotations

import hashlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count

from shellgen.model.memory_map import MemoryMap
from shellgen.rehearse.card_text import joined_streams
from shellgen.rehearse.relay import ACT_SECONDS
from shellgen.rehearse.script import Script

_PORT = 2055
_CUT_SECONDS = 0.2
_AGAIN = 0.1  # seconds until an order is repeated: its card may just have been started again


def card_boundaries(found: MemoryMap) -> dict[str, str]:
    """Return the boundaries that hardware carries, with the card that sends, or takes what a board sends."""
    ends = {
        direction: {
            stream.boundary: node.name
            for node in found.nodes
            for joined in (joined_streams(node),)
            for stream in node.streams
            if stream.index in joined and stream.direction == direction
        }
        for direction in ("rx", "tx")
    }
    return ends["rx"] | ends["tx"]


class Packets:
    """Disturbs packets of the boundaries between cards.

    Args:
        found: The cluster.
        network: First three numbers of the loopback addresses that stand for the network of the cards.
        script: What will be disturbed.
    """

    def __init__(self, found: MemoryMap, network: str, script: Script) -> None:
        self._numbers: Iterator[int] = count(1)
        self._cards = card_boundaries(found)
        places = {node.name: f"{network}.{place}" for place, node in enumerate(found.nodes, 1)}
        targets = {fault.target for fault in script.fault if fault.on_connection}
        self.orders = {node: places[node] for name, node in self._cards.items() if name in targets}

    def __contains__(self, boundary: object) -> bool:
        return boundary in self._cards

    def disturb(
        self, kind: str, boundary: str, seconds: float, over: threading.Event, armed: Callable[[], None]
    ) -> bool:
        """Disturb the next packets of a boundary; return whether that was seen to act.

        Args:
            kind: ``cut``, ``delay``, ``reorder`` or ``corrupt``.
            boundary: Its name.
            seconds: Of a delay.
            over: Ends the wait until there is something to disturb.
            armed: Called when the next packet will be disturbed.
        """
        number = next(self._numbers)
        link = int(hashlib.sha256(boundary.encode()).hexdigest()[:4], 16)
        last = _CUT_SECONDS if kind == "cut" else seconds
        order = f"{number} {kind} {link} {round(1e3 * last)}".encode()
        waits, end = True, time.monotonic() + ACT_SECONDS + last
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.settimeout(_AGAIN)
            while time.monotonic() < end and not over.is_set():
                own.sendto(order, (self.orders[self._cards[boundary]], _PORT))
                try:
                    answer = own.recv(100).decode()
                except OSError:
                    continue
                if answer == f"{number} done":
                    return True
                if answer == f"{number} armed" and waits:
                    waits = False
                    armed()
        return False
