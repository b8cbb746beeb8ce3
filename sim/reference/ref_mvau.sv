// SPDX-License-Identifier: BSD-3-Clause
//
// ref_mvau - matrix-vector product with run-time writable weights, folded like FINN's MVAU.
//
// One frame is MW/SIMD input words; they feed neuron fold 0 as they arrive and are replayed from a buffer for the
// other MH/PE - 1 folds. Each fold gives one output word of PE accumulators. Frames follow without a gap or a mark.
// Word of weights nf * SF + sf: weight of PE p and SIMD s at bit (p * SIMD + s) * WEIGHT_W.
// Throughput: one word of weights (PE * SIMD products) per cycle. Latency: 4 cycles after the last input of a fold.
// Resources: PE * SIMD multipliers, a RAM of MW * MH weights, a buffer of MW inputs.
//
// Parameters: MW, MH          columns and rows of the matrix, multiples of SIMD and PE
//             INPUT_W, _CODE  bits of an input; 0 unsigned, 1 two's complement, 2 bipolar (0 is -1, 1 is +1)
//             WEIGHT_W, _CODE the same of a weight
//             OUTPUT_W        bits of an accumulator; the caller makes it wide enough
//             INIT_FILE       $readmemh file of the weights
// Checked by: tests/test_reference_rtl.py (Icarus and Verilator)
`default_nettype none

module ref_mvau #(
    parameter int MW          = 4,
    parameter int MH          = 4,
    parameter int PE          = 1,
    parameter int SIMD        = 1,
    parameter int INPUT_W     = 4,
    parameter int INPUT_CODE  = 0,
    parameter int WEIGHT_W    = 4,
    parameter int WEIGHT_CODE = 1,
    parameter int OUTPUT_W    = 16,
    parameter     INIT_FILE   = "",
    localparam int SF         = MW / SIMD,
    localparam int NF         = MH / PE,
    localparam int WORD_W     = PE * SIMD * WEIGHT_W,
    localparam int ADDR_W     = $clog2(SF * NF) + $clog2((WORD_W + 31) / 32) + 2,
    localparam int S_TDATA_W  = (SIMD * INPUT_W + 7) / 8 * 8,
    localparam int M_TDATA_W  = (PE * OUTPUT_W + 7) / 8 * 8
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire [S_TDATA_W-1:0] s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,

    output wire [M_TDATA_W-1:0] m_axis_tdata,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready,

    input  wire [ADDR_W-1:0]    s_axilite_awaddr,
    input  wire                 s_axilite_awvalid,
    output wire                 s_axilite_awready,
    input  wire [31:0]          s_axilite_wdata,
    input  wire                 s_axilite_wvalid,
    output wire                 s_axilite_wready,
    output wire [1:0]           s_axilite_bresp,
    output wire                 s_axilite_bvalid,
    input  wire                 s_axilite_bready,
    input  wire [ADDR_W-1:0]    s_axilite_araddr,
    input  wire                 s_axilite_arvalid,
    output wire                 s_axilite_arready,
    output wire [31:0]          s_axilite_rdata,
    output wire [1:0]           s_axilite_rresp,
    output wire                 s_axilite_rvalid,
    input  wire                 s_axilite_rready
);
    localparam int WORDS  = SF * NF;
    localparam int FOLD_W = WORDS > 1 ? $clog2(WORDS) : 1;

    wire              run, take_unused;
    wire [FOLD_W-1:0] fold;
    wire [WORD_W-1:0] weights;
    wire              write_en, read_en;
    wire [31:0]       write_index, write_data, read_index, read_data;

    ref_product #(
        .MW(MW), .MH(MH), .PE(PE), .SIMD(SIMD), .INPUT_W(INPUT_W), .INPUT_CODE(INPUT_CODE), .WEIGHT_W(WEIGHT_W),
        .WEIGHT_CODE(WEIGHT_CODE), .OUTPUT_W(OUTPUT_W)
    ) u_product (
        .aclk, .aresetn, .s_axis_tdata, .s_axis_tvalid, .s_axis_tready, .run, .take(take_unused), .fold,
        .weights_valid(1'b1), .weights, .m_axis_tdata, .m_axis_tvalid, .m_axis_tready
    );

    ref_weights #(.WORD_W(WORD_W), .DEPTH(WORDS), .INIT_FILE(INIT_FILE)) u_weights (
        .aclk, .fetch_en(run), .fetch_addr(fold), .fetch_word(weights),
        .write_en, .write_index, .write_data, .read_en, .read_index, .read_data
    );

    ref_axilite #(.ADDR_W(ADDR_W)) u_axilite (.*);
endmodule

`default_nettype wire
