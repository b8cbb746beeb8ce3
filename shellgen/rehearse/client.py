# SPDX-License-Identifier: BSD-3-Clause
"""The client of a rehearsal: a process of its own, which can be killed like any other."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

import shellgen_host
from shellgen.rehearse.golden import Vectors
from shellgen.rehearse.script import Fault, Script
from shellgen.simulate.environment import base_environment
from shellgen_host import Hosts
from shellgen_host.batch import RECORD, WINDOW

_PIECE = 1 << 20  # bytes
_TRACE_SECONDS = 0.5
_SHOWN = 2000  # characters of what it has said last


class SilentError(Exception):
    """No result came for too long."""


@dataclass(frozen=True)
class Record:
    """A record of the client, see `shellgen_host.batch`."""

    kind: str
    number: int
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")


def first_behind(fault: Fault) -> int:
    """Return the number of the first frame that waits until a fault has acted."""
    return fault.frame + WINDOW + 1


class Client:
    """The client; started, killed and started again. A context: none is left behind it.

    Args:
        out: Generated folder.
        hosts: Where the nodes listen.
        vectors: Frames to give in, over and over.
        count: Frames in all.
        patience: Seconds that a node may be away.
        script: Frames some way behind each of its faults wait until the fault acts.
        folder: For its files; exists.
        in_flight: Frames under way at most.
    """

    def __init__(  # noqa: PLR0913 - all of a client
        self,
        out: Path,
        hosts: Hosts,
        vectors: Vectors,
        count: int,
        patience: float,
        script: Script,
        folder: Path,
        in_flight: int = WINDOW,
    ) -> None:
        self._gates = sorted({self._gate_of(folder, fault) for fault in script.fault})
        self._folder = folder
        self._words = [out.resolve(), folder / "hosts.toml", folder / "inputs.npz"]
        self._count, self._patience, self._in_flight = count, patience, in_flight
        self._log = folder / "client.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.ordered: float | None = None  # seconds until the next start, after a fault of the script
        tables = (f'[[node]]\nname = "{name}"\naddress = "{at[0]}:{at[1]}"\n' for name, at in hosts.items())
        keys = f'keys = "{hosts.tls.folder.resolve()}"\n\n' if hosts.tls else ""
        (folder / "hosts.toml").write_text(keys + "\n".join(tables))
        with (folder / "inputs.npz").open("wb") as file:
            np.savez(file, **vectors.inputs)  # type: ignore[arg-type]

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._end()

    def start(self, first: int) -> None:
        """Start it, with frames from number ``first`` on."""
        self._end()
        words = [*self._words, "--first", first, "--count", self._count, "--patience", self._patience]
        words += ["--in-flight", self._in_flight]
        words += [word for gate in self._gates for word in ("--gate", gate)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "shellgen_host.batch", *map(str, words)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=base_environment()
                | {
                    "PYTHONPATH": str(Path(shellgen_host.__file__).parents[1]),
                    "OPENBLAS_NUM_THREADS": "1",  # starting numpy's threads is half of a start
                },
            )
        self.ordered = None
        self.starts += 1

    @staticmethod
    def _gate_of(folder: Path, fault: Fault) -> Path:
        return folder / f"{first_behind(fault)}.gate"

    def open_gate(self, fault: Fault) -> None:
        """Let the frames behind a fault go."""
        self._gate_of(self._folder, fault).touch()

    def strike(self, number: signal.Signals, away: float) -> None:
        """Send a signal that ends it; the reader of the records starts it again after ``away`` seconds."""
        assert self._process
        self.ordered = away
        self._process.send_signal(number)

    def records(self, limit: float) -> Iterator[Record]:
        """Yield its records until it ends.

        Raises:
            SilentError: None was a result for ``limit`` seconds; names where its threads are.
        """
        assert self._process
        assert self._process.stdout
        pipe = self._process.stdout.fileno()
        data = bytearray()
        end = time.monotonic() + limit
        while True:
            ready, _, _ = select.select([pipe], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise SilentError(self._trace())
            piece = os.read(pipe, _PIECE)
            if not piece:
                return
            data += piece
            at = 0
            while len(data) >= at + RECORD.size:
                kind, number, size = RECORD.unpack_from(data, at)
                if len(data) < at + RECORD.size + size:
                    break
                at += RECORD.size
                if kind == b"R":
                    end = time.monotonic() + limit
                yield Record(kind.decode("ascii", "replace"), number, bytes(data[at : at + size]))
                at += size
            del data[:at]

    def code(self) -> int:
        """Return its exit code, once it has ended."""
        assert self._process
        return self._process.wait()

    def said(self) -> str:
        """Return the end of its log, in one line."""
        text = self._log.read_text(errors="replace") if self._log.exists() else ""
        return " / ".join(line.strip() for line in text.splitlines())[-_SHOWN:]

    def _trace(self) -> str:
        """Return the places where the threads of a client wait."""
        assert self._process
        with suppress(OSError):
            self._process.send_signal(signal.SIGUSR1)
        time.sleep(_TRACE_SECONDS)
        return self.said()

    def _end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            if self._process.stdout:
                self._process.stdout.close()
            self._process = None
