# SPDX-License-Identifier: BSD-3-Clause
"""axil_crossbar and trees of axil_root and axil_node: decoding, holes, dead slaves and their late answers."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import IP, closure, run_bench

PARTS = [IP / "axil_crossbar" / "tb_axil_tree.sv", *closure("axil_crossbar")]
DEAD = "tb_axil_crossbar_dead"


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_traffic(simulator: str) -> None:
    result = run_bench("axil_crossbar", simulator, sources=PARTS)
    assert result.comparisons >= 2600, result.text


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_dead_slaves(simulator: str) -> None:
    bench = IP / "axil_crossbar" / f"{DEAD}.sv"
    result = run_bench("axil_crossbar", simulator, DEAD, sources=[bench, *PARTS])
    assert result.comparisons >= 4500, result.text
