# SPDX-License-Identifier: BSD-3-Clause
"""A partition that hands its words on, with any number of small memories that answer."""

from __future__ import annotations

import hashlib
import re

from fake_network import lite, partition

from shellgen.model import Partition, SourceFile
from shellgen.model.axilite import CHANNELS

WORDS, ADDR_BITS = 4, 6
LEAF = f"""
module memory_leaf (
  input wire clk, input wire rst_n,
  input wire [{ADDR_BITS - 1}:0] awaddr, input wire awvalid, output wire awready,
  input wire [31:0] wdata, input wire [3:0] wstrb, input wire wvalid, output wire wready,
  output wire [1:0] bresp, output reg bvalid, input wire bready,
  input wire [{ADDR_BITS - 1}:0] araddr, input wire arvalid, output wire arready,
  output reg [31:0] rdata, output wire [1:0] rresp, output reg rvalid, input wire rready
);
reg [31:0] words [0:{WORDS - 1}];
assign awready = awvalid && wvalid && !bvalid;
assign wready = awready;
assign arready = arvalid && !rvalid;
assign bresp = 2'd0;
assign rresp = 2'd0;
always @(posedge clk)
  if (!rst_n) begin
    bvalid <= 0;
    rvalid <= 0;
  end else begin
    if (awready) begin
      if (&wstrb) words[awaddr[3:2]] <= wdata;
      bvalid <= 1;
    end else if (bready) bvalid <= 0;
    if (arready) begin
      rdata <= words[araddr[3:2]];
      rvalid <= 1;
    end else if (rready) rvalid <= 0;
  end
endmodule
"""


def memories(name: str, count: int) -> tuple[Partition, bytes]:
    """Return the partition; memory k is slave k and has `WORDS` words of 32 bits."""
    slaves = tuple(lite(index, ADDR_BITS, WORDS) for index in range(count))
    made, silent = partition(name, slaves=slaves)
    text = re.sub(r"assign s_axilite_\d+_\w+ = \d+'d0;\n", "", silent.decode())
    text = re.sub(r"wire s_axilite_\d+_\w+_unused = .*;\n", "", text)
    signals = [signal for signal, _, _ in CHANNELS if not signal.endswith("prot")]
    leaves = "".join(
        f"memory_leaf u_{slave.name} (.clk(ap_clk), .rst_n(ap_rst_n), "
        + ", ".join(f".{signal}({slave.ports[signal.upper()]})" for signal in signals)
        + ");\n"
        for slave in slaves
    )
    text = text.replace("endmodule\n", f"{leaves}endmodule\n") + LEAF
    source = SourceFile(name=f"{name}.v", kind="verilog", sha256=hashlib.sha256(text.encode()).hexdigest())
    return made.model_copy(update={"sources": (source,)}), text.encode()
