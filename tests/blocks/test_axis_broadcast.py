# SPDX-License-Identifier: BSD-3-Clause
"""axis_broadcast: every beat once at each of 1 to 32 outputs, full rate, on both simulators."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_axis_broadcast(simulator: str) -> None:
    result = run_bench("axis_broadcast", simulator)
    assert result.comparisons > 80000, result.text
