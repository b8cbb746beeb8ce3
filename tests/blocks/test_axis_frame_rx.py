# SPDX-License-Identifier: BSD-3-Clause
"""axis_frame_rx on both simulators: single frames, several in a transfer, and mutants that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import IP, SIMULATORS, Result, block_file, closure, mutant, run_bench

BLOCK = "axis_frame_rx"
MANY = "tb_axis_frame_rx_many"
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "turned too far": ("((1 << b) * PART_W)", "((2 << b) * PART_W)"),
    "a new beat overwrites what is left of the old one": ("AT_W'(k) < at_q || at_q == '0", "1'b1"),
    "one frame too many": ("left_q == 16'd2", "left_q == 16'd1"),
    "the count is taken in the middle": ("push ? final_beat : !begun_q", "push ? final_beat : 1'b1"),
    "a transfer begins where the one before has ended": ("final_beat ? '0 : ends", "ends"),
    "the last frame waits for a beat that it does not need": ("next > (AT_W+1)'(UNITS)", "over"),
    "the rest of a short transfer is not zero": ("ended_q ? '0 : s_axis_tdata", "s_axis_tdata"),
    "a short transfer is flagged for each of its frames": ("(fill || short_q) && !final_beat", "1'b0"),
    "TKEEP is compared with that of the last frame": (
        "AT_W'(k) < ends || ends == '0",
        "AT_W'(k) < AT_W'(LAST_UNITS)",
    ),
    "drained beats are forwarded": ("= !swallow_q && !drain &&", "= !swallow_q &&"),
    "what is drained is looked at": ("s_fire && !swallow_q && !drain", "s_fire && !swallow_q"),
    "drained too early": ("drain && !open_q", "drain"),
}


def run_many(simulator: str, block: list[Path], plusargs: list[str] | None = None) -> Result:
    """Run the bench of transfers of several frames."""
    return run_bench(BLOCK, simulator, MANY, plusargs or (), [IP / BLOCK / f"{MANY}.sv", *block])


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_single_frames(simulator: str) -> None:
    result = run_bench(BLOCK, simulator)
    assert result.comparisons > 10_000, result.text


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_several_frames(simulator: str) -> None:
    """The largest count, on Verilator, crosses all bits of the counter."""
    result = run_many(simulator, closure(BLOCK), ["huge"] * (simulator == "verilator"))
    assert result.comparisons > (200_000 if simulator == "verilator" else 100_000), result.text


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    result = run_many("icarus", [mutant(BLOCK, *MUTANTS[name], tmp_path), block_file("axis_register")])
    assert result.code != 0, f"{name}, and the bench passes"
    assert f"({MANY}." in result.text, result.text
