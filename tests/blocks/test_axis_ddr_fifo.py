# SPDX-License-Identifier: BSD-3-Clause
"""axis_ddr_fifo with the memory model of its link on both simulators, and mutants that must be refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.resources import data_dir
from tools.blocks.block_bench import SIMULATORS, closure, mutant, run_bench

BLOCK = "axis_ddr_fifo"
MEMORY = data_dir("sim") / "links/ddr_ring/axi_memory.sv"
# Text of the block, and what stands there in the mutant.
MUTANTS = {
    "the ring takes a burst too many": ("USED_W'(RING_BURSTS);", "USED_W'(RING_BURSTS + 1);"),
    "the ring is one burst shorter than it is": ("USED_W'(RING_BURSTS);", "USED_W'(RING_BURSTS - 1);"),
    "a place is free when its read begins": ("m_axi_rvalid && m_axi_rlast;", "ar_start;"),
    "a burst is read before its write is answered": (
        "if (m_axi_bvalid != ar_start) stored_q",
        "if (aw_start != ar_start) stored_q",
    ),
    "a read needs no room": ("some_q && room_q;", "some_q;"),
    "a read waits until the rear FIFO is empty": ("STAGE_W'(STAGE - BURST)", "STAGE_W'(BURST - BURST)"),
    "beats pass the ring while it is in use": (
        "aw_start || aw_valid_q || !empty_q;",
        "aw_start || aw_valid_q;",
    ),
    "beats never pass the ring again": ("aw_start || aw_valid_q || !empty_q;", "1'b1;"),
    "a burst begins without all its beats": (
        "whole_q <= spare_q[STAGE_W-1:BURST_W] != '0;",
        "whole_q <= spare_q[STAGE_W-1:BURST_W-1] != '0;",
    ),
    "the ring is used while a beat fits past it": ("front_valid && !rear_ready;", "front_valid;"),
    "it is used while not armed": (
        "wire go       = ring_q && armed && !stop;",
        "wire go       = ring_q && !stop;",
    ),
    "a write address does not wrap": ("!ring_q || aw_wrap ? base", "!ring_q ? base"),
    "a read address wraps late": (
        "wire                    ar_wrap = ar_left_q == '0;",
        "wire                    ar_wrap = ar_left_q == '1;",
    ),
    "an address moves while it waits": ("(aw_valid_q && m_axi_awready)) begin", "aw_valid_q) begin"),
    "a burst begins during a flush": ("armed && !stop;", "armed;"),
    "a flush does not wait": ("wire  clear = drop_q && idle;", "wire  clear = drop_q;"),
    "a flush of one cycle empties nothing": (
        "wire  clear = drop_q && idle;",
        "wire  clear = drop_q && idle && flush;",
    ),
    "a flush leaves beats": ("live  = aresetn && !clear;", "live  = aresetn;"),
    "idle too early": ("still_q && !aw_valid_q && !ar_valid_q", "still_q"),
    "idle without a look at reads": (
        "still_q <= used_q == stored_q;",
        "still_q <= used_q == stored_q || some_q;",
    ),
    "no fault of a read is reported": ("aresetn && m_axi_rvalid && m_axi_rresp[1]", "1'b0"),
    "no fault of a write is reported": ("aresetn && m_axi_bvalid && m_axi_bresp[1]", "1'b0"),
    "wlast comes early": ("w_last = &beat_q;", "w_last = beat_q == BURST_W'(BURST - 2);"),
    "data wait for their address": ("front_valid && owing;", "front_valid && owing && !aw_valid_q;"),
}
# The small cases do not measure rates.
WHOLE = {"a read waits until the rear FIFO is empty"}


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axis_ddr_fifo(simulator: str) -> None:
    result = run_bench(BLOCK, simulator, sources=[*closure(BLOCK), MEMORY])
    assert result.comparisons > 100_000, result.text


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_refused(name: str, tmp_path: Path) -> None:
    changed = mutant(BLOCK, *MUTANTS[name], tmp_path)
    top = f"tb_{BLOCK}" if name in WHOLE else f"tb_{BLOCK}_few"
    result = run_bench(BLOCK, "icarus", top=top, sources=[changed, *closure(BLOCK)[1:], MEMORY])
    assert result.code != 0, f"{name}, and the bench passes"
    assert f"({top}." in result.text, result.text


HOST = """
module tb_axis_ddr_fifo_host;
    logic       aclk;
    wire        done;
    wire [31:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(1)) u_end (.aclk(aclk), .done(done), .compared(compared));
    axis_ddr_fifo_case #(
        .DATA_W(512), .ADDR_W(64), .RING_BYTES(131072), .STAGE(%d), .LATENCY(%d), .RATE(1), .ROUNDS(1)
    ) u_host (.aclk(aclk), .done(done), .compared(compared));
endmodule
"""


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("stage", "latency", "fast"), [(512, 220, True), (512, 480, True), (128, 220, False)]
)
def test_the_rate_at_the_latency_of_a_host(stage: int, latency: int, fast: bool, tmp_path: Path) -> None:
    """A beat in 0.95 of the cycles, each way, with as many bursts under way as a bridge of PCIe has."""
    top = tmp_path / "tb_axis_ddr_fifo_host.sv"
    top.write_text(HOST % (stage, latency))
    result = run_bench(BLOCK, "verilator", top=top.stem, sources=[*closure(BLOCK), MEMORY, top])
    assert (result.code == 0) == fast, result.text
    assert fast or "slower than 0.95" in result.text
