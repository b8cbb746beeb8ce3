# SPDX-License-Identifier: BSD-3-Clause
"""axil_crossbar and trees of axil_root and axil_node: decoding, holes, dead slaves and their late answers."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axil_crossbar(simulator: str) -> None:
    result = run_bench("axil_crossbar", simulator)
    assert result.comparisons >= 1500, result.text


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axil_tree(simulator: str) -> None:
    result = run_bench("axil_crossbar", simulator, "tb_axil_tree")
    assert result.comparisons >= 1500, result.text
