# SPDX-License-Identifier: BSD-3-Clause
"""The blocks of sim/ on both simulators; the claims are in simulate_modules/blocks.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.errors import SimulationError
from shellgen.resources import data_dir, sim_models
from shellgen.simulate import Model, ModelSpec, Simulator, build_model, run_model

MODULES = Path(__file__).with_name("simulate_modules")
BLOCKS = (
    "bench_clock",
    "bench_stall",
    "axis_source",
    "axis_sink",
    "axis_monitor",
    "axis_error_injector",
    "tcp_link",
    "axil_gate",
    "axis_gate",
    "bench_noise",
    "axil_master",
)
TOPS = ("simulate_hop", "simulate_slave", "simulate_bench")
DEPTH = "128"
CLAIMS = 13
# Icarus compiles in a moment; Verilator repeats the tests in the sweep.
FIRST = ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)]


def bench(simulator: Simulator) -> Model:
    sources = [sim_models()[block] for block in BLOCKS]
    sources += [MODULES / f"{top}.sv" for top in TOPS]
    return build_model(ModelSpec(sources, TOPS[-1], defines=[f"SINK_DEPTH={DEPTH}"]), simulator)


@pytest.mark.parametrize("simulator", FIRST)
def test_blocks_do_what_they_promise(simulator: Simulator, tmp_path: Path) -> None:
    result = run_model(
        bench(simulator), "blocks", [MODULES, data_dir("sim")], tmp_path, env={"SINK_DEPTH": DEPTH}
    )
    assert len(result.tests) == CLAIMS


@pytest.mark.parametrize("simulator", FIRST)
def test_a_source_without_a_file_is_fatal(simulator: Simulator, tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match=r"axis_source .*cannot open in_\d"):
        run_model(bench(simulator), "no_file", [MODULES, data_dir("sim")], tmp_path)


@pytest.mark.parametrize("simulator", FIRST)
def test_a_source_with_too_short_a_file_is_fatal(simulator: Simulator, tmp_path: Path) -> None:
    for index in range(3):
        (tmp_path / f"in_{index}").write_bytes(bytes(16))
    with pytest.raises(SimulationError, match="too few for 4 frames"):
        run_model(bench(simulator), "no_file", [MODULES, data_dir("sim")], tmp_path)


@pytest.mark.parametrize("simulator", FIRST)
def test_a_source_with_too_long_a_file_is_fatal(simulator: Simulator, tmp_path: Path) -> None:
    for index in range(3):
        (tmp_path / f"in_{index}").write_bytes(bytes(16 * 4096))
    with pytest.raises(SimulationError, match="is longer than 2048 beats"):
        run_model(bench(simulator), "no_file", [MODULES, data_dir("sim")], tmp_path)


@pytest.mark.parametrize("simulator", FIRST)
def test_a_writer_does_what_it_promises(simulator: Simulator, tmp_path: Path) -> None:
    sources = [sim_models()[block] for block in ("bench_clock", "axil_writer")]
    sources += [MODULES / f"{top}.sv" for top in ("simulate_slave", "writer_bench")]
    model = build_model(ModelSpec(sources, "writer_bench"), simulator)
    assert len(run_model(model, "writer", [MODULES, data_dir("sim")], tmp_path).tests) == 3
