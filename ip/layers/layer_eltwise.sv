// SPDX-License-Identifier: BSD-3-Clause
//
// layer_eltwise - two streams of N integers a beat, added, subtracted or multiplied: FINN's AddStreams and others.
//
// Each input waits for the other, so one may run ahead by any amount, which must be buffered in front of the block.
//
// Throughput  one beat per cycle
// Latency     1 cycle
// Paths       s_axis_tready of an input waits for s_axis_tvalid of both, combinational; m_axis is flops
// Resources   layer_lanes, axis_join and axis_register #(N*OUT_W)
//
// Parameters: N, A_W, B_W, OUT_W, A_SIGNED, B_SIGNED, OP  see layer_lanes; a is s_axis_tdata[N*A_W-1:0] with
//                 s_axis_tvalid[0] and s_axis_tready[0], b lies above it
// Checked by: test_layers.py
`default_nettype none

module layer_eltwise #(
    parameter int N        = 1,
    parameter int A_W      = 8,
    parameter int B_W      = 8,
    parameter int OUT_W    = 9,
    parameter bit A_SIGNED = 0,
    parameter bit B_SIGNED = 0,
    parameter int OP       = 0
) (
    input  wire                     aclk,
    input  wire                     aresetn,

    input  wire  [N*(A_W+B_W)-1:0]  s_axis_tdata,
    input  wire  [1:0]              s_axis_tvalid,
    output logic [1:0]              s_axis_tready,

    output logic [N*OUT_W-1:0]      m_axis_tdata,
    output logic                    m_axis_tvalid,
    input  wire                     m_axis_tready
);

    wire [N*(A_W+B_W)-1:0] both;
    wire [N*OUT_W-1:0]     result;
    wire                   valid, ready;

    axis_join #(.N(2), .SUM_W(N * (A_W + B_W))) u_join (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(both),
        .m_axis_tvalid(valid),
        .m_axis_tready(ready)
    );

    layer_lanes #(
        .N(N), .A_W(A_W), .B_W(B_W), .OUT_W(OUT_W), .A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED), .OP(OP)
    ) u_lanes (
        .a(both[N*A_W-1:0]),
        .b(both[N*(A_W+B_W)-1:N*A_W]),
        .result(result)
    );

    axis_register #(.DATA_W(N * OUT_W)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(result),
        .s_axis_tvalid(valid),
        .s_axis_tready(ready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
