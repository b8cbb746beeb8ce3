# SPDX-License-Identifier: BSD-3-Clause
"""The faults of a script: each acts once, when its frame has come, in a thread of its own."""

from __future__ import annotations

import queue
import signal
import threading
import time
from collections.abc import Mapping
from functools import partial
from types import TracebackType

from shellgen.rehearse.client import Client, first_behind
from shellgen.rehearse.disks import Disks
from shellgen.rehearse.network import Network
from shellgen.rehearse.packets import Packets
from shellgen.rehearse.processes import Node
from shellgen.rehearse.relay import ACT_SECONDS, Relays
from shellgen.rehearse.report import Acted
from shellgen.rehearse.script import CLIENT, Fault, Script

_TICK = 0.02


class Faults:
    """Breaks things while frames run, as a context.

    Args:
        script: What, and when.
        net: Where the relays are.
        nodes: Processes.
        client: Process.
        relays: Of the connections that are disturbed.
        packets: Those of the boundaries between cards.
        disks: Of the nodes.
    """

    def __init__(  # noqa: PLR0913 - all that can break
        self,
        script: Script,
        net: Network,
        nodes: Mapping[str, Node],
        client: Client,
        relays: Relays,
        packets: Packets,
        disks: Disks,
    ) -> None:
        self._ahead = sorted(script.fault, key=lambda fault: fault.frame)
        self._net, self._nodes, self._client, self._relays = net, nodes, client, relays
        self._packets, self._disks = packets, disks
        self._due: queue.Queue[Fault | None] = queue.Queue()
        self._over = threading.Event()
        self._acted: list[Acted] = []
        self._latest = 0.0  # result
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._act, daemon=True, name="faults")

    def __enter__(self) -> Faults:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self.end()

    def came(self, results: int) -> None:
        """Tell that so many results have come: what is due then acts."""
        now = time.monotonic()
        with self._lock:
            for acted in reversed(self._acted):
                acted.pause_s = max(acted.pause_s, now - max(acted.at, self._latest))
                if acted.at <= self._latest:
                    break  # earlier faults had their pauses before
            self._latest = now
        while self._ahead and self._ahead[0].frame <= results:
            self._due.put(self._ahead.pop(0))

    def end(self) -> tuple[Acted, ...]:
        """Return all faults of the script; nothing acts any more."""
        self._over.set()
        if self._thread.is_alive():
            self._due.put(None)
            self._thread.join()
        return (*self._acted, *map(_unseen, self._ahead))

    def _act(self) -> None:
        while fault := self._due.get():
            with self._lock:
                acted = _unseen(fault, time.monotonic())
                self._acted.append(acted)
            if not self._over.is_set():
                acted.seen = self._do(fault)
                self._client.open_gate(fault)

    def _do(self, fault: Fault) -> bool:
        if fault.on_connection:
            armed = partial(self._client.open_gate, fault)
            if fault.target in self._packets:
                return self._packets.disturb(fault.kind, fault.target, fault.seconds, self._over, armed)
            here = self._net.relay_of[fault.target]
            return self._relays.disturb(fault.kind, here, fault.seconds, self._over, armed)
        if fault.on_disk:
            return self._disks.fill(self._nodes[fault.target])
        number = signal.SIGKILL if fault.kind == "kill" else signal.SIGTERM
        if fault.target in self._nodes:
            node = self._nodes[fault.target]
            if fault.kind == "restart":
                node.settle()
            seen = node.strike(number) == (-number if fault.kind == "kill" else 0)
            time.sleep(fault.away)
            node.start()
            return seen
        assert fault.target == CLIENT
        before = self._client.starts
        self._client.strike(number, fault.away)
        end = time.monotonic() + fault.away + ACT_SECONDS
        while self._client.starts == before and time.monotonic() < end and not self._over.is_set():
            time.sleep(_TICK)
        return self._client.starts > before


def _unseen(fault: Fault, at: float = 0.0) -> Acted:
    return Acted(fault.said, seen=False, at=at, enough=first_behind(fault) + 1)
