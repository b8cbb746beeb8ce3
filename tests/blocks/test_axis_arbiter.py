# SPDX-License-Identifier: BSD-3-Clause
"""axis_arbiter: order, routing, fairness and rate of packets, 1 to 16 inputs, on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_arbiter(simulator: str) -> None:
    result = run_bench("axis_arbiter", simulator)
    assert result.comparisons > 4000, result.text
