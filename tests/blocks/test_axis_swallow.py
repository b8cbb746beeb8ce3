# SPDX-License-Identifier: BSD-3-Clause
"""axis_swallow: transfers cut by a reset end at TLAST and nowhere else, on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_swallow(simulator: str) -> None:
    result = run_bench("axis_swallow", simulator)
    assert result.comparisons > 5000, result.text
