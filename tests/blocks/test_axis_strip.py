# SPDX-License-Identifier: BSD-3-Clause
"""axis_strip: data and padding check of slots of 1 to 96 bits, unsigned and signed, on both simulators."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_axis_strip(simulator: str) -> None:
    result = run_bench("axis_strip", simulator)
    assert result.comparisons > 10000, result.text
