# SPDX-License-Identifier: BSD-3-Clause
"""A partition with a body of the test's own between its streams."""

from __future__ import annotations

import hashlib

from fake_network import chain, partition

from shellgen.model import Network, Partition
from shellgen.read.missing import with_missing

# What Vivado's axis_data_fifo makes of FINN's FIFOs, without the 500 lines around it.
VENDOR_FIFO = """\
xpm_fifo_axis #(
  .CLOCKING_MODE("common_clock"), .FIFO_DEPTH(32), .FIFO_MEMORY_TYPE("auto"), .TDATA_WIDTH(8)
) u_fifo (
  .s_aclk(ap_clk), .m_aclk(1'b0), .s_aresetn(ap_rst_n),
  .s_axis_tdata(s_axis_0_tdata), .s_axis_tvalid(s_axis_0_tvalid), .s_axis_tready(s_axis_0_tready),
  .s_axis_tkeep(1'b1), .s_axis_tstrb(1'b1), .s_axis_tlast(1'b0), .s_axis_tid(1'b0), .s_axis_tdest(1'b0),
  .s_axis_tuser(1'b0), .injectsbiterr_axis(1'b0), .injectdbiterr_axis(1'b0),
  .m_axis_tdata(m_axis_0_tdata), .m_axis_tvalid(m_axis_0_tvalid), .m_axis_tready(m_axis_0_tready)
);
"""


def odd(name: str, body: str, clock2x: str | None = None) -> tuple[Partition, bytes]:
    """One partition of 8-bit streams; ``body`` joins s_axis_0 and m_axis_0."""
    made, text = partition(name)
    if clock2x:
        text = text.replace(b"input wire ap_clk,", f"input wire ap_clk,\n  input wire {clock2x},".encode())
    text = text[: text.index(b"assign m_axis_0_tdata")] + body.encode() + b"endmodule\n"
    source = made.sources[0].model_copy(update={"sha256": hashlib.sha256(text).hexdigest()})
    return made.model_copy(update={"clock2x": clock2x, "sources": (source,)}), text


def chain_of(*parts: tuple[Partition, bytes]) -> Network:
    """Join them in a row, and find out what they lack, as reading a build does."""
    network = chain(*parts)
    network.partitions = with_missing(network.partitions, network.files)
    return network
