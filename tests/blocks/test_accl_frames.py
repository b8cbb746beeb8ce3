# SPDX-License-Identifier: BSD-3-Clause
"""accl_frames: frames found by counting, through resets of their link, and mutants that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import block_file, mutant, run_bench

BLOCK = "accl_frames"
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "TLAST ends a frame": ("= last_q ? '0 :", "= last_q || s_axis_tlast ? '0 :"),
    "a link reset ends the count": ("        if (!aresetn) begin", "        if (!link_aresetn) begin"),
    "the rest of a cut frame comes out": (
        "else if (dead)      cut_q <= open_q || fire;",
        "else cut_q <= 1'b0;",
    ),
    "a frame that waits is cut": ("cut_q <= open_q || fire;", "cut_q <= 1'b1;"),
    "drained beats are forwarded": ("wire skip = dead || cut_q;", "wire skip = !link_aresetn || cut_q;"),
    "a drain waits for its partition": ("(skip || out_ready)", "(cut_q || out_ready)"),
    "TLAST is looked at everywhere": ("fire && last_q && !s_axis_tlast", "fire && !s_axis_tlast"),
    "a cut frame is not looked at": (
        "fire && last_q && !s_axis_tlast",
        "fire && !skip && last_q && !s_axis_tlast",
    ),
}


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_accl_frames(simulator: str) -> None:
    result = run_bench(BLOCK, simulator)
    assert result.comparisons > 7_000, result.text


@pytest.mark.sweep
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    sources = [mutant(BLOCK, *MUTANTS[name], tmp_path), block_file("axis_register")]
    result = run_bench(BLOCK, "icarus", sources=sources)
    assert result.code != 0, f"{name}, and the bench passes"
    assert "FATAL" in result.text, result.text
