// SPDX-License-Identifier: BSD-3-Clause
//
// axis_counters - performance counters of one stream, tapped without touching it.
//
//   beats    cycles with tvalid and tready
//   frames   of these, with tlast
//   stalled  cycles with tvalid, without tready: the sink is slow
//   starved  cycles with tready, without tvalid: the source is slow
//   cycles   all
// All since reset or clear, modulo 2**COUNT_W. snapshot copies the five at once to the outputs; clear sets them to zero.
// Both in the same cycle lose nothing: what the copy does not hold is counted for the next one. Each tap goes
// through a flop, so snapshot and clear separate the previous cycle from the one before it.
//
// Throughput  snapshot and clear in every cycle
// Latency     1 cycle from snapshot to the outputs
// Paths       every input ends in flops, every output is a flop
// Resources   about COUNT_W/3 + 10 LUT, 10.5*COUNT_W FF
//
// Parameters: COUNT_W  bits of a counter, 1 to 64
//             PART_W   bits of a carry chain, 2 or more, see split_counter
// Checked by: test_axis_counters.py
`default_nettype none

module axis_counters #(
    parameter int COUNT_W = 64,
    parameter int PART_W  = 16
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire                 axis_tvalid,
    input  wire                 axis_tready,
    input  wire                 axis_tlast,

    input  wire                 snapshot,
    input  wire                 clear,

    output logic [COUNT_W-1:0]  beats,
    output logic [COUNT_W-1:0]  frames,
    output logic [COUNT_W-1:0]  stalled,
    output logic [COUNT_W-1:0]  starved,
    output logic [COUNT_W-1:0]  cycles
);

    localparam int KINDS = 5;

    logic [KINDS-1:0]          event_q;
    wire  [KINDS*COUNT_W-1:0]  count;
    logic [KINDS*COUNT_W-1:0]  copy_q;

    always_ff @(posedge aclk) begin
        event_q[0] <= axis_tvalid && axis_tready;
        event_q[1] <= axis_tvalid && axis_tready && axis_tlast;
        event_q[2] <= axis_tvalid && !axis_tready;
        event_q[3] <= axis_tready && !axis_tvalid;
        event_q[4] <= 1'b1;
        if (!aresetn) event_q <= '0;
        if (snapshot) copy_q <= count;
        if (!aresetn) copy_q <= '0;
    end

    generate
        for (genvar k = 0; k < KINDS; k++) begin : g_counter
            split_counter #(.COUNT_W(COUNT_W), .PART_W(PART_W)) u_count (
                .aclk(aclk),
                .aresetn(aresetn),
                .inc(event_q[k]),
                .clear(clear),
                .count(count[k*COUNT_W +: COUNT_W])
            );
        end
    endgenerate

    assign {cycles, starved, stalled, frames, beats} = copy_q;

endmodule

`default_nettype wire
