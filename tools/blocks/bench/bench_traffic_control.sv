// SPDX-License-Identifier: BSD-3-Clause
//
// bench_traffic_control - simulation only: clock, reset, stalls and end of a traffic bench.
//
// Four shapes, each from reset: 0 full rate, 1 source stalls, 2 sink stalls, 3 both. A stall is a draw in every
// cycle: most of the time a side goes in seven cycles of eight, in some stretches of 64 (source) or 128 (sink) cycles
// in one of four, so that buffers run empty and full. A shape is over when `done` is up; 40 cycles follow in
// which nothing may be `late`. After the last shape the clock stops: a bench needs no $finish and several
// benches may share a simulation.
//
// Blocking assignments and few signals read: Icarus pays for each variable that is read, not for its width.
//
// Parameters: N, M   sources and sinks that stall on their own, up to 32 each
//             LIMIT  cycles in which a shape must be done
//             HALF   half a clock period
//             SEED   of the stalls
`default_nettype none

module bench_traffic_control #(
    parameter int N     = 1,
    parameter int M     = 1,
    parameter int LIMIT = 100000,
    parameter int HALF  = 5,
    parameter int SEED  = 1
) (
    output logic          aclk,
    output logic          aresetn,
    output logic [1:0]    shape,
    output int            cycle,
    output logic [N-1:0]  source_go,
    output logic [M-1:0]  sink_go,

    input  wire           done,     // all that was sent has arrived
    input  wire           late,     // a beat is offered; fatal once all has arrived
    output logic          closing,  // rises once a shape, when it is done
    output logic          ended     // rises when the last shape is over
);

    logic [63:0] dice, toss;
    int          tail;

    initial begin
        aclk = 1'b0; aresetn = 1'b0; shape = 2'd0; cycle = -4; source_go = '0; sink_go = '0;
        closing = 1'b0; ended = 1'b0; tail = 0;
        toss = '0;
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15;
        while (!ended) #HALF aclk = !aclk;
    end

    always @(posedge aclk) begin
        cycle <= cycle + 1;
        if (shape == 2'd0) begin
            source_go <= '1;
            sink_go   <= '1;
        end else begin
            dice = dice * 64'd6364136223846793005 + 64'd1442695040888963407;
            toss = dice * 64'd2862933555777941757;
            if (!shape[0])              source_go <= '1;
            else if (cycle[7:6] == 2'd3) source_go <= dice[63 -: N] & dice[55 -: N];
            else                         source_go <= dice[63 -: N] | dice[55 -: N] | dice[47 -: N];
            if (!shape[1])              sink_go <= '1;
            else if (cycle[8:7] == 2'd1) sink_go <= toss[63 -: M] & toss[55 -: M];
            else                         sink_go <= toss[63 -: M] | toss[55 -: M] | toss[47 -: M];
        end

        if (closing) begin
            if (late) $fatal(1, "shape %0d: a beat after the last (%m)", shape);
            tail = tail + 1;
            if (tail == 40) begin
                closing <= 1'b0;
                aresetn <= 1'b0;
                shape   <= shape + 2'd1;
                cycle   <= -4;
                ended   <= shape == 2'd3;
                tail    = 0;
            end
        end else if (cycle >= 0) begin
            aresetn <= 1'b1;
            closing <= done;
            if (cycle > LIMIT) $fatal(1, "shape %0d: not done after %0d cycles (%m)", shape, LIMIT);
        end
    end

endmodule

`default_nettype wire
