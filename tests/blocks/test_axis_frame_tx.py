# SPDX-License-Identifier: BSD-3-Clause
"""axis_frame_tx on both simulators: single frames, several in a transfer, and mutants that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.blocks.block_bench import SIMULATORS, block_file, mutant, run_bench

BLOCK = "axis_frame_tx"
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "turned too far": ("((UNITS - (1 << b)) * PART_W)", "((UNITS - (2 << b)) * PART_W)"),
    "what is held is overwritten": ("if (AT_W'(k) < at_q) both", "if (AT_W'(k) + 1'b1 < at_q) both"),
    "one frame too many": ("left_q == 16'd2", "left_q == 16'd1"),
    "the count is taken in the middle": ("ending ? final_q : !begun_q", "ending ? final_q : 1'b1"),
    "what is left over is lost": ("flush_q <= last && spare", "flush_q <= 1'b0"),
    "TKEEP is one unit short": ("SIDE_W'(k) > side", "SIDE_W'(k) >= side"),
    "draining takes": ("slice_ready && !flush && !drain", "slice_ready && !flush"),
    "draining ends a transfer that has not begun": ("drain ? open_q :", "drain ? 1'b1 :"),
    "draining leaves a transfer open": ("drain ? open_q :", "drain ? 1'b0 :"),
    "drained too early": ("&& !open_q && !m_axis_tvalid", "&& !open_q"),
}


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_frame_tx(simulator: str) -> None:
    """The largest count, on Verilator, crosses all bits of the counter."""
    result = run_bench(BLOCK, simulator, plusargs=["huge"] * (simulator == "verilator"))
    assert result.comparisons > (100_000 if simulator == "verilator" else 30_000), result.text


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    sources = [mutant(BLOCK, *MUTANTS[name], tmp_path), block_file("axis_register")]
    result = run_bench(BLOCK, "icarus", sources=sources)
    assert result.code != 0, f"{name}, and the bench passes"
    assert f"(tb_{BLOCK}." in result.text, result.text
