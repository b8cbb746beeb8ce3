# SPDX-License-Identifier: BSD-3-Clause
"""slang in a process of its own, started when the first file is read and kept until the command ends."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from vivado_check.errors import InputError, Problem, ToolMissingError
from vivado_check.processor_time import processor_seconds

# Processor time: fifty times what the slowest of 13,000 public files took.
_SECONDS, _SECONDS_A_MEGABYTE = 10.0, 10.0
_DESIGN_SECONDS = 120.0  # in place of the first, for a design: twelve times a partition that takes 1.4 GiB
_BUSY = 30  # times that by the clock, on a machine that does other things too
_LOOK = 0.25  # seconds between looks at the processor time
_REMEDY = "No simulator or synthesis takes such a file: replace it by the one of the build"
_REFUSED = {
    "memory": "reading it takes more than 1 GiB of memory, as with macros that expand each other many times",
    "design": "elaborating it takes more than 4 GiB of memory",
    "nesting": "it is nested too deeply to be read",
}
_START = "import sys; sys.path[:] = sys.argv[1:]; from vivado_check.syntax.worker import main; main()"


class _Worker:
    """The process, and the pipes to it."""

    def __init__(self) -> None:
        import selectors  # noqa: PLC0415 - the process itself imports this package, and needs neither
        import subprocess  # noqa: PLC0415

        # -P and no relative entries: the current folder may hold a json.py. -S: it gets its search path.
        paths = [path for path in sys.path if Path(path).is_absolute()]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-S", "-c", _START, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={"LC_ALL": "C.UTF-8"},
            cwd="/",
        )
        self._answers = selectors.DefaultSelector()
        assert self.process.stdout
        self._answers.register(self.process.stdout, selectors.EVENT_READ)

    def ask(self, line: str, seconds: float) -> str:
        """Return the answer; empty if the process ended.

        Args:
            line: The question.
            seconds: Processor time that the answer may take, with the start of a process that is new.

        Raises:
            TimeoutError: It took more.
        """
        assert self.process.stdin
        assert self.process.stdout
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return self._ended()
        late = time.monotonic() + _BUSY * max(seconds, 1.0)
        begun: float | None = None  # most answers come before the first look
        while not self._answers.select(_LOOK):
            used = processor_seconds(self.process.pid)
            begun = used if begun is None else begun
            if used - begun > seconds or time.monotonic() > late:
                raise TimeoutError
        return self.process.stdout.readline() or self._ended()

    def _ended(self) -> str:
        """Wait for the end that closed the pipes."""
        from subprocess import TimeoutExpired  # noqa: PLC0415

        with contextlib.suppress(TimeoutExpired):
            self.process.wait(timeout=5)
        return ""

    def stop(self) -> int:
        """End the process and return its status: its own, if it has ended by itself."""
        self.process.kill()
        status = self.process.wait()
        self._answers.close()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        return status


_lock = threading.Lock()
_worker: _Worker | None = None


def ask(where: str, what: str, *arguments: Any) -> Any:
    """Return what the other process answers.

    Args:
        where: File that an error names.
        what: Request, of those in `vivado_check.syntax.worker`.
        arguments: Of the request; JSON.

    Raises:
        InputError: The text cannot be read within bounds of time, memory and nesting.
    """
    global _worker  # noqa: PLW0603 - one per process, started late
    line = json.dumps({"what": what, "arguments": arguments})
    least = _DESIGN_SECONDS if what == "elaborated" else _SECONDS
    seconds = least + _SECONDS_A_MEGABYTE * len(line) / 1e6
    with _lock:
        _worker = _worker or _Worker()
        try:
            answer = _worker.ask(line, seconds)
        except BaseException as error:
            stop()
            if isinstance(error, TimeoutError):
                raise InputError(
                    Problem(where, f"reading it takes more than {seconds:.0f} s", _REMEDY)
                ) from None
            raise
        if not answer:
            raise _died(where, what, stop())
    reply = json.loads(answer)
    if "refused" in reply:
        raise InputError(Problem(where, _REFUSED[reply["refused"]], _REMEDY))
    if "lacks" in reply:
        remedy = "Install what pyproject.toml names as dependencies into this environment"
        raise ToolMissingError(Problem("pyslang", f"it cannot be imported: {reply['lacks']}", remedy))
    if "bug" in reply:
        raise RuntimeError(f"{where}: {reply['bug']}")
    return reply["answer"]


def start() -> None:
    """Start the process, so that it is ready when something is asked; it takes a while to load slang."""
    global _worker  # noqa: PLW0603
    with _lock:
        _worker = _worker or _Worker()


def _died(where: str, what: str, status: int) -> Exception:
    """Return what it means that the process ended by itself."""
    if status in {-signal.SIGSEGV, -signal.SIGBUS}:
        return InputError(Problem(where, _REFUSED["nesting"], _REMEDY))
    if status in {-signal.SIGABRT, -signal.SIGKILL}:
        found = _REFUSED["design" if what == "elaborated" else "memory"]
        return InputError(Problem(where, found, _REMEDY))
    return RuntimeError(f"{where}: the process that reads Verilog ended with status {status}")


def stop() -> int:
    """End the process, whose status is returned; the next question starts another."""
    global _worker  # noqa: PLW0603
    status = 0
    if _worker:
        status = _worker.stop()
        _worker = None
    return status


def _forget() -> None:
    """In a forked child: its parent's process is not its own."""
    global _worker, _lock
    _worker, _lock = None, threading.Lock()


atexit.register(stop)
os.register_at_fork(after_in_child=_forget)
