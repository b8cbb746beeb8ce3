# SPDX-License-Identifier: BSD-3-Clause
"""vnx_check: the verdict over good packets and over those with each kind of fault."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_vnx_check(simulator: str) -> None:
    result = run_bench("vnx_check", simulator)
    assert result.comparisons == 1060, result.text
