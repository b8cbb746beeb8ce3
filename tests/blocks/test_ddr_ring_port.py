# SPDX-License-Identifier: BSD-3-Clause
"""ddr_ring_port: writes take effect and are read back; levels, peaks, bursts and faults are the bench's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.blocks.block_bench import SIMULATORS, closure, mutant, run_bench

BLOCK = "ddr_ring_port"
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "a flag is lost that comes in the cycle of its clear": (
        "write_fault | (write_fault_q & ~write_cleared)",
        "(write_fault | write_fault_q) & ~write_cleared",
    ),
    "reads clear the flags of writes": ("AT_READ_FAULTS[8:2])}}", "AT_WRITE_FAULTS[8:2])}}"),
    "the peak is the level": (
        "if (clear_q || level_q[32*k +: 32] > peak_q[32*k +: 32]) ",
        "",
    ),
    "the peak is not cleared": ("clear_q || level_q", "level_q"),
    "bursts are not cleared": (".clear(clear_q)", ".clear(1'b0)"),
    "bursts of ring 0 are shown for each": ("s_axil_araddr[7:5], 2'b00}", "3'd0, 2'b00}"),
    "both halves of a base are the lower one": (
        "AT_BASE_HIGH[8:2]) + 8'(STRIDE * k)) base[64*k+32",
        "AT_BASE_LOW[8:2]) + 8'(STRIDE * k)) base[64*k+32",
    ),
}


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_ddr_ring_port(simulator: str) -> None:
    result = run_bench(BLOCK, simulator)
    assert result.comparisons > 1000, result.text


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    changed = mutant(BLOCK, *MUTANTS[name], tmp_path)
    result = run_bench(BLOCK, "icarus", sources=[changed, *closure(BLOCK)[1:]])
    assert result.code != 0, f"{name}, and the bench passes"
    assert f"(tb_{BLOCK}." in result.text, result.text
