# SPDX-License-Identifier: BSD-3-Clause
"""The sending side over ACCL as a core has it, of one end and of several, against an engine of a bench."""

from __future__ import annotations

import pytest
from test_file_format import ROOT

from tools.blocks.block_bench import TOOLS, Result, closure, run_sources

BENCH = [ROOT / "tests" / "accl" / f"{name}.sv" for name in ("tb_accl_out", "accl_engine")]
BLOCKS = ("accl_command", "accl_gate", "axis_frame_fifo", "axis_arbiter", "axis_checker")


def run(simulator: str) -> Result:
    files = [*BENCH, TOOLS / "bench" / "bench_end.sv"]
    for block in BLOCKS:
        files += [file for file in closure(block) if file not in files]
    return run_sources("tb_accl_out", files, simulator)


@pytest.mark.parametrize("simulator", ["verilator", pytest.param("icarus", marks=pytest.mark.sweep)])
def test_accl_out(simulator: str) -> None:
    result = run(simulator)
    assert result.comparisons > 3000, result.text
