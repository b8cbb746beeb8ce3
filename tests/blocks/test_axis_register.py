# SPDX-License-Identifier: BSD-3-Clause
"""axis_register: data, rate, handshakes in every cycle and combinational paths of each kind."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_register(simulator: str) -> None:
    result = run_bench("axis_register", simulator)
    assert result.comparisons >= 10000, result.text
