# SPDX-License-Identifier: BSD-3-Clause
"""axis_run_rx: exact, short and long runs, draining and reset, on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_run_rx(simulator: str) -> None:
    result = run_bench("axis_run_rx", simulator)
    assert result.comparisons > 10000, result.text
