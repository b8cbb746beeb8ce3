# SPDX-License-Identifier: BSD-3-Clause
"""accl_command: the words of puts, turns, statuses and the watchdog, on both simulators."""

import pytest

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.sweep)])
def test_accl_command(simulator: str) -> None:
    result = run_bench("accl_command", simulator)
    assert result.comparisons > 3000, result.text
