# SPDX-License-Identifier: BSD-3-Clause
"""shell_turns: registers hold what is written; replicas go and come back in a reset only."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import run_bench


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_shell_turns(simulator: str) -> None:
    result = run_bench("shell_turns", simulator)
    assert result.comparisons > 4_000, result.text
