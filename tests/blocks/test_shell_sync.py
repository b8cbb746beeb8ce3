# SPDX-License-Identifier: BSD-3-Clause
"""shell_sync: levels arrive in time, and reset holds the output."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_shell_sync(simulator: str) -> None:
    result = run_bench("shell_sync", simulator)
    assert result.comparisons >= 1000, result.text
