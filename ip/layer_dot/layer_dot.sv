// SPDX-License-Identifier: BSD-3-Clause
//
// layer_dot - sums of products of activations and weights, SIMD at a time in each of PE rows: FINN's MVAU and VVAU.
//
// A beat of activations and a beat of weights are taken together; after STEPS of them the PE sums leave, and the next
// begin at zero. Weight s of row p is bits [(p*SIMD + s)*W_W +: W_W]. All rows read activation s of the beat; with
// OWN row p reads activation s*PE + p, so that it has a channel to itself. What hands the same activations out for
// the next rows of a matrix is layer_repeat.
//
// Kinds of numbers: 0 unsigned, 1 two's complement, 2 bipolar: one bit, 0 is -1 and 1 is +1. Where both are bipolar the
// sum is the number of equal bits, as in FINN, not the dot product. Sums are modulo 2^OUT_W.
//
// Throughput  one beat per cycle
// Latency     3 cycles from the last beat of a sum, and one for each factor of four in SIMD
// Paths       s_axis_tready of an input waits for s_axis_tvalid of both, combinational; m_axis is flops
// Resources   a product for each of PE*SIMD, in LUTs: A_W*W_W or so, about A_W + 1 where one is bipolar, 1 where both
//             are; an adder tree of four inputs a step and an accumulator for each row, and axis_register #(PE*OUT_W)
//
// Parameters: PE      rows, 1 or more
//             SIMD    products of a row in a beat, 1 or more
//             A_W     bits of an activation, 1 to 32
//             W_W     bits of a weight, 1 to 32
//             OUT_W   bits of a sum, 1 to 64
//             A_KIND  kind of the activations, see above
//             W_KIND  kind of the weights
//             OWN     1: each row has activations of its own
//             STEPS   beats of a sum, 1 or more
// Checked by: test_layer_dot.py, test_layers.py
`default_nettype none

module layer_dot #(
    parameter int PE     = 1,
    parameter int SIMD   = 1,
    parameter int A_W    = 4,
    parameter int W_W    = 4,
    parameter int OUT_W  = 16,
    parameter int A_KIND = 0,
    parameter int W_KIND = 1,
    parameter bit OWN    = 0,
    parameter int STEPS  = 1
) (
    input  wire                                                   aclk,
    input  wire                                                   aresetn,

    input  wire  [(OWN ? PE : 1)*SIMD*A_W + PE*SIMD*W_W - 1:0]    s_axis_tdata,   // weights above activations
    input  wire  [1:0]                                            s_axis_tvalid,  // {weights, activations}
    output logic [1:0]                                            s_axis_tready,

    output logic [PE*OUT_W-1:0]                                   m_axis_tdata,
    output logic                                                  m_axis_tvalid,
    input  wire                                                   m_axis_tready
);

    localparam int UNSIGNED = 0;
    localparam int BIPOLAR  = 2;

    localparam int ROWS   = OWN ? PE : 1;
    localparam int STEP_W = STEPS > 1 ? $clog2(STEPS) : 1;

    // Level 0 are the products, each further one sums of four of the level before.
    function automatic int nodes(input int level);
        nodes = SIMD;
        for (int i = 0; i < level; i++) nodes = (nodes + 3) / 4;
    endfunction
    function automatic int count_levels(input int lanes);
        int left;
        left = lanes;
        count_levels = 0;
        while (left > 1) begin
            left = (left + 3) / 4;
            count_levels = count_levels + 1;
        end
    endfunction
    localparam int LEVELS = count_levels(SIMD);

    // As signed numbers, exact until they are as wide as the result.
    localparam int EXACT = A_KIND == BIPOLAR && W_KIND == BIPOLAR ? 2
                         : A_KIND == BIPOLAR || W_KIND == BIPOLAR ? A_W + W_W
                         : A_W + W_W + int'(A_KIND == UNSIGNED && W_KIND == UNSIGNED);
    function automatic int width(input int level);
        width = EXACT + 2 * level < OUT_W ? EXACT + 2 * level : OUT_W;
    endfunction
    function automatic int base(input int level);  // Icarus calls no function in one that must be constant
        int lanes, bits;
        base  = 0;
        lanes = SIMD;
        bits  = EXACT;
        for (int i = 0; i < level; i++) begin
            base  = base + lanes * (bits < OUT_W ? bits : OUT_W);
            lanes = (lanes + 3) / 4;
            bits  = bits + 2;
        end
    endfunction
    localparam int TREE_W = base(LEVELS + 1);

    generate
        if (PE < 1 || SIMD < 1 || STEPS < 1) begin : g_check_folding
            PE_SIMD_and_STEPS_must_be_at_least_1 parameter_error();
        end
        if (A_W < 1 || A_W > 32 || W_W < 1 || W_W > 32) begin : g_check_operands
            A_W_and_W_W_must_be_1_to_32 parameter_error();
        end
        if (OUT_W < 1 || OUT_W > 64) begin : g_check_out_w
            OUT_W_must_be_1_to_64 parameter_error();
        end
        if (A_KIND < UNSIGNED || A_KIND > BIPOLAR || W_KIND < UNSIGNED || W_KIND > BIPOLAR) begin : g_check_kinds
            A_KIND_and_W_KIND_must_be_0_to_2 parameter_error();
        end
        if ((A_KIND == BIPOLAR && A_W != 1) || (W_KIND == BIPOLAR && W_W != 1)) begin : g_check_bipolar
            bipolar_numbers_must_have_1_bit parameter_error();
        end
    endgenerate

    logic [LEVELS:0]     valid_q;
    logic [STEP_W-1:0]   step_q;
    logic                done_q, up_q;
    wire  [PE*OUT_W-1:0] sums;
    wire                 ready;

    wire first = step_q == '0;
    wire last  = step_q == STEP_W'(STEPS - 1);
    wire move  = !done_q || ready;

    // Ready in reset would take a beat that nothing counts.
    wire take = up_q && move && s_axis_tvalid == 2'b11;
    assign s_axis_tready = {2{take}};

    always_ff @(posedge aclk) begin
        up_q <= aresetn;
        if (move) begin
            valid_q <= (LEVELS + 1)'({valid_q, take});
            done_q  <= valid_q[LEVELS] && last;
            if (valid_q[LEVELS]) step_q <= last ? '0 : step_q + 1'b1;
        end
        if (!aresetn) begin
            valid_q <= '0;
            done_q  <= 1'b0;
            step_q  <= '0;
        end
    end

    generate
        for (genvar p = 0; p < PE; p++) begin : g_row
            wire [TREE_W-1:0] tree;

            for (genvar s = 0; s < SIMD; s++) begin : g_product
                localparam int PLACE = OWN ? s * PE + p : s;
                wire [A_W-1:0] a = s_axis_tdata[PLACE*A_W +: A_W];
                wire [W_W-1:0] w = s_axis_tdata[ROWS*SIMD*A_W + (p*SIMD + s)*W_W +: W_W];
                wire [EXACT-1:0] exact;
                logic [width(0)-1:0] product_q;

                if (A_KIND == BIPOLAR && W_KIND == BIPOLAR) begin : g_equal
                    assign exact = {1'b0, a == w};
                end else if (W_KIND == BIPOLAR) begin : g_sign_of_w
                    wire [EXACT-1:0] wide = {A_KIND != UNSIGNED && a[A_W-1], a};
                    assign exact = w[0] ? wide : -wide;
                end else if (A_KIND == BIPOLAR) begin : g_sign_of_a
                    wire [EXACT-1:0] wide = {W_KIND != UNSIGNED && w[W_W-1], w};
                    assign exact = a[0] ? wide : -wide;
                end else begin : g_multiply
                    wire signed [EXACT-1:0] left  = {{(EXACT-A_W){A_KIND != UNSIGNED && a[A_W-1]}}, a};
                    wire signed [EXACT-1:0] right = {{(EXACT-W_W){W_KIND != UNSIGNED && w[W_W-1]}}, w};
                    (* use_dsp = "no" *) wire signed [EXACT-1:0] made;
                    assign made  = left * right;
                    assign exact = made;
                end
                always_ff @(posedge aclk) if (move) product_q <= exact[width(0)-1:0];
                assign tree[s*width(0) +: width(0)] = product_q;
                if (EXACT > width(0)) begin : g_rest
                    wire unused = &{1'b0, exact[EXACT-1:width(0)]};
                end
            end

            for (genvar l = 1; l <= LEVELS; l++) begin : g_level
                localparam int IN_W  = width(l - 1);
                localparam int SUM_W = width(l);
                for (genvar n = 0; n < nodes(l); n++) begin : g_node
                    localparam int LEFT  = nodes(l - 1) - 4 * n;
                    localparam int TERMS = LEFT < 4 ? LEFT : 4;
                    wire [4*SUM_W-1:0] terms;
                    logic [SUM_W-1:0]  sum_q;
                    for (genvar t = 0; t < 4; t++) begin : g_term
                        if (t < TERMS) begin : g_there
                            wire signed [IN_W-1:0] term = tree[base(l-1) + (4*n + t)*IN_W +: IN_W];
                            assign terms[t*SUM_W +: SUM_W] = SUM_W'(term);
                        end else begin : g_none
                            assign terms[t*SUM_W +: SUM_W] = '0;
                        end
                    end
                    always_ff @(posedge aclk) if (move) begin
                        sum_q <= (terms[0 +: SUM_W] + terms[SUM_W +: SUM_W])
                               + (terms[2*SUM_W +: SUM_W] + terms[3*SUM_W +: SUM_W]);
                    end
                    assign tree[base(l) + n*SUM_W +: SUM_W] = sum_q;
                end
            end

            wire signed [width(LEVELS)-1:0] part = tree[base(LEVELS) +: width(LEVELS)];
            logic [OUT_W-1:0] acc_q;
            always_ff @(posedge aclk) begin
                if (move && valid_q[LEVELS]) acc_q <= (first ? '0 : acc_q) + OUT_W'(part);
            end
            assign sums[p*OUT_W +: OUT_W] = acc_q;
        end
    endgenerate

    axis_register #(.DATA_W(PE * OUT_W)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(sums),
        .s_axis_tvalid(done_q),
        .s_axis_tready(ready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
