# SPDX-License-Identifier: BSD-3-Clause
"""accl_port: what is written is told and read back, every flag and counter is what the bench has seen."""

import pytest

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)])
def test_accl_port(simulator: str) -> None:
    result = run_bench("accl_port", simulator)
    assert result.comparisons > 1000, result.text
