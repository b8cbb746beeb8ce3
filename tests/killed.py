# SPDX-License-Identifier: BSD-3-Clause
"""Processes that are killed at a call to the operating system that changes the disk, each in turn."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

_CHANGES = {
    "os.link",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.truncate",
    "os.chmod",
    "os.symlink",
}


def killed_at(number: int, work: Callable[[], object]) -> bool:
    """Run work in a child that gets SIGKILL before its call of this number; False if it came to its end.

    Python announces such calls to audit hooks. The child is a fork, so that it begins at once.
    """
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the child failed by itself"
        return os.WIFSIGNALED(status)
    left = [number]

    def count(event: str, args: tuple[object, ...]) -> None:
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        if event in _CHANGES or writes:
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1

    try:
        sys.addaudithook(count)
        work()
    except BaseException:  # whatever it is, pytest must not go on in the child
        os._exit(1)
    os._exit(0)


def each_kill(reset: Callable[[], object], work: Callable[[], object], every: int = 1) -> Iterator[int]:
    """Yield after each kill; ends when the work came to its end."""
    number = every // 2
    while True:
        reset()
        if not killed_at(number, work):
            return
        yield number
        number += every


def tree(folder: Path) -> dict[str, bytes | None]:
    """Return every file of a folder with its content, and every folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }
