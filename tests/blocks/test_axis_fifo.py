# SPDX-License-Identifier: BSD-3-Clause
"""axis_fifo: data, rate, level and capacity of every kind, every depth from 2 to 40, on both simulators."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_every_kind(simulator: str) -> None:
    result = run_bench("axis_fifo", simulator)
    assert result.comparisons >= 15000, result.text


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_every_depth(simulator: str) -> None:
    result = run_bench("axis_fifo", simulator, top="tb_axis_fifo_depths")
    assert result.comparisons >= 100_000, result.text
