# SPDX-License-Identifier: BSD-3-Clause
"""One command in a process of its own, which may take so much time and memory; the verdict on it."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import shellgen.build.run
import shellgen.stitch.build
from shellgen.cli import main
from shellgen.errors import SimulationError, ToolMissingError, one
from shellgen.simulate import cluster
from vivado_check.syntax import process

SECONDS = 10.0
MEMORY = 1 << 31
_TRACEBACK = 70
# Neither line ends nor tabs: what moves a cursor, changes a colour or turns the direction of reading.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_OURS = re.compile(r'File "[^"]*/(shellgen/[^"]+)", line (\d+)')
_LINE = re.compile(r"shellgen: (error|note|fix first): |note: |  |$")


@dataclass(frozen=True)
class Finding:
    """Forbidden behaviour of a command; ``place`` is equal for findings of one cause."""

    what: str
    place: str
    detail: str


def run(argv: tuple[str, ...], system: Path, said: Path) -> tuple[int, str, str, bool]:
    """Run a command in a folder; return exit code (negative: the signal), stdout, stderr, and if it hung."""
    sys.stdout.flush()
    sys.stderr.flush()
    lent = _reader()
    child = os.fork()
    if not child:
        process._worker = lent
        _child(argv, system, said)
    _, status, _ = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1, 2):
        process.stop()  # it may still be at work for one who is gone
    out, err = ((said / name).read_bytes().decode("utf-8", "replace") for name in ("stdout", "stderr"))
    return code, out, err, code in (-signal.SIGALRM, -signal.SIGXCPU)


@dataclass(frozen=True)
class Ending:
    """End of a command, and the files that it changed."""

    argv: tuple[str, ...]
    code: int
    out: str
    err: str
    hung: bool
    changed: list[str]


def judge(end: Ending) -> Finding | None:
    """Return what is wrong with how a command ended, or None."""
    for rule in (_crash, _words, _files):
        found = rule(end)
        if found:
            return found
    return None


def _crash(end: Ending) -> Finding | None:
    places = _OURS.findall(end.err)
    place = ":".join(places[-1]) if places else end.argv[0]
    if end.hung:
        return Finding("hang", place, end.err)
    if end.code == _TRACEBACK or "Traceback" in end.err:
        last = end.err.rstrip().splitlines()[-1]
        kind = "memory" if "MemoryError" in last else "traceback"
        return Finding(kind, f"{place} {last[:60].split(':')[0]}", end.err)
    if end.code not in (0, 1, 2, 3):
        return Finding("exit code", f"{end.argv[0]} {end.code}", end.err)
    return None


def _words(end: Ending) -> Finding | None:
    control = _CONTROL.search(end.out + end.err)
    if control:
        return Finding("control character", f"{end.argv[0]} {control[0]!r}", end.err + end.out)
    lines = end.err.partition("\n\nFill in and add")[0].splitlines()
    if end.code == 2 and not any(line.startswith("shellgen: error: ") for line in lines):
        return Finding("no message", end.argv[0], end.err)
    if not all(_LINE.match(line) for line in lines):
        return Finding("line of its own", end.argv[0], end.err)
    return None


def _files(end: Ending) -> Finding | None:
    if end.code == 2 and end.changed:
        return Finding(
            "changed output", f"{end.argv[0]} {end.changed[0]}", "\n".join([*end.changed, end.err])
        )
    if any(name.startswith("../outside") or "pwned" in name for name in end.changed):
        return Finding("outside", end.argv[0], "\n".join(end.changed))
    return None


def _reader() -> process._Worker:
    """Return the process that reads Verilog: one for all mutants, since it starts slower than they run."""
    if process._worker and process._worker.process.poll() is not None:
        process.stop()
    process._worker = process._worker or process._Worker()
    return process._worker


def _child(argv: tuple[str, ...], system: Path, said: Path) -> NoReturn:
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(said / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    # Under pytest these were objects of its own.
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", errors="backslashreplace")
    code = _TRACEBACK
    with contextlib.suppress(BaseException):
        os.chdir(system)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Hits what Python cannot interrupt, too; CPU seconds, since other processes slow this one down.
        resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS), int(SECONDS) + 1))
        signal.setitimer(signal.ITIMER_REAL, 6 * SECONDS)
        _stop_before_tools()
        code = _call(argv)
    os._exit(code)


def _call(argv: tuple[str, ...]) -> int:
    try:
        return main([*argv, "--quiet"])  # progress depends on time
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 2
    except BaseException:
        traceback.print_exc()
        return _TRACEBACK
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _stop_before_tools() -> None:
    """Simulators, compilers and FINN are not what is tested."""

    def simulator(*_: object, **__: object) -> NoReturn:
        raise one(SimulationError, "fuzz", "the model is not built", "Stop here")

    def tool(*_: object, **__: object) -> NoReturn:
        raise one(ToolMissingError, "fuzz", "FINN is not called", "Stop here")

    # Both: the folder of a run is made just before the model, when all inputs have been read.
    vars(cluster).update(build_model=simulator, _fresh=simulator)

    def vendor(*_: object) -> NoReturn:
        raise one(ToolMissingError, "fuzz", "Vivado is not called", "Stop here")

    vars(shellgen.stitch.build)["ensure_finn_env"] = tool
    vars(shellgen.build.run).update(check_tools=lambda _: [], check_memory=lambda *_: [], run_here=vendor)
