# SPDX-License-Identifier: BSD-3-Clause
"""ring_requests behind axis_ddr_fifo with the memory model of its link, and mutants that must be refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.resources import data_dir
from tools.blocks.block_bench import SIMULATORS, closure, mutant, run_bench

BLOCK = "ring_requests"
PARTS = [*closure("axis_ddr_fifo"), data_dir("sim") / "links/ddr_ring/request_memory.sv"]


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_ring_requests(simulator: str) -> None:
    result = run_bench(BLOCK, simulator, sources=[*closure(BLOCK), *PARTS])
    assert result.comparisons > 20_000, result.text
