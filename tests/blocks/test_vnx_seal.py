# SPDX-License-Identifier: BSD-3-Clause
"""vnx_seal: checksums, order and rate of whole packets, and what a reset of the link cuts off."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_vnx_seal(simulator: str) -> None:
    result = run_bench("vnx_seal", simulator)
    assert result.comparisons > 1_500, result.text
