# SPDX-License-Identifier: BSD-3-Clause
"""axis_tid: a transfer has one TID, that of what came in last, on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_tid(simulator: str) -> None:
    result = run_bench("axis_tid", simulator)
    assert result.comparisons > 5000, result.text
