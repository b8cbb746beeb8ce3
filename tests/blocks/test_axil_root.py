# SPDX-License-Identifier: BSD-3-Clause
"""axil_root under a tree that the bench plays: addresses, answers, holes, timeouts, on both simulators."""

import re
from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import mutant, run_bench

# Text of the block, what stands there in the mutant, and what the bench says of it.
MUTANTS = [
    ("(TIMEOUT - 2));", "(TIMEOUT - 1));", "expired is"),
    ("assign tree_start   = start_q & !far;", "assign tree_start   = start_q;", "instead of|read of|a start"),
    (
        "= write_q ? m_axil_awaddr[SPAN_LOG2-1:0]",
        "= !write_q ? m_axil_awaddr[SPAN_LOG2-1:0]",
        "the tree sees",
    ),
    ("wait_q  <= start_q ? far : up_wait;", "wait_q  <= up_wait;", "becomes|instead of"),
    ("if (r_clear)     s_axil_rdata", "if (1'b0)        s_axil_rdata", "is X|read of"),
    ("{s_axil_wstrb, s_axil_wdata};", "{s_axil_wstrb | 1'b1, s_axil_wdata};", "read of"),
]


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axil_root(simulator: str) -> None:
    result = run_bench("axil_root", simulator)
    assert result.comparisons >= 1800, result.text


@pytest.mark.parametrize(("old", "new", "message"), MUTANTS)
def test_mutant_is_caught(old: str, new: str, message: str, tmp_path: Path) -> None:
    result = run_bench("axil_root", "icarus", sources=[mutant("axil_root", old, new, tmp_path)])
    assert result.code != 0
    assert re.search(message, result.text), result.text
