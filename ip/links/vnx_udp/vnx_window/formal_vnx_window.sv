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
//   rewind     a NAK lets the next packet be exactly the one that it names; steps: else each follows the one before
//   once       start and control only when ready, never both, not with drain
//   epochs     tx_epoch counts sessions, in spite of resets; closed: rx_epoch is 0 without one
//   sends      what may be sent is, within two cycles; asks: silence ends in a HELLO or PROBE
//   l_*        lemmas: what the flops inside have to do with the above. They make the rest inductive
`default_nettype none

module formal_vnx_window #(
    parameter int SLOTS          = 4,
    parameter int HELLO_CYCLES   = 4,
    parameter int TIMEOUT_CYCLES = 3
) (
    input wire         aclk,
    input wire         aresetn,
    input wire         link_aresetn,
    input wire [255:0] net_header,
    input wire         net_whole,
    input wire         net_last,
    input wire         net_good,
    input wire         net_beat,
    input wire         begins,
    input wire         ends,
    input wire         eof,
    input wire [31:0]  frame,
    input wire         mid,
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
    localparam logic [3:0] KIND_WELCOME = 4'd8;
    localparam logic [3:0] KIND_ACK = 4'd9;
    localparam logic [3:0] KIND_REFUSE = 4'd10;
    localparam logic [3:0] KIND_RESTART = 4'd11;

    localparam int SLOT_W = $clog2(SLOTS);
    localparam int W      = SLOT_W + 2;
    localparam logic [15:0] LINK = 16'h1234;

    wire              room, anew, start, start_eof, start_first, control, open, refuse, refused;
    wire [31:0]       seq, top, lost, lost_first, lost_last;
    wire [15:0]       tx_epoch, rx_epoch;
    wire [7:0]        refused_fields;
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

    vnx_window #(.SLOTS(SLOTS), .LINK(LINK), .HELLO_CYCLES(HELLO_CYCLES), .TIMEOUT_CYCLES(TIMEOUT_CYCLES)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .net_header(net_header), .net_whole(net_whole), .net_last(net_last), .net_good(net_good), .net_beat(net_beat),
        .room(room), .anew(anew), .seq(seq), .commit(commit), .eof(eof), .tainted(1'b0), .frame(frame), .mid(mid), .waits(begins),
        .drain(drain), .ready(ready), .busy(busy), .busy_slot(sending_slot_q),
        .start(start), .start_slot(start_slot), .start_eof(start_eof), .start_first(start_first), .start_taint(), .control(control),
        .open(open), .top(top), .all_sent(), .tx_epoch(tx_epoch), .rx_epoch(rx_epoch),
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
    wire [W-1:0] d_next, d_limit, d_sent, d_resent, d_granted, d_more;
    wire         d_one, d_two, d_three, d_inside, d_taken, d_may, d_good, d_welcome, d_restart, d_nak, d_due, d_first, d_expired;
    wire         d_behind, d_tx_same, d_rx_same;
    wire [3:0]   d_kind;
    wire [1:0]   d_timer;

    // In 32 bits, from `base` on.
    wire [31:0]  off_seq   = seq - d_base;
    wire [31:0]  off_top   = top - d_base;
    wire [W-1:0] off_next  = d_next - d_base[W-1:0];
    wire [W-1:0] off_limit = d_limit - d_base[W-1:0];

    // The limit as the document has it.
    logic [31:0] limit_q;
    wire  [31:0] off_true = limit_q - d_base;
    wire  [31:0] rise     = d_reply_limit - limit_q;
    wire         higher   = rise != '0 && !rise[31];

    always_comb if (d_welcome) assume (d_reply == '0 && !d_reply_limit[31]);
    // A receiver's limit is not below what it expects, nor 2**30 packets above.
    always_comb if (d_good) assume (d_reply_limit - d_reply < 32'h40000000);
    always_ff @(posedge aclk) begin
        if (d_welcome)            limit_q <= d_reply_limit;
        else if (d_good && higher) limit_q <= d_reply_limit;
        if (!link_aresetn || anew) limit_q <= '0;
    end

    // ---- one, two and three cycles ago

    logic         up_q, good_q, nak_q, start_q, anew_q, old_q, lone_q;
    logic [31:0]  base_q, top_q, reply_q;
    logic [W-1:0] next_q;
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
        next_q  <= d_next;
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

    wire heard = right_3_q && header_3_q[BIT_LINK +: BITS_LINK] == LINK && header_3_q[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx_epoch;
    wire of_session = heard && open && header_3_q[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx_epoch;

    always_comb if (old_q && up_q && link_aresetn) begin
        if (start) exists: assert (32'(off_next) < off_seq && start_slot == d_next[SLOT_W-1:0]);
        if (start) limit: assert (32'(off_next) < off_true && !off_true[31]);
        if (begun) free: assert (off_seq < SLOTS && !(busy && sending_slot_q == seq[SLOT_W-1:0]));
        if (inside) apart: assert (!(busy && sending_slot_q == seq[SLOT_W-1:0]) && !(start && start_slot == seq[SLOT_W-1:0]));
        if (!anew_q) kept: assert (d_base == base_q || (good_q && d_base == reply_q && d_base - base_q <= top_q - base_q));
        if (d_good) answered: assert (of_session && header_3_q[BIT_KIND +: BITS_KIND] == KIND_ACK
                                      && header_3_q[BIT_SEQ +: BITS_SEQ] == d_reply && d_reply - d_base <= off_top
                                      && header_3_q[BIT_FRAME +: BITS_FRAME] == d_reply_limit && header_3_q[BIT_NAK] == d_nak);
        if (d_welcome) answered_hello: assert (heard && !open && header_3_q[BIT_KIND +: BITS_KIND] == KIND_WELCOME);
        if (d_restart) answered_restart: assert (of_session && header_3_q[BIT_KIND +: BITS_KIND] == KIND_RESTART);
        if (good_q && nak_q && !anew_q) rewind: assert (d_next == d_base[W-1:0]);
        if (!good_q && !anew_q) steps: assert (d_next == next_q + W'(start_q));
        once: assert (!(start && control) && (!(start || control) || (ready && !drain)));
        epochs: assert (tx_epoch == tx_epoch_q + 16'(anew_q));
        if (!open) closed: assert (rx_epoch == '0);
        numbers: assert (off_top <= off_seq && off_seq <= SLOTS && 32'(off_next) <= off_top && off_next <= off_limit);
    end

    // ---- progress

    localparam int LONGEST = HELLO_CYCLES > TIMEOUT_CYCLES ? HELLO_CYCLES : TIMEOUT_CYCLES;

    logic [1:0] ripe_q;
    logic [4:0] silent_q;
    wire ripe   = ready && open && off_next != off_limit && 32'(off_next) != off_seq && !d_due && !drain && !anew && !d_good;
    wire silent = ready && !drain && !start && !control && !anew && !d_good && !d_welcome;

    always_ff @(posedge aclk) begin
        ripe_q   <= ripe && !start ? ripe_q + 1'b1 : '0;
        silent_q <= silent ? silent_q + 1'b1 : '0;
        if (!link_aresetn) ripe_q <= '0;
        if (!link_aresetn) silent_q <= '0;
    end
    always_comb if (old_q && up_q && link_aresetn) begin
        if (ripe) sends: assert (start || ripe_q == '0);
        asks: assert (silent_q <= 5'(LONGEST));
        if (silent_q != '0 && !d_due)
            l_silent: assert (d_expired ? 32'(silent_q) <= LONGEST - 1 : 32'(silent_q) + 32'(d_timer) <= LONGEST - 2);
    end

    // ---- lemmas

    always_comb if (old_q) l_first: assert (d_first == begins_q);
    always_comb if (old_q && up_q && link_aresetn) begin
        l_limit: assert (!off_true[31] && 32'(off_limit) <= off_true && off_limit <= W'(2 * SLOTS) && off_top <= 32'(off_limit));
        if (d_two || d_three) l_past: assert (d_past == d_reply - d_base && d_granted == d_limit - d_reply[W-1:0]
                                              && d_credit == d_reply_limit - d_reply);
        if (d_two) l_sent: assert (32'(d_sent) <= off_top && d_resent <= off_next);
        if (d_three && d_inside) l_inside: assert (d_past <= off_top && (d_behind || d_past <= 32'(off_next)));
        if (d_three) l_more: assert (d_more <= W'(2 * SLOTS) && (d_credit[31] ? d_more == '0 : 32'(d_more) <= d_credit));
        if (!anew_q && !d_taken) l_taken: assert (off_seq < SLOTS && !(busy && sending_slot_q == seq[SLOT_W-1:0]));
        if (anew_q) l_anew: assert (!open && !d_one && !d_two && !d_three && !d_may);
        if (d_may && !sending_q) l_may: assert (32'(off_next) != off_seq && off_next != off_limit);
        if (!open && !anew) l_empty: assert (seq == '0 && top == '0 && d_base == '0 && d_next == '0 && d_limit == '0);
        if (!open && !anew) l_idle: assert (!writing_q);
        if (writing_q) l_writing: assert (off_seq < SLOTS && !(busy && sending_slot_q == seq[SLOT_W-1:0]));
        l_spaced: assert (2'(d_one) + 2'(d_two) + 2'(d_three) <= 2'd1);
        if (d_one) l_one: assert (right_1_q && d_kind == header_1_q[BIT_KIND +: BITS_KIND] && d_reply == header_1_q[BIT_SEQ +: BITS_SEQ]
                                  && d_reply_limit == header_1_q[BIT_FRAME +: BITS_FRAME] && d_nak == header_1_q[BIT_NAK]
                                  && d_tx_same == (header_1_q[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx_1_q)
                                  && d_rx_same == (header_1_q[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx_1_q)
                                  && (d_kind == KIND_REFUSE || header_1_q[BIT_LINK +: BITS_LINK] == LINK));
        if (d_two) l_two: assert (right_2_q && d_kind == header_2_q[BIT_KIND +: BITS_KIND] && d_reply == header_2_q[BIT_SEQ +: BITS_SEQ]
                                  && d_reply_limit == header_2_q[BIT_FRAME +: BITS_FRAME] && d_nak == header_2_q[BIT_NAK]
                                  && d_tx_same == (header_2_q[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx_2_q)
                                  && d_rx_same == (header_2_q[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx_2_q)
                                  && (d_kind == KIND_REFUSE || header_2_q[BIT_LINK +: BITS_LINK] == LINK));
        if (d_three) l_three: assert (right_3_q && d_kind == header_3_q[BIT_KIND +: BITS_KIND] && d_reply == header_3_q[BIT_SEQ +: BITS_SEQ]
                                  && d_reply_limit == header_3_q[BIT_FRAME +: BITS_FRAME] && d_nak == header_3_q[BIT_NAK]
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
        went_back: cover (start && !start_first);
        full_up: cover (off_seq == SLOTS && open);
        again: cover (anew && open && seq != '0);
    end

endmodule

`default_nettype wire
