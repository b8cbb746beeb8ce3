// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_receiver_reference - simulation only: what must become of each packet that enters vnx_receiver.
//
// Judges a packet by docs/vnx.md when its last beat comes; whether its number has a slot is looked up in the cycle before its
// first beat. From the block it takes only the limit, and whether no packet in order waits. A packet is kept; those
// that are in order are taken, one in two cycles, two cycles after the slot was looked at. It says which packets are taken and
// where a frame is cut, and has counters that must be those of the block. Outputs are registers: others see what was true
// before this cycle.
//
// Parameters: FRAME_BYTES, PACKET_BEATS, SLOTS, LINK  of the link
`default_nettype none

module bench_vnx_receiver_reference #(
    parameter int          FRAME_BYTES  = 64,
    parameter int          PACKET_BEATS = 23,
    parameter int          SLOTS        = 32,
    parameter logic [15:0] LINK         = 16'h1234
) (
    input  wire          aclk,
    input  wire          link_aresetn,
    input  wire  [31:0]  limit,      // first number that has no slot
    input  wire          empty,      // no packet in order waits

    input  wire  [511:0] s_tdata,
    input  wire  [63:0]  s_tkeep,
    input  wire          s_tlast,
    input  wire          s_tuser,
    input  wire          s_tvalid,

    // A frame is cut, then a packet is taken; both can be in one cycle.
    output logic         cut,
    output logic         took,
    output logic [31:0]  took_frame,
    output logic [31:0]  took_piece,

    output logic         is_open,
    output logic [15:0]  open_tx,
    output logic [15:0]  open_rx,
    output logic [31:0]  expected,   // packet
    output logic [SLOTS-1:0] kept,   // slots with packets out of order
    output logic [31:0]  heard,      // newest transmission
    output logic [9:0]   refused,
    output logic [511:0] refused_head
);
    import bench_vnx_packet::*;
    localparam int N    = packets_of(FRAME_BYTES, PACKET_BEATS);
    localparam int LAST = last_bytes(FRAME_BYTES, PACKET_BEATS);
    localparam logic [63:0] ALL = '1;

    logic         in_session, offered, hello_due, mid, was_void;
    logic         then_new, then_free, then_in, then_below;
    logic [SLOTS-1:0] before_kept;          // in the cycle before, likewise the next two
    int           before_want, before_limit;
    logic         opened;                   // in the cycle before
    logic [2:0]   probing;                  // a PROBE came: one, two, three cycles before
    int           probe_seq, probe_seq_q;
    logic         row, row_bit, here, was_here; // the next packet: its slot was read, and keeps one; it is taken
    logic [33:0]  notes [0:SLOTS-1];        // of packets that are kept: frame, sof, eof
    logic         then_offered;             // when the packet began
    logic [15:0]  in_tx, in_rx, offered_tx, then_tx, next_rx, hello_tx, hello_tx_q;
    int           want, at, newest, seen_beats;
    logic [511:0] head;
    int           n_cut, n_took, n_gap, n_double, n_sum, n_length, n_kind, n_link, n_session, n_slot, n_hello,
                  n_open, lacks, restarts, whole_frame, cut_frame, begun_frame, this_frame;
    logic         fresh, is_new, is_cur, sizes;
    logic [9:0]   off, refuse;
    logic [511:0] refuse_head;
    int           seq;

    task judge;
        if (!s_tuser) n_sum = n_sum + 1;
        else if (head[BIT_KIND +: BITS_KIND] > KIND_PROBE) n_kind = n_kind + 1;
        else if (was_void) n_length = n_length + 1;
        else begin
            if (head[BIT_KIND +: BITS_KIND] == KIND_DATA)
                sizes = int'(head[BIT_BYTES +: BITS_BYTES]) == (head[BIT_EOF] ? LAST : full_bytes(PACKET_BEATS))
                        && seen_beats == (head[BIT_EOF] ? beats_of(LAST) : PACKET_BEATS)
                        && s_tkeep == (head[BIT_EOF] ? last_keep(LAST) : ALL);
            else sizes = seen_beats == 1 && s_tkeep == ALL;
            // All beats of a HELLO are alike, and there are as many as in a full packet; who differs may send others.
            off = differing(head[BIT_KIND +: BITS_KIND] == KIND_HELLO ? s_tdata : head, LINK, FRAME_BYTES, PACKET_BEATS, SLOTS);
            if (head[BIT_KIND +: BITS_KIND] == KIND_HELLO) sizes = (off != 0 || seen_beats == PACKET_BEATS) && s_tkeep == ALL;
            if (!sizes) n_length = n_length + 1;
            else if (head[BIT_KIND +: BITS_KIND] == KIND_HELLO) judge_hello;
            else if (off[REFUSE_LINK]) n_link = n_link + 1;
            else begin
                is_cur = in_session && head[BIT_TX_EPOCH +: BITS_TX_EPOCH] == in_tx
                         && head[BIT_RX_EPOCH +: BITS_RX_EPOCH] == in_rx;
                is_new = then_offered && head[BIT_TX_EPOCH +: BITS_TX_EPOCH] == then_tx
                         && head[BIT_RX_EPOCH +: BITS_RX_EPOCH] == next_rx;
                if (!is_cur && !(is_new && empty)) begin
                    n_session = n_session + 1;
                    if (!is_new) restarts = restarts + 1;
                end else begin
                    if (is_new) begin_session;
                    seq = int'(head[BIT_SEQ +: BITS_SEQ]);
                    if (is_new || $signed(head[BIT_TURN +: BITS_TURN] - heard) > 0) heard <= head[BIT_TURN +: BITS_TURN];
                    if (head[BIT_KIND +: BITS_KIND] == KIND_PROBE) begin
                        probe_seq  = seq;
                        probing[0] = 1'b1;
                    end else judge_data;
                end
            end
        end
    endtask
    task judge_hello;
        n_hello = n_hello + 1;
        if (off != 0) begin
            refuse      = off;
            refuse_head = head;
        end else begin
            hello_due = 1'b1;
            hello_tx  = head[BIT_TX_EPOCH +: BITS_TX_EPOCH];
        end
    endtask
    task begin_session;
        n_open = n_open + 1;
        if (at != 0) begin
            n_cut = n_cut + 1;
            cut_frame = this_frame;
            cut <= 1'b1;
        end
        in_session = 1'b1; in_tx = then_tx; in_rx = next_rx; next_rx = next_rx + 16'd1; offered = 1'b0;
        want = 0; at = 0; newest = 0; fresh = 1'b1; kept = '0; here = 1'b0; row = 1'b0; opened = 1'b1;
    endtask
    task judge_data;
        if (is_new ? then_new && seq < SLOTS && then_free : then_in && then_free) begin
            kept[seq % SLOTS]  = 1'b1;
            notes[seq % SLOTS] = {head[BIT_FRAME +: BITS_FRAME], head[BIT_SOF], head[BIT_EOF]};
            if (seq > newest) begin
                n_gap = n_gap + 1;
                lacks = lacks + 1;
            end
            if (seq >= newest) newest = seq + 1;
        end else if (!is_new && (then_below || then_in)) n_double = n_double + 1;
        else n_slot = n_slot + 1;
    endtask
    task remember;
        before_kept  = kept;
        before_want  = want;
        before_limit = int'(limit);
        opened       = 1'b0;
    endtask
    task look_next;
        was_here = here;
        here     = !here && row && row_bit;
        row      = 1'b1;
        if (was_here) begin
            kept[want % SLOTS] = 1'b0;
            if (notes[want % SLOTS][1] != (at == 0) || notes[want % SLOTS][0] != (at == N - 1)) row = 1'b0;
            if (notes[want % SLOTS][1] != (at == 0) || notes[want % SLOTS][0] != (at == N - 1)) n_length = n_length + 1;
            else begin
                n_took = n_took + 1;
                this_frame = int'(notes[want % SLOTS][33:2]);
                if (fresh) begun_frame = this_frame;
                fresh = 1'b0;
                took       <= 1'b1;
                took_frame <= 32'(this_frame);
                took_piece <= 32'(at);
                want = want + 1;
                at   = at == N - 1 ? 0 : at + 1;
                if (at == 0) whole_frame = this_frame;
            end
        end
        row_bit = before_kept[want % SLOTS];
    endtask

    logic offer_late;
    always @(posedge aclk) begin
        cut  <= 1'b0;
        took <= 1'b0;
        offer_late = hello_due;
        hello_due  = 1'b0;
        // A PROBE asks when what came right before it has been taken.
        if (probing[2] && probe_seq_q != want) lacks = lacks + 1;
        probing     = link_aresetn ? {probing[1:0], 1'b0} : '0;
        probe_seq_q = probe_seq;
        if (s_tvalid) begin
            if (!mid) begin
                head = s_tdata;
                then_offered = offered;
                then_tx = offered_tx;
                seq = int'(s_tdata[BIT_SEQ +: BITS_SEQ]);
                then_free  = !kept[s_tdata[BIT_SEQ +: $clog2(SLOTS)]] && (opened || !before_kept[s_tdata[BIT_SEQ +: $clog2(SLOTS)]]);
                then_in    = opened ? seq >= 0 && seq < SLOTS : seq >= before_want && seq < before_limit;
                then_below = seq < (opened ? 0 : before_want);
                then_new   = empty;
            end
            remember;
            if (link_aresetn) look_next;
            seen_beats = mid ? seen_beats + 1 : 1;
            mid = !s_tlast;
            if (s_tlast && link_aresetn) judge;
            if (s_tlast) was_void = 1'b0;
        end else begin
            remember;
            if (link_aresetn) look_next;
        end
        if (!link_aresetn) begin
            here = 1'b0; row = 1'b0; opened = 1'b0; before_kept = '0;
            was_void = mid;
            if (offered) next_rx = next_rx + 16'd1;
            in_session = 1'b0; offered = 1'b0; then_offered = 1'b0; hello_due = 1'b0; at = 0; want = 0; kept = '0; newest = 0;
        end
        if (offer_late && link_aresetn && empty) begin
            offered = 1'b1;
            offered_tx = hello_tx_q;
        end
        hello_tx_q = hello_tx;
        is_open  <= in_session;
        open_tx  <= in_tx;
        open_rx  <= in_rx;
        expected <= 32'(want);
        refused  <= refuse;
        refused_head <= refuse_head;
    end

    // As after a write of 1 to CLEAR; what else a reset of all clears.
    task clear;
        n_cut = 0; n_took = 0; n_gap = 0; n_double = 0; n_sum = 0; n_length = 0; n_kind = 0; n_link = 0; n_session = 0;
        n_slot = 0; n_hello = 0; n_open = 0; lacks = 0; restarts = 0; refuse = '0;
    endtask
    task clear_all;
        clear;
        begun_frame = 0; whole_frame = 0; cut_frame = 0; in_tx = '0; in_rx = '0;
    endtask
    initial begin
        clear_all;
        in_session = 1'b0; offered = 1'b0; then_offered = 1'b0; then_tx = '0; hello_due = 1'b0; mid = 1'b0; was_void = 1'b0;
        next_rx = 16'd1; offered_tx = '0; hello_tx = '0; hello_tx_q = '0; want = 0; at = 0; newest = 0; kept = '0; heard = '0;
        before_kept = '0; before_want = 0; before_limit = 0; opened = 1'b0; row = 1'b0; row_bit = 1'b0; here = 1'b0;
        was_here = 1'b0; probing = '0; probe_seq = 0; probe_seq_q = 0; then_free = 1'b0; then_in = 1'b0; then_below = 1'b0; then_new = 1'b0;
        seen_beats = 0; head = '0; this_frame = 0; fresh = 1'b0; refuse_head = '0;
        refused = '0; refused_head = '0;
        cut = 1'b0; took = 1'b0; took_frame = '0; took_piece = '0;
        is_open = 1'b0; open_tx = '0; open_rx = '0; expected = '0;
    end
endmodule

`default_nettype wire
