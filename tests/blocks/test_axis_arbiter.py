# SPDX-License-Identifier: BSD-3-Clause
"""axis_arbiter: order, routing, fairness and rate of packets, 1 to 16 inputs, on both simulators."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axis_arbiter(simulator: str) -> None:
    result = run_bench("axis_arbiter", simulator)
    assert result.comparisons > 4000, result.text
