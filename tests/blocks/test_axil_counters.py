# SPDX-License-Identifier: BSD-3-Clause
"""axil_counters: counters of every event, exact, with clears at random, 1 to 17 of them."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axil_counters(simulator: str) -> None:
    result = run_bench("axil_counters", simulator)
    assert result.comparisons > 4000, result.text
