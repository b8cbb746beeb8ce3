// SPDX-License-Identifier: BSD-3-Clause
//
// bench_clock - simulation only: a clock made in HDL, so that no edge passes through Python.
//
// Starts low; the first rising edge comes after HALF_PS. Verilator needs --timing.
//
// Parameters: HALF_PS  half a period in picoseconds
`default_nettype none

module bench_clock #(
    parameter int HALF_PS = 5000
) (
    output logic clk
);
    timeunit 1ps; timeprecision 1ps;

    generate
        if (HALF_PS < 1) begin : g_check_half_ps
            HALF_PS_must_be_positive parameter_error ();
        end
    endgenerate

    initial begin
        clk = 1'b0;
        forever begin
            #(HALF_PS) clk = 1'b1;
            #(HALF_PS) clk = 1'b0;
        end
    end
endmodule

`default_nettype wire
