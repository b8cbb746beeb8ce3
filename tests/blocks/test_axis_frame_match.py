# SPDX-License-Identifier: BSD-3-Clause
"""axis_frame_match: frames of one number meet, nothing is left out, what is made up has a taint."""

import pytest

from tools.blocks.block_bench import SIMULATORS, closure, run_bench

PARTS = [path for name in ("axis_frame_match", "axis_fifo", "axis_frame_tag") for path in closure(name)]


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_frame_match(simulator: str) -> None:
    result = run_bench("axis_frame_match", simulator, sources=PARTS)
    assert result.comparisons > 10_000, result.text
