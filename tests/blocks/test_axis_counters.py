# SPDX-License-Identifier: BSD-3-Clause
"""axis_counters: five exact counts, snapshots and clears, 1 to 64 bits, on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_counters(simulator: str) -> None:
    result = run_bench("axis_counters", simulator)
    assert result.comparisons > 20000, result.text
