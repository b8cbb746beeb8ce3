# SPDX-License-Identifier: BSD-3-Clause
"""axis_tlast: data, TLAST and frame_done, 1 to 2**31 - 1 beats, on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_tlast(simulator: str) -> None:
    result = run_bench("axis_tlast", simulator)
    assert result.comparisons > 20000, result.text
