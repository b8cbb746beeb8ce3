# SPDX-License-Identifier: BSD-3-Clause
"""The two programs of the benchmark: cocotb's model, and the bare harness around the same chain."""

from __future__ import annotations

import subprocess
from pathlib import Path

from shellgen.resources import data_dir, rtl_closure, rtl_file
from shellgen.simulate import Model, ModelSpec, Simulator, build_model
from shellgen.simulate.runtime import compile_flags, run_compiler, runtime
from shellgen.simulate.tools import find_cocotb, find_verilator

HERE = Path(__file__).resolve().parent
BLOCKS = ("axis_fifo", "axis_width", "axis_register")
BENCH = ("bench_clock", "bench_stall", "axis_source", "axis_sink")
FRAME_BEATS = 100
RUNTIME = "verilated.o"  # all of Verilator's runtime that a program without VPI needs


def chain_sources() -> list[Path]:
    return [*(rtl_file(block) for block in rtl_closure(BLOCKS)), HERE / "speed_chain.sv"]


def cocotb_model(
    simulator: Simulator, width: int, depth: int, cache: Path | None = None, salt: str = ""
) -> Model:
    """Build the chain between source, sink and ports; ``salt`` makes a model that no cache has."""
    bench = [data_dir("sim") / f"{module}.sv" for module in BENCH]
    return build_model(
        ModelSpec(
            [*chain_sources(), *bench, HERE / "speed_top.sv"],
            "speed_top",
            defines=[
                f"SPEED_W={width}",
                f"SPEED_BEATS={FRAME_BEATS}",
                f"SPEED_DEPTH={depth}",
                *([f"SALT_{salt}"] if salt else []),
            ],
        ),
        simulator,
        cache,
    )


def bare_harness(width: int, cache: Path, folder: Path) -> Path:
    """Build the chain alone with ``harness.cpp``, by the compiler flags of our models."""
    tool = find_verilator()
    fixed = runtime(tool, find_cocotb(), cache)
    command = [str(tool.binary), "--cc", "-Wall", "--quiet-stats"]
    command += [
        "--x-assign",
        "fast",
        "--x-initial",
        "fast",
        "--prefix",
        "Vmodel",
        "--Mdir",
        str(folder),
        f"-GW={width}",
        f"-GBEATS={FRAME_BEATS}",
    ]
    command += ["--top-module", "speed_chain", *map(str, chain_sources())]
    subprocess.run(command, check=True, env=tool.environment())
    unit = folder / "unit.cc"
    names = [file.name for file in sorted(folder.glob("Vmodel*.cpp"))]
    unit.write_text("".join(f'#include "{name}"\n' for name in names))
    program = folder / "harness"
    flags: list[str | Path] = [*compile_flags(tool), "-O2", f"-I{folder}", unit, HERE / "harness.cpp"]
    run_compiler(tool, *flags, fixed / RUNTIME, "-o", program, "-pthread")
    return program
