# SPDX-License-Identifier: BSD-3-Clause
"""Our models of Vivado's modules: capacity, order, handshake, packets, flags and counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.resources import data_dir, vendor_models
from shellgen.simulate import ModelSpec, Simulator, build_model, run_model

MODULES = Path(__file__).with_name("simulate_modules")


@pytest.mark.parametrize("simulator", [pytest.param("verilator", marks=pytest.mark.sweep), "icarus"])
def test_every_model_keeps_its_promises(simulator: Simulator, tmp_path: Path) -> None:
    sources = [data_dir("sim") / "bench_clock.sv", *vendor_models().values()]
    rom = tmp_path / "rom.mem"
    rom.write_text("".join(f"a00{address:x}\n" for address in range(16)))
    benches = [MODULES / "vendor_memory_case.sv", MODULES / "vendor_bench.sv"]
    model = build_model(ModelSpec([*sources, *benches], "vendor_bench", data_files=[rom]), simulator)
    assert run_model(model, "vendor_done", [MODULES], tmp_path / "run").tests == ("all_done",)
