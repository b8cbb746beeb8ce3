# SPDX-License-Identifier: BSD-3-Clause
"""axis_switch: order, routing and fairness of packets, 1x1 to 8x8, on both simulators."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axis_switch(simulator: str) -> None:
    result = run_bench("axis_switch", simulator)
    assert result.comparisons > 4000, result.text
