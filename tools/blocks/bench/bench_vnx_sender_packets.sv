// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_sender_packets - simulation only: checks each packet of vnx_sender, to the bit, and forwards what it says.
//
// A packet must be the piece of the frame that its header names, below the limit, in the session that the replies
// opened; HELLO and PROBE come when they are due, PROBEs less and less often. What is sent again must be lost, as the replies have it:
// not had, and more than REORDER packets that were sent after it have come; what is lost again may go twice for that. The replies are observed where the block takes them.
//
// Parameters: FRAME_BYTES, PACKET_BEATS, LINK    of the link
//             SLOTS, HELLO_CYCLES, TIMEOUT_CYCLES, IDLE_CYCLES, REORDER, FLIGHT  of the block
//             SEED                               of the contents
`default_nettype none

module bench_vnx_sender_packets #(
    parameter int          FRAME_BYTES    = 64,
    parameter int          PACKET_BEATS   = 23,
    parameter logic [15:0] LINK           = 16'h1234,
    parameter int          HELLO_CYCLES   = 100,
    parameter int          TIMEOUT_CYCLES = 120,
    parameter int          IDLE_CYCLES    = 240,
    parameter int          SLOTS          = 8,
    parameter int          REORDER        = 3,
    parameter int          FLIGHT         = 32,
    parameter int          SEED           = 1
) (
    input  wire          aclk,
    input  wire          link_aresetn,
    input  wire          drain,
    input  wire          stalls,       // the network does: nothing comes at an exact time
    input  wire  [31:0]  phase,

    input  wire  [511:0] m_tdata,
    input  wire  [63:0]  m_tkeep,
    input  wire          m_tlast,
    input  wire          m_tvalid,
    input  wire          m_tready,
    input  wire          frame_done,

    input  wire  [511:0] n_tdata,
    input  wire  [63:0]  n_tkeep,
    input  wire          n_tlast,
    input  wire          n_tuser,
    input  wire          n_tvalid,

    output logic         push,         // a packet has left: kind, sof, eof, seq, frame, tx, rx, turn
    output logic [133:0] pushed,

    output logic         in_session,
    output logic [15:0]  epoch,
    output logic [15:0]  session_rx,
    output logic [31:0]  next_seq,     // first that was not sent in this session
    output logic [31:0]  compared
);
    import bench_vnx_packet::*;
    localparam int PACKETS = packets_of(FRAME_BYTES, PACKET_BEATS);
    localparam int LAST    = last_bytes(FRAME_BYTES, PACKET_BEATS);
    localparam int HALVES  = 2 * PACKET_BEATS - 1;
    localparam int LATE    = 600 + 4 * PACKET_BEATS;  // cycles in which a packet may wait to leave

    int           at_beat, first_half, most_seq, limit, hello_at, opened_at, idle, base_frame, cycle;
    logic [511:0] expected, said;
    logic [63:0]  keep;
    logic [31:0]  h_seq, h_frame, h_turn, turn, echoed;
    logic [31:0]  last_turn [0:SLOTS-1];        // but of the first of two
    logic [31:0]  half_turn [0:SLOTS-1];        // of the first of two
    int           tries [0:SLOTS-1];            // 0: sent once, 1: again, 2: the first of two
    logic         base_had;                     // the newest reply says that the packet it expects is there
    int           had_at [0:SLOTS-1];           // cycle in which a reply said that a slot's packet is had, or 0
    int           had_again [0:SLOTS-1];        // how often it was sent since: it may have been on its way
    int           acked, acked_at, n_second, n_pairs, probe_at, denied_at, patience;
    logic         moved_since;                  // since the last PROBE
    logic [15:0]  h_tx, h_rx, h_bytes, tx, rx;
    logic [3:0]   h_kind;
    logic         h_sof, h_eof, is_open, last_beat;
    int           n_told, told;                 // of the next frame: how often, the number
    int           n_new, n_again, n_probe, n_hello, n_done, n_frames, n_acks, moved, moved_at, first_m, last_m;

    // ---- packets -------------------------------------------------------------------------------------------------
    task look_header;
        h_kind  = m_tdata[BIT_KIND +: BITS_KIND];
        h_sof   = m_tdata[BIT_SOF];
        h_eof   = m_tdata[BIT_EOF];
        h_bytes = m_tdata[BIT_BYTES +: BITS_BYTES];
        h_seq   = m_tdata[BIT_SEQ +: BITS_SEQ];
        h_frame = m_tdata[BIT_FRAME +: BITS_FRAME];
        h_tx    = m_tdata[BIT_TX_EPOCH +: BITS_TX_EPOCH];
        h_rx    = m_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH];
        h_turn  = m_tdata[BIT_TURN +: BITS_TURN];
        expected[255:0] = header(h_kind, LINK, int'(h_bytes), h_seq, h_frame, h_tx, h_rx);
        expected[BIT_SOF] = h_sof;
        expected[BIT_EOF] = h_eof;
        expected[BIT_TURN +: BITS_TURN] = h_turn;
        expected[BIT_TAINT] = h_kind == KIND_DATA && h_eof && h_frame[1];
        if (m_tdata[255:0] !== expected[255:0] || (^m_tdata[255:0]) === 1'bx)
            $fatal(1, "phase %0d: header %h (%m)", phase, m_tdata[255:0]);
        idle = 0;
        if (h_kind == KIND_DATA) look_data;
        else look_control;
    endtask
    task look_data;
        if (!is_open || h_tx != tx || h_rx != rx)
            if (h_tx != tx - 16'd1) $fatal(1, "phase %0d: DATA of session %0d %0d (%m)", phase, h_tx, h_rx);
        if (h_tx == tx) begin
            if (int'(h_seq) == most_seq + 1) begin
                if (most_seq == -1) base_frame = int'(h_frame);
                most_seq = most_seq + 1;
                n_new    = n_new + 1;
                if (h_eof) n_frames = n_frames + 1;
                had_at[h_seq % SLOTS] = 0;
                had_again[h_seq % SLOTS] = 0;
                tries[h_seq % SLOTS] = 0;
            end else begin
                n_again = n_again + 1;
                if (int'(h_seq) <= most_seq - SLOTS || (int'(h_seq) < acked && cycle > moved_at + LATE))
                    $fatal(1, "phase %0d: packet %0d is sent again, %0d are acknowledged (%m)", phase, h_seq, acked);
                if ($signed(echoed - last_turn[h_seq % SLOTS]) <= REORDER)
                    $fatal(1, "phase %0d: packet %0d is sent again, turn %0d, %0d was echoed (%m)", phase, h_seq,
                           last_turn[h_seq % SLOTS], echoed);
                if (int'(h_seq) != acked && had_at[h_seq % SLOTS] != 0) had_again[h_seq % SLOTS] = had_again[h_seq % SLOTS] + 1;
                if (had_again[h_seq % SLOTS] > 2 || (int'(h_seq) != acked && had_at[h_seq % SLOTS] != 0 && cycle > had_at[h_seq % SLOTS] + LATE))
                    $fatal(1, "phase %0d: packet %0d is sent again and had (%m)", phase, h_seq);
                if (int'(h_seq) == acked && base_had && cycle > acked_at + (stalls ? LATE : 30 + PACKET_BEATS))
                    $fatal(1, "phase %0d: packet %0d is sent again, the last reply has it (%m)", phase, h_seq);
                if (tries[h_seq % SLOTS] == 1) n_second = n_second + 1;
                if (tries[h_seq % SLOTS] == 2 && $signed(echoed - half_turn[h_seq % SLOTS]) <= REORDER) n_pairs = n_pairs + 1;
                tries[h_seq % SLOTS] = tries[h_seq % SLOTS] == 1 ? 2 : 1;
            end
            if (h_turn != turn + 32'd1) $fatal(1, "phase %0d: turn %0d after %0d (%m)", phase, h_turn, turn);
            if (int'(h_turn - echoed) > FLIGHT + 1 && cycle > 0)
                $fatal(1, "phase %0d: %0d packets are under way (%m)", phase, h_turn - echoed);
            turn = h_turn;
            if (tries[h_seq % SLOTS] == 2) half_turn[h_seq % SLOTS] = h_turn;
            else last_turn[h_seq % SLOTS] = h_turn;
            moved_since = 1'b1;
            if (int'(h_seq) > most_seq) $fatal(1, "phase %0d: packet %0d after %0d (%m)", phase, h_seq, most_seq);
            if (int'(h_seq) >= limit) $fatal(1, "phase %0d: packet %0d, the limit is %0d (%m)", phase, h_seq, limit);
            if (int'(h_frame) != base_frame + int'(h_seq) / PACKETS || h_sof != (int'(h_seq) % PACKETS == 0)
                || h_eof != (int'(h_seq) % PACKETS == PACKETS - 1))
                $fatal(1, "phase %0d: packet %0d is of frame %0d (%m)", phase, h_seq, h_frame);
        end
        if (int'(h_bytes) != (h_eof ? LAST : full_bytes(PACKET_BEATS))) $fatal(1, "phase %0d: %0d bytes (%m)", phase, h_bytes);
    endtask
    task look_control;
        if (m_tlast !== (h_kind == KIND_PROBE) || m_tkeep !== '1 || (h_sof && h_kind != KIND_PROBE) || h_eof
            || int'(h_bytes) != (h_kind == KIND_PROBE ? HEADER_BYTES : full_bytes(PACKET_BEATS)))
            $fatal(1, "phase %0d: control %h (%m)", phase, m_tdata);
        if (h_kind == KIND_HELLO) begin
            n_hello = n_hello + 1;
            if (h_tx != tx) begin
                if (h_tx != tx + 16'd1 || h_rx != 16'd0) $fatal(1, "phase %0d: HELLO %0d after %0d (%m)", phase, h_tx, tx);
                tx = h_tx; is_open = 1'b0; most_seq = -1; limit = 0; renewed;
            end else begin
                // One may have been offered already.
                if (is_open && cycle > opened_at + (stalls ? 299 : 8)) $fatal(1, "phase %0d: HELLO in a session (%m)", phase);
                if (!stalls && (cycle - hello_at < HELLO_CYCLES || cycle - hello_at > HELLO_CYCLES + 8 + PACKET_BEATS))
                    $fatal(1, "phase %0d: HELLO after %0d cycles (%m)", phase, cycle - hello_at);
            end
            hello_at = cycle;
            expected = hello(FRAME_BYTES, PACKET_BEATS, SLOTS);
            if (h_turn != 32'd0) $fatal(1, "phase %0d: HELLO of turn %0d (%m)", phase, h_turn);
            if (m_tdata[511:256] !== expected[511:256]) $fatal(1, "phase %0d: HELLO says %h (%m)", phase, m_tdata[511:256]);
            said = m_tdata;
        end else if (h_kind == KIND_PROBE) begin
            n_probe = n_probe + 1;
            if (!is_open || h_tx != tx || h_rx != rx || int'(h_seq) != most_seq + 1)
                $fatal(1, "phase %0d: PROBE %h (%m)", phase, m_tdata[255:0]);
            if (h_sof) n_told = n_told + 1;
            if (h_sof ? most_seq >= 0 && int'(h_frame) != base_frame + (most_seq + 1) / PACKETS : h_frame != '0)
                $fatal(1, "phase %0d: PROBE says frame %0d before packet %0d (%m)", phase, h_frame, h_seq);
            // It stands for as many as may be in another order.
            if (h_turn != turn + 32'(REORDER + 1)) $fatal(1, "phase %0d: PROBE of turn %0d after %0d (%m)", phase, h_turn, turn);
            turn = h_turn;
            // What none before it reported does not wait longer than the shortest time.
            if (!moved_since && !stalls && probe_at >= 0
                && (cycle - probe_at < (h_sof && int'(h_frame) != told ? TIMEOUT_CYCLES : patience) / 2 || cycle - (denied_at > probe_at ? denied_at : probe_at) > patience + 8))
                $fatal(1, "phase %0d: PROBE %0d cycles after the one before (%m)", phase, cycle - probe_at);
            probe_at    = stalls ? -1 : cycle;
            if (moved_since || (h_sof && int'(h_frame) != told)) patience = TIMEOUT_CYCLES;
            if (acked == most_seq + 1) patience = 2 * patience > IDLE_CYCLES ? IDLE_CYCLES : 2 * patience;
            moved_since = cycle - moved_at < 12;    // it was on its way out already
            if (h_sof) told = int'(h_frame);
        end else $fatal(1, "phase %0d: kind %0d (%m)", phase, h_kind);
    endtask
    // A HELLO is as long as a full packet, all its beats alike.
    task look_again;
        if (h_kind != KIND_HELLO || m_tdata !== said || m_tkeep !== '1 || m_tlast !== (at_beat == PACKET_BEATS - 1))
            $fatal(1, "phase %0d: beat %0d of kind %0d is %h %b (%m)", phase, at_beat, h_kind, m_tdata, m_tlast);
    endtask
    // Beat k has the halves 2k - 1 and 2k of the packet.
    task look_beat;
        if (moved == 0) first_m = cycle;
        last_m = cycle;
        moved  = moved + 1;
        first_half = (int'(h_seq) % PACKETS) * HALVES + 2 * at_beat - 1;
        expected[511:256] = half_of(int'(h_frame), first_half + 1, FRAME_BYTES, SEED);
        expected[255:0]   = at_beat == 0 ? m_tdata[255:0] : half_of(int'(h_frame), first_half, FRAME_BYTES, SEED);
        last_beat = at_beat == beats_of(int'(h_bytes)) - 1;
        keep      = last_beat ? last_keep(int'(h_bytes)) : '1;
        for (int b = 0; b < 64; b++) if (!keep[b]) expected[8*b +: 8] = 8'd0;
        if (m_tdata !== expected || m_tkeep !== keep || m_tlast !== last_beat)
            $fatal(1, "phase %0d: beat %0d of packet %0d of frame %0d\n%h %h %b\n%h %h %b (%m)", phase, at_beat, h_seq, h_frame,
                   m_tdata, m_tkeep, m_tlast, expected, keep, last_beat);
        compared = compared + 1;
    endtask

    // ---- replies, as the block must take them --------------------------------------------------------------------
    logic n_mid;
    wire  n_right = n_tlast && !n_mid && n_tuser && (&n_tkeep)
                    && n_tdata[BIT_LINK +: BITS_LINK] == LINK && n_tdata[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx;
    task look_reply;
        if (n_right && n_tdata[BIT_KIND +: BITS_KIND] == KIND_WELCOME && !is_open) begin
            is_open   = 1'b1;
            opened_at = cycle;
            rx        = n_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH];
            limit     = int'(n_tdata[BIT_FRAME +: BITS_FRAME]);
        end
        if (n_right && n_tdata[BIT_KIND +: BITS_KIND] == KIND_ACK && n_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx
            && int'(n_tdata[BIT_SEQ +: BITS_SEQ]) <= most_seq + 1 && int'(n_tdata[BIT_FRAME +: BITS_FRAME]) > limit)
            limit = int'(n_tdata[BIT_FRAME +: BITS_FRAME]);
        if (n_right && n_tdata[BIT_KIND +: BITS_KIND] == KIND_ACK && n_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx
            && int'(n_tdata[BIT_SEQ +: BITS_SEQ]) <= most_seq + 1 && int'(n_tdata[BIT_SEQ +: BITS_SEQ]) >= acked) begin
            if ($signed(n_tdata[BIT_TURN +: BITS_TURN] - echoed) > 0) echoed = n_tdata[BIT_TURN +: BITS_TURN];
            if (int'(n_tdata[BIT_SEQ +: BITS_SEQ]) > acked) begin
                moved_at    = cycle;
                moved_since = 1'b1;
            end
            if (!base_had || int'(n_tdata[BIT_SEQ +: BITS_SEQ]) > acked) acked_at = cycle;
            acked = int'(n_tdata[BIT_SEQ +: BITS_SEQ]);
            base_had = n_tdata[BIT_HAVE + acked % SLOTS];
            for (int s = 0; s < SLOTS; s++) if (n_tdata[BIT_HAVE + s] && had_at[s] == 0) had_at[s] = cycle;
        end else if (n_right && is_open && n_tdata[BIT_KIND +: BITS_KIND] == KIND_ACK && n_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx
                     && denied_at < probe_at) begin
            // Of what was not sent, or long ago: the silence begins again, once after each PROBE.
            denied_at = cycle;
            patience  = TIMEOUT_CYCLES;
        end
        if (n_right && n_tdata[BIT_KIND +: BITS_KIND] == KIND_ACK) n_acks = n_acks + 1;
        n_mid = !n_tlast;
    endtask

    // ---- every cycle ---------------------------------------------------------------------------------------------
    always @(posedge aclk) begin
        cycle = cycle + 1;
        push <= 1'b0;
        if (!link_aresetn) fresh;
        else begin
            if (at_beat != 0 && !m_tvalid) $fatal(1, "phase %0d: a packet pauses before beat %0d (%m)", phase, at_beat);
            if (frame_done) n_done = n_done + 1;
            if (m_tvalid && m_tready) begin
                if (at_beat == 0) look_header;
                if (h_kind == KIND_DATA) look_beat;
                else if (at_beat != 0) look_again;
                at_beat = m_tlast ? 0 : at_beat + 1;
                push   <= m_tlast;
                pushed <= {h_kind, h_sof, h_eof, h_seq, h_frame, h_tx, h_rx, h_turn};
            end
            // Silence: a PROBE at last, unless the network stalls.
            idle = m_tvalid || !is_open || drain ? 0 : idle + 1;
            if (idle > IDLE_CYCLES + 2 * TIMEOUT_CYCLES) $fatal(1, "phase %0d: no PROBE for %0d cycles (%m)", phase, idle);
            if (n_tvalid) look_reply;
        end
        in_session <= is_open;
        epoch      <= tx;
        session_rx <= rx;
        next_seq   <= 32'(most_seq + 1);
    end

    task renewed;
        told = -1; turn = '0; echoed = '0; acked = 0; probe_at = -1; denied_at = -1; patience = TIMEOUT_CYCLES; moved_since = 1'b1; moved_at = 0;
        for (int s = 0; s < SLOTS; s++) had_at[s] = 0;
        for (int s = 0; s < SLOTS; s++) had_again[s] = 0;
        for (int s = 0; s < SLOTS; s++) last_turn[s] = '0;
        for (int s = 0; s < SLOTS; s++) tries[s] = 0;
        base_had = 1'b0; acked_at = 0;
    endtask
    // With the link; the number of the session stays.
    task fresh;
        renewed;
        at_beat = 0; most_seq = -1; limit = 0; hello_at = -1; opened_at = 0; idle = 0; is_open = 1'b0; n_mid = 1'b0;
        base_frame = 0;
        n_new = 0; n_again = 0; n_second = 0; n_pairs = 0; n_probe = 0; n_hello = 0; n_done = 0; n_frames = 0; n_acks = 0; moved = 0; first_m = 0; last_m = 0;
    endtask
    initial begin
        fresh;
        compared = 0; n_told = 0; cycle = 0; tx = '0; rx = '0; expected = '0; keep = '0; push = 1'b0; pushed = '0;
        h_kind = '0; h_sof = 1'b0; h_eof = 1'b0; h_seq = '0; h_frame = '0; h_tx = '0; h_rx = '0; h_bytes = '0; h_turn = '0;
        in_session = 1'b0; epoch = '0; session_rx = '0; next_seq = '0;
    end
endmodule

`default_nettype wire
