# SPDX-License-Identifier: BSD-3-Clause
"""axis_fifo: data, full rate, level and capacity, depths 2 to 16, on both simulators."""

import pytest

from ip.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_fifo(simulator: str) -> None:
    result = run_bench("axis_fifo", simulator)
    assert result.comparisons >= 8000, result.text
