# SPDX-License-Identifier: BSD-3-Clause
"""accl_demux: beats of many streams to 1 to 32 outputs, those of nobody, and mutants that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import mutant, run_bench

BLOCK = "accl_demux"
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "seven bits of an id are enough": ("s_axis_tdest == ids[i*8 +: 8]", "s_axis_tdest[6:0] == ids[i*8 +: 7]"),
    "the skid keeps the data alone": ("if (ready_q) skid_to_q <= to;", "skid_to_q <= to;"),
    "enable is not looked at": ("enable && !skid_valid_d", "!skid_valid_d"),
    "the skid is lost": ("!m_free && (skid_valid_q || fire)", "!m_free && fire"),
    "an output waits for itself alone": (
        "(valid_q & ~m_axis_tready) == '0",
        "!(valid_q[0] && !m_axis_tready[0])",
    ),
    "unknown beats are treated as known": ("fire_q && skid_to_q == '0", "fire_q && skid_to_q != '0"),
}


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_accl_demux(simulator: str) -> None:
    result = run_bench(BLOCK, simulator)
    assert result.comparisons > 4_000, result.text


@pytest.mark.sweep
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    result = run_bench(BLOCK, "icarus", sources=[mutant(BLOCK, *MUTANTS[name], tmp_path)])
    assert result.code != 0, f"{name}, and the bench passes"
    assert "FATAL" in result.text, result.text
