# SPDX-License-Identifier: BSD-3-Clause
"""The processes of a rehearsal: one shellgen-node per node, each on a loopback address of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from shellgen.errors import Problem, SimulationError
from shellgen.simulate.environment import base_environment

PORT = 5000  # each node has its own address
START_SECONDS = 60.0
END_SECONDS = 10.0
_TICK = 0.01
_SHOWN = 400  # characters of what a program has said last


Core = tuple[str | Path, ...]


@dataclass(frozen=True)
class NodeFiles:
    """Program, core and files of a node.

    Attributes:
        program: shellgen-node.
        core: Words of its command line that name its core or golden frames.
        map: ``memory_map.json``.
        data: Files that the core reads by bare name.
        connect: Address of the node, or of what stands before it, by boundary that leaves this one.
        options: More words of its command line.
    """

    program: Path
    core: Core
    map: Path
    data: Sequence[Path]
    connect: Mapping[str, tuple[str, int]]
    options: Sequence[str] = ()


def loopback() -> str:
    """Return the first three numbers of a loopback network that nobody else is likely to use."""
    first, second = os.urandom(2)
    return f"127.{first % 254 + 1}.{second}"


class Node:
    """One node; started, killed and started again.

    Args:
        name: Of the node.
        address: Where it listens.
        files: What it is started with.
        folder: For its log; exists.
    """

    def __init__(self, name: str, address: tuple[str, int], files: NodeFiles, folder: Path) -> None:
        self.name, self.address = name, address
        self._files, self._folder = files, folder / name
        self._process: subprocess.Popen[bytes] | None = None
        self._folder.mkdir(parents=True)
        for path in files.data:
            (self._folder / path.name).symlink_to(path.resolve())

    @property
    def pid(self) -> int:
        """Process id of the running node."""
        assert self._process
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        process = self._process
        return process is not None and process.poll() is None

    @property
    def obeyed(self) -> bool:
        """Whether it has ended in order: by a signal or message that asks for it."""
        process = self._process
        return process is not None and process.poll() == 0

    def start(self) -> None:
        """Start it; `wait` waits until it listens."""
        files = self._files
        self._ready.unlink(missing_ok=True)
        host, port = self.address
        words = [files.program, "--map", files.map.resolve(), "--node", self.name, *files.core]
        words += ["--listen", f"{host}:{port}", "--ready", self._ready, "--tied", "yes", *files.options]
        for boundary, (other, at) in files.connect.items():
            words += ["--connect", f"{boundary}={other}:{at}"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(word) for word in words],
                cwd=self._folder,
                stdin=subprocess.PIPE,  # it ends when this is closed, however we end
                stdout=log,
                stderr=log,
                env=base_environment(),
            )

    def wait(self) -> None:
        """Wait until it listens.

        Raises:
            SimulationError: It ended, or takes too long.
        """
        end = time.monotonic() + START_SECONDS
        while not self._ready.exists():
            assert self._process
            code = self._process.poll()
            if code is not None or time.monotonic() > end:
                state = "takes too long to start" if code is None else f"ended with exit code {code}"
                raise SimulationError(
                    Problem(f"node {self.name}", f"shellgen-node {state}: {self.said()}", _REMEDY)
                )
            time.sleep(_TICK)

    def settle(self) -> None:
        """Wait until it listens, or has ended: before that, SIGTERM ends it as SIGKILL does."""
        with suppress(SimulationError):
            self.wait()

    def kill(self) -> None:
        """End it at once, as a loss of power does."""
        self.strike(signal.SIGKILL)

    def strike(self, number: signal.Signals) -> int | None:
        """End it by a signal, or by SIGKILL if that takes too long; return its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.send_signal(number)
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdin:
            with suppress(OSError):
                process.stdin.close()
        return process.returncode

    def ended(self) -> int:
        """Wait until it has ended by itself, and return its exit code."""
        assert self._process
        return self._process.wait(END_SECONDS)

    def fate(self) -> str:
        """Say how it has ended."""
        code = self.ended()
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    def said(self) -> str:
        """Return the end of its log, in one line."""
        text = self._log.read_text(errors="replace") if self._log.exists() else ""
        return " / ".join(line.strip() for line in text.splitlines())[-_SHOWN:] or "it said nothing"

    @property
    def _ready(self) -> Path:
        return self._folder / "ready"

    @property
    def _log(self) -> Path:
        return self._folder / "log"


_REMEDY = "Try again; if it stays, simulate the cluster first, which examines the core alone"


class Nodes:
    """All nodes of a rehearsal, as a context: they run inside it and none is left afterwards."""

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self._nodes = nodes

    def __enter__(self) -> Mapping[str, Node]:
        try:
            for node in self._nodes.values():
                node.start()
            for node in self._nodes.values():
                node.wait()
        except BaseException:
            self._end()
            raise
        return self._nodes

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        for node in self._nodes.values():
            node.kill()
