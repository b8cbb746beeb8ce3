# SPDX-License-Identifier: BSD-3-Clause
"""A function in a forked process that reads what it is given, writes into a temporary folder, and says lines.

For readers of files that anyone may have written: a fault in such a reader costs that process.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from . import kernel, syscalls

_SPARE = 1 << 30  # bytes of address space that a process may take beside what it has
_MOST = 256 << 20  # bytes that it may say
# What programs and libraries are loaded from.
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/ld.so.cache", "/etc/ld.so.conf")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
Say = Callable[[bytes], None]


class StoppedError(Exception):
    """The process was ended, since it took too much of something."""


@dataclass(frozen=True)
class Bounds:
    """Limits on resources of the process.

    Attributes:
        seconds: Of its own processor time.
        wall: Seconds in all.
        memory: Bytes.
    """

    seconds: int
    wall: float
    memory: int = 4 << 30


def run(
    function: Callable[[Say, list[str]], None],
    readable: Iterable[Path],
    bounds: Bounds,
    prepare: Callable[[], None],
    heard: Callable[[bytes], None],
) -> None:
    """Run a function in a process of its own.

    Args:
        function: Gets what it says lines with, and what the kernel lacks to confine it.
        readable: Files and folders that it may read besides Python's own.
        bounds: What it may use up.
        prepare: Is called in the process before it is confined, to start what it will talk to.
        heard: Gets each line.

    Raises:
        StoppedError: It took too much, or ended without a word.
    """
    import tempfile  # noqa: PLC0415 - the process that parses imports this module, and has no such folder

    reader, writer = os.pipe()
    with tempfile.TemporaryDirectory(prefix="confined_") as scratch:
        pid = os.fork()
        if not pid:
            os.close(reader)
            _child(function, [*readable], bounds, prepare, writer, Path(scratch))
        os.close(writer)
        ended = False
        try:
            _listen(reader, bounds, heard)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            ended = True
        finally:
            os.close(reader)
            if not ended:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        raise StoppedError(f"it took more than {bounds.seconds} s of processor time")
    if status:
        raise StoppedError(f"its process ended with status {status}")


def _listen(reader: int, bounds: Bounds, heard: Callable[[bytes], None]) -> None:
    """Pass every line to ``heard`` until the other end is closed."""
    until = time.monotonic() + bounds.wall
    rest, said = b"", 0
    while True:
        if not select.select([reader], [], [], max(0.0, until - time.monotonic()))[0]:
            raise StoppedError(f"it did not come to its end in {bounds.wall:g} s")
        got = os.read(reader, 1 << 16)
        if not got:
            return
        said += len(got)
        if said > _MOST:
            raise StoppedError(f"it says more than {_MOST >> 20} MB")
        *lines, rest = (rest + got).split(b"\n")
        for line in lines:
            heard(line)


def _child(  # noqa: PLR0913 - what `run` was given
    function: Callable[[Say, list[str]], None],
    readable: list[Path],
    bounds: Bounds,
    prepare: Callable[[], None],
    writer: int,
    scratch: Path,
) -> NoReturn:
    import tempfile  # noqa: PLC0415 - as in `run`

    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        kernel.end_with_parent()
        os.setsid()  # without a terminal that it could type into
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        tempfile.tempdir = str(scratch)
        prepare()
        lacks = confine(readable, bounds, scratch)

        def say(line: bytes) -> None:
            todo = memoryview(line + b"\n")
            while todo:
                todo = todo[os.write(writer, todo) :]

        function(say, lacks)
        status = 0
    finally:
        os._exit(status)  # whatever it is: this process must not go on as its parent


def confine(readable: Iterable[Path], bounds: Bounds, scratch: Path) -> list[str]:
    """Give up what this process does not need to read files; return what the kernel lacks for it."""
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    kernel.limit(
        (
            (resource.RLIMIT_AS, taken + bounds.memory),
            (resource.RLIMIT_CPU, bounds.seconds),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, _SPARE),
        )
    )
    kernel.no_new_privileges()
    allowed = dict.fromkeys((*_own(), *map(Path, _SYSTEM)), kernel.RUN)
    allowed |= dict.fromkeys((Path(os.path.realpath(place)) for place in readable), kernel.READ)
    allowed |= dict.fromkeys(map(Path, _DEVICES), kernel.WRITE) | {scratch: kernel.WRITE}
    return _confined(allowed)


def confine_parser() -> list[str]:
    """Give up what a process does not need that is handed texts: it loads Python's files and runs nothing."""
    kernel.no_new_privileges()
    kernel.limit(((resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)))
    return _confined(dict.fromkeys(_own(), kernel.READ))


def _own() -> set[Path]:
    return {Path(place) for place in (sys.prefix, sys.base_prefix, *sys.path) if Path(place).is_absolute()}


def _confined(allowed: dict[Path, int]) -> list[str]:
    lacks = [] if kernel.landlock(allowed) else ["Landlock"]
    machine = syscalls.machine()
    if machine is None or not kernel.seccomp(syscalls.reading_only(machine)):
        lacks.append("seccomp")
    return lacks
