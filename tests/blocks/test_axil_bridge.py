# SPDX-License-Identifier: BSD-3-Clause
"""axil_bridge: four geometries, random accesses, faults and slow far sides, on both simulators."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_axil_bridge(simulator: str) -> None:
    result = run_bench("axil_bridge", simulator)
    assert result.comparisons > 6_000, result.text
