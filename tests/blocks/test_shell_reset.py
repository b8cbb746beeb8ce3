# SPDX-License-Identifier: BSD-3-Clause
"""shell_reset: draining, reset, opening and hold on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_shell_reset(simulator: str) -> None:
    result = run_bench("shell_reset", simulator)
    assert result.comparisons > 1000, result.text
