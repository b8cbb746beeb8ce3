// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_window - session and window of the sending end of docs/vnx.md, with selective repeat; part of vnx_sender.
//
// Packets are numbered; packet n lies in slot n modulo SLOTS. In that order are: `base`, the first that is not
// acknowledged; `top`, sent never before; `seq`, written next. `top` stays below `limit`,
// which the receiver sets. `room` says that slot `seq` is free: neither kept for a packet that is not acknowledged nor
// being sent at this moment.
//
// Transmissions are numbered, too: `turn`, of DATA and PROBE, new or again. An ACK says which slots the receiver has
// (`acked`), and the newest turn that has come (`echoed`). A packet that it does not have is lost, if REORDER + 1 were sent after
// it and have come. Of `base` only the newest ACK says that it has it, since it may still be dropped for its place in the frame.
// A scan finds it, one slot in a cycle, and it goes before new ones, with a turn of its own: once for a loss, and twice for each
// further loss of the same packet, because a third one would stop a window of SLOTS. A PROBE counts as REORDER + 1 turns: after
// the silence that it ends, no older packet is still to come. With FLIGHT turns under way nothing but a PROBE is sent.
//
// At the end of a packet (`ready`) the next one begins: `start`, with its slot, or `control`, a HELLO or PROBE, which goes first.
// Replies come on net_*, in one beat. What comes in the three cycles after one is as if lost. `anew` begins
// a session: at reset, at RESTART, and when 16 PROBEs in a row were answered with nothing that makes sense.
//
// Throughput  a reply per 4 cycles
// Latency     4 cycles from a reply to what it changes, and up to SLOTS + 3 until a lost packet is found
// Paths       room, start and control are some LUTs behind flops; from ready and drain to start and control
// Resources   about 900 LUT and 1,050 FF with 64 slots; LUTRAM of SLOTS words of 68 bits
//
// Parameters: SLOTS           packets that are kept, a power of two, 4 to 256
//             LINK            of the header
//             HELLO_CYCLES    from one HELLO to the next, 2 or more
//             TIMEOUT_CYCLES  of silence before a PROBE, 2 or more; doubled by each that nothing follows while nothing is under way
//             IDLE_CYCLES     up to these, at least TIMEOUT_CYCLES
//             REORDER         packets by which the network may reorder, 0 to 255
//             FLIGHT          packets under way, more than REORDER
// Checked by: test_vnx_sender.py
`default_nettype none

module vnx_window #(
    parameter int          SLOTS          = 32,
    parameter logic [15:0] LINK           = 16'd1,
    parameter int          HELLO_CYCLES   = 4096,
    parameter int          TIMEOUT_CYCLES = 1024,
    parameter int          IDLE_CYCLES    = 300000,
    parameter int          REORDER        = 3,
    parameter int          FLIGHT         = 32,
    localparam int         SLOT_W         = $clog2(SLOTS)
) (
    input  wire                 aclk,
    input  wire                 aresetn,        // host-visible state, and where packets begin at net_*
    input  wire                 link_aresetn,   // all but that; tx_epoch has no reset

    input  wire  [255:0]        net_header,     // first half of a beat
    input  wire  [SLOTS-1:0]    net_have,       // of the second one: what an ACK says of slots
    input  wire                 net_whole,      // the beat is full
    input  wire                 net_last,
    input  wire                 net_good,      // with net_last: checksum, magic and version are right
    input  wire                 net_beat,

    // ---- what is written
    output logic                room,
    output logic                anew,
    output logic [31:0]         seq,
    input  wire                 commit,
    input  wire                 eof,
    input  wire                 tainted,        // with eof: so is its frame
    input  wire  [31:0]         frame,
    input  wire                 mid,
    input  wire                 waits,
    input  wire                 news,           // a PROBE would report what none has yet

    // ---- what is sent
    input  wire                 drain,
    input  wire                 ready,
    input  wire                 busy,           // slot busy_slot is being sent
    input  wire  [SLOT_W-1:0]   busy_slot,
    output logic                start,
    output logic [SLOT_W-1:0]   start_slot,
    output logic                start_eof,
    output logic                start_first,    // sent never before
    output logic [31:0]         start_turn,     // of a PROBE, too
    output logic                start_taint,    // with start_eof: its frame is tainted
    output logic                control,
    output logic                open,
    output logic [31:0]         top,
    output logic                all_sent,       // every packet that was written
    output logic [15:0]         tx_epoch,
    output logic [15:0]         rx_epoch,

    // ---- outputs to host registers
    input  wire                 clear,
    output logic                refuse,         // the beat at net_* is a REFUSE; its second half is worth keeping
    output logic                refused,
    output logic [9:0]          refused_fields,
    output logic [8:0]          used,
    output logic [8:0]          most,
    output logic [31:0]         lost,
    output logic [31:0]         lost_first,
    output logic [31:0]         lost_last,
    output logic                is_nak,         // pulses
    output logic                is_opened,
    output logic                is_refused,
    output logic                is_restart,
    output logic                is_stale,
    output logic                is_bad,
    output logic                waits_limit,
    output logic                waits_room
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

    localparam int W = SLOT_W + 2;               // of a number of a packet: base, top, seq and limit differ by 2 * SLOTS at most
    localparam logic [W-1:0] REACH = W'(2 * SLOTS);
    localparam int LONGEST = HELLO_CYCLES > IDLE_CYCLES ? HELLO_CYCLES : IDLE_CYCLES;
    localparam int TIMER_W = $clog2(LONGEST + 1);

    generate
        if (SLOTS < 4 || SLOTS > 256 || (SLOTS & (SLOTS - 1)) != 0) begin : g_check_slots
            SLOTS_must_be_a_power_of_two_from_4_to_256 parameter_error();
        end
        if (HELLO_CYCLES < 2) begin : g_check_hello_cycles
            HELLO_CYCLES_must_be_at_least_2 parameter_error();
        end
        if (TIMEOUT_CYCLES < 2) begin : g_check_timeout_cycles
            TIMEOUT_CYCLES_must_be_at_least_2 parameter_error();
        end
        if (IDLE_CYCLES < TIMEOUT_CYCLES) begin : g_check_idle_cycles
            IDLE_CYCLES_must_be_at_least_TIMEOUT_CYCLES parameter_error();
        end
        if (REORDER < 0 || REORDER > 255) begin : g_check_reorder
            REORDER_must_be_0_to_255 parameter_error();
        end
        if (FLIGHT <= REORDER || FLIGHT > 65535) begin : g_check_flight
            FLIGHT_must_be_more_than_REORDER_and_at_most_65535 parameter_error();
        end
    endgenerate

    logic [31:0]  base_q, top_q, seq_q;
    logic [W-1:0] limit_q;
    logic [31:0]  turn_q, echoed_q;               // of the next transmission; the newest that has come
    logic [SLOTS-1:0] acked_q;
    logic         had_q, base_had_q;              // of the reply that comes in; of the newest one
    logic         fresh_q;
    logic [SLOT_W-1:0] fresh_slot_q;
    logic         open_q, anew_q;
    logic [15:0]  tx_epoch_q, rx_epoch_q;

    // ---- replies: taken and compared in one cycle, subtracted in the second, judged in the third, acted on in the fourth

    logic        net_first_q, one_q, two_q, three_q;
    logic [3:0]  kind_q;
    logic        nak_q, tx_same_q, rx_same_q, is_ack_q, is_restart_q;   // the last two from the second cycle on
    logic [31:0] reply_q, reply_limit_q, past_q, credit_q;
    logic [15:0] reply_rx_q;
    logic [31:0] reply_turn_q, newer_q, known_q;
    logic [SLOTS-1:0] reply_have_q;
    logic [W-1:0] sent_q, granted_q, more_q;
    logic        moves_q, inside_q, echoes_q, asked_q;
    logic [3:0]  strays_q;

    wire [3:0] net_kind = net_header[BIT_KIND +: BITS_KIND];
    // Six bits to a LUT, and an addition joins them.
    localparam logic [17:0] LINK_WANTED = 18'(LINK);
    wire [17:0]  off_link = 18'(net_header[BIT_LINK +: BITS_LINK]) ^ LINK_WANTED;
    logic [2:0]  same_link;
    always_comb for (int g = 0; g < 3; g++) same_link[g] = off_link[6*g +: 6] == '0;
    wire net_one   = net_beat && net_last && net_first_q;
    wire net_right = net_good && net_whole && net_kind[3:2] == KIND_WELCOME[3:2]
                     && (net_kind == KIND_REFUSE || 1'((4'(same_link) + 4'd1) >> 3));
    wire net_take  = net_one && net_right && !one_q && !two_q && !three_q && !anew_q;

    assign refuse = net_one && net_good && net_kind == KIND_REFUSE;

    wire mine    = three_q && tx_same_q && !anew_q;
    wire session = three_q && open_q && !anew_q;
    wire ack     = session && is_ack_q;
    wire good    = ack && inside_q;
    wire stray   = ack && !inside_q;
    wire denied  = stray && asked_q;              // it answers a PROBE
    wire restart = session && is_restart_q;
    wire welcome = mine && !open_q && kind_q == KIND_WELCOME;
    wire refusal = mine && !open_q && kind_q == KIND_REFUSE;

    always_ff @(posedge aclk) begin
        if (net_beat) net_first_q <= net_last;

        one_q   <= net_take;
        two_q   <= one_q && !anew_q;
        three_q <= two_q && !anew_q;
        if (!one_q && !two_q && !three_q) begin
            kind_q        <= net_kind;
            nak_q         <= net_header[BIT_NAK];
            reply_q       <= net_header[BIT_SEQ +: BITS_SEQ];
            reply_limit_q <= net_header[BIT_FRAME +: BITS_FRAME];
            reply_rx_q    <= net_header[BIT_RX_EPOCH +: BITS_RX_EPOCH];
            reply_turn_q  <= net_header[BIT_TURN +: BITS_TURN];
            reply_have_q  <= net_have;
            tx_same_q     <= net_header[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx_epoch_q;
            rx_same_q     <= net_header[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx_epoch_q;
        end
        is_ack_q     <= kind_q == KIND_ACK && tx_same_q && rx_same_q;
        is_restart_q <= kind_q == KIND_RESTART && tx_same_q && rx_same_q;
        // What may change meanwhile only grows, so that what is inside stays inside.
        past_q    <= reply_q - base_q;
        credit_q  <= reply_limit_q - reply_q;
        sent_q    <= top_q[W-1:0] - base_q[W-1:0];
        newer_q   <= reply_turn_q - echoed_q;
        known_q   <= turn_q - reply_turn_q;
        granted_q <= limit_q - reply_q[W-1:0];

        moves_q   <= past_q != '0;
        inside_q  <= past_q[31:W] == '0 && past_q[W-1:0] <= sent_q;
        // Newer than what had come, and sent.
        echoes_q  <= !newer_q[31] && newer_q != '0 && !known_q[31] && known_q != '0;
        more_q    <= credit_q[31] ? '0 : credit_q[30:W-1] != '0 ? REACH : credit_q[W-1:0];

        // Only the first ACK after a PROBE can tell that the two sides do not mean the same session.
        if (control && open_q)  asked_q <= 1'b1;
        else if (ack || anew_q) asked_q <= 1'b0;
        if (good || anew_q)        strays_q <= '0;
        else if (stray && asked_q) strays_q <= strays_q + 1'b1;

        if (!link_aresetn) begin
            one_q    <= 1'b0;
            two_q    <= 1'b0;
            three_q  <= 1'b0;
            asked_q  <= 1'b0;
            strays_q <= '0;
        end
        if (!aresetn) net_first_q <= 1'b1;
    end

    // ---- session

    logic refused_q;

    initial tx_epoch_q = '0;
    always_ff @(posedge aclk) if (link_aresetn && anew_q) tx_epoch_q <= tx_epoch_q + 1'b1;

    always_ff @(posedge aclk) begin
        anew_q <= restart || (stray && asked_q && strays_q == '1);
        if (anew_q)       open_q <= 1'b0;
        else if (welcome) open_q <= 1'b1;
        if (anew_q)       rx_epoch_q <= '0;
        else if (welcome) rx_epoch_q <= reply_rx_q;
        if (welcome || refusal) refused_q <= refusal;

        if (!link_aresetn) begin
            anew_q     <= 1'b1;
            open_q     <= 1'b0;
            rx_epoch_q <= '0;
            refused_q  <= 1'b0;
        end
    end

    // ---- window

    wire waiting = top_q[W-1:0] != seq_q[W-1:0]; // a packet waits to be sent
    wire allowed = top_q[W-1:0] != limit_q;
    // Whether slot seq_q is taken, or the one behind it: looked at a cycle ahead. An ACK may make it free a cycle earlier.
    wire [31:0]     seq_more   = seq_q + 1'b1;
    logic [SLOT_W:0] after_q;                    // its lower bits
    wire [SLOT_W:0] span       = (SLOT_W+1)'(seq_q) ^ (SLOT_W+1)'(base_q);
    wire [SLOT_W:0] span_more  = after_q ^ (SLOT_W+1)'(base_q);
    wire            taken      = span == (SLOT_W+1)'(SLOTS) || (busy && busy_slot == seq_q[SLOT_W-1:0]);
    wire            taken_more = span_more == (SLOT_W+1)'(SLOTS) || (busy && busy_slot == after_q[SLOT_W-1:0]);
    logic           taken_q;
    // Whether a packet may be sent, from a cycle before: after `start` that cycle passes anyway.
    logic           may_q, light_q;
    logic [31:0]    flying_q;
    logic           due_q;                       // a HELLO or PROBE is
    logic           again_q;                     // a packet is lost: this one
    logic [W-1:0]   lost_q;

    assign room    = open_q && !taken_q;
    assign control = ready && due_q && !drain && !anew_q;
    assign start   = ready && (again_q ? light_q : may_q) && !due_q && !drain && !anew_q;

    always_ff @(posedge aclk) begin
        taken_q  <= commit ? taken_more : taken;
        flying_q <= turn_q - echoed_q;
        light_q  <= flying_q <= 32'(FLIGHT);
        may_q    <= waiting && allowed && flying_q <= 32'(FLIGHT) && !anew_q && link_aresetn;

        if (commit)                seq_q <= seq_more;
        if (commit)                after_q <= after_q + 1'b1;
        if (start && !again_q)     top_q <= top_q + 1'b1;
        if (good)                  base_q <= reply_q;
        if (good)                  base_had_q <= had_q;
        if (start)                 turn_q <= turn_q + 1'b1;
        else if (control && open_q) turn_q <= turn_q + 32'(REORDER + 1);
        if (good && echoes_q)      echoed_q <= reply_turn_q;
        // A slot that a new packet is sent from, a cycle later; what an ACK says in that cycle came after it.
        fresh_q                    <= start && !again_q;
        fresh_slot_q               <= top_q[SLOT_W-1:0];
        if (fresh_q)               acked_q[fresh_slot_q] <= 1'b0;
        for (int s = 0; s < SLOTS; s++) if (good && reply_have_q[s]) acked_q[s] <= 1'b1;

        if (welcome)                           limit_q <= more_q;
        else if (good && more_q > granted_q)   limit_q <= reply_q[W-1:0] + more_q;

        if (!link_aresetn || anew_q) begin
            seq_q    <= '0;
            after_q  <= (SLOT_W+1)'(1);
            top_q    <= '0;
            base_q   <= '0;
            limit_q  <= '0;
            turn_q   <= 'd1;
            echoed_q <= '0;
            acked_q  <= '0;
            fresh_q  <= 1'b0;
            light_q  <= 1'b0;
            base_had_q <= 1'b0;
        end
    end

    // ---- what is lost: a slot is read in each cycle, subtracted in the next, judged in the third; after an ACK, which may have
    // changed all, what was read is again

    (* ram_style = "distributed" *) logic [31:0] last_turn [0:SLOTS-1];

    // The number of the slot that is read; in the second cycle its place behind base, and whether it was acknowledged, of a row.
    localparam int LOW_W = SLOT_W / 2;
    localparam int ROWS  = 1 << (SLOT_W - LOW_W);
    logic [W-1:0]    scan_q, read_q, judge_q, off_q, span_q;
    logic [ROWS-1:0] row_q;
    logic            read_any_q, judge_any_q, front_q;
    logic [31:0]     last_q, since_q;
    logic [1:0]      read_tries_q, judge_tries_q, lost_tries_q;
    wire             there = off_q < span_q;
    wire             gone  = judge_any_q && (judge_tries_q[1] || (!since_q[31] && since_q[30:0] > 31'(REORDER)));

    // Whether the newest ACK says that the receiver has its own `seq`, which is base from then on.
    logic [ROWS-1:0] had_row_q;
    always_ff @(posedge aclk) begin
        for (int r = 0; r < ROWS; r++) had_row_q[r] <= reply_have_q[{(SLOT_W-LOW_W)'(r), reply_q[LOW_W-1:0]}];
        had_q <= had_row_q[reply_q[SLOT_W-1:LOW_W]];
    end

    // What is lost again is sent twice: after the first of the two its slot looks lost at once.
    localparam logic [1:0] FIRST_SENT = 2'd0, SENT_AGAIN = 2'd1, SENT_HALF = 2'd2;
    (* ram_style = "distributed" *) logic [1:0] tries [0:SLOTS-1];

    always_ff @(posedge aclk) if (start) last_turn[start_slot] <= turn_q;
    always_ff @(posedge aclk) if (start)
        tries[start_slot] <= !again_q ? FIRST_SENT : lost_tries_q == SENT_AGAIN ? SENT_HALF : SENT_AGAIN;

    always_ff @(posedge aclk) begin
        read_q  <= scan_q;
        off_q   <= scan_q - base_q[W-1:0];
        front_q <= scan_q == base_q[W-1:0];
        span_q  <= top_q[W-1:0] - base_q[W-1:0];
        last_q  <= last_turn[scan_q[SLOT_W-1:0]];
        for (int r = 0; r < ROWS; r++) row_q[r] <= acked_q[{(SLOT_W-LOW_W)'(r), scan_q[LOW_W-1:0]}];
        judge_q <= read_q;
        since_q <= echoed_q - last_q;

        read_tries_q  <= tries[scan_q[SLOT_W-1:0]];
        judge_tries_q <= read_tries_q;
        if (!again_q) lost_tries_q <= judge_tries_q;

        read_any_q  <= !again_q && !gone && !good && (there || !read_any_q);
        judge_any_q <= !again_q && !gone && !good && read_any_q && there
                       && !(front_q ? base_had_q : row_q[read_q[SLOT_W-1:LOW_W]]);
        if (!again_q) lost_q <= judge_q;
        again_q <= again_q ? !good && !start : gone && !good;
        // What is thrown away is read again, from its oldest on, but what is sent again.
        if (again_q)                   scan_q <= good && !start ? lost_q : scan_q;
        else if (good)                 scan_q <= judge_any_q ? judge_q : read_any_q ? read_q : scan_q;
        else if (gone)                 scan_q <= judge_q + 1'b1;
        else if (read_any_q && !there) scan_q <= base_q[W-1:0];
        else                           scan_q <= scan_q + 1'b1;

        if (!link_aresetn || anew_q) begin
            read_any_q  <= 1'b0;
            judge_any_q <= 1'b0;
            again_q     <= 1'b0;
            scan_q      <= '0;
        end
    end

    // ---- HELLO and PROBE

    logic [TIMER_W-1:0] timer_q, patience_q;
    logic               expired_q, hurry_q;

    always_ff @(posedge aclk) begin
        expired_q <= timer_q == '0;
        hurry_q   <= news && open_q && patience_q != TIMER_W'(TIMEOUT_CYCLES);
        if (!ready || (good && moves_q) || denied || expired_q || anew_q)
            timer_q <= (!open_q ? TIMER_W'(HELLO_CYCLES) : denied ? TIMER_W'(TIMEOUT_CYCLES) : patience_q) - TIMER_W'(2);
        else if (hurry_q && timer_q > TIMER_W'(TIMEOUT_CYCLES - 2))
            timer_q <= TIMER_W'(TIMEOUT_CYCLES - 2);
        else
            timer_q <= timer_q - 1'b1;
        // Twice as long after each PROBE that nothing followed and before which all was acknowledged, unless the other side
        // means another session or there is something to tell.
        if (start || (good && moves_q) || denied || hurry_q || welcome || anew_q) patience_q <= TIMER_W'(TIMEOUT_CYCLES);
        else if (control && open_q && top_q[W-1:0] == base_q[W-1:0])
            patience_q <= patience_q > TIMER_W'(IDLE_CYCLES / 2) ? TIMER_W'(IDLE_CYCLES) : patience_q << 1;
        due_q <= anew_q || welcome || expired_q || (due_q && !control);
        if (!link_aresetn) begin
            due_q     <= 1'b0;
            expired_q <= 1'b0;
            hurry_q   <= 1'b0;
            timer_q   <= TIMER_W'(HELLO_CYCLES - 2);
        end
    end

    // ---- frames of the slots: whether a packet is the last one of its frame, and which frame is lost first

    (* ram_style = "distributed" *) logic [31:0] frames [0:SLOTS-1];
    (* ram_style = "distributed" *) logic        ends   [0:SLOTS-1];
    (* ram_style = "distributed" *) logic        taints [0:SLOTS-1];

    // Written a cycle later, which is before the packet may be sent.
    logic              note_q, note_eof_q, note_tainted_q;
    logic [SLOT_W-1:0] note_slot_q;
    logic [31:0]       note_frame_q;
    wire [31:0] base_frame = note_q && note_slot_q == base_q[SLOT_W-1:0] ? note_frame_q : frames[base_q[SLOT_W-1:0]];

    always_ff @(posedge aclk) begin
        note_q         <= commit;
        note_slot_q    <= seq_q[SLOT_W-1:0];
        note_eof_q     <= eof;
        note_tainted_q <= tainted;
        note_frame_q   <= frame;
    end
    always_ff @(posedge aclk) if (note_q) frames[note_slot_q] <= note_frame_q;
    always_ff @(posedge aclk) if (note_q) ends[note_slot_q] <= note_eof_q;
    always_ff @(posedge aclk) if (note_q) taints[note_slot_q] <= note_tainted_q;

    assign start_slot  = again_q ? lost_q[SLOT_W-1:0] : top_q[SLOT_W-1:0];
    assign start_eof   = ends[start_slot];
    assign start_first = !again_q;
    assign start_turn  = control ? turn_q + 32'(REORDER) : turn_q;
    assign start_taint = taints[start_slot];
    assign all_sent    = top_q[W-1:0] == seq_q[W-1:0];

    logic [31:0] gone_first_q, gone_last_q, gone_q;
    logic        gone_any_q, gone_two_q, lost_any_q;
    wire         kept = seq_q[W-1:0] != base_q[W-1:0];

    always_ff @(posedge aclk) begin
        gone_first_q <= kept ? base_frame : frame;
        gone_last_q  <= frame - 32'(!mid);
        gone_any_q   <= anew_q && open_q && (kept || mid);
        gone_two_q   <= gone_any_q;
        gone_q       <= gone_last_q - gone_first_q;
        if (gone_any_q && !lost_any_q) lost_first <= gone_first_q;
        if (gone_any_q)                lost_last  <= gone_last_q;
        if (gone_two_q)                lost <= lost + gone_q + 1'b1;
        lost_any_q <= lost_any_q || gone_any_q;
        if (!aresetn || clear) begin
            lost_any_q <= 1'b0;
            lost_first <= '0;
            lost_last  <= '0;
            lost       <= '0;
        end
    end

    // ---- more outputs to host registers

    logic [W-1:0] used_q, most_q;

    always_ff @(posedge aclk) begin
        used_q <= seq_q[W-1:0] - base_q[W-1:0];
        if (clear || used_q > most_q) most_q <= used_q;
        if (refusal) refused_fields <= reply_q[9:0];

        is_nak      <= good && nak_q;
        is_opened   <= welcome;
        is_refused  <= refusal;
        is_restart  <= anew_q && open_q;
        is_stale    <= (three_q && !good && !restart && !welcome && !refusal) || (net_one && net_right && !net_take);
        is_bad      <= net_beat && net_last && !(net_first_q && net_right);
        waits_limit <= open_q && waiting && !allowed;
        waits_room  <= open_q && waits && !room;

        if (!aresetn || clear) refused_fields <= '0;
        if (!aresetn) begin
            most_q      <= '0;
            is_nak      <= 1'b0;
            is_opened   <= 1'b0;
            is_refused  <= 1'b0;
            is_restart  <= 1'b0;
            is_stale    <= 1'b0;
            is_bad      <= 1'b0;
            waits_limit <= 1'b0;
            waits_room  <= 1'b0;
        end
    end

    assign anew     = anew_q;
    assign seq      = seq_q;
    assign open     = open_q;
    assign top      = top_q;
    assign tx_epoch = tx_epoch_q;
    assign rx_epoch = rx_epoch_q;
    assign refused  = refused_q;
    assign used     = 9'(used_q);
    assign most     = 9'(most_q);

endmodule

`default_nettype wire
