# SPDX-License-Identifier: BSD-3-Clause
"""axis_width_narrow: nine ratios with and without slice, five traffic shapes, cycle-exact rate."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_width_narrow(simulator: str) -> None:
    result = run_bench("axis_width_narrow", simulator)
    assert result.comparisons > 20_000, result.text


def test_axis_width_narrow_long() -> None:
    """Cases of two cycles per word inside; Verilator only, Icarus would need minutes."""
    result = run_bench("axis_width_narrow", "verilator", top="tb_axis_width_narrow_long")
    assert result.comparisons > 10_000, result.text
