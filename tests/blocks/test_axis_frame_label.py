# SPDX-License-Identifier: BSD-3-Clause
"""axis_frame_label: tags find their frames, and frames of another epoch are discarded."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_frame_label(simulator: str) -> None:
    result = run_bench("axis_frame_label", simulator)
    assert result.comparisons > 2000, result.text
