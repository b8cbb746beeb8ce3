// SPDX-License-Identifier: BSD-3-Clause
//
// formal_vnx_window - the proof of vnx_window: whatever comes from the network, whenever packets are written and sent.
//
// A packet is written when there is room, in any number of cycles; what was started is being sent for any number
// of cycles. Replies are any beats at all. Asserted:
//   exists     what is started was written and is not acknowledged
//   limit      its number is below the highest limit that an ACK of the session allowed; compared here in 32 bits
//   free       a packet is written to a slot that neither is kept nor is being sent; apart: nor is it sent then
//   kept       what is given up was sent, and an ACK of the session said so
//   answered   what acts as ACK, WELCOME or RESTART is one, whole and right, of this link, and for ACK and RESTART of both epochs
//   steps      packets that were never sent follow one another
//   turns      each start and PROBE has a turn of its own; flight: no more than FLIGHT were under way two cycles before one starts
//   is_lost    a packet is sent again only if no ACK of the session said that the receiver has it; slot 0 stands for all. Of `base`
//              the newest ACK does not. (That enough have come that were sent later is what bench_vnx_sender_packets looks at: a
//              proof has no word for a memory)
//   once       start and control only when ready, never both, not with drain
//   epochs     tx_epoch counts sessions, in spite of resets; closed: rx_epoch is 0 without one
//   sends      what may be sent is, within two cycles; asks: silence ends in a HELLO or PROBE
//   l_*        lemmas: what the flops inside have to do with the above. They make the rest inductive
`default_nettype none

module formal_vnx_window #(
    parameter int SLOTS          = 4,
    parameter int HELLO_CYCLES   = 4,
    parameter int TIMEOUT_CYCLES = 3,
    parameter int IDLE_CYCLES    = 7,
    parameter int REORDER        = 1,
    parameter int FLIGHT         = 4
) (
    input wire         aclk,
    input wire         aresetn,
    input wire         link_aresetn,
    input wire [255:0] net_header,
    input wire [SLOTS-1:0] net_have,
    input wire         net_whole,
    input wire         net_last,
    input wire         net_good,
    input wire         net_beat,
    input wire         begins,
    input wire         ends,
    input wire         eof,
    input wire [31:0]  frame,
    input wire         mid,
    input wire         news,
    input wire         pauses,
    input wire         sent,
    input wire         drain,
    input wire         clear
);

    // ---- packet, from packet.json ------
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_NAK = 30;
    localparam int BIT_LINK = 64;
    localparam int BITS_LINK = 16;
    localparam int BIT_SEQ = 96;
    localparam int BITS_SEQ = 32;
    localparam int BIT_FRAME = 128;
    localparam int BITS_FRAME = 32;
    localparam int BIT_TX_EPOCH = 160;
    localparam int BITS_TX_EPOCH = 16;
    localparam int BIT_RX_EPOCH = 176;
    localparam int BITS_RX_EPOCH = 16;
    localparam int BIT_TURN = 192;
    localparam int BITS_TURN = 32;
    localparam logic [3:0] KIND_WELCOME = 4'd8;
    localparam logic [3:0] KIND_ACK = 4'd9;
    localparam logic [3:0] KIND_REFUSE = 4'd10;
    localparam logic [3:0] KIND_RESTART = 4'd11;

    localparam int SLOT_W = $clog2(SLOTS);
    localparam int W      = SLOT_W + 2;
    localparam int LOW_W  = SLOT_W / 2;
    localparam int ROWS   = 1 << (SLOT_W - LOW_W);
    localparam logic [15:0] LINK = 16'h1234;

    wire              room, anew, start, start_eof, start_first, control, open, refuse, refused;
    wire [31:0]       seq, top, lost, lost_first, lost_last;
    wire [15:0]       tx_epoch, rx_epoch;
    wire [9:0]        refused_fields;
    wire [31:0]       start_turn;
    wire [8:0]        used, most;
    wire [SLOT_W-1:0] start_slot;
    wire              is_nak, is_opened, is_refused, is_restart, is_stale, is_bad, waits_limit, waits_room;

    // ---- what writes and what sends

    logic              writing_q, sending_q, sending_control_q;
    logic [SLOT_W-1:0] sending_slot_q;

    wire begun  = !writing_q && room && begins && !anew;
    wire inside = (writing_q || begun) && !anew;
    wire commit = inside && ends;
    wire ready  = !sending_q && !pauses;
    wire busy   = sending_q && !sending_control_q;

    always_ff @(posedge aclk) begin
        writing_q <= inside && !commit;
        sending_q <= start || control || (sending_q && !sent);
        if (start || control) sending_control_q <= control;
        if (start || control) sending_slot_q <= start_slot;
        if (!link_aresetn) begin
            writing_q <= 1'b0;
            sending_q <= 1'b0;
        end
    end

    vnx_window #(.SLOTS(SLOTS), .LINK(LINK), .HELLO_CYCLES(HELLO_CYCLES), .TIMEOUT_CYCLES(TIMEOUT_CYCLES),
                 .IDLE_CYCLES(IDLE_CYCLES), .REORDER(REORDER), .FLIGHT(FLIGHT)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .net_header(net_header), .net_have(net_have), .net_whole(net_whole), .net_last(net_last), .net_good(net_good), .net_beat(net_beat),
        .room(room), .anew(anew), .seq(seq), .commit(commit), .eof(eof), .tainted(1'b0), .frame(frame), .mid(mid), .waits(begins), .news(news),
        .drain(drain), .ready(ready), .busy(busy), .busy_slot(sending_slot_q),
        .start(start), .start_slot(start_slot), .start_eof(start_eof), .start_first(start_first), .start_turn(start_turn),
        .start_taint(), .control(control), .open(open), .top(top), .all_sent(), .tx_epoch(tx_epoch), .rx_epoch(rx_epoch),
        .clear(clear), .refuse(refuse), .refused(refused), .refused_fields(refused_fields), .used(used), .most(most),
        .lost(lost), .lost_first(lost_first), .lost_last(lost_last),
        .is_nak(is_nak), .is_opened(is_opened), .is_refused(is_refused), .is_restart(is_restart), .is_stale(is_stale),
        .is_bad(is_bad), .waits_limit(waits_limit), .waits_room(waits_room)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(link_aresetn));
    formal_reset u_reset_all (.aclk(aclk), .aresetn(aresetn));
    always_comb if (!aresetn) assume (!link_aresetn);

    // ---- inside

    wire [31:0]  d_base, d_reply, d_reply_limit, d_past, d_credit;
    wire [31:0]  d_turn, d_echoed, d_flying, d_reply_turn, d_newer, d_known;
    wire [W-1:0] d_read, d_judge, d_off, d_span;
    wire [SLOT_W:0] d_after;
    wire [SLOT_W-1:0] d_fresh_slot;
    wire [ROWS-1:0] d_row, d_had_row;
    wire         d_had, d_base_had, d_front;
    wire         d_read_any, d_judge_any, d_fresh;
    wire [W-1:0] d_lost, d_scan, d_limit, d_sent, d_granted, d_more;
    wire [SLOTS-1:0] d_acked, d_reply_have;
    wire         d_again, d_stray, d_light, d_echoes, d_gone;
    wire [2:0]   d_patience;
    wire         d_one, d_two, d_three, d_inside, d_taken, d_may, d_good, d_welcome, d_restart, d_nak, d_due, d_first, d_expired;
    wire         d_tx_same, d_rx_same, d_is_ack, d_is_restart;
    wire [3:0]   d_kind;
    wire [2:0]   d_timer;

    // In 32 bits, from `base` on.
    wire [31:0]  off_seq   = seq - d_base;
    wire [31:0]  off_top   = top - d_base;
    wire [W-1:0] number    = d_again ? d_lost : top[W-1:0];   // of what starts
    wire [W-1:0] off_next  = number - d_base[W-1:0];
    wire [W-1:0] off_scan  = d_scan - d_base[W-1:0];
    wire [W-1:0] off_limit = d_limit - d_base[W-1:0];
    wire [W-1:0] off_judge = d_judge - d_base[W-1:0];

    // The limit as the document has it.
    logic [31:0] limit_q;
    wire  [31:0] off_true = limit_q - d_base;
    wire  [31:0] rise     = d_reply_limit - limit_q;
    wire         higher   = rise != '0 && !rise[31];

    always_comb if (d_welcome) assume (d_reply == '0 && !d_reply_limit[31]);
    // Fewer than 2**30 PROBEs in a row are not answered.
    always_comb assume (d_turn - d_echoed < 32'h40000000);
    // A receiver's limit is not below what it expects, nor 2**30 packets above.
    always_comb if (d_good) assume (d_reply_limit - d_reply < 32'h40000000);
    always_ff @(posedge aclk) begin
        if (d_welcome)            limit_q <= d_reply_limit;
        else if (d_good && higher) limit_q <= d_reply_limit;
        if (!link_aresetn || anew) limit_q <= '0;
    end

    // ---- one, two and three cycles ago

    logic         up_q, good_q, nak_q, start_q, first_q, probe_q, anew_q, old_q, lone_q;
    logic [31:0]  base_q, top_q, reply_q, turn_q, echoed_q, heard_q;
    logic [SLOTS-1:0] have_1_q, have_2_q, have_3_q;
    logic [31:0]  under_1_q, under_2_q;     // transmissions under way
    logic [15:0]  tx_epoch_q;
    logic [255:0] header_1_q, header_2_q, header_3_q;
    logic         right_1_q, right_2_q, right_3_q, same_1_q, same_2_q, same_3_q, begins_q;
    logic [15:0]  tx_1_q, tx_2_q, tx_3_q, rx_1_q, rx_2_q, rx_3_q;

    initial {up_q, old_q} = 2'b00;
    always_ff @(posedge aclk) begin
        up_q    <= link_aresetn;
        old_q   <= 1'b1;
        good_q  <= d_good;
        nak_q   <= d_nak;
        start_q <= start;
        anew_q  <= anew;
        base_q  <= d_base;
        top_q   <= top;
        first_q <= start_first;
        probe_q <= control && open;
        turn_q  <= d_turn;
        echoed_q <= d_echoed;
        heard_q <= d_reply_turn;
        have_1_q <= net_have;
        under_1_q <= d_turn - d_echoed;
        under_2_q <= under_1_q;
        have_2_q <= have_1_q;
        have_3_q <= have_2_q;
        reply_q <= d_reply;
        tx_epoch_q <= tx_epoch;
        // The first beat of a packet, as seen from here.
        if (net_beat) begins_q <= net_last;
        if (!aresetn) begins_q <= 1'b1;
        header_1_q <= net_header;
        right_1_q  <= net_beat && net_last && begins_q && net_good && net_whole;
        tx_1_q     <= tx_epoch;
        rx_1_q     <= rx_epoch;
        header_2_q <= header_1_q; right_2_q <= right_1_q; tx_2_q <= tx_1_q; rx_2_q <= rx_1_q;
        header_3_q <= header_2_q; right_3_q <= right_2_q; tx_3_q <= tx_2_q; rx_3_q <= rx_2_q;
    end

    logic [ROWS-1:0] have_row;                  // what the reply says of slots with the same lower bits as its number
    always_comb for (int r = 0; r < ROWS; r++) have_row[r] = d_reply_have[{(SLOT_W-LOW_W)'(r), d_reply[LOW_W-1:0]}];

    wire heard = right_3_q && header_3_q[BIT_LINK +: BITS_LINK] == LINK && header_3_q[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx_epoch;
    wire of_session = heard && open && header_3_q[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx_epoch;

    always_comb if (old_q && up_q && link_aresetn) begin
        if (start) exists: assert (32'(off_next) < off_seq && start_slot == number[SLOT_W-1:0] && start_first == !d_again
                                   && (d_again ? 32'(off_next) < off_top : 32'(off_next) == off_top));
        if (start) limit: assert (32'(off_next) < off_true && !off_true[31]);
        if (begun) free: assert (off_seq < SLOTS && !(busy && sending_slot_q == seq[SLOT_W-1:0]));
        if (inside) apart: assert (!(busy && sending_slot_q == seq[SLOT_W-1:0]) && !(start && start_slot == seq[SLOT_W-1:0]));
        if (!anew_q) kept: assert (d_base == base_q || (good_q && d_base == reply_q && d_base - base_q <= top_q - base_q));
        if (d_good) answered: assert (of_session && header_3_q[BIT_KIND +: BITS_KIND] == KIND_ACK
                                      && header_3_q[BIT_SEQ +: BITS_SEQ] == d_reply && d_reply - d_base <= off_top
                                      && header_3_q[BIT_FRAME +: BITS_FRAME] == d_reply_limit && header_3_q[BIT_NAK] == d_nak
                                      && header_3_q[BIT_TURN +: BITS_TURN] == d_reply_turn && have_3_q == d_reply_have);
        if (d_welcome) answered_hello: assert (heard && !open && header_3_q[BIT_KIND +: BITS_KIND] == KIND_WELCOME);
        if (d_restart) answered_restart: assert (of_session && header_3_q[BIT_KIND +: BITS_KIND] == KIND_RESTART);
        if (!anew_q) steps: assert (top == top_q + 32'(start_q && first_q));
        if (!anew_q) turns: assert (d_turn == turn_q + (start_q ? 32'd1 : probe_q ? 32'(REORDER + 1) : 32'd0));
        if (start) turn_is: assert (start_turn == d_turn);
        if (control) probe_is: assert (start_turn == d_turn + 32'(REORDER));
        if (start) flight: assert (under_2_q <= 32'(FLIGHT));
        if (!anew_q) echo: assert (d_echoed == echoed_q || (good_q && d_echoed == heard_q));
        if (start && d_again && number[SLOT_W-1:0] == '0) is_lost: assert (tracked_q && (!had_q || off_next == '0));
        if (start && d_again && off_next == '0) base_lost: assert (!base_had_q);
        once: assert (!(start && control) && (!(start || control) || (ready && !drain)));
        epochs: assert (tx_epoch == tx_epoch_q + 16'(anew_q));
        if (!open) closed: assert (rx_epoch == '0);
        numbers: assert (off_top <= off_seq && off_seq <= SLOTS && off_top <= 32'(off_limit));
        if (d_again) l_again: assert (32'(off_next) < off_top && (32'(off_scan) == 32'(off_next) + 1));
        if (d_read_any) l_read: assert (d_off == d_read - d_base[W-1:0] && d_front == (d_off == '0) && 32'(d_span) <= off_top);
        if (d_judge_any) l_judge: assert (32'(off_judge) < off_top);
        if (d_read_any && d_read[SLOT_W-1:0] == '0 && d_off < d_span) l_row: assert (tracked_q && (d_row[0] || !had_q));
        if (d_judge_any && d_judge[SLOT_W-1:0] == '0) l_judge_0: assert (tracked_q && (!had_q || off_judge == '0));
        l_after: assert (d_after == (SLOT_W+1)'(seq + 32'd1));
        l_flying: assert (d_flying == under_1_q && (!d_light || under_2_q <= 32'(FLIGHT)) && (!d_may || under_2_q <= 32'(FLIGHT)));
        l_echo: assert (d_turn != d_echoed);
        l_acked_0: assert (!tracked_q || d_acked[0] == had_q || (d_fresh && d_fresh_slot == '0 && !had_q));
        l_tracked: assert (tracked_q == (32'(off_0) < off_top));
        l_base_had: assert (d_base_had == base_had_q);
        if (d_three) l_had: assert (d_had == d_reply_have[d_reply[SLOT_W-1:0]]);
        if (d_two) l_had_row: assert (d_had_row == have_row);
        if (d_judge_any && off_judge == '0) l_judge_base: assert (!base_had_q);
        if (d_again && off_next == '0) l_lost_base: assert (!base_had_q);
        if (d_again && d_lost[SLOT_W-1:0] == '0) l_lost: assert (!had_q || off_next == '0);
    end

    // ---- slot 0: whether it is sent, and whether an ACK said that it is had

    logic        tracked_q, had_q;
    logic        base_had_q;                    // what the newest ACK said of its own number
    wire  [W-1:0] off_0 = W'(SLOT_W'(0 - d_base[SLOT_W-1:0]));    // of the packet of slot 0 behind base
    wire  [31:0] freed  = d_reply - d_base;

    always_ff @(posedge aclk) begin
        if (d_good && 32'(off_0) < freed) tracked_q <= 1'b0;
        if (d_good && d_reply_have[0]) had_q <= 1'b1;
        if (d_good) base_had_q <= d_reply_have[d_reply[SLOT_W-1:0]];
        if (start && start_slot == '0) begin
            if (start_first) begin
                tracked_q <= 1'b1;
                had_q     <= 1'b0;
            end
        end
        if (!link_aresetn || anew) begin
            tracked_q  <= 1'b0;
            had_q      <= 1'b0;
            base_had_q <= 1'b0;
        end
    end

    // ---- progress

    localparam int LONGEST = HELLO_CYCLES > IDLE_CYCLES ? HELLO_CYCLES : IDLE_CYCLES;

    logic [1:0] ripe_q;
    logic [4:0] silent_q;
    wire light  = d_turn - d_echoed <= 32'(FLIGHT);
    wire ripe   = ready && open && !d_again && light && 32'(off_limit) != off_top && off_top != off_seq && !d_due && !drain && !anew && !d_good;
    wire silent = ready && !d_stray && !drain && !start && !control && !anew && !d_good && !d_welcome;

    always_ff @(posedge aclk) begin
        ripe_q   <= ripe && !start ? ripe_q + 1'b1 : '0;
        silent_q <= silent ? silent_q + 1'b1 : '0;
        if (!link_aresetn) ripe_q <= '0;
        if (!link_aresetn) silent_q <= '0;
    end
    always_comb if (old_q && up_q && link_aresetn) begin
        if (ripe) sends: assert (start || ripe_q < 2'd2 || d_again);
        asks: assert (silent_q <= 5'(LONGEST));
        l_timer: assert (d_expired || 32'(d_timer) <= LONGEST - 2);
        if (open || !anew) l_patience: assert (32'(d_patience) >= TIMEOUT_CYCLES && 32'(d_patience) <= IDLE_CYCLES);
        if (silent_q != '0 && !d_due)
            l_silent: assert (d_expired ? 32'(silent_q) <= LONGEST - 1 : 32'(silent_q) + 32'(d_timer) <= LONGEST - 2);
    end

    // ---- lemmas

    always_comb if (old_q) l_first: assert (d_first == begins_q);
    always_comb if (old_q && up_q && link_aresetn) begin
        l_limit: assert (!off_true[31] && 32'(off_limit) <= off_true && off_limit <= W'(2 * SLOTS) && off_top <= 32'(off_limit));
        if (d_two || d_three) l_turns: assert (d_newer == d_reply_turn - d_echoed);
        if (d_three) l_known: assert (!d_echoes || (d_reply_turn - d_echoed != '0 && d_reply_turn - d_echoed < 32'h80000000
                                                    && d_turn - d_reply_turn != '0 && d_turn - d_reply_turn < 32'h80000000));
        if (d_two || d_three) l_past: assert (d_past == d_reply - d_base && d_granted == d_limit - d_reply[W-1:0]
                                              && d_credit == d_reply_limit - d_reply);
        if (d_two) l_sent: assert (32'(d_sent) <= off_top);
        if (d_three && d_inside) l_inside: assert (d_past <= off_top);
        if (d_three) l_more: assert (d_more <= W'(2 * SLOTS) && (d_credit[31] ? d_more == '0 : 32'(d_more) <= d_credit));
        if (!anew_q && !d_taken) l_taken: assert (off_seq < SLOTS && !(busy && sending_slot_q == seq[SLOT_W-1:0]));
        if (anew_q) l_anew: assert (!open && !d_one && !d_two && !d_three && !d_may);
        if (d_may && !sending_q && !d_again) l_may: assert (off_top != off_seq && off_top != 32'(off_limit));
        if (!open && !anew) l_empty: assert (seq == '0 && top == '0 && d_base == '0 && !d_again && d_limit == '0);
        if (!open && !anew) l_idle: assert (!writing_q);
        if (writing_q) l_writing: assert (off_seq < SLOTS && !(busy && sending_slot_q == seq[SLOT_W-1:0]));
        l_spaced: assert (2'(d_one) + 2'(d_two) + 2'(d_three) <= 2'd1);
        if (d_two || d_three) l_kind: assert (d_is_ack == (d_kind == KIND_ACK && d_tx_same && d_rx_same)
                                              && d_is_restart == (d_kind == KIND_RESTART && d_tx_same && d_rx_same));
        if (d_one) l_one: assert (right_1_q && d_kind == header_1_q[BIT_KIND +: BITS_KIND] && d_reply == header_1_q[BIT_SEQ +: BITS_SEQ]
                                  && d_reply_limit == header_1_q[BIT_FRAME +: BITS_FRAME] && d_nak == header_1_q[BIT_NAK]
                                  && d_reply_turn == header_1_q[BIT_TURN +: BITS_TURN] && d_reply_have == have_1_q
                                  && d_tx_same == (header_1_q[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx_1_q)
                                  && d_rx_same == (header_1_q[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx_1_q)
                                  && (d_kind == KIND_REFUSE || header_1_q[BIT_LINK +: BITS_LINK] == LINK));
        if (d_two) l_two: assert (right_2_q && d_kind == header_2_q[BIT_KIND +: BITS_KIND] && d_reply == header_2_q[BIT_SEQ +: BITS_SEQ]
                                  && d_reply_limit == header_2_q[BIT_FRAME +: BITS_FRAME] && d_nak == header_2_q[BIT_NAK]
                                  && d_reply_turn == header_2_q[BIT_TURN +: BITS_TURN] && d_reply_have == have_2_q
                                  && d_tx_same == (header_2_q[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx_2_q)
                                  && d_rx_same == (header_2_q[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx_2_q)
                                  && (d_kind == KIND_REFUSE || header_2_q[BIT_LINK +: BITS_LINK] == LINK));
        if (d_three) l_three: assert (right_3_q && d_kind == header_3_q[BIT_KIND +: BITS_KIND] && d_reply == header_3_q[BIT_SEQ +: BITS_SEQ]
                                  && d_reply_limit == header_3_q[BIT_FRAME +: BITS_FRAME] && d_nak == header_3_q[BIT_NAK]
                                  && d_reply_turn == header_3_q[BIT_TURN +: BITS_TURN] && d_reply_have == have_3_q
                                  && d_tx_same == (header_3_q[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx_3_q)
                                  && d_rx_same == (header_3_q[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx_3_q)
                                  && (d_kind == KIND_REFUSE || header_3_q[BIT_LINK +: BITS_LINK] == LINK));
        // The session has been the same while a reply was looked at.
        if (d_one) l_one_epoch: assert (tx_1_q == tx_epoch && (!open || rx_1_q == rx_epoch));
        if (d_two) l_two_epoch: assert (tx_2_q == tx_epoch && (!open || rx_2_q == rx_epoch));
        if (d_three) l_three_epoch: assert (tx_3_q == tx_epoch && (!open || rx_3_q == rx_epoch));
    end

    always_comb if (old_q && up_q && link_aresetn) begin
        acknowledged: cover (good_q && base_q != d_base && top != seq);
        went_back: cover (start && d_again && number[SLOT_W-1:0] == '0);
        full_up: cover (off_seq == SLOTS && open);
        again: cover (anew && open && seq != '0);
    end

endmodule

`default_nettype wire
