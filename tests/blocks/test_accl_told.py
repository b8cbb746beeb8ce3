# SPDX-License-Identifier: BSD-3-Clause
"""accl_told: frames out of puts, through resets of their link, and mutants that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import block_file, mutant, run_bench

BLOCK = "accl_told"
AROUND = ("accl_frames", "axis_register")
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "puts without a frame come out": ("!s_axis_tdata[33] || s_axis_tdata[32]", "!s_axis_tdata[33]"),
    "puts of zeros come out": ("!s_axis_tdata[33] || s_axis_tdata[32]", "s_axis_tdata[32]"),
    "no frame has a taint": ("taint <= !s_axis_tdata[0]", "taint <= 1'b0"),
    "a frame does not wait for its taint": ("full_q && (!last_q || end_q)", "full_q"),
    "what is lost in a reset is not counted": (
        "        if (!aresetn) begin\n            in_q ",
        "        if (!link_aresetn) begin\n            in_q ",
    ),
    "a put of zeros says what follows": ("in_q == TAIL && in_good_q", "in_q == TAIL"),
    "the frame that waits counts as gone": (
        "head_q && !full_q && !s_axis_tvalid",
        "head_q && !s_axis_tvalid",
    ),
    "a reset of the link ends no put": ("        if (!link_aresetn) begin", "        if (!aresetn) begin"),
    "a put without a frame says one more": ("in_void_q ? in_number_q[23:0]", "1'b0 ? in_number_q[23:0]"),
}


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_accl_told(simulator: str) -> None:
    sources = [block_file(name) for name in (BLOCK, *AROUND)]
    result = run_bench(BLOCK, simulator, sources=sources)
    assert result.comparisons > 5_000, result.text


@pytest.mark.sweep
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    sources = [mutant(BLOCK, *MUTANTS[name], tmp_path), *map(block_file, AROUND)]
    result = run_bench(BLOCK, "icarus", sources=sources)
    assert result.code != 0, f"{name}, and the bench passes"
    assert "FATAL" in result.text, result.text
