# SPDX-License-Identifier: BSD-3-Clause
"""Run all drives and print the table of ratios; exit 1 when a needed ratio is not reached."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.sim_speed.models import FRAME_BEATS, HERE, bare_harness, cocotb_model
from shellgen.resources import data_dir
from shellgen.simulate import Model, run_model
from shellgen.simulate.cache import default_cache_dir

PYTHON_BEATS = {512: 2_000, 64: 5_000}


def rate(beats: int, seconds: list[float]) -> float:
    """Beats per CPU second, of the median run."""
    return beats / statistics.median(seconds)


def drive(model: Model, how: str, width: int, beats: int, repeats: int, folder: Path) -> float:
    """Run one drive under cocotb and return its rate."""
    run_dir = folder / f"{model.simulator}_{width}_{how}"
    variables = {
        "SPEED_W": width,
        "SPEED_BEATS": FRAME_BEATS,
        "SPEED_FRAMES": beats // FRAME_BEATS,
        "SPEED_REPEATS": repeats,
        "SPEED_DRIVE": how,
    }
    env = {name: str(value) for name, value in variables.items()}
    run_model(model, "speed_drive", [HERE, data_dir("sim")], run_dir, env=env)
    record = json.loads((run_dir / "speed.json").read_text())
    return rate(record["beats"], record["seconds"])


def bare(width: int, beats: int, repeats: int, folder: Path) -> float:
    """Run the bare harness and return its rate; it exits with 0 only when every bit agreed."""
    build = folder / f"bare_{width}"
    build.mkdir()
    program = bare_harness(width, default_cache_dir(), build)
    command = [program, str(beats // FRAME_BEATS), str(FRAME_BEATS), str(repeats)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return rate(beats, [float(line) for line in said.split()])


def measure_width(width: int, beats: int, depth: int, folder: Path) -> dict[str, float]:
    """Return beats/s of each drive at one width."""
    model = cocotb_model("verilator", width, depth)
    rates = {"bare C++": bare(width, beats, 9, folder)}
    rates["player"] = drive(model, "player", width, beats, 9, folder)
    rates["python"] = drive(model, "python", width, PYTHON_BEATS[width], 3, folder)
    icarus = cocotb_model("icarus", width, depth)
    rates["player, Icarus"] = drive(icarus, "player", width, min(beats, 20_000), 3, folder)
    rates["python, Icarus"] = drive(icarus, "python", width, 1_000, 3, folder)
    return rates


def seconds_of(work: Callable[[], Model]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def build_times(depth: int) -> dict[str, float]:
    """Wall time of a model that is there, and of a new one when the runtime is there."""
    salt = str(time.time_ns())
    with tempfile.TemporaryDirectory(dir=default_cache_dir()) as scratch:
        cache = Path(scratch)
        (cache / "runtime").symlink_to(default_cache_dir() / "runtime")
        return {
            "new small model": seconds_of(lambda: cocotb_model("verilator", 64, depth, cache, salt)),
            "unchanged model": seconds_of(lambda: cocotb_model("verilator", 64, depth, cache, salt)),
        }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sim_speed", description=__doc__)
    parser.add_argument("--beats", type=int, default=100_000, help="of the fast drives (default 100000)")
    beats = parser.parse_args().beats // FRAME_BEATS * FRAME_BEATS
    depth = beats + 64
    checks = []
    print(f"{'drive':<18}{'bits':>6}{'beats/s':>14}{'of bare C++':>14}{'x python':>12}")
    with tempfile.TemporaryDirectory() as scratch:
        for width in (512, 64):
            rates = measure_width(width, beats, depth, Path(scratch))
            for name, value in rates.items():
                share, times = value / rates["bare C++"], value / rates["python"]
                print(f"{name:<18}{width:>6}{value:>14,.0f}{share:>14.4f}{times:>12.1f}")
            checks.append(
                (
                    f"player over Python, {width} bits",
                    rates["player"] / rates["python"],
                    {512: 300, 64: 50}[width],
                )
            )
            checks.append((f"player of bare C++, {width} bits", rates["player"] / rates["bare C++"], 0.2))
            if width == 512:
                fastest = max(rates["python"], rates["python, Icarus"])
                checks.append(("Icarus player over Python, 512 bits", rates["player, Icarus"] / fastest, 8))
    for name, seconds in build_times(depth).items():
        checks.append(
            (
                f"{name}: {seconds:.2f} s, limit over time",
                {"new small model": 10, "unchanged model": 1}[name] / seconds,
                1,
            )
        )
    print()
    for name, value, needed in checks:
        print(f"{'ok ' if value >= needed else 'LOW'} {name}: {value:.2f}x, needed {needed}x")
    return 0 if all(value >= needed for _, value, needed in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
