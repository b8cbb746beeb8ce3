# SPDX-License-Identifier: BSD-3-Clause
"""axis_frame_tag: numbers and taints reach the other end of a FIFO, and each reset begins an epoch."""

import pytest

from tools.blocks.block_bench import SIMULATORS, closure, run_bench

PARTS = [path for name in ("axis_frame_tag", "axis_fifo", "axis_frame_label") for path in closure(name)]


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_frame_tag(simulator: str) -> None:
    result = run_bench("axis_frame_tag", simulator, sources=PARTS)
    assert result.comparisons > 4000, result.text
