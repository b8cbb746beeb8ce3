# SPDX-License-Identifier: BSD-3-Clause
"""axis_frame_tag: numbers and taints reach the other end of a FIFO, and each reset begins an epoch."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_frame_tag(simulator: str) -> None:
    result = run_bench("axis_frame_tag", simulator)
    assert result.comparisons > 4000, result.text
