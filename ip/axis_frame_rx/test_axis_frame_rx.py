# SPDX-License-Identifier: BSD-3-Clause
"""axis_frame_rx: good, short, long and badly kept frames, all counted, on both simulators."""

import pytest

from ip.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_frame_rx(simulator: str) -> None:
    result = run_bench("axis_frame_rx", simulator)
    assert result.comparisons > 10_000, result.text
