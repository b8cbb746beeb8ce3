# SPDX-License-Identifier: BSD-3-Clause
"""accl_port: writes take effect and are read back, every flag and counter agrees with the bench."""

import pytest

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)])
def test_accl_port(simulator: str) -> None:
    result = run_bench("accl_port", simulator)
    assert result.comparisons > 1000, result.text
