// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_match - compares each packet with the session, and says what becomes of it; part of vnx_receiver.
//
// A beat is compared with what never changes as it comes, and with the session a cycle later, when it is at now_*. What decides
// of the next packet, too, is said when the last beat is there: `store` (it stays in the buffer), `open` (it opens the
// session that is offered, with `net_tx`), `refuse` (a HELLO that differs in the fields `differs`). The next packet may follow
// at once. `write` says of each beat whether it goes to `slot`: only where no packet is, whatever becomes of this one.
// Everything else is said a cycle later, with `seq`, `turn`, `said_tx` and `said_rx` of the packet.
//
// DATA stays if its number is one from `expected` on and below `limit`, and its slot does not have it; its place in the frame is looked
// at in vnx_unpack, when all before it has come. This is looked up as it comes: what changes in that cycle counts only
// as far as it makes the answer no.
//
// A packet of which link_aresetn has seen a part is none. aresetn tells where packets begin.
//
// Throughput  one beat per cycle
// Latency     1 cycle to now_*, write, store, open and refuse, 2 to all else
// Paths       from what the buffer and the session say to write, store and open
// Resources   about 260 LUT and 160 FF with 64 slots
//
// Parameters: FRAME_BYTES   of a frame
//             PACKET_BEATS  of a full packet, 2 to 256
//             SLOTS         packets in the buffer, a power of two, 4 to 256
//             LINK          number of the boundary
//             CONTRACT      what else must be the same at the sender, see docs/vnx.md; so are the next four
//             PACKING       likewise
//             ROLE          likewise
//             ELEMENT       likewise
//             SHAPE         likewise
// Checked by: test_vnx_receiver.py
`default_nettype none

module vnx_match #(
    parameter int          FRAME_BYTES  = 64,
    parameter int          PACKET_BEATS = 23,
    parameter int          SLOTS        = 32,
    parameter logic [15:0] LINK         = 16'd1,
    parameter logic [63:0] CONTRACT     = 64'd0,
    parameter logic [7:0]  PACKING      = 8'd0,
    parameter logic [7:0]  ROLE         = 8'd0,
    parameter logic [31:0] ELEMENT      = 32'd0,
    parameter logic [31:0] SHAPE        = 32'd0,
    localparam int         SLOT_W       = $clog2(SLOTS)
) (
    input  wire          aclk,
    input  wire          aresetn,
    input  wire          link_aresetn,

    input  wire  [511:0] s_net_axis_tdata,
    input  wire  [63:0]  s_net_axis_tkeep,
    input  wire          s_net_axis_tlast,
    input  wire          s_net_axis_tuser,  // with TLAST: vnx_check found the packet right
    input  wire          s_net_axis_tvalid,

    output logic [511:0] now_data,          // the beat of the cycle before
    output logic         now_last,
    output logic         now_valid,

    // ---- of the buffer
    input  wire  [SLOTS-1:0]  have,
    input  wire          empty,
    input  wire          full_here,         // a full packet has its last beat here
    input  wire          last_here,         // a frame's last packet has
    input  wire          misplaced,         // a packet was dropped, since its place in the frame is another one

    // ---- of the session
    input  wire          session,           // one is open
    input  wire          offered,           // one is offered
    input  wire  [15:0]  session_tx,
    input  wire  [15:0]  session_rx,
    input  wire  [15:0]  offered_tx,
    input  wire  [15:0]  next_rx,           // of the next session
    input  wire  [31:0]  expected,          // number of the next packet
    input  wire  [31:0]  limit,             // first number that has no slot

    // ---- when the last beat is at now_*
    output logic         write,             // in each beat
    output logic [SLOT_W-1:0] slot,
    output logic         store,
    output logic         store_sof,
    output logic         store_eof,
    output logic [31:0]  store_frame,
    output logic         open,
    output logic         refuse,
    output logic [9:0]   differs,
    output logic [15:0]  net_tx,            // the sender's half of the session's number

    // ---- a cycle later
    output logic         stored,
    output logic         opened,
    output logic         about,             // DATA or PROBE of the session
    output logic         offer,             // a HELLO that agrees, and no packet waits
    output logic         restart,           // of a session that is neither open nor offered
    output logic         probed,            // PROBE of the session
    output logic         says_frame,        // with `probed`: `frame` is the number of the next frame, or less
    output logic [31:0]  frame,
    output logic [31:0]  seq,
    output logic [31:0]  turn,
    output logic [15:0]  said_tx,
    output logic [15:0]  said_rx,

    // ---- likewise, for counters
    output logic         is_double,
    output logic         is_bad_checksum,
    output logic         is_bad_length,
    output logic         is_wrong_kind,
    output logic         is_wrong_link,
    output logic         is_wrong_session,
    output logic         is_no_slot,
    output logic         is_hello
);

    generate
        if (FRAME_BYTES < 1) begin : g_check_frame_bytes
            FRAME_BYTES_must_be_at_least_1 parameter_error();
        end
        if (PACKET_BEATS < 2 || PACKET_BEATS > 256) begin : g_check_packet_beats
            PACKET_BEATS_must_be_2_to_256 parameter_error();
        end
        if (SLOTS < 4 || SLOTS > 256 || (SLOTS & (SLOTS - 1)) != 0) begin : g_check_slots
            SLOTS_must_be_a_power_of_two_from_4_to_256 parameter_error();
        end
    endgenerate

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int HEADER_BYTES = 32;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int REFUSE_VERSION = 9;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_SOF = 28;
    localparam int BIT_EOF = 29;
    localparam int BIT_LINK = 64;
    localparam int BITS_LINK = 16;
    localparam int REFUSE_LINK = 0;
    localparam int BIT_BYTES = 80;
    localparam int BITS_BYTES = 16;
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
    localparam int BIT_CONTRACT = 256;
    localparam int BITS_CONTRACT = 64;
    localparam int REFUSE_CONTRACT = 1;
    localparam int BIT_FRAME_BYTES = 320;
    localparam int BITS_FRAME_BYTES = 32;
    localparam int REFUSE_FRAME_BYTES = 2;
    localparam int BIT_PACKET_BEATS = 352;
    localparam int BITS_PACKET_BEATS = 16;
    localparam int REFUSE_PACKET_BEATS = 3;
    localparam int BIT_PACKING = 368;
    localparam int BITS_PACKING = 8;
    localparam int REFUSE_PACKING = 4;
    localparam int BIT_ROLE = 376;
    localparam int BITS_ROLE = 8;
    localparam int REFUSE_ROLE = 5;
    localparam int BIT_ELEMENT = 384;
    localparam int BITS_ELEMENT = 32;
    localparam int REFUSE_ELEMENT = 6;
    localparam int BIT_SHAPE = 416;
    localparam int BITS_SHAPE = 32;
    localparam int REFUSE_SHAPE = 7;
    localparam int BIT_SLOTS = 448;
    localparam int BITS_SLOTS = 8;
    localparam int REFUSE_SLOTS = 8;
    localparam logic [3:0] KIND_DATA = 4'd0;
    localparam logic [3:0] KIND_HELLO = 4'd1;
    localparam logic [3:0] KIND_PROBE = 4'd2;

    localparam int FULL_BYTES   = 64 * PACKET_BEATS - HEADER_BYTES;        // behind the header
    localparam int PACKETS      = (FRAME_BYTES - 1) / FULL_BYTES + 1;      // of a frame
    localparam int LAST_BYTES   = FRAME_BYTES - (PACKETS - 1) * FULL_BYTES;
    localparam int LAST_KEEP    = (LAST_BYTES + HEADER_BYTES - 1) % 64 + 1;  // bytes of its last beat

    // ---- the packet that comes in --------------------------------------------------------------------

    wire [511:0]               coming  = s_net_axis_tdata;  // headers are only in first beats
    wire [511:0]               header  = now_data;
    wire [BITS_KIND-1:0]       kind    = coming[BIT_KIND +: BITS_KIND];
    wire [BITS_SEQ-1:0]        peek    = coming[BIT_SEQ +: BITS_SEQ];
    wire [BITS_LINK-1:0]       link    = coming[BIT_LINK +: BITS_LINK];
    wire [BITS_BYTES-1:0]      bytes   = coming[BIT_BYTES +: BITS_BYTES];
    wire [BITS_SEQ-1:0]        now_seq = header[BIT_SEQ +: BITS_SEQ];
    wire [BITS_TX_EPOCH-1:0]   tx      = header[BIT_TX_EPOCH +: BITS_TX_EPOCH];
    wire [BITS_RX_EPOCH-1:0]   rx      = header[BIT_RX_EPOCH +: BITS_RX_EPOCH];
    wire                       sof     = header[BIT_SOF];
    wire                       eof     = header[BIT_EOF];
    // Of the beat at now_*.
    logic data, hello, probe, ours, sized, right, full_keep, last_keep;

    // Wide comparisons: three bits of two numbers to a LUT, or six of one, and an addition joins them: all ones plus one
    // carries out. So each is one LUT and a carry chain deep.
    localparam logic [17:0] LINK_WANTED  = 18'(LINK);
    localparam logic [19:0] BYTES_FULL   = 20'(FULL_BYTES), BYTES_LAST = 20'(LAST_BYTES);
    localparam logic [35:0] OTHER_BYTES  = 36'(FRAME_BYTES), OTHER_ELEMENT = 36'(ELEMENT), OTHER_SHAPE = 36'(SHAPE);
    localparam logic [65:0] OTHER_TERMS  = 66'(CONTRACT);
    localparam logic [17:0] OTHER_BEATS  = 18'(PACKET_BEATS);
    wire [32:0] numbers    = {1'b0, tx ^ session_tx, rx ^ session_rx};
    wire [32:0] offers     = {1'b0, tx ^ offered_tx, rx ^ next_rx};
    wire [17:0] off_link   = 18'(link) ^ LINK_WANTED;
    wire [19:0] off_own    = 20'(bytes) ^ (coming[BIT_EOF] ? BYTES_LAST : BYTES_FULL);
    wire [65:0] off_terms  = 66'(coming[BIT_CONTRACT +: BITS_CONTRACT]) ^ OTHER_TERMS;
    wire [35:0] off_bytes  = 36'(coming[BIT_FRAME_BYTES +: BITS_FRAME_BYTES]) ^ OTHER_BYTES;
    wire [17:0] off_beats  = 18'(coming[BIT_PACKET_BEATS +: BITS_PACKET_BEATS]) ^ OTHER_BEATS;
    wire [35:0] off_element = 36'(coming[BIT_ELEMENT +: BITS_ELEMENT]) ^ OTHER_ELEMENT;
    wire [35:0] off_shape  = 36'(coming[BIT_SHAPE +: BITS_SHAPE]) ^ OTHER_SHAPE;
    logic [11:0] same_numbers, same_offers;
    logic [10:0] same_terms;
    logic [5:0]  same_bytes, same_element, same_shape;
    logic [3:0]  own_marks;
    logic [2:0]  same_link, same_beats;
    always_comb begin
        for (int g = 0; g < 11; g++) begin
            same_numbers[g] = numbers[3*g +: 3] == '0;
            same_offers[g]  = offers[3*g +: 3] == '0;
            same_terms[g]   = off_terms[6*g +: 6] == '0;
        end
        for (int g = 0; g < 6; g++) begin
            same_bytes[g]   = off_bytes[6*g +: 6] == '0;
            same_element[g] = off_element[6*g +: 6] == '0;
            same_shape[g]   = off_shape[6*g +: 6] == '0;
        end
        for (int g = 0; g < 4; g++) own_marks[g] = off_own[5*g +: 5] == '0;
        for (int g = 0; g < 3; g++) begin
            same_link[g]   = off_link[6*g +: 6] == '0;
            same_beats[g]  = off_beats[6*g +: 6] == '0;
        end
        same_numbers[11] = session && ours;
        same_offers[11]  = offered && ours;
    end
    wire in_session  = 1'((13'(same_numbers) + 13'd1) >> 12);
    wire in_offered  = 1'((13'(same_offers) + 13'd1) >> 12);
    logic [9:0] agrees;
    always_comb begin
        agrees[REFUSE_LINK]         = 1'((4'(same_link) + 4'd1) >> 3);
        agrees[REFUSE_CONTRACT]     = 1'((12'(same_terms) + 12'd1) >> 11);
        agrees[REFUSE_FRAME_BYTES]  = 1'((7'(same_bytes) + 7'd1) >> 6);
        agrees[REFUSE_PACKET_BEATS] = 1'((4'(same_beats) + 4'd1) >> 3);
        agrees[REFUSE_PACKING]      = coming[BIT_PACKING +: BITS_PACKING] == PACKING;
        agrees[REFUSE_ROLE]         = coming[BIT_ROLE +: BITS_ROLE] == ROLE;
        agrees[REFUSE_ELEMENT]      = 1'((7'(same_element) + 7'd1) >> 6);
        agrees[REFUSE_SHAPE]        = 1'((7'(same_shape) + 7'd1) >> 6);
        agrees[REFUSE_SLOTS]        = coming[BIT_SLOTS +: BITS_SLOTS] == BITS_SLOTS'(SLOT_W);
        agrees[REFUSE_VERSION]      = coming[BIT_VERSION +: BITS_VERSION] == IS_VERSION;
    end
    always_ff @(posedge aclk) begin
        now_data  <= coming;
        now_last  <= s_net_axis_tlast;
        now_valid <= s_net_axis_tvalid && aresetn;
        right     <= s_net_axis_tvalid && s_net_axis_tlast && s_net_axis_tuser && aresetn;
        full_keep <= s_net_axis_tkeep[63];
        last_keep <= s_net_axis_tkeep[LAST_KEEP-1] && (LAST_KEEP == 64 || !s_net_axis_tkeep[LAST_KEEP%64]);
        data      <= kind == KIND_DATA;
        hello     <= kind == KIND_HELLO;
        probe     <= kind == KIND_PROBE;
        ours      <= agrees[REFUSE_LINK];
        sized     <= 1'((5'(own_marks) + 5'd1) >> 4);       // has as many bytes as its own mark says
        differs   <= ~agrees;
    end

    // The place of its number, a cycle before: in the buffer as it is, or in that of a new session, which is empty.
    wire [BITS_SEQ-1:0] ahead    = peek - expected;
    wire [BITS_SEQ-1:0] over     = peek - limit;
    wire [SLOT_W-1:0]   now_slot = now_seq[SLOT_W-1:0];
    localparam int HIGH_W = SLOT_W > 2 ? 2 : 1;
    localparam int ROWS   = 1 << HIGH_W;
    logic [ROWS-1:0]    row_q;          // what slots with the same lower bits have
    logic               fits_peeked_q, below_peeked_q, early, same_q, stored_q, opened_q;
    always_ff @(posedge aclk) begin
        fits_peeked_q  <= !ahead[BITS_SEQ-1] && over[BITS_SEQ-1];
        below_peeked_q <= ahead[BITS_SEQ-1];
        early          <= peek[BITS_SEQ-1:SLOT_W] == '0;
        for (int r = 0; r < ROWS; r++) row_q[r] <= have[{HIGH_W'(r), peek[SLOT_W-HIGH_W-1:0]}] && link_aresetn;
        same_q         <= slot == peek[SLOT_W-1:0];
    end
    // A session that was opened in that cycle has all slots but that of the packet that opened it.
    wire fits  = opened_q ? early : fits_peeked_q;
    wire below = opened_q ? now_seq[BITS_SEQ-1] : below_peeked_q;
    wire had   = (row_q[now_slot[SLOT_W-1 -: HIGH_W]] && !opened_q) || (stored_q && same_q);
    wire writes_now = !had && ((in_session && fits) || (in_offered && early && empty));

    // Up to its end: it has a slot, in the session or in the one that is offered; it opens this one.
    wire hits_now    = in_session && fits && !had && data && sized;
    wire begins_now  = in_offered && early && !had && empty && data && sized;
    wire opens_now   = in_offered && data && sized;  // but PROBE

    // What its first beat said, as long as it lasts and a cycle longer.
    logic                     writes_q, hits_q, begins_q, opens_q, sized_q;
    logic                     known_q, mine_q, data_q, hello_q, probe_q, sof_q, eof_q, ours_q;
    logic                     in_session_q, in_offered_q, fits_q, had_q, below_q, differs_q;
    logic [BITS_SEQ-1:0]      seq_q;
    logic [BITS_FRAME-1:0]    frame_q;
    logic [BITS_TURN-1:0]     turn_q;
    logic [BITS_TX_EPOCH-1:0] said_tx_q;
    logic [BITS_RX_EPOCH-1:0] said_rx_q;

    // A packet of which a reset has seen a part is none; where packets end is known all the same.
    logic middle_q;
    wire  first     = !middle_q;
    wire  last      = now_valid && now_last;
    wire  full_end  = full_here && full_keep;
    wire  last_end  = last_here && last_keep;
    wire  lone_end  = first && full_keep;
    wire  is_data   = first ? data : data_q;
    wire  is_greet  = first ? hello : hello_q;
    // A HELLO is as long as a full packet of its sender, and all its beats are alike: the last one is looked at.
    wire  hello_end = full_keep && (full_here || differs != '0);
    wire  own_end   = (first ? eof : eof_q) ? last_end : full_end;   // it is as long as its own mark says
    assign write       = first ? writes_now : writes_q;
    assign slot        = first ? now_slot : seq_q[SLOT_W-1:0];
    assign store       = right && own_end && ((first ? hits_now : hits_q) || (empty && (first ? begins_now : begins_q)));
    assign store_sof   = first ? sof : sof_q;
    assign store_eof   = first ? eof : eof_q;
    assign store_frame = first ? header[BIT_FRAME +: BITS_FRAME] : frame_q;
    wire  opens     = first && probe ? in_offered && full_keep : (first ? opens_now : opens_q) && own_end;
    assign open     = right && empty && opens;
    assign refuse   = right && full_keep && is_greet && differs != '0;

    always_ff @(posedge aclk) begin
        if (now_valid) middle_q <= !now_last;
        if (!aresetn)          middle_q <= 1'b0;

        if (!link_aresetn) begin
            writes_q <= 1'b0;
            hits_q   <= 1'b0;
            begins_q <= 1'b0;
            opens_q  <= 1'b0;
            sized_q  <= 1'b0;
        end else if (now_valid && first) begin
            writes_q <= writes_now;
            hits_q   <= hits_now;
            begins_q <= begins_now;
            opens_q  <= opens_now;
            sized_q  <= !data || sized;
        end
        if (now_valid && first) begin
            mine_q        <= (data || probe) && ours;
            known_q       <= data || hello || probe;
            data_q        <= data;
            hello_q       <= hello;
            probe_q       <= probe;
            sof_q         <= sof;
            eof_q         <= eof;
            ours_q        <= ours;
            in_session_q  <= in_session;
            in_offered_q  <= in_offered;
            fits_q      <= fits;
            had_q         <= had;
            below_q       <= below;
            seq_q         <= now_seq;
            frame_q       <= header[BIT_FRAME +: BITS_FRAME];
            turn_q        <= header[BIT_TURN +: BITS_TURN];
            said_tx_q     <= tx;
            said_rx_q     <= rx;
        end
        differs_q <= differs != '0;
    end

    // ---- the packet that has come in -----------------------------------------------------------------

    logic last_q, right_q, end_q, misplaced_q;
    wire  is_torn = right_q && known_q && !(end_q && sized_q);

    always_ff @(posedge aclk) begin
        last_q   <= last;
        right_q  <= right;
        end_q    <= is_data ? own_end : is_greet ? hello_end : lone_end;
        stored_q <= store;
        opened_q <= open;
        // Counted when nothing else of its kind is.
        misplaced_q <= misplaced || (misplaced_q && is_torn);
        if (!link_aresetn) begin
            last_q      <= 1'b0;
            right_q     <= 1'b0;
            stored_q    <= 1'b0;
            opened_q    <= 1'b0;
            misplaced_q <= 1'b0;
        end
    end

    wire good    = right_q && end_q && sized_q;
    wire of_us   = good && mine_q;                                  // DATA or PROBE of this boundary
    wire member  = in_session_q || opened_q;
    wire astray  = of_us && !member;
    wire left    = of_us && data_q && member && !stored_q;
    wire double  = in_session_q && (below_q || (fits_q && had_q));

    assign net_tx    = first ? tx : said_tx_q;  // what is offered may have changed since the packet began
    assign stored    = stored_q;
    assign opened    = opened_q;
    assign about     = of_us && member;
    assign offer     = good && hello_q && !differs_q && empty;
    assign restart   = astray && !in_offered_q;
    assign probed    = of_us && probe_q && member;
    assign says_frame = sof_q;
    assign frame     = frame_q;
    assign seq       = seq_q;
    assign turn      = turn_q;
    assign said_tx   = said_tx_q;
    assign said_rx   = said_rx_q;

    assign is_double        = left && double;
    assign is_bad_checksum  = last_q && !right_q;
    assign is_bad_length    = is_torn || misplaced_q;
    assign is_wrong_kind    = right_q && !known_q;
    assign is_wrong_link    = good && known_q && !hello_q && !ours_q;
    assign is_wrong_session = astray;
    assign is_no_slot       = left && !double;
    assign is_hello         = good && hello_q;

    wire unused = &{1'b0, s_net_axis_tkeep, header, coming};

endmodule

`default_nettype wire
