# SPDX-License-Identifier: BSD-3-Clause
"""accl_gate: whole frames with a grant each, and zeros where a drain or reset has cut one."""

import pytest

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)])
def test_accl_gate(simulator: str) -> None:
    result = run_bench("accl_gate", simulator)
    assert result.comparisons > 3000, result.text
