# SPDX-License-Identifier: BSD-3-Clause
"""axis_run_tx: runs of several frames, and zeros that end them, on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_run_tx(simulator: str) -> None:
    result = run_bench("axis_run_tx", simulator)
    assert result.comparisons > 10000, result.text
