# SPDX-License-Identifier: BSD-3-Clause
"""axis_width_narrow_fast: 24 ratios and frames, traffic shapes, cycle-exact rate, resets in mid-stream."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_width_narrow_fast(simulator: str) -> None:
    result = run_bench("axis_width_narrow_fast", simulator)
    assert result.comparisons > 20_000, result.text
