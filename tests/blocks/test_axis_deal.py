# SPDX-License-Identifier: BSD-3-Clause
"""axis_deal: the replica of every frame, masks at epochs, rate."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axis_deal(simulator: str) -> None:
    result = run_bench("axis_deal", simulator)
    assert result.comparisons > 5000, result.text
