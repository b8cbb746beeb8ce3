// SPDX-License-Identifier: BSD-3-Clause
//
// layer_lanes - arithmetic on N pairs of integers side by side; the heart of the elementwise layers.
//
// Lane i is bits [i*A_W +: A_W] of a and [i*B_W +: B_W] of b. The result is exact in W bits, of which the lower
// OUT_W are handed out: OUT_W is that of a data type that holds every result.
//
// Throughput  combinational
// Latency     none
// Paths       a and b to result
// Resources   an adder of about max(A_W, B_W) + 1 LUT for each lane; OP 2 twice that; OP 3 a multiplier
//
// Parameters: N         lanes, 1 or more
//             A_W, B_W  bits of an operand, 1 or more
//             OUT_W     bits of a result, 1 or more
//             A_SIGNED  1: a is in two's complement; B_SIGNED likewise
//             OP        0 a + b, 1 a - b, 2 the absolute value of a - b, 3 a * b
// Checked by: test_layers.py
`default_nettype none

module layer_lanes #(
    parameter int N        = 1,
    parameter int A_W      = 8,
    parameter int B_W      = 8,
    parameter int OUT_W    = 9,
    parameter bit A_SIGNED = 0,
    parameter bit B_SIGNED = 0,
    parameter int OP       = 0
) (
    input  wire  [N*A_W-1:0]    a,
    input  wire  [N*B_W-1:0]    b,
    output logic [N*OUT_W-1:0]  result
);

    localparam int ADD     = 0;
    localparam int SUB     = 1;
    localparam int ABSDIFF = 2;
    localparam int MUL     = 3;

    localparam int WIDEST = A_W > B_W ? A_W : B_W;
    localparam int EXACT  = OP == MUL ? A_W + B_W + 2 : WIDEST + 2;
    localparam int W      = EXACT > OUT_W ? EXACT : OUT_W;

    generate
        if (N < 1 || A_W < 1 || B_W < 1 || OUT_W < 1) begin : g_check_sizes
            N_A_W_B_W_and_OUT_W_must_be_at_least_1 parameter_error();
        end
        if (OP < ADD || OP > MUL) begin : g_check_op
            OP_must_be_0_to_3 parameter_error();
        end

        for (genvar i = 0; i < N; i++) begin : g_lane
            wire [A_W-1:0] one   = a[i*A_W +: A_W];
            wire [B_W-1:0] other = b[i*B_W +: B_W];
            wire signed [W-1:0] left  = {{(W-A_W){A_SIGNED && one[A_W-1]}}, one};
            wire signed [W-1:0] right = {{(W-B_W){B_SIGNED && other[B_W-1]}}, other};
            wire signed [W-1:0] exact;

            if (OP == MUL) begin : g_mul
                assign exact = left * right;
            end else if (OP == ADD) begin : g_add
                assign exact = left + right;
            end else if (OP == SUB || OP == ABSDIFF) begin : g_sub
                wire signed [W-1:0] difference = left - right;
                assign exact = OP == ABSDIFF && difference < 0 ? -difference : difference;
            end

            assign result[i*OUT_W +: OUT_W] = exact[OUT_W-1:0];
            if (W > OUT_W) begin : g_rest
                wire unused = &{1'b0, exact[W-1:OUT_W]};
            end
        end
    endgenerate

endmodule

`default_nettype wire
