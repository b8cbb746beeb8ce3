// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_sender_far - simulation only: the receiver at the far end of a link, as in docs/vnx.md.
//
// Keeps packets out of order, takes them in order and counts a frame when all of it has come in one session. Its partition
// takes packets at random; it may refuse, and forget its session.
//
// Parameters: PACKETS  of a frame
//             SLOTS    of the sender and of this end
//             SEED     of what is random
`default_nettype none

module bench_vnx_sender_far #(
    parameter int PACKETS = 1,
    parameter int SLOTS   = 8,
    parameter int SEED    = 1
) (
    input  wire          aclk,
    input  wire          link_aresetn,  // frames have numbers from 0 again; the number of the session stays
    input  wire  [6:0]   takes,         // chance of 64 that the partition takes a packet
    input  wire  [31:0]  slots,         // that are lent, up to SLOTS
    input  wire          forget,
    input  wire          refuse,

    input  wire          under_way,     // packets are: it only forgets what matters
    input  wire          came_valid,
    input  wire  [133:0] came_packet,   // kind, sof, eof, seq, frame, tx, rx, turn

    output logic         push,          // a reply: kind, nak, seq, limit, tx, rx, turn, slots of packets out of order
    output logic [132+SLOTS:0] pushed
);
    import bench_vnx_packet::*;
    localparam int FRAMES = 2048;

    logic [63:0] dice;
    logic [15:0] rx_now, tx_now, candidate, tx, rx;
    logic        open, hoping, sof, eof;
    logic [31:0] turn, turn_now;
    logic [SLOTS-1:0] have;
    logic [33:0] notes [0:SLOTS-1];     // of packets out of order: frame, sof, eof
    logic [3:0]  kind;
    int          seq, frame, next, held, newest, since, changed, pause, this_frame, piece, last_delivered, forgot;
    int          delivered, refused;
    int          came [0:FRAMES-1];     // how often a frame was delivered, by number

    task reply(input logic [3:0] what, input logic nak, input int first, input int limit, input logic [15:0] to,
               input logic [15:0] from);
        push   <= 1'b1;
        pushed <= {what, nak, 32'(first), 32'(limit), to, from, what == KIND_ACK ? turn_now : 32'd0, what == KIND_ACK ? have : '0};
    endtask
    task answer(input logic nak);
        reply(KIND_ACK, nak, next, next + int'(slots) - held, tx_now, rx_now);
        since   = 0;
        changed = 0;
    endtask

    task receive;
        {kind, sof, eof, seq, frame, tx, rx, turn} = came_packet;
        if (kind == KIND_HELLO) begin
            if (refuse) begin
                refused = refused + 1;
                reply(KIND_REFUSE, 1'b0, 32'h000003A6, 0, tx, 16'd0);
            end else if (held == 0) begin
                candidate = tx;
                hoping    = 1'b1;
                reply(KIND_WELCOME, 1'b0, 0, int'(slots), tx, rx_now + 16'd1);
            end
        end else if (!(hoping && tx == candidate && rx == rx_now + 16'd1 && held != 0)) begin
            if (hoping && tx == candidate && rx == rx_now + 16'd1) begin
                rx_now = rx_now + 16'd1;
                tx_now = tx;
                open = 1'b1; hoping = 1'b0; have = '0; turn_now = turn;
                next = 0; since = 0; changed = 0; newest = 0; piece = 0;
            end
            if (!open || tx != tx_now || rx != rx_now) reply(KIND_RESTART, 1'b0, 0, 0, tx, rx);
            else begin
                if ($signed(turn - turn_now) > 0) turn_now = turn;
                if (kind == KIND_PROBE) answer(seq != next);
                else receive_data;
            end
        end
    endtask
    logic whole;
    // Behind a gap that is closed packets are taken one by one, so that a reply may say of its own `seq` that it is had.
    task take;
        {frame, sof, eof} = notes[next % SLOTS];
        have[next % SLOTS] = 1'b0;
        if (sof != (piece == 0) || eof != (piece == PACKETS - 1) || (!sof && frame != this_frame))
            $fatal(1, "packet %0d of frame %0d is no piece %0d of frame %0d (%m)", next, frame, piece, this_frame);
        if (frame <= last_delivered) $fatal(1, "frame %0d after %0d (%m)", frame, last_delivered);
        this_frame = frame;
        piece   = eof ? 0 : piece + 1;
        next    = next + 1;
        held    = held + 1;
        pause   = 0;
        if (eof) begin
            came[frame % FRAMES] = came[frame % FRAMES] + 1;
            delivered = delivered + 1;
            last_delivered = frame;
            whole = 1'b1;
        end
    endtask
    task receive_data;
        if (seq >= next - held + int'(slots) && seq >= next - held + SLOTS) $fatal(1, "packet %0d has no slot (%m)", seq);
        if (seq >= next && seq < next - held + int'(slots) && !have[seq % SLOTS]) begin
            have[seq % SLOTS]  = 1'b1;
            notes[seq % SLOTS] = {32'(frame), sof, eof};
            changed = changed + 1;
            whole   = 1'b0;
            if (seq == next) take;
            if (seq > newest) answer(1'b1);
            else if (whole || changed >= 4) answer(1'b0);
            if (seq >= newest) newest = seq + 1;
        end
    endtask

    always @(posedge aclk) begin
        dice = rolled(dice);
        push <= 1'b0;
        if (!link_aresetn) fresh;
        else begin
            if (came_valid) receive;
            else if (open) begin
                since = since + 1;
                if (changed > 0 && since > 40) answer(1'b0);
            end
            pause = pause + 1;
            if (open && have[next % SLOTS] && pause > (next % 4 == 0 ? 90 : 8)) begin
                changed = changed + 1;
                take;
            end
            if (held > 0 && luck(dice, int'(takes), 7)) begin
                held    = held - 1;
                changed = changed + 1;
            end
            if (forget && open && dice[2:0] == 3'd5 && under_way && delivered > 2 + 2 * forgot && forgot < 4) begin
                open = 1'b0; hoping = 1'b0; held = 0; piece = 0; have = '0;
                forgot = forgot + 1;
            end
        end
    end

    task fresh;
        open = 1'b0; hoping = 1'b0; have = '0; next = 0; held = 0; newest = 0; since = 0; changed = 0; pause = 0; turn_now = '0;
        this_frame = 0; piece = 0; delivered = 0; last_delivered = -1; refused = 0; forgot = 0; tx_now = '0; candidate = '0;
        for (int f = 0; f < FRAMES; f++) came[f] = 0;
    endtask
    initial begin
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15 + 64'd3;
        rx_now = 16'd40; push = 1'b0; pushed = '0;
        fresh;
    end
endmodule

`default_nettype wire
