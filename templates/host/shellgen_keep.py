# SPDX-License-Identifier: BSD-3-Clause
"""A card that no stream of the host reaches, and whose core keeps streams in memory. Python 3.8 or later.

XRT gives memory to a process, and takes it back when that ends; so this one runs as long as frames do.

Source: docs/vitis.md of shellgen, Streams in memory.
"""

import signal
import threading
from contextlib import contextmanager

from shellgen_core import Core
from shellgen_ring import Rings

LOOK = 1.0  # seconds from one look at the rings to the next


def keep(entry, bus, stopped):
    """Let the rings of a core use memory of the card until it is to stop.

    Args:
        entry: Of the node in the map.
        bus: An `shellgen_xrt.XrtBus`.
        stopped: Its ``wait(seconds)`` returns whether to stop, as that of a `threading.Event`.

    Raises:
        HostError: Another build, no memory, or one that has answered with an error.
    """
    core, rings, held = Core(entry, bus), Rings(entry, bus), []

    def allocate(ring):
        held.append(bus.take(ring["bank"], ring["bytes"] + ring["align"]))
        return held[-1]

    core.check()
    try:
        rings.arm(core, allocate)
        names = ", ".join(ring["boundary"] for ring in entry["rings"])
        print(f"{core.name}: streams have memory until this program ends: {names}", flush=True)
        while not stopped.wait(LOOK):
            rings.check()
        rings.check()
    finally:
        core.hold()
        rings.disarm()
        for each in held:
            each.free()
        core.release()


@contextmanager
def until_signal():
    """Return what `keep` asks; it is set by SIGINT and SIGTERM, for which this must be the main thread."""
    stopped = threading.Event()
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, lambda *_: stopped.set()) for kind in kinds]
    try:
        yield stopped
    finally:
        for kind, handler in zip(kinds, before):
            signal.signal(kind, handler)
