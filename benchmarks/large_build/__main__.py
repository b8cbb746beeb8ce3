# SPDX-License-Identifier: BSD-3-Clause
"""Build and run one large cluster in two ways: all in one model as it was, and each partition by itself."""

from __future__ import annotations

import argparse
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.generate_speed.systems import write_cluster
from shellgen.api import generate
from shellgen.reference import build_reference, default_folding, even_cuts, synthetic_model
from shellgen.simulate import cluster
from shellgen.simulate.build import Model, ModelSpec, build_model
from shellgen.simulate.options import SimulateOptions
from shellgen.simulate.run import RunResult, run_model
from shellgen.simulate.runtime import runtime
from shellgen.simulate.tools import find_cocotb, find_verilator

LAYERS, WIDTH, PARTITIONS = 12, 64, 2
# What GCC does by itself and `shellgen.simulate.compile` leaves out.
PLAIN_GCC = (
    "--param=sccvn-max-alias-queries-per-access=1000",
    "--param=dse-max-alias-queries-per-store=256",
    "-fipa-modref",
    "-fipa-pure-const",
    "-fipa-reference",
    "-fipa-profile",
)


@dataclass
class Cost:
    """Seconds of the CPU and by the clock: of building, of running; and what the run found."""

    build: tuple[float, float] = (0.0, 0.0)
    run: tuple[float, float] = (0.0, 0.0)
    cycles: list[int] = field(default_factory=list)
    passed: bool = False


def timed(work: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """Call, and return the seconds of the CPU (of child processes) and by the clock besides."""

    def cpu() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    began, before = time.perf_counter(), cpu()
    result = work()
    return result, (cpu() - before, time.perf_counter() - began)


def measure(out: Path, cache: Path, options: SimulateOptions, *, whole: bool = False) -> Cost:
    """Simulate a generated folder; ``whole`` builds as before partitions were models of their own."""
    cost = Cost()

    def build(spec: ModelSpec, *more: Any) -> Model:
        if whole:
            spec = replace(spec, blocks=(), cxx_flags=PLAIN_GCC)
        model, cost.build = timed(lambda: build_model(spec, *more))
        assert isinstance(model, Model)
        return model

    def run(*arguments: Any, **keywords: Any) -> RunResult:
        began = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            return run_model(*arguments, **keywords)
        finally:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = used.ru_utime + used.ru_stime - began[1].ru_utime - began[1].ru_stime
            cost.run = seconds, time.perf_counter() - began[0]

    with mock.patch.multiple(cluster, build_model=build, run_model=run):
        report = cluster.simulate(out, "verilator", options, cache_dir=cache)
    cost.passed = report.passed
    cost.cycles = [run.cycles for run in (report.stalled, report.full_rate) if run]
    if not cost.passed:
        print(f"  it did not pass: {report.problem[:300]}")
    return cost


def synthetic(folder: Path) -> Path:
    """Make a chain of wide layers in two partitions on two boards, and its cluster.toml."""
    model = synthetic_model([WIDTH] * (LAYERS + 1))
    folding = default_folding(model, runtime_writeable=False)
    build_reference(model, folding, even_cuts(LAYERS, PARTITIONS), folder / "build")
    return write_cluster(folder, "build/parent.onnx", PARTITIONS, links=False)


def renamed(file: Path, folder: Path) -> Path:
    """Write the same cluster with other names of its boards: other cores around the same partitions."""
    text = file.read_text()
    build = re.search(r'^build = "([^"]*)"', text, re.MULTILINE)
    assert build, f"{file} names no build"
    text = text.replace(build[0], f'build = "{file.parent / build[1]}"')
    target = folder / "renamed.toml"
    target.write_text(text.replace('name = "', 'name = "other_'))
    return target


def compare(file: Path, folder: Path, options: SimulateOptions) -> bool:
    """Print the table of one cluster; return whether both ways ran the same cycles."""
    caches = {name: folder / f"cache_{name}" for name in ("before", "now")}
    for cache in caches.values():  # compiled once per machine, for all models
        runtime(find_verilator(), find_cocotb(), cache)
    generate(file, folder / "out")
    generate(renamed(file, folder), folder / "other")
    print(f"{'':20} {'build: CPU':>12} {'clock':>9} {'simulation: CPU':>17} {'clock':>9}  cycles", flush=True)

    def row(name: str, out: Path, cache: Path, *, whole: bool = False) -> Cost:
        cost = measure(out, cache, options, whole=whole)
        seconds = "{:10.1f} s {:7.1f} s {:15.1f} s {:7.1f} s".format(*cost.build, *cost.run)
        print(f"{name:20} {seconds}  {sum(cost.cycles)}", flush=True)
        return cost

    before = row("before", folder / "out", caches["before"], whole=True)
    now = row("now", folder / "out", caches["now"])
    other = row("another cluster.toml", folder / "other", caches["now"])
    print(
        f"cold build {before.build[0] / now.build[0]:.1f}x, another cluster.toml "
        f"{before.build[0] / other.build[0]:.1f}x, simulation {before.run[0] / now.run[0]:.2f}x"
    )
    return before.cycles == now.cycles and before.passed == now.passed


def main() -> int:
    """Measure the synthetic network, and any cluster.toml that is given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_build", description=__doc__)
    parser.add_argument(
        "cluster", type=Path, nargs="?", help="cluster.toml of a build, e.g. by shellgen init"
    )
    parser.add_argument("--frames", type=int, default=8, help="frames of each run (default 8)")
    parser.add_argument(
        "--idle-limit", type=int, help="cycles of silence that end a run, for networks with long frames"
    )
    args = parser.parse_args()
    options = SimulateOptions(frames=args.frames, walk=False, control=False, idle_limit=args.idle_limit)
    with tempfile.TemporaryDirectory(prefix="large_build_") as name:
        folder = Path(name)
        if args.cluster:
            print(args.cluster)
            same = compare(args.cluster.resolve(), folder, options)
        else:
            print(f"{LAYERS} layers of {WIDTH} x {WIDTH} in {PARTITIONS} partitions")
            same = compare(synthetic(folder), folder, options)
    if not same:
        print("the two programs did not run alike")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
