// SPDX-License-Identifier: BSD-3-Clause
//
// bench_clock - simulation only: a clock that Python does not make, so that no edge passes through it.
//
// Starts low; the first rising edge comes after HALF_PS. With BENCH_CLOCKS_IN_CPP the main program of a Verilator model
// makes the edges (shellgen/simulate/cpp), else --timing is needed.
//
// Parameters: HALF_PS  half a period in picoseconds
`default_nettype none

module bench_clock #(
    parameter int HALF_PS = 5000
) (
    output logic clk /*verilator public_flat_rw*/
);
    timeunit 1ps; timeprecision 1ps;

    generate
        if (HALF_PS < 1) begin : g_check_half_ps
            HALF_PS_must_be_positive parameter_error ();
        end
    endgenerate

`ifdef BENCH_CLOCKS_IN_CPP
    initial begin
        clk = 1'b0;
        $c("bench_clock(&", clk, ", ", HALF_PS, ");");
    end
`else
    initial begin
        clk = 1'b0;
        forever begin
            #(HALF_PS) clk = 1'b1;
            #(HALF_PS) clk = 1'b0;
        end
    end
`endif
endmodule

`default_nettype wire
