# SPDX-License-Identifier: BSD-3-Clause
"""vnx_port: every register against packets that the bench has counted."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_vnx_port(simulator: str) -> None:
    result = run_bench("vnx_port", simulator)
    assert result.comparisons > 250, result.text
