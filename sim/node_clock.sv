// SPDX-License-Identifier: BSD-3-Clause
//
// node_clock - simulation only: the clock of a board, off its frequency as oscillators are.
//
// No edge passes through Python. A period is the nominal one, shorter by ppm; with `drift` the
// offset wanders from ppm to ppm + drift, to ppm - drift and back, by 1 ppm every 256 periods. Edges lie on whole
// picoseconds, and what is below is carried on, so the mean frequency is exact. Low while `run` is; the first edge then
// comes `phase`/256 of a period later than it would, so whatever begins with `run` meets the same edges each time.
//
// With BENCH_CLOCKS_IN_CPP the main program of a Verilator model makes the same edges (shellgen/simulate/cpp), else
// --timing is needed.
//
// With DOUBLED there is a clock of twice the frequency, as a clocking wizard makes it: each rising edge of clk is one
// of clk2x, in the same instant. One process drives both, because two that meet at a time step may run in either order.
//
// Parameters: PERIOD_FS  nominal period in femtoseconds
//             DOUBLED    1: clk2x runs; 0: it rests low
`default_nettype none

module node_clock #(
    parameter longint PERIOD_FS = 10000000,
    parameter int     DOUBLED   = 0
) (
    input  wire               run,
    input  wire signed [15:0] ppm,
    input  wire        [15:0] drift,
    input  wire        [7:0]  phase,
    output logic              clk /*verilator public_flat_rw*/,
    output logic              clk2x /*verilator public_flat_rw*/
);
    timeunit 1ps; timeprecision 1ps;

    generate
        if (PERIOD_FS < 64000 || PERIOD_FS > 1000000000) begin : g_check_period_fs
            PERIOD_FS_must_be_64000_to_1000000000 parameter_error ();
        end
    endgenerate

`ifdef BENCH_CLOCKS_IN_CPP
    // An array, because a pin that is tied to a constant has no place of its own where C++ could read it.
    logic [15:0] told[0:3] /*verilator public_flat_rd*/;
    always_comb begin
        told[0] = 16'(run);
        told[1] = ppm;
        told[2] = drift;
        told[3] = 16'(phase);
    end
    initial begin
        clk   = 1'b0;
        clk2x = 1'b0;
        $c("node_clock({&", clk, ", &", clk2x, ", &", told[0], "}, ", PERIOD_FS, ", ", DOUBLED, ");");
    end
`else
    localparam int STEPS   = DOUBLED != 0 ? 4 : 2;                // edges of a period
    localparam int STEP_PS = 32'(PERIOD_FS / 64'(STEPS) / 1000);  // from edge to edge, about
    localparam int FAR     = STEP_PS / 256 + 4;                   // ppm and drift bring no edge farther than that
    localparam int AGE     = 256;                                 // periods between two changes of the offset

    integer off, reach, age;  // what drift adds to ppm, and at most; periods since it changed
    logic   rising, started;
    integer ahead_fs;       // by what a step is longer than STEP_PS
    integer rest_fs, more;  // what of all steps is left below a picosecond; picoseconds on top of STEP_PS
    logic [1:0]  place;     // in the period
    logic [12:0] left;      // picoseconds of a step that are still to come

    task automatic tune;
        age = age + 1;
        if (age == AGE) begin
            age = 0;
            reach = {16'd0, drift};
            if (off >= reach) rising = 1'b0;
            if (off <= -reach) rising = 1'b1;
            if (drift != 16'd0) off = rising ? off + 1 : off - 1;
            ahead_fs = 32'((PERIOD_FS - PERIOD_FS * (64'(ppm) + 64'(off)) / 1000000) / 64'(STEPS)) - 1000 * STEP_PS;
        end
    endtask

    task automatic measure;
        rest_fs = rest_fs + ahead_fs;
        more    = 0;
        while (rest_fs >= 1000) begin
            rest_fs = rest_fs - 1000;
            more    = more + 1;
        end
        while (rest_fs < 0) begin
            rest_fs = rest_fs + 1000;
            more    = more - 1;
        end
    endtask

    initial begin
        clk     = 1'b0;
        clk2x   = 1'b0;
        place   = 2'd0;
        started = 1'b0;
        forever begin
            if (!started) begin
                wait (run);
                started = 1'b1;
                off     = 0;
                rising  = 1'b1;
                rest_fs = 0;
                age     = AGE - 1;
                tune;
                repeat (32'(phase)) #(32'(PERIOD_FS / 256000));
                if (DOUBLED != 0) #(STEP_PS);
            end
            measure;
            // Delays that Verilator knows are worth a third of its speed: of one that it does not know it expects #0.
            case (more)
                -2: #(STEP_PS - 2);
                -1: #(STEP_PS - 1);
                0: #(STEP_PS);
                1: #(STEP_PS + 1);
                2: #(STEP_PS + 2);
                default: begin
                    #(STEP_PS - FAR);
                    left = 13'(FAR + more);
                    if (left[0]) #1;
                    if (left[1]) #2;
                    if (left[2]) #4;
                    if (left[3]) #8;
                    if (left[4]) #16;
                    if (left[5]) #32;
                    if (left[6]) #64;
                    if (left[7]) #128;
                    if (left[8]) #256;
                    if (left[9]) #512;
                    if (left[10]) #1024;
                    if (left[11]) #2048;
                    if (left[12]) #4096;
                end
            endcase
            place = place + 2'd1;
            if (DOUBLED == 0) clk = !clk;
            else if (place[0]) {clk, clk2x} = {!clk, 1'b1};
            else clk2x = 1'b0;
            if (DOUBLED != 0 ? place == 2'd0 : !place[0]) begin
                tune;
                started = run;
            end
        end
    end
`endif
endmodule

`default_nettype wire
