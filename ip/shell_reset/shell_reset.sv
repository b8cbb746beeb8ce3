// SPDX-License-Identifier: BSD-3-Clause
//
// shell_reset - resets the partitions and links of a core while its host and neighbours keep running.
//
// After `start`:
//   drain    links finish the transfers under way, until all of `drained` are high, and begin none before the reset
//   reset    `inner_aresetn` is low for CYCLES cycles; `shut` is high: accesses to a partition's slave get SLVERR
//   open     `shut` stays high for OPEN more cycles, in which slaves come up
// `hold` cuts draining short and keeps the reset up as long as it is high: beats offered at the links are then withdrawn,
// so whatever is connected there must be reset in the meantime. A `start` during a reset is ignored.
//
// Throughput  one reset after another
// Latency     2 cycles from start to inner_aresetn when nothing is to be drained
// Paths       every output is a flop
// Resources   about 20 LUT and 13 FF
//
// Parameters: N       links to be drained
//             CYCLES  length of the reset, 2 or more
//             OPEN    cycles for the slaves to come up, 2 or more
// Checked by: test_shell_reset.py
`default_nettype none

module shell_reset #(
    parameter int N      = 1,
    parameter int CYCLES = 64,
    parameter int OPEN   = 16
) (
    input  wire         aclk,
    input  wire         aresetn,

    input  wire         start,
    input  wire         hold,
    output logic        busy,           // from start until everything is open

    output logic        drain,
    input  wire [N-1:0] drained,
    output logic        inner_aresetn,
    output logic        shut
);

    generate
        if (N < 1) begin : g_check_n
            N_must_be_at_least_1 parameter_error();
        end
        if (CYCLES < 2 || OPEN < 2) begin : g_check_cycles
            CYCLES_and_OPEN_must_be_at_least_2 parameter_error();
        end
    endgenerate

    localparam int MOST    = CYCLES > OPEN ? CYCLES : OPEN;
    localparam int COUNT_W = $clog2(MOST);

    logic               reset_q;  // partitions and links are in reset
    logic [COUNT_W-1:0] count_q;
    logic               over_q;   // the count has come to its end

    wire go = !reset_q && ((drain && &drained) || hold);

    always_ff @(posedge aclk) begin
        // Until inner_aresetn is low: in a cycle between the two a link would begin another transfer.
        drain   <= (drain || (start && !shut)) && !reset_q;
        count_q <= count_q - 1'b1;
        over_q  <= count_q == COUNT_W'(1);

        if (go) begin
            reset_q <= 1'b1;
            shut    <= 1'b1;
            count_q <= COUNT_W'(CYCLES - 1);
            over_q  <= 1'b0;
        end else if (reset_q && hold) begin
            count_q <= COUNT_W'(CYCLES - 1);
            over_q  <= 1'b0;
        end else if (over_q && reset_q) begin
            reset_q <= 1'b0;
            count_q <= COUNT_W'(OPEN - 1);
            over_q  <= 1'b0;
        end else if (over_q) begin
            shut <= 1'b0;
        end

        busy          <= start || drain || shut || hold;
        inner_aresetn <= !reset_q;

        if (!aresetn) begin
            drain         <= 1'b0;
            reset_q       <= 1'b0;
            shut          <= 1'b0;
            over_q        <= 1'b0;
            count_q       <= '0;
            busy          <= 1'b0;
            inner_aresetn <= 1'b0;
        end
    end

endmodule

`default_nettype wire
