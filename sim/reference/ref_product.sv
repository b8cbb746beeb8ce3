// SPDX-License-Identifier: BSD-3-Clause
//
// ref_product - the arithmetic of a matrix-vector product, folded like FINN's MVAU; weights come from outside.
//
// One frame is MW/SIMD input words; they feed neuron fold 0 as they arrive and are replayed from a buffer for the
// other MH/PE - 1 folds. Each fold gives one output word of PE accumulators. Frames follow without a gap or a mark.
// fold counts the words of weights from 0 to MW/SIMD * MH/PE - 1, and take says that the operand which meets word
// fold is issued in this cycle; the word itself is due at weights with the next cycle in which run is high.
// Throughput: one word of weights (PE * SIMD products) per cycle. Latency: 4 cycles after the last input of a fold.
// Resources: PE * SIMD multipliers, a buffer of MW inputs.
//
// Parameters: MW, MH          columns and rows of the matrix, multiples of SIMD and PE
//             INPUT_W, _CODE  bits of an input; 0 unsigned, 1 two's complement, 2 bipolar (0 is -1, 1 is +1)
//             WEIGHT_W, _CODE the same of a weight
//             OUTPUT_W        bits of an accumulator; the caller makes it wide enough
// Checked by: tests/test_reference_rtl.py, tests/test_external.py (Icarus and Verilator)
`default_nettype none

module ref_product #(
    parameter int MW          = 4,
    parameter int MH          = 4,
    parameter int PE          = 1,
    parameter int SIMD        = 1,
    parameter int INPUT_W     = 4,
    parameter int INPUT_CODE  = 0,
    parameter int WEIGHT_W    = 4,
    parameter int WEIGHT_CODE = 1,
    parameter int OUTPUT_W    = 16,
    localparam int SF         = MW / SIMD,
    localparam int NF         = MH / PE,
    localparam int WORDS      = SF * NF,
    localparam int FOLD_W     = WORDS > 1 ? $clog2(WORDS) : 1,
    localparam int WORD_W     = PE * SIMD * WEIGHT_W,
    localparam int S_TDATA_W  = (SIMD * INPUT_W + 7) / 8 * 8,
    localparam int M_TDATA_W  = (PE * OUTPUT_W + 7) / 8 * 8
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire [S_TDATA_W-1:0] s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,

    output wire                 run,
    output wire                 take,
    output wire [FOLD_W-1:0]    fold,
    input  wire                 weights_valid,  // the word for fold is there: an operand may be issued
    input  wire [WORD_W-1:0]    weights,

    output wire [M_TDATA_W-1:0] m_axis_tdata,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready
);
    generate
        if (MW % SIMD != 0) begin : g_check_simd
            MW_must_be_a_multiple_of_SIMD parameter_error();
        end
        if (MH % PE != 0) begin : g_check_pe
            MH_must_be_a_multiple_of_PE parameter_error();
        end
    endgenerate

    localparam int SF_W = SF > 1 ? $clog2(SF) : 1;

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
    wire issue = weights_valid && (replay_q || s_axis_tvalid);
    wire last  = sf_q == SF_W'(SF - 1);

    assign run           = sum_ready || !sum_valid_q;
    assign take          = run && issue;
    assign fold          = fold_q;
    assign s_axis_tready = run && !replay_q && weights_valid;

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

    ref_slice #(.DATA_W(M_TDATA_W)) u_slice (
        .aclk, .aresetn,
        .s_axis_tdata(M_TDATA_W'(sum_q)), .s_axis_tvalid(sum_valid_q), .s_axis_tready(sum_ready),
        .m_axis_tdata, .m_axis_tvalid, .m_axis_tready
    );

    wire unused = &{1'b0, s_axis_tdata};  // padding
endmodule

`default_nettype wire
