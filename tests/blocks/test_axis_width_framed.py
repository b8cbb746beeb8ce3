# SPDX-License-Identifier: BSD-3-Clause
"""axis_width_framed: 20 pairs of widths with and without slice, frames of every length, cycle-exact rate."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_axis_width_framed(simulator: str) -> None:
    result = run_bench("axis_width_framed", simulator)
    assert result.comparisons > 50_000, result.text


@pytest.mark.sweep
def test_axis_width_framed_long() -> None:
    """Wide beats; Verilator only, Icarus would need minutes."""
    result = run_bench("axis_width_framed", "verilator", top="tb_axis_width_framed_long")
    assert result.comparisons > 50_000, result.text
