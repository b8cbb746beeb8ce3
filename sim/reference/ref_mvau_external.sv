// SPDX-License-Identifier: BSD-3-Clause
//
// ref_mvau_external - matrix-vector product with its weights on a stream, like FINN's MVAU of mem_mode external.
//
// As ref_mvau, but every operand waits for a word of s_axis_weights, so the stream has to bring all
// MW/SIMD * MH/PE words again for every frame. Word nf * SF + sf: weight of PE p and SIMD s at bit
// (p * SIMD + s) * WEIGHT_W, filled up to bytes.
// Throughput: one word of weights (PE * SIMD products) per cycle. Latency: 4 cycles after the last input of a fold.
//
// Parameters: as of ref_product
// Checked by: tests/test_external.py (Icarus and Verilator)
`default_nettype none

module ref_mvau_external #(
    parameter int MW          = 4,
    parameter int MH          = 4,
    parameter int PE          = 1,
    parameter int SIMD        = 1,
    parameter int INPUT_W     = 4,
    parameter int INPUT_CODE  = 0,
    parameter int WEIGHT_W    = 4,
    parameter int WEIGHT_CODE = 1,
    parameter int OUTPUT_W    = 16,
    localparam int WORD_W     = PE * SIMD * WEIGHT_W,
    localparam int W_TDATA_W  = (WORD_W + 7) / 8 * 8,
    localparam int S_TDATA_W  = (SIMD * INPUT_W + 7) / 8 * 8,
    localparam int M_TDATA_W  = (PE * OUTPUT_W + 7) / 8 * 8
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire [S_TDATA_W-1:0] s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,

    input  wire [W_TDATA_W-1:0] s_axis_weights_tdata,
    input  wire                 s_axis_weights_tvalid,
    output wire                 s_axis_weights_tready,

    output wire [M_TDATA_W-1:0] m_axis_tdata,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready
);
    localparam int WORDS  = (MW / SIMD) * (MH / PE);
    localparam int FOLD_W = WORDS > 1 ? $clog2(WORDS) : 1;

    wire               run, take;
    wire [FOLD_W-1:0]  fold;
    logic [WORD_W-1:0] weights_q;

    assign s_axis_weights_tready = take;

    always_ff @(posedge aclk) begin
        if (run) weights_q <= s_axis_weights_tdata[WORD_W-1:0];
    end

    ref_product #(
        .MW(MW), .MH(MH), .PE(PE), .SIMD(SIMD), .INPUT_W(INPUT_W), .INPUT_CODE(INPUT_CODE), .WEIGHT_W(WEIGHT_W),
        .WEIGHT_CODE(WEIGHT_CODE), .OUTPUT_W(OUTPUT_W)
    ) u_product (
        .aclk, .aresetn, .s_axis_tdata, .s_axis_tvalid, .s_axis_tready, .run, .take, .fold,
        .weights_valid(s_axis_weights_tvalid), .weights(weights_q), .m_axis_tdata, .m_axis_tvalid, .m_axis_tready
    );

    wire unused = &{1'b0, fold, s_axis_weights_tdata};  // padding
endmodule

`default_nettype wire
