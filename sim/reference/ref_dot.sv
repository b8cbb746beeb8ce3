// SPDX-License-Identifier: BSD-3-Clause
//
// ref_dot - dot product of SIMD inputs and SIMD weights, modulo 2**OUTPUT_W. Combinational.
//
// Resources: SIMD multipliers and an adder of SIMD terms.
//
// Parameters: SIMD            elements
//             INPUT_W, _CODE  bits of an input; 0 unsigned, 1 two's complement, 2 bipolar (0 is -1, 1 is +1)
//             WEIGHT_W, _CODE the same of a weight
//             OUTPUT_W        bits of the result
// Checked by: tests/test_reference_rtl.py (Icarus and Verilator)
`default_nettype none

module ref_dot #(
    parameter int SIMD        = 1,
    parameter int INPUT_W     = 4,
    parameter int INPUT_CODE  = 0,
    parameter int WEIGHT_W    = 4,
    parameter int WEIGHT_CODE = 1,
    parameter int OUTPUT_W    = 16
) (
    input  wire  [SIMD*INPUT_W-1:0]  inputs,
    input  wire  [SIMD*WEIGHT_W-1:0] weights,
    output wire  [OUTPUT_W-1:0]      result
);
    localparam int SIGNED  = 1;
    localparam int BIPOLAR = 2;
    localparam int SUM_W   = INPUT_W + WEIGHT_W + 2 + $clog2(SIMD);
    localparam int WIDE_W  = SUM_W > OUTPUT_W ? SUM_W : OUTPUT_W;

    // One bit more than the element, so that all three codes are two's complement from here on.
    wire [SIMD*(INPUT_W+1)-1:0]  values;
    wire [SIMD*(WEIGHT_W+1)-1:0] factors;

    generate
        for (genvar s = 0; s < SIMD; s++) begin : g_decode
            if (INPUT_CODE == BIPOLAR) begin : g_bipolar_input
                assign values[s*(INPUT_W+1) +: INPUT_W+1] = {!inputs[s], 1'b1};
            end else begin : g_input
                assign values[s*(INPUT_W+1) +: INPUT_W+1] =
                    {INPUT_CODE == SIGNED && inputs[s*INPUT_W+INPUT_W-1], inputs[s*INPUT_W +: INPUT_W]};
            end
            if (WEIGHT_CODE == BIPOLAR) begin : g_bipolar_weight
                assign factors[s*(WEIGHT_W+1) +: WEIGHT_W+1] = {!weights[s], 1'b1};
            end else begin : g_weight
                assign factors[s*(WEIGHT_W+1) +: WEIGHT_W+1] =
                    {WEIGHT_CODE == SIGNED && weights[s*WEIGHT_W+WEIGHT_W-1], weights[s*WEIGHT_W +: WEIGHT_W]};
            end
        end
    endgenerate

    logic signed [INPUT_W:0]  value;
    logic signed [WEIGHT_W:0] factor;
    logic signed [WIDE_W-1:0] sum, product;

    always_comb begin
        sum = '0;
        for (int s = 0; s < SIMD; s++) begin
            value   = values[s*(INPUT_W+1) +: INPUT_W+1];
            factor  = factors[s*(WEIGHT_W+1) +: WEIGHT_W+1];
            product = value * factor;
            sum     = sum + product;
        end
    end

    assign result = sum[OUTPUT_W-1:0];

    wire unused = &{1'b0, sum};  // the caller knows that the final accumulator fits
endmodule

`default_nettype wire
