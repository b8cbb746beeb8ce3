# SPDX-License-Identifier: BSD-3-Clause
"""axis_fifo_cdc: data, rate, levels, resets of either side at eight pairs of clocks."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_axis_fifo_cdc(simulator: str) -> None:
    result = run_bench("axis_fifo_cdc", simulator)
    assert result.comparisons >= 10_000, result.text
