# SPDX-License-Identifier: BSD-3-Clause
"""Runs frames in a process of its own and writes their results to standard output, one record each.

A record is a letter, a number (8 bytes) and a length (4 bytes), little-endian, and as many bytes: ``R``
result of a frame (int64, one output of the map after the other), ``L`` why a frame has none, ``N`` a note,
``S`` the state (JSON), ``E`` the end (JSON), ``X`` an error that ends the run. A process that reads the
records knows after a kill which frames have a result, and starts the next one behind them.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import signal
import struct
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen_host.cluster import Cluster
from shellgen_host.errors import HostError, LostError

RECORD = struct.Struct("<cQI")
STATE_SECONDS = 0.25
WINDOW = 100  # frames under way
_LOOK_SECONDS = 0.002
FAILED = 3


class Records:
    """Writes records, from several threads; ends the process when nobody reads them any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def write(self, kind: bytes, number: int, body: bytes) -> None:
        """Write a record."""
        with self._lock:
            try:
                sys.stdout.buffer.write(RECORD.pack(kind, number, len(body)) + body)
                sys.stdout.buffer.flush()
            except OSError:
                os._exit(FAILED)

    def text(self, kind: bytes, text: str, number: int = 0) -> None:
        """Write a record that is text."""
        self.write(kind, number, text.encode())

    def end(self) -> None:
        """Write nothing more: who tries waits until the process ends."""
        self._lock.acquire()


def frames(
    inputs: dict[str, npt.NDArray[Any]], numbers: range, gates: dict[int, Path]
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """Yield the frames of some numbers, those of the arrays over and over.

    Args:
        inputs: By boundary, (frames, *shape).
        numbers: Of the frames.
        gates: Before a frame, wait until there is this file.
    """
    for number in numbers:
        while number in gates and not gates[number].exists():
            time.sleep(_LOOK_SECONDS)
        yield {name: values[number % len(values)] for name, values in inputs.items()}


def run(records: Records, args: argparse.Namespace, running: list[Cluster]) -> None:
    """Run the frames.

    Args:
        records: Gets what comes of them.
        args: Of the command line.
        running: Gets the cluster, once there is one.
    """
    with np.load(args.inputs, allow_pickle=False) as found:
        inputs = {name: found[name] for name in found.files}
    over = threading.Event()
    note = lambda text: records.text(b"N", text)  # noqa: E731
    given: dict[str, Any] = {
        "window": args.in_flight,
        "patience": args.patience,
        "note": note,
        "first": args.first,
    }
    with Cluster(args.out, args.hosts, **given) as cluster:
        running.append(cluster)

        def tell() -> None:
            while not over.wait(STATE_SECONDS):
                records.text(b"S", json.dumps({"epochs": cluster.epochs, "nodes": cluster.state()}))

        threading.Thread(target=tell, daemon=True).start()
        outputs = [edge.name for edge in cluster.map.outputs]
        some = False
        try:
            fed = frames(inputs, range(args.first, args.count), {int(path.stem): path for path in args.gate})
            for number, answer in enumerate(cluster.answers(fed), args.first):
                if isinstance(answer, LostError):
                    records.text(b"L", str(answer), number)
                    continue
                some = True
                values = [answer[name].astype("<i8").tobytes() for name in outputs]
                records.write(b"R", number, b"".join(values))
        finally:
            over.set()
        latency = cluster.latency() if some else None
        end = {"epochs": cluster.epochs, "nodes": cluster.state()}
        end |= {"median": latency.median, "percentile_99": latency.percentile_99} if latency else {}
        records.text(b"E", json.dumps(end))


def end_when_asked(asked: SimpleQueue[None], records: Records, running: list[Cluster]) -> None:
    """Wait until the handler of SIGTERM asks for it, and end the session in order, then the process.

    The handler itself raises nothing. Python would lose that in a callback of a weak reference, of which
    asyncio has one for each task, and threading.Condition, which is written in Python, would keep its lock.
    """
    asked.get()
    try:
        records.end()  # frames that are given up have no result, but are not lost
        for cluster in running:
            cluster.close()
    finally:
        os._exit(0)


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(prog="python -m shellgen_host.batch", description=__doc__)
    parser.add_argument("out", type=Path, help="folder with memory_map.json")
    parser.add_argument("hosts", type=Path, help="hosts.toml")
    parser.add_argument("inputs", type=Path, help=".npz: frames by boundary")
    parser.add_argument("--first", type=int, default=0, help="number of the first frame")
    parser.add_argument("--count", type=int, required=True, help="number behind the last frame")
    parser.add_argument("--patience", type=float, default=30.0, help="seconds that a node may be away")
    parser.add_argument("--in-flight", type=int, default=WINDOW, help="frames under way at most")
    text = "wait before frame NUMBER until there is this file, named NUMBER.gate"
    parser.add_argument("--gate", type=Path, action="append", default=[], help=text)
    args = parser.parse_args()
    faulthandler.register(signal.SIGUSR1)
    records, running, asked = Records(), list[Cluster](), SimpleQueue[None]()
    signal.signal(signal.SIGTERM, lambda *_: asked.put(None))
    threading.Thread(target=end_when_asked, args=(asked, records, running), daemon=True).start()
    try:
        run(records, args, running)
    except HostError as error:
        records.text(b"X", str(error))
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
