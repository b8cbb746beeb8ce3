// SPDX-License-Identifier: BSD-3-Clause
//
// vendor_sync - simulation only: a row of flops. In a simulation no flop is ever metastable, so the bits of a
// vector need no Gray code.
//
// Parameters: WIDTH   bits
//             STAGES  flops in the row, at least 1
//             INIT    value of all flops at the start
`default_nettype none

module vendor_sync #(
    parameter int WIDTH = 1,
    parameter int STAGES = 2,
    parameter [WIDTH-1:0] INIT = {WIDTH{1'b0}}
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
    reg [STAGES*WIDTH-1:0] row;
    initial row = {STAGES{INIT}};
    generate
        if (STAGES > 1) begin : g_row
            always @(posedge clk) row <= {row[(STAGES-1)*WIDTH-1:0], d};
        end else begin : g_one
            always @(posedge clk) row <= d;
        end
    endgenerate
    assign q = row[STAGES*WIDTH-1 -: WIDTH];
endmodule

`default_nettype wire
