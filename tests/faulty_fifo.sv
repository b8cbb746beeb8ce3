// SPDX-License-Identifier: BSD-3-Clause
//
// axis_fifo as tests put it into a generated folder in place of the shipped one: the same FIFO behind a
// error injector, so that faults reach streams that never leave a core. The shipped file is appended with its
// module renamed to axis_fifo_shipped. AT is replaced by the index of the boundary.
`default_nettype none

module axis_fifo #(
    parameter int DATA_W = 8,
    parameter int DEPTH  = 16
) (
    input  wire                         aclk,
    input  wire                         aresetn,
    input  wire  [DATA_W-1:0]           s_axis_tdata,
    input  wire                         s_axis_tvalid,
    output wire                         s_axis_tready,
    output wire  [DATA_W-1:0]           m_axis_tdata,
    output wire                         m_axis_tvalid,
    input  wire                         m_axis_tready,
    output wire  [$clog2(DEPTH+2)-1:0]  level
);
    localparam logic [15:0] AT = 16'd1;

    wire [DATA_W-1:0] faulty_tdata;
    wire              faulty_tvalid, faulty_tready;

    axis_error_injector #(
        .DATA_W(DATA_W)
    ) u_inject (
        .aclk(aclk),
        .aresetn(aresetn),
        .inject_kind(bench_top.inject_at == AT ? bench_top.inject_kind : 3'd0),
        .inject_beat(bench_top.inject_beat),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(faulty_tdata),
        .m_axis_tvalid(faulty_tvalid),
        .m_axis_tready(faulty_tready)
    );

    axis_fifo_shipped #(
        .DATA_W(DATA_W),
        .DEPTH(DEPTH)
    ) u_fifo (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(faulty_tdata),
        .s_axis_tvalid(faulty_tvalid),
        .s_axis_tready(faulty_tready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .level(level)
    );
endmodule

`default_nettype wire
