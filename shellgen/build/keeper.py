# SPDX-License-Identifier: BSD-3-Clause
"""Runs one tool and leaves nothing of it behind: ``python keeper.py <seconds> <program> <argument> ...``.

Vendor tools start trees of processes, some of which outlive what started them. The keeper adopts them all and
ends what is left when the tool has ended or its own standard input is closed. That pipe is held by whoever
builds: if that is killed, a worker of a cluster for example, the pipe closes by itself, and no tool goes on
writing into a folder where another worker builds by then.

It is started by its path and imports nothing of the package, so that it takes a moment only.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36  # Linux, prctl(2)
NOT_STARTED = 127
_KILLED = 128
_TICK = 0.05


def main(seconds: float, command: list[str]) -> int:
    """Return the exit code of the tool, or 128 and the number of the signal that ended it.

    Args:
        seconds: What its processes have to end by themselves, once they are asked to.
        command: Program and arguments.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        tool = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return NOT_STARTED
    status = None
    while status is None:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
        status = _reap(tool.pid)
        if status is None and 0 in ready and not os.read(0, 1):
            break
    _end_all(seconds)
    return _KILLED + signal.SIGTERM if status is None else status if status >= 0 else _KILLED - status


def _reap(pid: int) -> int | None:
    """Take note of every process that has ended; return how that one did, if it has."""
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
    """End all descendants: first as they like, then as they are."""
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
    """Return parent and resident pages of every process that runs."""
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
    """Return the children of a process, and theirs."""
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
