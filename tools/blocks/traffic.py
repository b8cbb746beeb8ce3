# SPDX-License-Identifier: BSD-3-Clause
"""Run the traffic benches of blocks: four shapes of random traffic, every bit compared, figures measured.

A block's bench is ``ip/<block>/traffic_<block>.sv`` with a module of the same name. Its parameters are those
of the block, ``SET`` and ``TRAFFIC``, and ``TIE_<PORT>`` for inputs that a set in costs.toml ties. It has a
clock of its own and ends by stopping it, so any number of sets run in one simulation. For each it prints a
line, see ``bench/bench_traffic_report.sv``. A fault ends the simulation with another exit code than 0.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.resources import data_dir
from tools.blocks.block_bench import Result, bench_parts, block_folder, closure, run_sources
from tools.blocks.budgets import Budget

__all__ = ["Measured", "TrafficSet", "run_traffic", "traffic_file"]

LINE = re.compile(
    r"^MEASURED set=(\d+) latency=(-?\d+) rate=(\d+\.\d+) beats=(\d+) compared=(\d+) cycles=(\d+)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class TrafficSet:
    """One run of a bench: parameters of the block and of the bench, and inputs that are tied."""

    parameters: Mapping[str, int | str]
    ties: Mapping[str, int]


@dataclass(frozen=True)
class Measured:
    """Measurements of a bench for one set.

    Attributes:
        latency: Cycles from the first beat in to the first beat out, without stalls.
        rate: Beats per cycle of the busier side, without stalls.
        beats: On the busier side, in the shape that had the fewest.
        compared: Beats compared at the outputs in all four shapes.
        cycles: Of all four shapes.
    """

    latency: int
    rate: float
    beats: int
    compared: int
    cycles: int

    def differences(self, budget: Budget) -> list[str]:
        """Return where the figures are not what costs.toml says; a rate to one part in 200."""
        found = []
        if budget.latency not in (-1, self.latency):
            found.append(f"latency is {self.latency}, costs.toml says {budget.latency}")
        if abs(self.rate - budget.rate) > budget.rate / 200:
            found.append(f"rate is {self.rate:.3f}, costs.toml says {budget.rate:g}")
        return found


def traffic_file(block: str) -> Path:
    """Return the traffic bench of a block."""
    return block_folder(block) / f"traffic_{block}.sv"


def run_traffic(
    block: str,
    simulator: str,
    sets: Sequence[TrafficSet],
    beats: int,
    fault: int | None = None,
    sources: Sequence[Path] | None = None,
) -> tuple[Result, dict[int, Measured]]:
    """Run sets of a block in one simulation.

    Args:
        block: Folder in ``ip/``.
        simulator: ``icarus`` or ``verilator``.
        sets: What to run.
        beats: On the busier side of each set, in each shape.
        fault: Number of a fault of ``bench_traffic_fault`` at the sinks.
        sources: The block and what it instantiates, when not those of ``ip/``.

    Returns:
        How the simulation ended, and what it measured by index of the set.
    """
    bench = traffic_file(block)
    text = bench.read_text()
    models = sorted(data_dir("sim").rglob("*.sv"))
    models = [file for file in models if re.search(rf"^ +{file.stem} #?\(", text, re.MULTILINE)]
    files = [bench, *(sources or closure(block)), *models]
    files += bench_parts(files)
    files += [path for path in closure("axis_checker") if path not in files]
    top = f"traffic_{block}_top"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{top}.sv"
        file.write_text(_top(top, block, sets, beats))
        # More beats than a C++ compiler's time is worth.
        optimise = "-Og" if beats > 10_000 else "-O0"
        defines = [] if fault is None else ["BENCH_FAULT"]
        plusargs = [] if fault is None else [f"fault={fault}"]
        result = run_sources(top, [file, *files], simulator, plusargs, defines, optimise)
    if result.code:
        return result, {}
    lines = LINE.findall(result.text)
    return result, {int(n): Measured(int(lat), float(rate), *map(int, rest)) for n, lat, rate, *rest in lines}


def _top(top: str, block: str, sets: Sequence[TrafficSet], beats: int) -> str:
    lines = ["`default_nettype none", f"module {top};"]
    for number, one in enumerate(sets):
        values = {"SET": number, "TRAFFIC": beats, **one.parameters}
        values |= {f"TIE_{port.upper()}": bit for port, bit in one.ties.items()}
        text = ", ".join(f".{name}({value})" for name, value in values.items())
        lines.append(f"    traffic_{block} #({text}) u_{number} ();")
    return "\n".join([*lines, "endmodule", ""])
