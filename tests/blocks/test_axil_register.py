# SPDX-License-Identifier: BSD-3-Clause
"""axil_register: random accesses, every channel delayed, on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axil_register(simulator: str) -> None:
    result = run_bench("axil_register", simulator)
    assert result.comparisons >= 600, result.text
