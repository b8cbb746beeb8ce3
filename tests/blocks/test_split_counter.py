# SPDX-License-Identifier: BSD-3-Clause
"""split_counter: exact in every cycle and across every carry, widths 1 to 64, on both simulators."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_split_counter(simulator: str) -> None:
    result = run_bench("split_counter", simulator)
    assert result.comparisons > 190_000, result.text
