# SPDX-License-Identifier: BSD-3-Clause
"""Time `shellgen estimate` on 6 and 64 boards, as a user runs it; `--check` fails on a missed target."""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.generate_speed.systems import reference_system
from shellgen.api import generate

# Boards, what is asked for, and the seconds that it may take.
CASES: tuple[tuple[int, str, tuple[str, ...], float], ...] = (
    (6, "estimate and report", ("-o", "report"), 1.0),
    (64, "estimate and report", ("-o", "report"), 5.0),
    (64, "the same with --scale 64", ("-o", "scaled", "--scale", "64"), 30.0),
)


def run(folder: Path, options: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    """Return seconds by the clock and of all processors, start of Python and imports included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    command = [sys.executable, "-m", "shellgen", "estimate", "out", *options, "--force", "--quiet"]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, env=environment)
    clock = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"shellgen estimate ends with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure, print, and with --check judge the seconds of the processors."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.estimate_speed", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when a target is missed")
    parser.add_argument("--runs", type=int, default=3, help="of each case; the fastest counts (default 3)")
    args = parser.parse_args()
    missed = False
    print("boards                              clock      CPU  needed")
    with tempfile.TemporaryDirectory(prefix="estimate_speed_") as name:
        # An installed package has its bytecode, which pip compiles; so has this one from its second run on.
        environment = dict(os.environ, PYTHONPYCACHEPREFIX=str(Path(name) / "bytecode"))
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for boards in dict.fromkeys(one for one, *_ in CASES):
            cluster = reference_system(Path(name) / str(boards), boards)
            generate(cluster, cluster.parent / "out")
        for boards, about, options, needed in CASES:
            runs = [run(Path(name) / str(boards), options, environment) for _ in range(args.runs)]
            clock, cpu = min(runs, key=lambda pair: pair[1])
            print(f"{boards:6}  {about:24} {clock:6.2f} s {cpu:6.2f} s  {needed:g} s", flush=True)
            missed |= cpu > needed
    return 1 if missed and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
