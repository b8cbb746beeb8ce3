// SPDX-License-Identifier: BSD-3-Clause
//
// small_top - for tests/test_simulate_run.py: a clock and what can go wrong in HDL, chosen by macros.
`default_nettype none

module small_top (
    output wire       aclk,
    output reg  [7:0] value
);
    bench_clock #(.HALF_PS(5000)) u_clock (.clk(aclk));

`ifdef READS_MEMORY
    reg [7:0] memory[0:3];
    reg [1:0] at;
    initial $readmemh("weights.dat", memory, 0, 3);
    initial at = 2'd0;
    always @(posedge aclk) at <= at + 2'd1;
    always @(posedge aclk) value <= memory[at];
`else
    initial value = 8'd0;
    always @(posedge aclk) value <= value + 8'd1;
`endif
`ifdef ENDS_IN_FATAL
    always @(posedge aclk) if (value == 8'd3) $fatal(1, "the HDL gave up");
`endif
`ifdef HAS_A_LINT_ERROR
    wire never_read = value[0];
`endif
endmodule

`default_nettype wire
