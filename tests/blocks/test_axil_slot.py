# SPDX-License-Identifier: BSD-3-Clause
"""axil_slot: random accesses to both halves of slots, and a dead far side, on both simulators."""

import re
from pathlib import Path

import pytest

from tools.blocks.block_bench import SIMULATORS, mutant, run_bench

# Text of the block, what stands there in the mutant, and what the bench says of it.
MUTANTS = [
    ("wire w_void     = s_axil_awaddr[2] || upper_only;", "wire w_void = upper_only;", "answered"),
    ("wire w_void     = s_axil_awaddr[2] || upper_only;", "wire w_void = s_axil_awaddr[2];", "answered"),
    ("s_axil_wstrb[7:4] != '0 && s_axil_wstrb[3:0] == '0", "s_axil_wstrb[3:0] == '0", "answered|arrived"),
    (
        "!aw_q && (w_q ? s_axil_awvalid : w_whole && !w_void)",
        "!aw_q && s_axil_awvalid && !w_void",
        "answered|arrived|hangs|valid fell",
    ),
    ("(aw_q ? s_axil_wvalid : w_whole && !w_void)", "(w_whole && !w_void)", "hangs|valid"),
    ("assign m_axil_wdata  = s_axil_wdata[31:0];", "assign m_axil_wdata = s_axil_wdata[63:32];", "read of"),
    ("assign m_axil_wstrb  = s_axil_wstrb[3:0];", "assign m_axil_wstrb = 4'hf;", "read of"),
    ("aw_q && w_q && (w_void_q || m_axil_bvalid)", "aw_q && w_q && m_axil_bvalid", "hangs"),
    ("w_void_q ? DECERR : m_axil_bresp", "m_axil_bresp", "answered"),
    ("s_axil_arvalid && !s_axil_araddr[2];", "s_axil_arvalid;", "arrives|arrived|read of"),
    ("r_void_q ? DECERR : m_axil_rresp", "m_axil_rresp", "read of"),
    ("r_void_q ? 32'd0 : m_axil_rdata", "m_axil_rdata", "read of"),
    ("{32'd0, r_void_q", "{m_axil_rdata, r_void_q", "read of"),
    ("{s_axil_awaddr[ADDR_W-1:3], s_axil_awaddr[1:0]}", "s_axil_awaddr[ADDR_W-2:0]", "arrives at"),
    ("{s_axil_araddr[ADDR_W-1:3], s_axil_araddr[1:0]}", "s_axil_araddr[ADDR_W-2:0]", "arrives at"),
    ("if (w_end || !aresetn) begin", "if (!aresetn) begin", "hangs"),
    ("if (r_end || !aresetn) r_q <= 1'b0;", "if (!aresetn) r_q <= 1'b0;", "hangs"),
]
# All on Icarus; on Verilator, which compiles for seconds, in a sweep.
CASES = [("icarus", *mutant) for mutant in MUTANTS] + [
    pytest.param("verilator", *mutant, marks=pytest.mark.sweep) for mutant in MUTANTS
]


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axil_slot(simulator: str) -> None:
    result = run_bench("axil_slot", simulator)
    assert result.comparisons > 3_600, result.text


@pytest.mark.parametrize(("simulator", "old", "new", "said"), CASES)
def test_a_mutant_fails(simulator: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    result = run_bench("axil_slot", simulator, sources=[mutant("axil_slot", old, new, tmp_path)])
    assert result.code != 0, result.text
    assert re.search(said, result.text), result.text
