# SPDX-License-Identifier: BSD-3-Clause
"""axis_width: 49 parameter sets with and without slice, five traffic shapes, cycle-exact rate."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_axis_width(simulator: str) -> None:
    result = run_bench("axis_width", simulator)
    assert result.comparisons > 60_000, result.text


@pytest.mark.sweep
def test_axis_width_long() -> None:
    """Cases of two cycles per word inside; Verilator only, Icarus would need minutes."""
    result = run_bench("axis_width", "verilator", top="tb_axis_width_long")
    assert result.comparisons > 5_000, result.text
