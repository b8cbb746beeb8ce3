# SPDX-License-Identifier: BSD-3-Clause
"""ring_requests behind axis_ddr_fifo with the memory model of its link, and mutants that must be refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.resources import data_dir
from tools.blocks.block_bench import SIMULATORS, closure, mutant, run_bench

BLOCK = "ring_requests"
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "a request of another ring": ("who_q  <= turn_q;", "who_q  <= N'({turn_q, turn_q} >> 1);"),
    "a ring never gets its turn": ("turn_q <= N'({turn_q, turn_q} >> (N - 1));", "turn_q <= N'(1);"),
    "one request too many": ("!open_q[k*OPEN_W + OPEN_W - 1];", "1'b1;"),
    "a request that waits is lost": ("|| (valid_q && !sq_ready[way]);", ";"),
    "a request that waits changes": ("if (!valid_q) begin", "begin"),
    "an answer without a request": ("s_axi_bvalid = mine & some[N-1:0];", "s_axi_bvalid = mine;"),
    "an answer to all": ("cq_key_q == {HOSTS[k], DESTS[4*k +: 4]};", "cq_key_q[3:0] == DESTS[4*k +: 4];"),
    "an alien completion is not reported": ("| {N{cq_valid_q && mine == '0}}", ""),
    "a beat that nobody has asked for": ("recv_tvalid[k] && some[N + k];", "recv_tvalid[k];"),
    "it is not reported": ("(~some[2*N-1:N] | (recv_tlast ^ s_axi_rlast))", "(recv_tlast ^ s_axi_rlast)"),
    "a burst ends a beat early": ("&beat_q[k*BEAT_W +: BEAT_W];", "beat_q[k*BEAT_W +: BEAT_W] == '0;"),
    "reads are not counted down": ("s_axi_rvalid & s_axi_rlast;", "'0;"),
}
PARTS = [*closure("axis_ddr_fifo"), data_dir("sim") / "links/ddr_ring/request_memory.sv"]


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_ring_requests(simulator: str) -> None:
    result = run_bench(BLOCK, simulator, sources=[*closure(BLOCK), *PARTS])
    assert result.comparisons > 10_000, result.text


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    changed = mutant(BLOCK, *MUTANTS[name], tmp_path)
    result = run_bench(BLOCK, "icarus", top=f"tb_{BLOCK}_few", sources=[changed, *PARTS])
    assert result.code != 0, f"{name}, and the bench passes"
    assert f"(tb_{BLOCK}_few." in result.text, result.text
