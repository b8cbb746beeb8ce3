# SPDX-License-Identifier: BSD-3-Clause
"""axis_join: every beat of 1 to 32 inputs side by side, full rate, on both simulators."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_axis_join(simulator: str) -> None:
    result = run_bench("axis_join", simulator)
    assert result.comparisons > 10000, result.text
