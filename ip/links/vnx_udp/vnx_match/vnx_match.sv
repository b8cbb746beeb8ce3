// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_match - compares each packet with the session, and says what becomes of it; part of vnx_receiver.
//
// What decides of the next packet, too, is said in the cycle of the last beat: `take` (it stays in the buffer), `open` (it opens the
// session that is offered, with `net_tx`), `refuse` (a HELLO that differs in the fields `differs`). The next packet may follow
// at once. Everything else is said a cycle later, with `seq`, `frame`, `said_tx` and `said_rx` of the packet.
//
// A packet of which link_aresetn has seen a part is none. aresetn tells where packets begin.
//
// Throughput  one beat per cycle
// Latency     0 cycles to take, open and refuse, 1 to all else
// Paths       from s_net_axis_* and from what the buffer and the session say to take, open, refuse, differs and net_tx
// Resources   about 190 LUT and 120 FF
//
// Parameters: FRAME_BYTES   of a frame
//             PACKET_BEATS  of a full packet, 2 to 256
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
    parameter logic [15:0] LINK         = 16'd1,
    parameter logic [63:0] CONTRACT     = 64'd0,
    parameter logic [7:0]  PACKING      = 8'd0,
    parameter logic [7:0]  ROLE         = 8'd0,
    parameter logic [31:0] ELEMENT      = 32'd0,
    parameter logic [31:0] SHAPE        = 32'd0
) (
    input  wire          aclk,
    input  wire          aresetn,
    input  wire          link_aresetn,

    input  wire  [511:0] s_net_axis_tdata,
    input  wire  [63:0]  s_net_axis_tkeep,
    input  wire          s_net_axis_tlast,
    input  wire          s_net_axis_tuser,  // with TLAST: vnx_check found the packet right
    input  wire          s_net_axis_tvalid,

    // ---- of the buffer
    input  wire          room,
    input  wire          empty,
    input  wire          full_here,         // a full packet has its last beat here
    input  wire          last_here,         // a frame's last packet has
    input  wire          want_sof,          // marks that the next packet of the session has
    input  wire          want_eof,

    // ---- of the session
    input  wire          session,           // one is open
    input  wire          offered,           // one is offered
    input  wire  [15:0]  session_tx,
    input  wire  [15:0]  session_rx,
    input  wire  [15:0]  offered_tx,
    input  wire  [15:0]  next_rx,           // of the next session
    input  wire  [31:0]  expected,          // number of the next packet

    // ---- in the cycle of the last beat
    output logic         take,
    output logic         open,
    output logic         refuse,
    output logic [7:0]   differs,
    output logic [15:0]  net_tx,            // the sender's half of the session's number

    // ---- a cycle later
    output logic         took,
    output logic         opened,
    output logic         taken_eof,         // the packet had the mark of the last of a frame
    output logic         proper,            // DATA of the session
    output logic         gap,               // its number is above the one expected
    output logic         offer,             // a HELLO that agrees, and no packet waits
    output logic         restart,           // of a session that is neither open nor offered
    output logic         probed,            // PROBE of the session
    output logic         missed,            // and its number is not the one expected
    output logic         says_frame,        // with `probed`: it says the number of the next frame
    output logic [31:0]  seq,
    output logic [31:0]  frame,
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
    endgenerate

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int HEADER_BYTES = 32;
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
    localparam logic [3:0] KIND_DATA = 4'd0;
    localparam logic [3:0] KIND_HELLO = 4'd1;
    localparam logic [3:0] KIND_PROBE = 4'd2;

    localparam int FULL_BYTES   = 64 * PACKET_BEATS - HEADER_BYTES;        // behind the header
    localparam int PACKETS      = (FRAME_BYTES - 1) / FULL_BYTES + 1;      // of a frame
    localparam int LAST_BYTES   = FRAME_BYTES - (PACKETS - 1) * FULL_BYTES;
    localparam int LAST_KEEP    = (LAST_BYTES + HEADER_BYTES - 1) % 64 + 1;  // bytes of its last beat

    // ---- the packet that comes in --------------------------------------------------------------------

    wire [511:0]               header  = s_net_axis_tdata;  // only in its first beat
    wire [BITS_KIND-1:0]       kind    = header[BIT_KIND +: BITS_KIND];
    wire [BITS_SEQ-1:0]        now_seq = header[BIT_SEQ +: BITS_SEQ];
    wire [BITS_LINK-1:0]       link    = header[BIT_LINK +: BITS_LINK];
    wire [BITS_BYTES-1:0]      bytes   = header[BIT_BYTES +: BITS_BYTES];
    wire [BITS_TX_EPOCH-1:0]   tx      = header[BIT_TX_EPOCH +: BITS_TX_EPOCH];
    wire [BITS_RX_EPOCH-1:0]   rx      = header[BIT_RX_EPOCH +: BITS_RX_EPOCH];
    wire                       sof     = header[BIT_SOF];
    wire                       eof     = header[BIT_EOF];
    wire                       data    = kind == KIND_DATA;
    wire                       hello   = kind == KIND_HELLO;
    wire                       probe   = kind == KIND_PROBE;

    // Wide comparisons: three bits of two numbers to a LUT, or six of one, and an addition joins them: all ones plus one
    // carries out. So each is one LUT and a carry chain deep.
    localparam logic [17:0] LINK_WANTED  = 18'(LINK);
    localparam logic [19:0] BYTES_FULL   = 20'(FULL_BYTES), BYTES_LAST = 20'(LAST_BYTES);
    localparam logic [35:0] OTHER_BYTES  = 36'(FRAME_BYTES), OTHER_ELEMENT = 36'(ELEMENT), OTHER_SHAPE = 36'(SHAPE);
    localparam logic [65:0] OTHER_TERMS  = 66'(CONTRACT);
    localparam logic [17:0] OTHER_BEATS  = 18'(PACKET_BEATS);
    wire [32:0] numbers    = {1'b0, tx ^ session_tx, rx ^ session_rx};
    wire [32:0] offers     = {1'b0, tx ^ offered_tx, rx ^ next_rx};
    wire [32:0] ahead      = {1'b0, now_seq ^ expected};
    wire [35:0] zero       = 36'(now_seq);
    wire [17:0] off_link   = 18'(link) ^ LINK_WANTED;
    wire [19:0] off_want   = 20'(bytes) ^ (want_eof ? BYTES_LAST : BYTES_FULL);
    wire [19:0] off_own    = 20'(bytes) ^ (eof ? BYTES_LAST : BYTES_FULL);
    wire [17:0] off_first  = 18'(bytes) ^ 18'(PACKETS == 1 ? BYTES_LAST : BYTES_FULL);
    wire [65:0] off_terms  = 66'(header[BIT_CONTRACT +: BITS_CONTRACT]) ^ OTHER_TERMS;
    wire [35:0] off_bytes  = 36'(header[BIT_FRAME_BYTES +: BITS_FRAME_BYTES]) ^ OTHER_BYTES;
    wire [17:0] off_beats  = 18'(header[BIT_PACKET_BEATS +: BITS_PACKET_BEATS]) ^ OTHER_BEATS;
    wire [35:0] off_element = 36'(header[BIT_ELEMENT +: BITS_ELEMENT]) ^ OTHER_ELEMENT;
    wire [35:0] off_shape  = 36'(header[BIT_SHAPE +: BITS_SHAPE]) ^ OTHER_SHAPE;
    logic [14:0] same_numbers, same_offers;
    logic [10:0] same_ahead, same_terms;
    logic [5:0]  same_zero, same_bytes, same_element, same_shape, wanted_marks;
    logic [4:0]  first_marks;
    logic [3:0]  own_marks;
    logic [2:0]  same_link, same_beats;
    always_comb begin
        for (int g = 0; g < 11; g++) begin
            same_numbers[g] = numbers[3*g +: 3] == '0;
            same_offers[g]  = offers[3*g +: 3] == '0;
            same_ahead[g]   = ahead[3*g +: 3] == '0;
            same_terms[g]   = off_terms[6*g +: 6] == '0;
        end
        for (int g = 0; g < 6; g++) begin
            same_zero[g]    = zero[6*g +: 6] == '0;
            same_bytes[g]   = off_bytes[6*g +: 6] == '0;
            same_element[g] = off_element[6*g +: 6] == '0;
            same_shape[g]   = off_shape[6*g +: 6] == '0;
        end
        for (int g = 0; g < 4; g++) begin
            wanted_marks[g] = off_want[5*g +: 5] == '0;
            own_marks[g]    = off_own[5*g +: 5] == '0;
        end
        for (int g = 0; g < 3; g++) begin
            same_link[g]   = off_link[6*g +: 6] == '0;
            first_marks[g] = off_first[6*g +: 6] == '0;
            same_beats[g]  = off_beats[6*g +: 6] == '0;
        end
        same_numbers[14:11] = {session, same_link};
        same_offers[14:11]  = {offered, same_link};
        wanted_marks[5:4]   = {data, sof == want_sof && eof == want_eof};
        first_marks[4:3]    = {data, sof && eof == (PACKETS == 1)};
    end
    wire in_session  = 1'((16'(same_numbers) + 16'd1) >> 15);
    wire in_offered  = 1'((16'(same_offers) + 16'd1) >> 15);
    wire is_expected = 1'((12'(same_ahead) + 12'd1) >> 11);
    wire [BITS_SEQ-1:0] before_expected = expected - now_seq;
    wire is_zero     = 1'((7'(same_zero) + 7'd1) >> 6);
    wire ours        = 1'((4'(same_link) + 4'd1) >> 3);
    wire as_wanted   = 1'((7'(wanted_marks) + 7'd1) >> 6);  // is DATA as the next of the session must be
    wire as_first    = 1'((6'(first_marks) + 6'd1) >> 5);   // is DATA as the first of any session must be
    wire sized       = 1'((5'(own_marks) + 5'd1) >> 4);     // has as many bytes as its own mark says
    logic [7:0] agrees;
    always_comb begin
        agrees[REFUSE_LINK]         = ours;
        agrees[REFUSE_CONTRACT]     = 1'((12'(same_terms) + 12'd1) >> 11);
        agrees[REFUSE_FRAME_BYTES]  = 1'((7'(same_bytes) + 7'd1) >> 6);
        agrees[REFUSE_PACKET_BEATS] = 1'((4'(same_beats) + 4'd1) >> 3);
        agrees[REFUSE_PACKING]      = header[BIT_PACKING +: BITS_PACKING] == PACKING;
        agrees[REFUSE_ROLE]         = header[BIT_ROLE +: BITS_ROLE] == ROLE;
        agrees[REFUSE_ELEMENT]      = 1'((7'(same_element) + 7'd1) >> 6);
        agrees[REFUSE_SHAPE]        = 1'((7'(same_shape) + 7'd1) >> 6);
    end
    assign differs = ~agrees;

    // Up to its end: it is the one that is wanted; it would be the first of the session that is offered; it opens this one.
    wire hits_now    = in_session && is_expected && as_wanted;
    wire begins_now  = in_offered && is_zero && as_first;
    wire opens_now   = in_offered && data && sized;  // but PROBE

    // What its first beat said, as long as it lasts and a cycle longer.
    logic                     hits_q, begins_q, opens_full_q, opens_last_q, sized_q;
    logic                     known_q, mine_q, data_q, hello_q, probe_q, sof_q, eof_q, ours_q;
    logic                     in_session_q, in_offered_q, is_expected_q, is_zero_q, is_above_q, differs_q;
    logic [BITS_SEQ-1:0]      seq_q;
    logic [BITS_FRAME-1:0]    frame_q;
    logic [BITS_TX_EPOCH-1:0] said_tx_q;
    logic [BITS_RX_EPOCH-1:0] said_rx_q;

    // A packet of which a reset has seen a part is none; where packets end is known all the same.
    logic middle_q;
    wire  first     = !middle_q;
    wire  last      = s_net_axis_tvalid && s_net_axis_tlast;
    wire  right     = last && s_net_axis_tuser;
    wire  full_end  = full_here && s_net_axis_tkeep[63];
    wire  last_end  = last_here && s_net_axis_tkeep[LAST_KEEP-1] && (LAST_KEEP == 64 || !s_net_axis_tkeep[LAST_KEEP%64]);
    wire  lone_end  = first && s_net_axis_tkeep[63];
    wire  hits      = (first ? hits_now : hits_q) && (want_eof ? last_end : full_end);
    wire  begins    = empty && (first ? begins_now : begins_q) && (PACKETS == 1 ? last_end : full_end);
    assign take     = right && room && (hits || begins);
    wire  opens     = first ? in_offered && (probe ? s_net_axis_tkeep[63] : data && sized && eof && last_end)
                            : (opens_full_q && full_end) || (opens_last_q && last_end);
    assign open     = right && empty && opens;
    assign refuse   = right && lone_end && hello && differs != '0;

    always_ff @(posedge aclk) begin
        if (s_net_axis_tvalid) middle_q <= !s_net_axis_tlast;
        if (!aresetn)          middle_q <= 1'b0;

        if (!link_aresetn) begin
            hits_q   <= 1'b0;
            begins_q <= 1'b0;
            {opens_full_q, opens_last_q} <= 2'b00;
            sized_q  <= 1'b0;
        end else if (s_net_axis_tvalid && first) begin
            hits_q   <= hits_now;
            begins_q <= begins_now;
            opens_full_q <= opens_now && !eof;
            opens_last_q <= opens_now && eof;
            sized_q  <= !data || sized;
        end
        if (s_net_axis_tvalid && first) begin
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
            is_expected_q <= is_expected;
            is_zero_q     <= is_zero;
            is_above_q    <= before_expected[BITS_SEQ-1];
            differs_q     <= differs != '0;
            seq_q         <= now_seq;
            frame_q       <= header[BIT_FRAME +: BITS_FRAME];
            said_tx_q     <= tx;
            said_rx_q     <= rx;
        end
    end

    // ---- the packet that has come in -----------------------------------------------------------------

    logic last_q, right_q, end_q, took_q, opened_q;

    always_ff @(posedge aclk) begin
        last_q   <= last;
        right_q  <= right;
        end_q    <= (first ? data : data_q) ? ((first ? eof : eof_q) ? last_end : full_end) : lone_end;
        took_q   <= take;
        opened_q <= open;
        if (!link_aresetn) begin
            last_q   <= 1'b0;
            right_q  <= 1'b0;
            took_q   <= 1'b0;
            opened_q <= 1'b0;
        end
    end

    wire good    = right_q && end_q && sized_q;
    wire about   = good && mine_q;                                  // DATA or PROBE of this boundary
    wire member  = in_session_q || opened_q;
    wire wanted  = opened_q ? is_zero_q : is_expected_q;            // has the number that was expected
    wire above   = opened_q ? !is_zero_q && !seq_q[BITS_SEQ-1] : is_above_q;
    wire astray  = about && !member;
    wire left    = wanted && !took_q;
    wire fitting = hits_q || begins_q;                              // it would have stayed, had there been room

    assign net_tx    = first ? tx : said_tx_q;  // what is offered may have changed since the packet began
    assign took      = took_q;
    assign opened    = opened_q;
    assign taken_eof = eof_q;
    assign proper    = about && data_q && member;
    assign gap       = proper && above;
    assign offer     = good && hello_q && !differs_q && empty;
    assign restart   = astray && !in_offered_q;
    assign probed    = about && probe_q && member;
    assign missed    = probed && !wanted;
    assign says_frame = sof_q;
    assign seq       = seq_q;
    assign frame     = frame_q;
    assign said_tx   = said_tx_q;
    assign said_rx   = said_rx_q;

    assign is_double        = proper && !took_q && !above && !wanted;
    assign is_bad_checksum  = last_q && !right_q;
    assign is_bad_length    = right_q && (end_q && sized_q ? mine_q && data_q && member && left && !fitting : known_q);
    assign is_wrong_kind    = right_q && !known_q;
    assign is_wrong_link    = good && known_q && !hello_q && !ours_q;
    assign is_wrong_session = astray;
    assign is_no_slot       = proper && left && fitting;
    assign is_hello         = good && hello_q;

    wire unused = &{1'b0, s_net_axis_tkeep, header};

endmodule

`default_nettype wire
