// SPDX-License-Identifier: BSD-3-Clause
//
// ticks - techmap for proofs with several clocks: a flop takes its input in the steps in which its clock is 1.
//
// So a clock is a free bit of every step: its rising edge happens in this step or not. All orders of edges of
// unrelated clocks are executions, simultaneous ones too, and a step is at least one edge, never half a cycle.
`default_nettype none

(* techmap_celltype = "$dff" *)
module ticks_dff (CLK, D, Q);

    parameter WIDTH = 1;
    parameter CLK_POLARITY = 1;

    input  wire             CLK;
    input  wire [WIDTH-1:0] D;
    output wire [WIDTH-1:0] Q;

    \$ff #(.WIDTH(WIDTH)) _TECHMAP_REPLACE_ (.D(CLK == CLK_POLARITY ? D : Q), .Q(Q));

endmodule

`default_nettype wire
