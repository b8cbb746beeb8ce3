# SPDX-License-Identifier: BSD-3-Clause
"""A stream over ACCL whose frames have numbers, as two cores have it, with resets of both at any moment."""

from __future__ import annotations

import pytest
from test_file_format import ROOT

from tools.blocks.block_bench import TOOLS, Result, closure, run_sources

BENCH = [ROOT / "tests" / "accl" / "tb_accl_numbers.sv", TOOLS / "bench" / "bench_end.sv"]
BLOCKS = ("accl_number", "accl_gate", "accl_frames", "accl_told", "axis_frame_fifo")


def run(simulator: str) -> Result:
    files = list(BENCH)
    for block in BLOCKS:
        files += [file for file in closure(block) if file not in files]
    return run_sources("tb_accl_numbers", files, simulator)


@pytest.mark.parametrize("simulator", ["verilator", pytest.param("icarus", marks=pytest.mark.sweep)])
def test_accl_numbers(simulator: str) -> None:
    result = run(simulator)
    assert result.comparisons > 5_000, result.text
