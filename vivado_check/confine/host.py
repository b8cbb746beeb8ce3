# SPDX-License-Identifier: BSD-3-Clause
"""The process in which scripts run: it loads Tcl once, forks for each script, and confines what it forked.

It is started by `start.py` with nothing of the caller's environment. Over its control socket comes one
message for each script: limits, with two descriptors: the script's channel, and a socket that says that it
has ended and whose end stops it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from . import kernel, syscalls
from .tcl_library import NoTclError, Tcl

NO_TCL = 71
_LONGEST_MESSAGE = 1 << 12
_SPARE_SECONDS = 3  # beyond which the kernel ends what the interpreter's own limit has not


def main(descriptor: int, driver: str) -> None:
    """Serve until the other side of the control socket is closed.

    Args:
        descriptor: Of the control socket.
        driver: File with the Tcl code that is there before a script.
    """
    control = socket.socket(fileno=descriptor)
    try:
        tcl = Tcl()
        tcl.evaluate(Path(driver).read_text(encoding="utf-8"))
    except NoTclError:
        sys.exit(NO_TCL)
    tcl.without_files()
    apart = _apart()
    control.send(json.dumps({"tcl": tcl.version, "lacks": _lacking(apart=apart)}).encode())
    _Host(control, lambda: tcl.evaluate("front::main")).serve()


def _apart() -> bool:
    """Leave the caller's namespaces, for an empty folder that is gone."""
    with tempfile.TemporaryDirectory() as folder:
        inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return kernel.own_namespaces(Path(folder))
        finally:
            os.close(inside)


def _lacking(*, apart: bool) -> list[str]:
    """Return what this kernel does not give, tried in a process of its own."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.write(writer, json.dumps(confine()).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        found = stream.read()
    os.waitpid(pid, 0)
    lacks = list(json.loads(found)) if found else ["seccomp", "Landlock"]
    return [*lacks, "namespaces"] if lacks and not apart else lacks


def confine() -> list[str]:
    """Give up every right of this process but to compute; return what the kernel lacks for it."""
    lacks = []
    kernel.no_new_privileges()
    kernel.not_dumpable()
    if not kernel.landlock({}):
        lacks.append("Landlock")
    machine = syscalls.machine()
    if machine is None or not kernel.seccomp(syscalls.computing_only(machine, os.getpid())):
        lacks.append("seccomp")
    return lacks


class _Host:
    """Open connections: the control socket, and a socket for the life of each script."""

    def __init__(self, control: socket.socket, run: Callable[[], object]) -> None:
        self.control = control
        self.run = run
        self.lives: dict[int, socket.socket] = {}
        self.selector = selectors.DefaultSelector()
        self.ended, waker = os.pipe()
        os.set_blocking(self.ended, False)
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Start scripts, tell of those that have ended, and end those that nobody waits for."""
        self.selector.register(self.control, selectors.EVENT_READ)
        self.selector.register(self.ended, selectors.EVENT_READ)
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.control:
                    if not self._start():
                        return
                elif key.fileobj == self.ended:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self.ended, 1 << 10)
                    self._reap()
                elif self.lives.get(key.data) is key.fileobj:  # it may have ended a moment ago
                    os.kill(key.data, signal.SIGKILL)
                    self.selector.unregister(key.fileobj)

    def _start(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self.control, _LONGEST_MESSAGE, 2)
        if not message:
            return False
        channel, life = descriptors
        limits = json.loads(message)
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError:  # too many processes: who has asked sees both descriptors closed
            os.close(channel)
            os.close(life)
            return True
        if not pid:
            self._script(channel, limits, parent)
        os.close(channel)
        self.lives[pid] = socket.socket(fileno=life)
        with contextlib.suppress(OSError):  # nobody waits
            self.lives[pid].send(str(pid).encode())
        self.selector.register(self.lives[pid], selectors.EVENT_READ, pid)
        return True

    def _reap(self) -> None:
        for pid in list(self.lives):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                life = self.lives.pop(pid)
                with contextlib.suppress(KeyError):
                    self.selector.unregister(life)
                with contextlib.suppress(OSError):  # nobody waits
                    life.send(str(os.waitstatus_to_exitcode(status)).encode())
                life.close()

    def _script(self, channel: int, limits: dict[str, int], parent: int) -> NoReturn:
        """Run a script in this process, the child, and end."""
        try:
            kernel.end_with_parent()
            if os.getppid() != parent:
                os._exit(1)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(channel, 0)
            os.dup2(channel, 1)
            os.closerange(3, 4096)
            seconds = limits["seconds"] + _SPARE_SECONDS
            kernel.limit(
                (
                    (resource.RLIMIT_AS, limits["memory"]),
                    (resource.RLIMIT_CPU, seconds),
                    (resource.RLIMIT_FSIZE, 0),
                    (resource.RLIMIT_NOFILE, 16),
                    (resource.RLIMIT_NPROC, 0),
                    (resource.RLIMIT_CORE, 0),
                )
            )
            confine()
            self.run()
        except BaseException:  # whatever it is, this process must not go on as the host
            os._exit(1)
        os._exit(0)
