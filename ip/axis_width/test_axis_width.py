# SPDX-License-Identifier: BSD-3-Clause
"""axis_width: 36 parameter sets, five traffic shapes, cycle-exact rate, on both simulators."""

import pytest

from ip.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_width(simulator: str) -> None:
    result = run_bench("axis_width", simulator)
    assert result.comparisons > 20_000, result.text
