// SPDX-License-Identifier: BSD-3-Clause
//
// layer_channelwise - adds a constant to each channel, or multiplies by it: FINN's ChannelwiseOp.
//
// FOLDS beats of N channels make a pixel; lane i of beat f meets VALUES[(f*N + i)*B_W +: B_W].
//
// Throughput  one beat per cycle
// Latency     1 cycle
// Paths       every output is a flop, no combinational path at all
// Resources   layer_lanes, a ROM of FOLDS words in LUTs, axis_register #(N*OUT_W), $clog2(FOLDS) FF
//
// Parameters: N, A_W, B_W, OUT_W, A_SIGNED, B_SIGNED, OP  see layer_lanes; b is the constant
//             FOLDS   beats of a pixel, 1 or more
//             VALUES  all constants, the first one in the lowest bits
// Checked by: test_layers.py
`default_nettype none

module layer_channelwise #(
    parameter int N        = 1,
    parameter int A_W      = 8,
    parameter int B_W      = 8,
    parameter int OUT_W    = 9,
    parameter bit A_SIGNED = 0,
    parameter bit B_SIGNED = 0,
    parameter int OP       = 0,
    parameter int FOLDS    = 1,
    parameter bit [FOLDS*N*B_W-1:0] VALUES = '0
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [N*A_W-1:0]    s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [N*OUT_W-1:0]  m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    localparam int FOLD_W = FOLDS > 1 ? $clog2(FOLDS) : 1;

    generate
        if (FOLDS < 1) begin : g_check_folds
            FOLDS_must_be_at_least_1 parameter_error();
        end
    endgenerate

    logic [FOLD_W-1:0]  fold_q;
    wire  [N*B_W-1:0]   values [0:FOLDS-1];
    wire  [N*OUT_W-1:0] result;

    generate
        for (genvar f = 0; f < FOLDS; f++) begin : g_word
            assign values[f] = VALUES[f*N*B_W +: N*B_W];
        end
    endgenerate

    always_ff @(posedge aclk) begin
        if (s_axis_tvalid && s_axis_tready) fold_q <= fold_q == FOLD_W'(FOLDS - 1) ? '0 : fold_q + 1'b1;
        if (!aresetn) fold_q <= '0;
    end

    layer_lanes #(
        .N(N), .A_W(A_W), .B_W(B_W), .OUT_W(OUT_W), .A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED), .OP(OP)
    ) u_lanes (
        .a(s_axis_tdata),
        .b(values[fold_q]),
        .result(result)
    );

    axis_register #(.DATA_W(N * OUT_W)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(result),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
