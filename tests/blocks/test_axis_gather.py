# SPDX-License-Identifier: BSD-3-Clause
"""axis_gather: order of frames, masks at epochs, rate."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axis_gather(simulator: str) -> None:
    result = run_bench("axis_gather", simulator)
    assert result.comparisons > 5000, result.text
