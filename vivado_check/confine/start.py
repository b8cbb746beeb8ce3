# SPDX-License-Identifier: BSD-3-Clause
"""Starts processes for scripts, in a host that is started once and kept until this process ends."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from .host import NO_TCL
from .tcl_library import NoTclError

# The folder above comes last, so that nothing in it hides a module of the standard library.
_START = """\
import sys
sys.path.append(sys.argv[1])
from confine.host import main
main(int(sys.argv[2]), sys.argv[3])
"""
_SECONDS = 60  # until a host has loaded Tcl, on a machine that is busy


class HostError(Exception):
    """The process in which scripts run does not start, or has ended."""


@dataclass
class ScriptProcess:
    """The process of one script.

    Attributes:
        pid: Of the process.
        channel: Its standard input and output.
    """

    pid: int
    channel: socket.socket
    _life: socket.socket

    def wait(self, seconds: float = _SECONDS) -> int | None:
        """Return how it has ended: its exit code, or a signal as a negative number; None if it has not."""
        self._life.settimeout(seconds)
        try:
            said = self._life.recv(64)
        except OSError:
            return None
        return int(said) if said else None

    def seconds(self) -> float:
        """Return the processor time that it has used."""
        # The clock of another process, as clock_getcpuclockid(3) composes its number: /proc may not be read.
        try:
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            return 0.0

    def end(self) -> None:
        """End it, if it has not ended; the host does, since only it knows that the number is still its."""
        self._life.close()
        self.channel.close()


class _Host:
    """The host, seen from outside.

    Attributes:
        lacks: What the kernel does not give (``seccomp``).
    """

    def __init__(self, driver: Path) -> None:
        self.driver = driver
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            words = [str(Path(__file__).parents[1]), str(theirs.fileno()), str(driver)]
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", "-c", _START, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env={"LC_ALL": "C.UTF-8", "TZ": "UTC"},
                cwd="/",
                start_new_session=True,
            )
        self._said: bytes | None = None

    @property
    def lacks(self) -> list[str]:
        return list(json.loads(self._hello())["lacks"])

    def _hello(self) -> bytes:
        """Return what it says when it is ready.

        Raises:
            NoTclError: There is no library of Tcl.
            HostError: It does not start.
        """
        if self._said is None:
            self.control.settimeout(_SECONDS)
            with contextlib.suppress(OSError):
                self._said = self.control.recv(1 << 12)
            if not self._said:
                if self.process.wait(_SECONDS) == NO_TCL:
                    raise NoTclError
                raise HostError("the process in which scripts run does not start")
        return self._said

    def run(self, limits: dict[str, int]) -> ScriptProcess:
        self._hello()
        channel, their_channel = socket.socketpair()
        life, their_life = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with their_channel, their_life:
            descriptors = [their_channel.fileno(), their_life.fileno()]
            try:
                socket.send_fds(self.control, [json.dumps(limits).encode()], descriptors)
            except OSError:
                raise HostError("the process in which scripts run has ended") from None
        life.settimeout(_SECONDS)
        said = life.recv(64)
        if not said:
            raise HostError("no process could be started for a script")
        return ScriptProcess(int(said), channel, life)

    def stop(self) -> None:
        self.control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
            return
        self.process.kill()
        self.process.wait()


_lock = threading.Lock()
_host: _Host | None = None


def start(driver: Path) -> None:
    """Start the host, so that it is ready when the first script comes; it takes a while to load."""
    _ready(driver)


def lacking(driver: Path) -> list[str]:
    """Return what the kernel does not give of the confinement; empty if it gives all."""
    return _ready(driver).lacks


def run(driver: Path, limits: dict[str, int]) -> ScriptProcess:
    """Return a process that has evaluated the driver and runs ``front::main``, confined.

    Args:
        driver: File with the Tcl code that is there before a script.
        limits: ``seconds`` of processor time, bytes of ``memory``.

    Raises:
        NoTclError: There is no library of Tcl.
        HostError: There is no such process.
    """
    try:
        return _ready(driver).run(limits)
    except (HostError, NoTclError):
        stop()
        raise


def _ready(driver: Path) -> _Host:
    global _host  # noqa: PLW0603 - one per process, started late
    with _lock:
        if _host is None or _host.driver != driver or _host.process.poll() not in (None, NO_TCL):
            _host = _Host(driver)
        return _host


def stop() -> None:
    """End the host; the next script starts another."""
    global _host  # noqa: PLW0603
    with _lock:
        if _host:
            _host.stop()
            _host = None


def _forget() -> None:
    """In a forked child: its parent's process is not its own."""
    global _host, _lock
    if _host:
        _host.control.close()
    _host, _lock = None, threading.Lock()


atexit.register(stop)
os.register_at_fork(after_in_child=_forget)
