// SPDX-License-Identifier: BSD-3-Clause
//
// axis_turn - names the replica whose turn it is: a fixed pattern, without the replicas that the mask takes out.
//
// The pattern is repeated; one pass over it is an epoch. `turn` holds while `known`, until `next` ends a frame, and then
// names the next replica of the pattern that is alive. `mask` counts as it is when an epoch begins: it is looked at until
// the first frame of the epoch is offered, and the rest of the epoch goes by that. After reset an epoch begins.
//
// Throughput  a turn per cycle; a replica that is out costs a cycle unless the frame before is longer
// Latency     2 cycles from reset, or from a change of the mask before an epoch, to `known`
// Paths       turn and known are flops
// Resources   about 12 LUT for 4 replicas, 22 for 16; N + 2*$clog2(LENGTH) + 4 FF
//
// With all replicas out `known` stays low until one is back.
//
// Parameters: N        replicas, 2 to 16
//             LENGTH   of the pattern, 1 to 64
//             PATTERN  replicas in order, 4 bits each, the first one lowest; round robin if left out
// Checked by: test_axis_deal.py
`default_nettype none

module axis_turn #(
    parameter int N      = 2,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'({4{64'hFEDC_BA98_7654_3210}}),
    localparam int ID_W  = $clog2(N)
) (
    input  wire              aclk,
    input  wire              aresetn,

    input  wire  [N-1:0]     mask,     // replicas that are alive
    input  wire              offered,  // a frame has begun or waits for this turn
    input  wire              next,     // it ends in this cycle
    output logic [ID_W-1:0]  turn,
    output logic             known
);

    localparam int PLACE_W = LENGTH > 1 ? $clog2(LENGTH) : 1;

    function automatic logic beyond();
        beyond = 1'b0;
        for (int k = 0; k < LENGTH; k++) if (int'(PATTERN[k*4 +: 4]) >= N) beyond = 1'b1;
    endfunction

    generate
        if (N < 2 || N > 16) begin : g_check_n
            N_must_be_2_to_16 parameter_error();
        end
        if (LENGTH < 1 || LENGTH > 64) begin : g_check_length
            LENGTH_must_be_1_to_64 parameter_error();
        end
        if (beyond()) begin : g_check_pattern
            PATTERN_must_name_replicas_below_N parameter_error();
        end
    endgenerate

    // One place ahead of the turn.
    logic [PLACE_W-1:0] place_q;
    logic [N-1:0]       mask_q;
    logic               none_q;   // no replica of this epoch has had a turn
    logic               fresh_q;  // the turn is the first of its epoch

    logic [3:0] entry;
    always_comb begin
        entry = PATTERN[3:0];
        for (int k = 1; k < LENGTH; k++) if (place_q == PLACE_W'(k)) entry = PATTERN[k*4 +: 4];
    end

    wire [15:0] alive_of = 16'(mask_q);
    wire [15:0] asked_of = 16'(mask);
    wire first = place_q == '0;
    wire alive = first ? asked_of[PATTERN[3:0]] : alive_of[entry];
    wire free  = !known || next;
    // The mask has changed and nothing of the epoch is settled: back to its first place.
    wire again = mask != mask_q && (none_q || (known && fresh_q && !offered));
    // Not into the next epoch before this one has begun, as mask_q is of this one.
    wire step  = free || (!alive && !(first && fresh_q));

    always_ff @(posedge aclk) begin
        if (free) turn <= entry[ID_W-1:0];
        if (free) fresh_q <= first || none_q;
        if (step) begin
            place_q <= place_q == PLACE_W'(LENGTH - 1) ? '0 : place_q + 1'b1;
            none_q  <= (first || none_q) && !alive;
        end
        if (step && first) mask_q <= mask;
        if (free) known <= alive;

        if (again) begin
            place_q <= '0;
            none_q  <= 1'b0;
            if (free || fresh_q) known <= 1'b0;
        end
        if (!aresetn) begin
            place_q <= '0;
            known   <= 1'b0;
            none_q  <= 1'b0;
        end
    end

    wire unused = &{1'b0, entry};

endmodule

`default_nettype wire
