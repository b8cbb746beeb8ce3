# SPDX-License-Identifier: BSD-3-Clause
"""axil_cdc: accesses between clocks of any ratio, resets of either side."""

import re
from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import mutant, run_bench

# Text of the block, what stands there in the mutant, and what the bench says of it.
MUTANTS = [
    ("if (m_end || (m_new && !m_axil_aresetn)) m_toggle_q", "if (m_end) m_toggle_q", "done|hangs|answered"),
    ("wire idle    = s_toggle_q == s_seen && !wait_q", "wire idle    = !wait_q", "done|hangs|word|answered"),
    ("wire m_take  = m_new && !run_q;", "wire m_take  = m_new;", "valid|hangs|fell|done"),
    ("{m_write ? m_axil_bresp : m_axil_rresp, m_axil_rdata}", "{2'b10, m_axil_rdata}", "answered with 10"),
    ("<= {SLVERR, {DATA_W{1'b0}}};", "<= {SLVERR, s_ask_q[DATA_W-1:0]};", "with 10"),
]


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_axil_cdc(simulator: str) -> None:
    result = run_bench("axil_cdc", simulator)
    assert result.comparisons >= 2000, result.text


@pytest.mark.parametrize(("old", "new", "message"), MUTANTS)
def test_mutant_is_caught(old: str, new: str, message: str, tmp_path: Path) -> None:
    result = run_bench("axil_cdc", "icarus", sources=[mutant("axil_cdc", old, new, tmp_path)])
    assert result.code != 0
    assert re.search(message, result.text), result.text
