# SPDX-License-Identifier: BSD-3-Clause
"""Runs one tool and ends all its processes: ``python keeper.py <seconds> <program> <argument> ...``.

Tools start trees of processes, some of which outlive their parent. The keeper adopts them all and ends the
rest when the tool has ended, when a signal asks the keeper to end, or when its own standard input is closed.
The process that started the keeper holds this pipe: if it is killed, for example a Dask worker or a pytest
worker, the pipe closes, and no tool keeps writing into a folder in which another process may work by then. If
the keeper itself is killed, Linux ends the tool.

It is started by its path and imports nothing from the package, so that it starts quickly.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # Linux, prctl(2)
ASKED_TO_END = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
NOT_STARTED = 127
_KILLED = 128
_TICK = 0.05


def main(seconds: float, command: list[str]) -> int:
    """Return the exit code of the tool, or 128 and the number of the signal that ended it.

    Args:
        seconds: Grace period of its processes after a request to end.
        command: Program and arguments.
    """
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    # From a caller that ignores or blocks them, they would not wake the keeper when the tool ends.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD, *ASKED_TO_END))
    for number in (signal.SIGCHLD, *ASKED_TO_END):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup, or a shell without jobs
            signal.signal(number, lambda *_: None)
    keeper = os.getpid()
    try:
        tool = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            preexec_fn=lambda: _die_with(keeper, prctl),  # noqa: PLW1509 - no threads
        )
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return NOT_STARTED
    status = None
    while status is None:
        ready, _, _ = select.select([0, woken], [], [])
        numbers = os.read(woken, 4096) if woken in ready else b""
        status = _reap(tool.pid)
        if status is None and (set(numbers) & set(ASKED_TO_END) or (0 in ready and not os.read(0, 1))):
            break
    _end_all(seconds)
    return _KILLED + signal.SIGTERM if status is None else status if status >= 0 else _KILLED - status


def _die_with(keeper: int, prctl: Callable[..., int]) -> None:
    """Make Linux end this process with the keeper, which may have been killed since the fork."""
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != keeper:
        os.kill(os.getpid(), signal.SIGKILL)


def code_of(code: int) -> int:
    """Return the exit code of the tool from that of its keeper; a signal as its negative number."""
    return _KILLED - code if code > _KILLED else code


def _reap(pid: int) -> int | None:
    """Reap all ended processes; return the status of the given one if it has ended."""
    found = None
    while True:
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if not ended:
            return found
        if ended == pid:
            found = os.waitstatus_to_exitcode(status)


def _end_all(seconds: float) -> None:
    """End all descendants: first by request, then by force."""
    asked: set[int] = set()
    end = time.monotonic() + seconds
    while left := descendants(os.getpid(), processes()):
        late = time.monotonic() > end
        for pid in left if late else [pid for pid in left if pid not in asked]:
            try:
                os.kill(pid, signal.SIGKILL if late else signal.SIGTERM)
            except ProcessLookupError:
                continue
            asked.add(pid)
        time.sleep(_TICK)
        _reap(0)


def processes() -> dict[int, tuple[int, int]]:
    """Return parent and resident pages of every running process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "stat").read_text(errors="replace")
            except OSError:  # it has ended meanwhile
                continue
            fields = text.rpartition(")")[2].split()  # a name may have spaces and brackets
            if fields[0] != "Z":
                found[int(entry.name)] = (int(fields[1]), int(fields[21]))
    return found


def descendants(pid: int, known: dict[int, tuple[int, int]]) -> list[int]:
    """Return all descendants of a process."""
    children: dict[int, list[int]] = {}
    for one, (parent, _) in known.items():
        children.setdefault(parent, []).append(one)
    found, ahead = [], [pid]
    while ahead:
        own = children.get(ahead.pop(), [])
        found += own
        ahead += own
    return found


if __name__ == "__main__":
    raise SystemExit(main(float(sys.argv[1]), sys.argv[2:]))
