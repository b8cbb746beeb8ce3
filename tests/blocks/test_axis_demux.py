# SPDX-License-Identifier: BSD-3-Clause
"""axis_demux: order, routing and rate of packets, and those to nowhere, 1 to 32 outputs."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axis_demux(simulator: str) -> None:
    result = run_bench("axis_demux", simulator)
    assert result.comparisons > 8000, result.text
