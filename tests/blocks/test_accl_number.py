# SPDX-License-Identifier: BSD-3-Clause
"""accl_number: frames in puts with their numbers, and mutants that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import mutant, run_bench

BLOCK = "accl_number"
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "no put without a frame": ("s_axis_tvalid || news;", "s_axis_tvalid;"),
    "one in front of the first number": ("number[23:0] != '0 && ", ""),
    "one for each frame": ("|| number != told_q", "|| number != 32'hFFFF_FFFF"),
    "none where frames were lost": ("!known_q || number != told_q", "!known_q"),
    "the taint is that of the first beat": ("taint_q <= taint && !void_q;", "taint_q <= taint_q;"),
    "the last beat says nothing": ("= !taint_q;", "= 1'b1;"),
    "puts without a frame are frames": ("put_done && !gone_q", "put_done"),
    "the number that follows is forgotten": ("number_q[23:0] + 1'b1", "number_q[23:0]"),
}


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_accl_number(simulator: str) -> None:
    result = run_bench(BLOCK, simulator)
    assert result.comparisons > 14_000, result.text


@pytest.mark.sweep
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    result = run_bench(BLOCK, "icarus", sources=[mutant(BLOCK, *MUTANTS[name], tmp_path)])
    assert result.code != 0, f"{name}, and the bench passes"
    assert "FATAL" in result.text, result.text
