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
    generate
        if (MW % SIMD != 0) begin : g_check_simd
            MW_must_be_a_multiple_of_SIMD parameter_error();
        end
        if (MH % PE != 0) begin : g_check_pe
            MH_must_be_a_multiple_of_PE parameter_error();
        end
    endgenerate

    localparam int SF_W   = SF > 1 ? $clog2(SF) : 1;
    localparam int WORDS  = SF * NF;
    localparam int FOLD_W = WORDS > 1 ? $clog2(WORDS) : 1;

    wire              write_en, read_en;
    wire [31:0]       write_index, write_data, read_index, read_data;
    wire [WORD_W-1:0] weights;

    // Where the next operand comes from: its place in the vector and the word of weights it meets.
    logic [SF_W-1:0]   sf_q;
    logic [FOLD_W-1:0] fold_q;
    logic              replay_q;

    logic [SIMD*INPUT_W-1:0] vector [0:SF-1];
    logic [SIMD*INPUT_W-1:0] operand_q;
    logic                    operand_valid_q, operand_first_q, operand_last_q;

    logic [PE*OUTPUT_W-1:0]  dot, dot_q, sum_q;
    logic                    dot_valid_q, dot_first_q, dot_last_q, sum_valid_q;

    wire sum_ready;
    wire run   = sum_ready || !sum_valid_q;
    wire issue = replay_q || s_axis_tvalid;
    wire last  = sf_q == SF_W'(SF - 1);

    assign s_axis_tready = run && !replay_q;

    always_ff @(posedge aclk) begin
        if (run) begin
            operand_valid_q <= issue;
            operand_first_q <= sf_q == '0;
            operand_last_q  <= last;
            operand_q       <= replay_q ? vector[sf_q] : s_axis_tdata[SIMD*INPUT_W-1:0];
            if (issue) begin
                if (!replay_q) vector[sf_q] <= s_axis_tdata[SIMD*INPUT_W-1:0];
                sf_q   <= last ? '0 : sf_q + SF_W'(1);
                fold_q <= fold_q == FOLD_W'(WORDS - 1) ? '0 : fold_q + FOLD_W'(1);
                if (fold_q == FOLD_W'(WORDS - 1)) replay_q <= 1'b0;
                else if (last) replay_q <= 1'b1;
            end
            dot_valid_q <= operand_valid_q;
            dot_first_q <= operand_first_q;
            dot_last_q  <= operand_last_q;
            dot_q       <= dot;
            sum_valid_q <= dot_valid_q && dot_last_q;
        end
        if (!aresetn) begin
            sf_q            <= '0;
            fold_q          <= '0;
            replay_q        <= 1'b0;
            operand_valid_q <= 1'b0;
            dot_valid_q     <= 1'b0;
            sum_valid_q     <= 1'b0;
        end
    end

    generate
        for (genvar p = 0; p < PE; p++) begin : g_pe
            ref_dot #(
                .SIMD(SIMD), .OUTPUT_W(OUTPUT_W), .INPUT_W(INPUT_W), .INPUT_CODE(INPUT_CODE), .WEIGHT_W(WEIGHT_W),
                .WEIGHT_CODE(WEIGHT_CODE)
            ) u_dot (
                .inputs(operand_q),
                .weights(weights[p*SIMD*WEIGHT_W +: SIMD*WEIGHT_W]),
                .result(dot[p*OUTPUT_W +: OUTPUT_W])
            );
            // Sums wrap modulo 2**OUTPUT_W on the way; the final one fits.
            always_ff @(posedge aclk) begin
                if (run && dot_valid_q)
                    sum_q[p*OUTPUT_W +: OUTPUT_W] <= dot_q[p*OUTPUT_W +: OUTPUT_W]
                        + (dot_first_q ? '0 : sum_q[p*OUTPUT_W +: OUTPUT_W]);
            end
        end
    endgenerate

    ref_weights #(.WORD_W(WORD_W), .DEPTH(WORDS), .INIT_FILE(INIT_FILE)) u_weights (
        .aclk, .fetch_en(run), .fetch_addr(fold_q), .fetch_word(weights),
        .write_en, .write_index, .write_data, .read_en, .read_index, .read_data
    );

    ref_axilite #(.ADDR_W(ADDR_W)) u_axilite (.*);

    ref_slice #(.DATA_W(M_TDATA_W)) u_slice (
        .aclk, .aresetn,
        .s_axis_tdata(M_TDATA_W'(sum_q)), .s_axis_tvalid(sum_valid_q), .s_axis_tready(sum_ready),
        .m_axis_tdata, .m_axis_tvalid, .m_axis_tready
    );

    wire unused = &{1'b0, s_axis_tdata};  // padding
endmodule

`default_nettype wire
