# SPDX-License-Identifier: BSD-3-Clause
"""Run all drives and print the table of ratios; exit 1 when a needed ratio is not reached."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sim_speed.models import FRAME_BEATS, HERE, bare_harness, cocotb_model
from shellgen.cache import default_cache_dir
from shellgen.resources import data_dir
from shellgen.simulate import Model, run_model

# The slow drives move fewer beats; all rates are linear in them.
PYTHON_BEATS = {512: 2_000, 64: 6_000}
ICARUS_BEATS = 20_000
OVER_PYTHON = {512: 300, 64: 50}
OVER_BARE = {512: 0.5, 64: 0.6}
OVER_PYTHON_ICARUS = 3
# A process as a whole runs at one of two speeds here, a factor of 1.7 apart, with the same program and data.
PROCESSES = 4
BUILD_LIMITS = {"new small model": 10, "unchanged model": 1}


@dataclass(frozen=True)
class Check:
    """A ratio and the least it must be."""

    name: str
    value: float
    needed: float

    @property
    def verdict(self) -> str:
        """Return ok or LOW."""
        return "ok  " if self.value >= self.needed else "LOW "


def rate(beats: int, seconds: list[float]) -> float:
    """Beats per CPU second of the fastest run, the one that other work on the machine disturbed least."""
    return beats / min(seconds)


@dataclass(frozen=True)
class Load:
    """Data volume of one drive."""

    width: int
    beats: int
    repeats: int


def drive(model: Model, how: str, load: Load, folder: Path) -> float:
    """Run one drive under cocotb and return its rate."""
    run_dir = folder / f"{model.simulator}_{load.width}_{how}"
    variables = {
        "SPEED_W": load.width,
        "SPEED_BEATS": FRAME_BEATS,
        "SPEED_FRAMES": load.beats // FRAME_BEATS,
        "SPEED_REPEATS": load.repeats,
        "SPEED_DRIVE": how,
    }
    env = {name: str(value) for name, value in variables.items()}
    run_model(model, "speed_drive", [HERE, data_dir("sim")], run_dir, env=env)
    record = json.loads((run_dir / "speed.json").read_text())
    return rate(record["beats"], record["seconds"])


def bare(load: Load, folder: Path) -> float:
    """Run the bare harness and return its rate; it exits with 0 only when every bit agreed."""
    build = folder / f"bare_{load.width}"
    build.mkdir(exist_ok=True)
    program = bare_harness(load.width, default_cache_dir(), build)
    command = [str(program), str(load.beats // FRAME_BEATS), str(FRAME_BEATS), str(load.repeats)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return rate(load.beats, [float(line) for line in said.split()])


def measure_width(width: int, beats: int, depth: int, folder: Path) -> dict[str, float]:
    """Return beats/s of each drive at one width."""
    whole = Load(width, beats, 5)
    slow = min(beats, ICARUS_BEATS)
    model = cocotb_model("verilator", width, depth)
    icarus = cocotb_model("icarus", width, depth)
    drives: dict[str, Callable[[], float]] = {
        "bare C++": lambda: bare(whole, folder),
        "HDL": lambda: drive(model, "HDL", whole, folder),
        "python": lambda: drive(model, "python", Load(width, PYTHON_BEATS[width], 1), folder),
        "HDL, Icarus": lambda: drive(icarus, "HDL", Load(width, slow, 1), folder),
        "python, Icarus": lambda: drive(icarus, "python", Load(width, PYTHON_BEATS[width] // 2, 1), folder),
    }
    return {name: max(run() for _ in range(PROCESSES)) for name, run in drives.items()}


def seconds_of(work: Callable[[], Model]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def build_times(depth: int) -> dict[str, float]:
    """Wall time of a new model while the runtime is there, and of finding the same again."""
    salt = str(time.time_ns())
    with tempfile.TemporaryDirectory(dir=default_cache_dir()) as scratch:
        cache = Path(scratch)
        (cache / "runtime").symlink_to(default_cache_dir() / "runtime")

        def build() -> Model:
            return cocotb_model("verilator", 64, depth, cache, salt)

        return {"new small model": seconds_of(build), "unchanged model": seconds_of(build)}


def checks_of(width: int, rates: dict[str, float]) -> list[Check]:
    """Compare the rates of one width with what is needed."""
    hdl, python = rates["HDL"], rates["python"]
    checks = [
        Check(f"{width} bits: HDL over Python", hdl / python, OVER_PYTHON[width]),
        Check(f"{width} bits: HDL over bare C++", hdl / rates["bare C++"], OVER_BARE[width]),
    ]
    if width == 512:
        icarus = rates["HDL, Icarus"] / rates["python, Icarus"]
        checks.append(Check(f"{width} bits: Icarus, HDL over Python", icarus, OVER_PYTHON_ICARUS))
    return checks


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sim_speed", description=__doc__)
    parser.add_argument("--beats", type=int, default=100_000, help="of the fast drives (default 100000)")
    beats = parser.parse_args().beats // FRAME_BEATS * FRAME_BEATS
    depth = beats + 64
    checks = []
    print(f"{'drive':<16}{'bits':>5}{'beats/s':>12}{'of bare C++':>13}{'x Python':>10}{'x same sim.':>13}")
    with tempfile.TemporaryDirectory() as scratch:
        for width in (512, 64):
            rates = measure_width(width, beats, depth, Path(scratch))
            for name, value in rates.items():
                share, times = value / rates["bare C++"], value / rates["python"]
                same = value / rates["python, Icarus" if "Icarus" in name else "python"]
                print(f"{name:<16}{width:>5}{value:>12,.0f}{share:>13.4f}{times:>10.1f}{same:>13.1f}")
            checks += checks_of(width, rates)
    print()
    for check in checks:
        print(f"{check.verdict} {check.name}: {check.value:.2f}, needed at least {check.needed:g}")
    slow = 0
    for name, seconds in build_times(depth).items():
        late = seconds > BUILD_LIMITS[name]
        slow += late
        print(f"{'SLOW' if late else 'ok  '} {name}: {seconds:.2f} s, allowed {BUILD_LIMITS[name]} s")
    return 1 if slow or any(check.value < check.needed for check in checks) else 0


if __name__ == "__main__":
    sys.exit(main())
