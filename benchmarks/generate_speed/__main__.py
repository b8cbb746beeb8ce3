# SPDX-License-Identifier: BSD-3-Clause
"""Time `shellgen.api.generate` for 2 to 64 boards; `--check` makes a missed target an error."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generate_speed.systems import finn_system, reference_system

BOARDS = (2, 8, 16, 32, 64)
TWO_BOARDS_S, MANY_BOARDS_S = 0.5, 3.0
# 32 to 64 boards: 2 is linear; a quadratic part of a quarter would make it 2.5.
GROWTH = 2.5


@dataclass(frozen=True)
class Timing:
    """Seconds of the fastest run of one system: read and plan, emit, write; and of the CPU for all three."""

    boards: int
    load: float
    emit: float
    write: float
    cpu: float
    files: int

    @property
    def total(self) -> float:
        """All three, by the clock on the wall."""
        return self.load + self.emit + self.write


def time_system(cluster: Path, boards: int, runs: int) -> Timing:
    """Generate in fresh processes, as a user does; imports are not counted.

    The fastest run counts: whatever else the machine does can only add.
    """
    found = []
    for run in range(runs):
        out = cluster.parent / f"out{run}"
        command = [sys.executable, "-m", "benchmarks.generate_speed.once", str(cluster), str(out)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found.append(json.loads(said))
    best = min(found, key=lambda entry: entry["cpu"])
    return Timing(boards, **best)


def show(title: str, timings: list[Timing]) -> None:
    """Print one table; growth is the ratio of CPU seconds to half the boards."""
    print(f"\n{title}")
    print("boards  files  read+plan     emit    write    total      CPU  growth")
    by_boards = {timing.boards: timing for timing in timings}
    for timing in timings:
        half = by_boards.get(timing.boards // 2)
        growth = f"{timing.cpu / half.cpu:7.2f}" if half else f"{'':7}"
        print(
            f"{timing.boards:6} {timing.files:6} {timing.load:8.3f} s {timing.emit:6.3f} s "
            f"{timing.write:6.3f} s {timing.total:6.3f} s {timing.cpu:6.3f} s {growth}"
        )


def missed(timings: list[Timing]) -> list[str]:
    """Return the targets that were not reached, in CPU seconds: the clock's on an idle machine."""
    total = {timing.boards: timing.cpu for timing in timings}
    checks = (
        (f"2 boards in {total[2]:.2f} s, needed {TWO_BOARDS_S} s", total[2] < TWO_BOARDS_S),
        (f"64 boards in {total[64]:.2f} s, needed {MANY_BOARDS_S} s", total[64] < MANY_BOARDS_S),
        (
            f"64 boards take {total[64] / total[32]:.2f} times 32, needed {GROWTH}",
            total[64] < GROWTH * total[32],
        ),
    )
    return [text for text, good in checks if not good]


def main() -> int:
    """Measure, print, and with --check judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate_speed", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when a target is missed")
    parser.add_argument(
        "--runs", type=int, default=5, help="runs of each size; the fastest counts (default 5)"
    )
    parser.add_argument("--finn", type=Path, help="a stitched FINN partition to be copied, besides")
    args = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory(prefix="generate_speed_") as name:
        folder = Path(name)
        timings = [time_system(reference_system(folder / f"reference{n}", n), n, args.runs) for n in BOARDS]
        show("Chain of reference partitions, one layer each", timings)
        problems += missed(timings)
        if args.finn:
            real = args.finn.resolve()
            timings = [time_system(finn_system(folder / f"finn{n}", n, real), n, args.runs) for n in BOARDS]
            show(f"Chain of copies of FINN's {real.name}", timings)
            problems += missed(timings)
    for problem in problems:
        print(f"missed: {problem}")
    return 1 if problems and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
