// SPDX-License-Identifier: BSD-3-Clause
//
// bench_clock_pair - simulation only: a clock and one of twice its frequency, as a clocking wizard makes them.
//
// Each rising edge of clk is one of clk2x, in the same instant: one process drives both, because two processes
// that meet at a time step may run in either order. Start low; the first rising edges come after 2 QUARTER_PS.
//
// Parameters: QUARTER_PS  a quarter of clk's period in picoseconds
`default_nettype none

module bench_clock_pair #(
    parameter int QUARTER_PS = 2500
) (
    output logic clk,
    output logic clk2x
);
    timeunit 1ps; timeprecision 1ps;

    generate
        if (QUARTER_PS < 1) begin : g_check_quarter_ps
            QUARTER_PS_must_be_positive parameter_error ();
        end
    endgenerate

    initial begin
        clk   = 1'b0;
        clk2x = 1'b0;
        #(QUARTER_PS);
        forever begin
            #(QUARTER_PS) {clk, clk2x} = 2'b11;
            #(QUARTER_PS) clk2x = 1'b0;
            #(QUARTER_PS) {clk, clk2x} = 2'b01;
            #(QUARTER_PS) clk2x = 1'b0;
        end
    end
endmodule

`default_nettype wire
