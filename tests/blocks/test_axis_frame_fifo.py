# SPDX-License-Identifier: BSD-3-Clause
"""axis_frame_fifo: every mode and memory on both simulators, and mutants that the bench must refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.blocks.block_bench import SIMULATORS, mutant, run_bench

BLOCK = "axis_frame_fifo"
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "a frame that does not fit keeps its beats": ("beat && (over || spoilt)", "beat && spoilt"),
    "the rest of a dropped frame is stored": ("wire  beat   = fire && !swallow_q;", "wire  beat   = fire;"),
    "a frame under way may leave": ("push && s_axis_tlast && !over", "push && !over"),
    "a bad frame is kept": ("DROP_BAD && s_axis_tlast", "1'b0 && s_axis_tlast"),
    "any beat may say bad": ("DROP_BAD && s_axis_tlast &&", "DROP_BAD &&"),
    "bits beside the mask count": (
        "(s_axis_tuser & BAD_MASK) == (BAD_VALUE & BAD_MASK)",
        "s_axis_tuser == BAD_VALUE",
    ),
    "a cut frame has no mark": (
        "cut ? (s_axis_tuser & ~BAD_MASK) | (BAD_VALUE & BAD_MASK) : s_axis_tuser",
        "s_axis_tuser",
    ),
    "a cut frame has no end": ("s_axis_tlast || cut", "s_axis_tlast"),
    "still full after a frame was forgotten": ("!(beat && partial_q)", "1'b1"),
    "not full although no beat was forgotten": ("!(beat && partial_q)", "!beat"),
    "full one beat late": ("write_q ^ read_back_q", "write_q ^ read_q"),
    "the last whole beat does not leave": ("!(free && last_beat)", "!last_beat"),
    "an oversize frame is not let through": ("s_axis_tlast || through_q || long", "s_axis_tlast"),
    "an oversize frame is let through without end": (
        "!s_axis_tlast && (through_q || long)",
        "through_q || long",
    ),
    "whole beats are not counted down": ("if (commit || m_fire)", "if (commit)"),
}


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_every_mode(simulator: str) -> None:
    result = run_bench(BLOCK, simulator)
    assert result.comparisons > 20_000, result.text


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    result = run_bench(BLOCK, "icarus", sources=[mutant(BLOCK, *MUTANTS[name], tmp_path)])
    assert result.code != 0, f"{name}, and the bench passes"
    assert f"(tb_{BLOCK}." in result.text, result.text
