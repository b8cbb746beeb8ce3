# SPDX-License-Identifier: BSD-3-Clause
"""axis_frame_tx: data, TLAST, TKEEP and frame_done on both simulators."""

import pytest

from ip.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_frame_tx(simulator: str) -> None:
    result = run_bench("axis_frame_tx", simulator)
    assert result.comparisons >= 2000, result.text
