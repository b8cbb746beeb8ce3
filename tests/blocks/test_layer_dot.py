# SPDX-License-Identifier: BSD-3-Clause
"""layer_dot: every sum of products of every kind of numbers, full rate, on both simulators."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_layer_dot(simulator: str) -> None:
    result = run_bench("layer_dot", simulator)
    assert result.comparisons > 1500, result.text
