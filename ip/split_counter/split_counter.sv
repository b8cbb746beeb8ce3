// SPDX-License-Identifier: BSD-3-Clause
//
// split_counter - counts events in any width with short carry chains, exact in every cycle.
//
// The count is cut into parts of PART_W bits with a carry chain each. Whether a part is full is taken from a flop: for
// parts above the lowest it was so a cycle ago, and cannot have changed in a cycle in which all below are full too,
// since then the lowest had just wrapped. For the lowest, which changes with every event, the flop covers all bits but
// bit 0, and the part is full when both are set. So no carry is ever pending: count is never torn.
//
// Throughput  an event in every cycle
// Latency     1 cycle
// Paths       count is flops; inc, clear and aresetn end in flops
// Resources   about COUNT_W/PART_W + 1 LUT, COUNT_W + COUNT_W/PART_W FF
//
// clear sets the count to zero, or to one when inc is set in the same cycle: no event is lost.
//
// Parameters: COUNT_W  bits of the count, 1 to 64
//             PART_W   bits of a carry chain, 2 to 64
//             STOP_EN  1 stops at 2**COUNT_W - 1, 0 counts on from zero
// Checked by: test_split_counter.py
`default_nettype none

module split_counter #(
    parameter int COUNT_W = 64,
    parameter int PART_W  = 16,
    parameter bit STOP_EN = 0
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire                 inc,
    input  wire                 clear,
    output logic [COUNT_W-1:0]  count
);

    localparam int PARTS = (COUNT_W + PART_W - 1) / PART_W;

    logic [COUNT_W-1:0] count_q;
    // Parts 0 to k - 1 are full; [PARTS] is the whole count.
    wire  [PARTS:0]     below_full;
    wire                step = inc && !(STOP_EN && below_full[PARTS]);

    assign below_full[0] = 1'b1;
    assign count = count_q;

    always_ff @(posedge aclk) begin
        if (!aresetn)   count_q[0] <= 1'b0;
        else if (clear) count_q[0] <= inc;
        else            count_q[0] <= count_q[0] ^ step;
    end

    generate
        if (COUNT_W < 1 || COUNT_W > 64) begin : g_check_count_w
            COUNT_W_must_be_1_to_64 parameter_error();
        end
        if (PART_W < 2 || PART_W > 64) begin : g_check_part_w
            PART_W_must_be_2_to_64 parameter_error();
        end

        for (genvar k = 0; k < PARTS; k++) begin : g_part
            // Bit 0 of the count stands for itself.
            localparam int LOW  = k == 0 ? 1 : k * PART_W;
            localparam int HIGH = (k + 1) * PART_W < COUNT_W ? (k + 1) * PART_W : COUNT_W;
            if (HIGH > LOW) begin : g_chain
                logic                full_q;
                wire [HIGH-LOW:0]    next = {1'b0, count_q[HIGH-1:LOW]} + 1'b1;
                always_ff @(posedge aclk) begin
                    full_q <= next[HIGH-LOW];
                    if (step && below_full[k] && (k > 0 || count_q[0])) count_q[HIGH-1:LOW] <= next[HIGH-LOW-1:0];
                    if (!aresetn || clear) begin
                        count_q[HIGH-1:LOW] <= '0;
                        full_q <= 1'b0;
                    end
                end
                assign below_full[k+1] = below_full[k] && full_q && (k > 0 || count_q[0]);
            end else begin : g_bit
                assign below_full[k+1] = below_full[k] && count_q[0];
            end
        end
        if (!STOP_EN) begin : g_unused
            wire unused = &{1'b0, below_full[PARTS]};
        end
    endgenerate

endmodule

`default_nettype wire
