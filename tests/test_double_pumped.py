# SPDX-License-Identifier: BSD-3-Clause
"""A whole cluster with what FINN's own RTL lacks: a clock of twice the frequency, and a FIFO of Vivado's."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster_bench import generate_fake, streams_only
from fake_network import one_each
from odd_partition import VENDOR_FIFO, chain_of, odd
from simulators import mostly_on

from shellgen.simulate import Simulator

# The result is there in the second half of a slow cycle only, so each slow edge must meet a fast one.
PUMPED = """\
reg        active;
reg  [7:0] given, fast, held;
reg  [1:0] state;
always @(posedge ap_clk2x) begin
  active <= ap_rst_n && !active;
  fast   <= active ? ~given : given ^ 8'h5a;
end
always @(posedge ap_clk) begin
  given <= s_axis_0_tdata;
  case (state)
    2'd0: if (s_axis_0_tvalid) state <= 2'd1;
    2'd1: begin
      held  <= fast ^ 8'h5a;
      state <= 2'd2;
      if (fast != (given ^ 8'h5a)) $error("the fast clock is out of phase");
    end
    default: if (m_axis_0_tready) state <= 2'd0;
  endcase
  if (!ap_rst_n) state <= 2'd0;
end
assign s_axis_0_tready = state == 2'd0;
assign m_axis_0_tvalid = state == 2'd2;
assign m_axis_0_tdata  = held;
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One node with a pumped partition, one with a FIFO of Vivado's, whose model has but one clock."""
    network = chain_of(odd("pumped", PUMPED, "ap_clk2x"), odd("vendor", VENDOR_FIFO))
    return generate_fake(network, one_each(network), tmp_path_factory.mktemp("pumped") / "out")


@pytest.mark.recorded
@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_it_passes(out: Path, simulator: Simulator) -> None:
    report = streams_only(out, simulator)
    assert report["passed"], report["problem"]
    assert all(verdict["words"] and not verdict["mismatches"] for verdict in report["stalled"]["verdicts"])


@pytest.mark.sweep
def test_it_does_not_when_the_edges_do_not_meet(out: Path) -> None:
    clocks = out / "bench" / "sim" / "node_clock.sv"
    aligned = clocks.read_text()
    apart = aligned.replace("{!clk, 1'b1}", "{!clk, 1'b0}").replace("else clk2x = 1'b0", "else clk2x = 1'b1")
    assert apart.count("clk2x = 1'b1") == aligned.count("{!clk, 1'b1}") == 1
    clocks.write_text(apart)
    try:
        report = streams_only(out, "icarus")
    finally:
        clocks.write_text(aligned)
    assert "out of phase" in report["problem"]
