# SPDX-License-Identifier: BSD-3-Clause
"""axis_concat: order of words, frames and rate, 2 to 16 inputs, on both simulators."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axis_concat(simulator: str) -> None:
    result = run_bench("axis_concat", simulator)
    assert result.comparisons > 5000, result.text
