# SPDX-License-Identifier: BSD-3-Clause
"""axil_node under a root that the bench plays: ports, branches, dead and shut slaves, on both simulators."""

import re
from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import mutant, run_bench

# Text of the block, what stands there in the mutant, and what the bench says of it.
MUTANTS = [
    ("look_q <= pending & dead &", "look_q <= 1'b0 & dead &", "takes"),
    ("& !any;", ";", "not 00"),
    ("!KEEPS[k] & (shut | shut_q)", "(shut | shut_q)", "not 00|takes"),
    ("if (tree_start) answer[ANSWER_W-1 -: 2] <= 2'b00;", "", "not|read of"),
    ("branch_d = branch_d | (near & BRANCHES[k]);", "branch_d = branch_d;", "not"),
    ("m_axil_rresp[P*2 +: 2], m_axil_rdata", "m_axil_bresp[P*2 +: 2], m_axil_rdata", "not"),
    (
        "assign m_axil_arvalid[k] = mine & ar_pend_q & !dead_q",
        "assign m_axil_arvalid[k] = mine & ar_pend_q",
        "request",
    ),
]


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axil_node(simulator: str) -> None:
    result = run_bench("axil_node", simulator)
    assert result.comparisons >= 700, result.text


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_wide_and_many(simulator: str) -> None:
    result = run_bench("axil_node", simulator, "tb_axil_node_more")
    assert result.comparisons >= 1000, result.text


@pytest.mark.parametrize(("old", "new", "message"), MUTANTS)
def test_mutant_is_caught(old: str, new: str, message: str, tmp_path: Path) -> None:
    result = run_bench("axil_node", "icarus", sources=[mutant("axil_node", old, new, tmp_path)])
    assert result.code != 0
    assert re.search(message, result.text), result.text
