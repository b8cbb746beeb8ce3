# SPDX-License-Identifier: BSD-3-Clause
"""A build of one partition with any number of AXI-Lite slaves, each of which knows which one it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shellgen.ipxact import component_xml
from shellgen.model import AxiLitePort, StreamPort
from shellgen.model.axilite import CHANNELS

NAME = "many"
STREAMS = (("s_axis_0", "input", "output"), ("m_axis_0", "output", "input"))
# What the words of slave k hold after a reset, but for k itself in the lower half.
FIRST, LAST = 0xF125_0000, 0x1A57_0000


def write_build(folder: Path, addr_bits: Sequence[int], lite: str = "") -> Path:
    """Write a build and cluster.toml, whose path is returned.

    Args:
        folder: Where.
        addr_bits: Address bits of each slave.
        lite: ``[node.lite]`` as an inline table.
    """
    ip = folder / "build" / NAME
    (ip / "ip").mkdir(parents=True)
    (ip / f"{NAME}_wrapper.v").write_text(wrapper(addr_bits))
    # As in a build of FINN's; without it the wrapper itself is read (tests/read/test_syntax.py).
    (ip / "ip" / "component.xml").write_text(component(addr_bits))
    lines = ['build = "build"']
    for port, *_ in STREAMS:
        lines += ["[[stream]]", f'port = "{NAME}.{port}"', 'datatype = "UINT4"']
        lines += ["shape = [16]", "elements_per_word = 2"]
    lines += ["[[node]]", 'name = "n0"', 'board = "zedboard"', "partitions = [0]"]
    cluster = folder / "cluster.toml"
    cluster.write_text("\n".join([*lines, *([f"lite = {lite}"] if lite else [])]) + "\n")
    return cluster


def component(addr_bits: Sequence[int]) -> str:
    """Return the partition's component.xml."""
    signals = ("TDATA", "TVALID", "TREADY")
    return component_xml(
        NAME,
        [
            StreamPort(
                name=port,
                direction="in" if forward == "input" else "out",
                tdata_bits=8,
                ports={signal: f"{port}_{signal.lower()}" for signal in signals},
            )
            for port, forward, _ in STREAMS
        ],
        [
            AxiLitePort(
                name=f"s_axilite_{k}",
                addr_bits=bits,
                data_bits=32,
                ports={signal.upper(): f"s_axilite_{k}_{signal}" for signal, *_ in CHANNELS},
            )
            for k, bits in enumerate(addr_bits)
        ],
        clock="ap_clk",
        reset="ap_rst_n",
        others=(),
        files=[f"../{NAME}_wrapper.v"],
        top=f"{NAME}_wrapper",
    )


def wrapper(addr_bits: Sequence[int]) -> str:
    """Return the partition: its stream passes, its slaves ``s_axilite_<k>`` hold two words each.

    These are the first and the last word of the window; every other address is answered SLVERR.
    """
    count = len(addr_bits)
    ports = ["input wire ap_clk", "input wire ap_rst_n"]
    for port, forward, backward in STREAMS:
        ports += [f"{forward} wire [7:0] {port}_tdata", f"{forward} wire {port}_tvalid"]
        ports.append(f"{backward} wire {port}_tready")
    nets, wires = [], []
    for signal, bits, driven in CHANNELS:
        if driven:
            nets.append(f"wire [{(bits or 32) - 1}:0] {signal} [0:{count - 1}];")
        for k, own in enumerate(addr_bits):
            port = f"s_axilite_{k}_{signal}"
            width = bits or own
            ports.append(f"{'input' if driven else 'output'} wire [{width - 1}:0] {port}")
            # The outputs are slices of vectors: Icarus 11 loses what goes from an array into a slice.
            drives = f"{_DRIVES.get(signal)}[{k * width + width - 1}:{k * width}]"
            wires.append(f"assign {signal}[{k}] = {port};" if driven else f"assign {port} = {drives};")
    for k, own in enumerate(addr_bits):
        wires.append(f"assign last_word[{k}] = 32'd{(1 << own) - 4};")
        wires.append(f"assign taken[{k}] = awvalid[{k}] && wvalid[{k}] && !b_q[{k}];")
    body = _BODY.format(count=count, high=count - 1, first=f"32'h{FIRST:x}", last=f"32'h{LAST:x}")
    listed = ",\n  ".join(ports)
    return "\n".join([f"module {NAME}_wrapper (\n  {listed}\n);", *nets, body, *wires, "endmodule", ""])


# What drives the outputs of a slave.
_DRIVES = {
    "awready": "taken",
    "wready": "taken",
    "bresp": "bresp_q",
    "bvalid": "b_q",
    "arready": "free",
    "rdata": "rdata_q",
    "rresp": "rresp_q",
    "rvalid": "r_q",
}
_BODY = """\
wire [31:0] last_word [0:{high}];
reg  [31:0] first_q [0:{high}], last_q [0:{high}];
reg  [32*{count}-1:0] rdata_q;
reg  [2*{count}-1:0]  bresp_q, rresp_q;
reg  [{high}:0] b_q, r_q;
wire [{high}:0] taken;
wire [{high}:0] free = ~r_q;
integer k;
always @(posedge ap_clk)
  for (k = 0; k < {count}; k = k + 1) begin
    if (taken[k]) begin
      b_q[k] <= 1'b1;
      bresp_q[2*k +: 2]  <= wstrb[k] == 4'hf && (awaddr[k] == 0 || awaddr[k] == last_word[k]) ? 2'b00 : 2'b10;
      if (wstrb[k] == 4'hf && awaddr[k] == 0)            first_q[k] <= wdata[k];
      if (wstrb[k] == 4'hf && awaddr[k] == last_word[k]) last_q[k]  <= wdata[k];
    end else if (bready[k]) b_q[k] <= 1'b0;
    if (arvalid[k] && free[k]) begin
      r_q[k] <= 1'b1;
      rresp_q[2*k +: 2]  <= araddr[k] == 0 || araddr[k] == last_word[k] ? 2'b00 : 2'b10;
      rdata_q[32*k +: 32] <= araddr[k] == 0 ? first_q[k] : last_q[k];
    end else if (rready[k]) r_q[k] <= 1'b0;
    if (!ap_rst_n) begin
      b_q[k]     <= 1'b0;
      r_q[k]     <= 1'b0;
      first_q[k] <= {first} + k;
      last_q[k]  <= {last} + k;
    end
  end
assign m_axis_0_tdata  = s_axis_0_tdata;
assign m_axis_0_tvalid = s_axis_0_tvalid;
assign s_axis_0_tready = m_axis_0_tready;"""
