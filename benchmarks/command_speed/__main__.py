# SPDX-License-Identifier: BSD-3-Clause
"""CPU seconds of whole commands, start of Python included, beside what Python needs for two imports.

The first run of each command is with an empty cache, but for compiled templates; "edited" is after another
weight in one partition; of the others, which find plan and files as they were, the fastest counts. Where
other jobs share the processor, seconds grow for both alike: compare the ratios. Folders are in memory where
there is /dev/shm: the time of the kernel for thousands of new files depends on who else writes to the disk.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generate_speed.systems import reference_system

BOARDS = (2, 64, 256)
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of a random name is made there
REFERENCE = (sys.executable, "-c", "import numpy, jinja2")


def seconds(command: Sequence[str], folder: Path, environment: dict[str, str]) -> tuple[float, int]:
    """Return the CPU seconds of a command, and the most memory of any so far, in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ends with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, after.ru_maxrss >> 10


def edit(folder: Path, run: int) -> None:
    """Change a weight in the middle partition of a chain."""
    found = sorted((folder / "build").glob("partition_*/ip/src/*MVAU*.dat"))
    path = found[len(found) // 2]
    text = path.read_text()
    path.write_text(f"{run % 16:x}{text[1:]}")  # no plan of a run before


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.command_speed", description=__doc__)
    parser.add_argument(
        "--runs", type=int, default=3, help="of each command with a cache; the fastest counts (default 3)"
    )
    parser.add_argument("--boards", type=int, nargs="+", default=BOARDS, help="sizes of the chain")
    args = parser.parse_args()
    cases = [("list boards", 0)] + [(name, boards) for boards in args.boards for name in ("plan", "generate")]
    print(
        "command      boards  first      edited     then       imports    ratios           most memory",
        flush=True,
    )
    with tempfile.TemporaryDirectory(
        prefix="command_speed_", dir=MEMORY if MEMORY.is_dir() else None
    ) as name:
        # An installed package has its bytecode, which pip compiles; so has this one from its second run on.
        environment = dict(os.environ, PYTHONPYCACHEPREFIX=str(Path(name) / "bytecode"))
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPATH"] = str(Path(__file__).parents[2])
        environment["SHELLGEN_CACHE"] = str(Path(name) / "cache")
        warm = reference_system(Path(name) / "warm", 2)
        words = [sys.executable, "-m", "shellgen", "generate", warm.name, "-o", "out", "--quiet"]
        seconds(words, warm.parent, environment)
        for command, boards in cases:
            folder = (
                reference_system(Path(name) / f"{command}{boards}", boards).parent if boards else warm.parent
            )
            words = [sys.executable, "-m", "shellgen", *command.split(), "--quiet"]
            words += ["cluster.toml", "-o", "out"] if boards else []
            found: dict[str, list[float]] = {"first": [], "edited": [], "then": []}
            beside, memory = [], 0
            for kept in ("loads", "reads"):
                shutil.rmtree(Path(name) / "cache" / kept, ignore_errors=True)
            kinds = ["first", *["then"] * args.runs, *(["edited"] * args.runs if boards else [])]
            for number, kind in enumerate(kinds):
                shutil.rmtree(folder / "out", ignore_errors=True)
                if kind == "edited":
                    edit(folder, number)
                beside.append(seconds(REFERENCE, folder, environment)[0])
                cpu, memory = seconds(words, folder, environment)
                found[kind].append(cpu)
            best = [min(found[kind] or found["then"]) for kind in ("first", "edited", "then")]
            imports = min(beside)
            print(
                f"{command:12} {boards or '':6}"
                + "".join(f" {cpu:6.2f} s  " for cpu in (*best, imports))
                + "".join(f" {cpu / imports:5.1f}" for cpu in best)
                + f" {memory:6} MiB",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
