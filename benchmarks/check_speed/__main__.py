# SPDX-License-Identifier: BSD-3-Clause
"""Time `shellgen check` on 6 to 64 boards, as a user runs it; `--check` makes a missed target an error."""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generate_speed.systems import reference_system
from shellgen.api import generate

BOARDS = (6, 16, 32, 64)
NEEDED = {6: 2.0, 64: 15.0}  # seconds


@dataclass(frozen=True)
class Timing:
    """Seconds of the fastest run: by the clock, and of all processors, tclsh included."""

    boards: int
    clock: float
    cpu: float


def time_check(out: Path, boards: int, runs: int) -> Timing:
    """Check in fresh processes, start of Python and imports included; the fastest run counts.

    An installed package has its bytecode, which pip compiles; so has this one from its second run on.
    """
    environment = dict(os.environ, PYTHONPYCACHEPREFIX=str(out.parent / "bytecode"))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    found = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        command = [sys.executable, "-m", "shellgen", "check", str(out), "--strict"]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        clock = time.perf_counter() - began
        if done.returncode:
            sys.exit(f"shellgen check ends with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found.append(Timing(boards, clock, cpu))
    return min(found, key=lambda timing: timing.cpu)


def main() -> int:
    """Measure, print, and with --check judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check_speed", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when a target is missed")
    parser.add_argument("--runs", type=int, default=3, help="of each size; the fastest counts (default 3)")
    args = parser.parse_args()
    missed = False
    print("boards    clock      CPU  CPU of a board  needed")
    with tempfile.TemporaryDirectory(prefix="check_speed_") as name:
        for boards in BOARDS:
            cluster = reference_system(Path(name) / str(boards), boards)
            generate(cluster, cluster.parent / "out")
            timing = time_check(cluster.parent / "out", boards, args.runs)
            needed = NEEDED.get(boards)
            told = f"{needed:g} s" if needed else ""
            each = timing.cpu / boards
            print(f"{boards:6} {timing.clock:6.2f} s {timing.cpu:6.2f} s {each:13.3f} s  {told}", flush=True)
            missed |= bool(needed and timing.cpu > needed)
    return 1 if missed and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
