// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_receiver - the receiving end of a boundary over VNx: packets of vnx_sender in, frames and answers out.
//
// Packet and sessions are those of docs/vnx.md. Packets come checked by vnx_check, whose verdict is TUSER at TLAST, and
// are always taken. All that is decided of a packet for the next one's sake, whether it stays and whether it opens a session,
// is decided in the cycle of its last beat, so the next may follow at once. Answers and counters come a cycle later.
//
// Answers are packets of one beat; of each kind one waits at most, a newer one in its place. An ACK alternates with
// the others; these go in the order WELCOME, REFUSE, RESTART. With `drain` no answer is begun, `drained` says that
// none is offered.
//
// link_aresetn resets all but the registers and the number of the next session, which has only an initial value. The
// rest of a packet that was coming in is dropped. aresetn resets the registers, too; link_aresetn must be low while
// it is. The table and the constants are written by `make registers` from registers.json.
//
//   offset  name                  access
//   0x00    STATE                 r       What it is doing
//           [0] SESSION           r       A session is open
//           [1] OFFERED           r       A sender that said HELLO has been offered a session
//           [2] MIDDLE            r       The packet that is expected is not the first of its frame
//           [24:16] SLOTS         r       Slots of the buffer in use
//   0x04    EPOCHS                r       Numbers of the session that is open, or was last
//           [15:0] TX             r       The sender's half
//           [31:16] RX            r       Ours
//   0x08    CONTROL               w1      What the host asks for
//           [0] CLEAR             w1      Clear the counters, REFUSED and MOST_SLOTS
//   0x0C    REFUSED               r       What differs in the HELLO that was refused last, see PEER_*; 0 if none was
//           [0] LINK              r       The boundary
//           [1] CONTRACT          r       The contract of the boundary; the bits above say why, if they know
//           [2] FRAME_BYTES       r       Bytes of a frame
//           [3] PACKET_BEATS      r       Beats of a full packet
//           [4] PACKING           r       Packing
//           [5] ROLE              r       Role of the stream
//           [6] ELEMENT           r       Datatype
//           [7] SHAPE             r       Shape
//   0x10    PEER_LINK             r       What the HELLO that was refused last said
//           [15:0] LINK           r       Number of the boundary
//           [31:16] PACKET_BEATS  r       Beats of a full packet
//   0x14    PEER_CONTRACT_LOW     r       Likewise: contract, bits 31:0
//   0x18    PEER_CONTRACT_HIGH    r       Likewise: contract, bits 63:32
//   0x1C    PEER_FRAME_BYTES      r       Likewise: bytes of a frame
//   0x20    PEER_ELEMENT          r       Likewise: datatype
//   0x24    PEER_SHAPE            r       Likewise: shape
//   0x28    PEER_STREAM           r       Likewise
//           [7:0] PACKING         r       Packing
//           [15:8] ROLE           r       Role
//   0x2C    MOST_SLOTS            r       Most slots that were in use at once
//   0x30    FIRST_FRAME           r       Number of the frame that the session began with, once a packet was taken
//   0x34    LAST_FRAME            r       Number of the last frame that was received whole
//   0x38    LAST_CUT              r       Number of the last frame that was cut
//   0x40    FRAMES                r       Frames forwarded, including those that were cut; this and all below modulo
//                                         2**32
//   0x44    CUT_FRAMES            r       Frames of which a part never came, filled with zeros
//   0x48    PACKETS               r       DATA taken
//   0x4C    GAPS                  r       DATA whose number is above the one expected
//   0x50    DUPLICATES            r       DATA whose number is below the one expected
//   0x54    BAD_CHECKSUM          r       Packets that vnx_check found wrong: checksum, magic, version, TKEEP
//   0x58    BAD_LENGTH            r       Packets of a length, or with marks of first and last, that this one cannot
//                                         have, or cut by a reset
//   0x5C    WRONG_KIND            r       Packets of kinds that no sender sends
//   0x60    WRONG_LINK            r       Packets of another boundary, but HELLO
//   0x64    WRONG_SESSION         r       DATA and PROBE of another session
//   0x68    NO_SLOT               r       DATA that was expected and met a full buffer: the sender did not keep to
//                                         the limit
//   0x6C    HELLOS                r       HELLO
//   0x70    SESSIONS              r       Sessions that were opened
//   0x74    ACKS                  r       ACK sent, those with nak included
//   0x78    NAKS                  r       ACK with nak sent
//   0x7C    RESTARTS              r       RESTART sent
//   others                        r       0; writes are ignored
//
// frame_done pulses when the last beat of a frame has been taken at m_axis, error[0] when a frame is cut: what is
// missing is filled with zeros. error[2:1] is 0.
//
// Throughput  one beat per cycle at s_net_axis; m_axis as vnx_unpack
// Latency     3 cycles from the last beat of a packet to its first beat at m_axis, 4 in every second packet; 4 or 5 to an answer
// Paths       no combinational path from input to output but from drain to drained; all outputs are flops but
//             what is constant in an answer
// Resources   the buffer and the turning of vnx_unpack; about 750 LUT and 1,100 FF for sessions, answers and registers
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
//             ACK_EVERY     packets taken, or slots freed, for an ACK, 1 to SLOTS
//             ACK_CYCLES    until a change is acknowledged in any case, 2 or more
// Checked by: test_vnx_receiver.py
`default_nettype none

module vnx_receiver #(
    parameter int          FRAME_BYTES  = 64,
    parameter int          PACKET_BEATS = 23,
    parameter int          SLOTS        = 32,
    parameter logic [15:0] LINK         = 16'd1,
    parameter logic [63:0] CONTRACT     = 64'd0,
    parameter logic [7:0]  PACKING      = 8'd0,
    parameter logic [7:0]  ROLE         = 8'd0,
    parameter logic [31:0] ELEMENT      = 32'd0,
    parameter logic [31:0] SHAPE        = 32'd0,
    parameter int          ACK_EVERY    = 4,
    parameter int          ACK_CYCLES   = 256
) (
    input  wire          aclk,
    input  wire          aresetn,
    input  wire          link_aresetn,

    input  wire  [6:0]   s_axil_awaddr,
    input  wire  [2:0]   s_axil_awprot,
    input  wire          s_axil_awvalid,
    output logic         s_axil_awready,
    input  wire  [31:0]  s_axil_wdata,
    input  wire  [3:0]   s_axil_wstrb,
    input  wire          s_axil_wvalid,
    output logic         s_axil_wready,
    output logic [1:0]   s_axil_bresp,
    output logic         s_axil_bvalid,
    input  wire          s_axil_bready,
    input  wire  [6:0]   s_axil_araddr,
    input  wire  [2:0]   s_axil_arprot,
    input  wire          s_axil_arvalid,
    output logic         s_axil_arready,
    output logic [31:0]  s_axil_rdata,
    output logic [1:0]   s_axil_rresp,
    output logic         s_axil_rvalid,
    input  wire          s_axil_rready,

    input  wire          drain,
    output logic         drained,

    input  wire  [511:0] s_net_axis_tdata,  // always taken
    input  wire  [63:0]  s_net_axis_tkeep,
    input  wire          s_net_axis_tlast,
    input  wire          s_net_axis_tuser,  // with TLAST: vnx_check found the packet right
    input  wire          s_net_axis_tvalid,

    output logic [511:0] m_net_axis_tdata,
    output logic [63:0]  m_net_axis_tkeep,
    output logic         m_net_axis_tlast,
    output logic         m_net_axis_tvalid,
    input  wire          m_net_axis_tready,

    output logic [511:0] m_axis_tdata,
    output logic         m_axis_tvalid,
    input  wire          m_axis_tready,

    output logic         frame_done,
    output logic [2:0]   error
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
        if (ACK_EVERY < 1 || ACK_EVERY > SLOTS) begin : g_check_ack_every
            ACK_EVERY_must_be_1_to_SLOTS parameter_error();
        end
        if (ACK_CYCLES < 2) begin : g_check_ack_cycles
            ACK_CYCLES_must_be_at_least_2 parameter_error();
        end
    endgenerate

    // ---- registers, from registers.json ----------------------------------------------------------
    localparam logic [6:0] AT_STATE = 7'h00;
    localparam int STATE_SESSION = 0;
    localparam int STATE_OFFERED = 1;
    localparam int STATE_MIDDLE = 2;
    localparam int STATE_SLOTS = 16;
    localparam logic [6:0] AT_EPOCHS = 7'h04;
    localparam int EPOCHS_TX = 0;
    localparam int EPOCHS_RX = 16;
    localparam logic [6:0] AT_CONTROL = 7'h08;
    localparam int CONTROL_CLEAR = 0;
    localparam logic [6:0] AT_REFUSED = 7'h0C;
    localparam int REFUSED_LINK = 0;
    localparam int REFUSED_CONTRACT = 1;
    localparam int REFUSED_FRAME_BYTES = 2;
    localparam int REFUSED_PACKET_BEATS = 3;
    localparam int REFUSED_PACKING = 4;
    localparam int REFUSED_ROLE = 5;
    localparam int REFUSED_ELEMENT = 6;
    localparam int REFUSED_SHAPE = 7;
    localparam logic [6:0] AT_PEER_LINK = 7'h10;
    localparam int PEER_LINK_LINK = 0;
    localparam int PEER_LINK_PACKET_BEATS = 16;
    localparam logic [6:0] AT_PEER_CONTRACT_LOW = 7'h14;
    localparam logic [6:0] AT_PEER_CONTRACT_HIGH = 7'h18;
    localparam logic [6:0] AT_PEER_FRAME_BYTES = 7'h1C;
    localparam logic [6:0] AT_PEER_ELEMENT = 7'h20;
    localparam logic [6:0] AT_PEER_SHAPE = 7'h24;
    localparam logic [6:0] AT_PEER_STREAM = 7'h28;
    localparam int PEER_STREAM_PACKING = 0;
    localparam int PEER_STREAM_ROLE = 8;
    localparam logic [6:0] AT_MOST_SLOTS = 7'h2C;
    localparam logic [6:0] AT_FIRST_FRAME = 7'h30;
    localparam logic [6:0] AT_LAST_FRAME = 7'h34;
    localparam logic [6:0] AT_LAST_CUT = 7'h38;
    localparam logic [6:0] AT_FRAMES = 7'h40;
    localparam logic [6:0] AT_CUT_FRAMES = 7'h44;
    localparam logic [6:0] AT_PACKETS = 7'h48;
    localparam logic [6:0] AT_GAPS = 7'h4C;
    localparam logic [6:0] AT_DUPLICATES = 7'h50;
    localparam logic [6:0] AT_BAD_CHECKSUM = 7'h54;
    localparam logic [6:0] AT_BAD_LENGTH = 7'h58;
    localparam logic [6:0] AT_WRONG_KIND = 7'h5C;
    localparam logic [6:0] AT_WRONG_LINK = 7'h60;
    localparam logic [6:0] AT_WRONG_SESSION = 7'h64;
    localparam logic [6:0] AT_NO_SLOT = 7'h68;
    localparam logic [6:0] AT_HELLOS = 7'h6C;
    localparam logic [6:0] AT_SESSIONS = 7'h70;
    localparam logic [6:0] AT_ACKS = 7'h74;
    localparam logic [6:0] AT_NAKS = 7'h78;
    localparam logic [6:0] AT_RESTARTS = 7'h7C;

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int HEADER_BYTES = 32;
    localparam int BIT_MAGIC = 0;
    localparam int BITS_MAGIC = 16;
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h01;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_SOF = 28;
    localparam int BIT_EOF = 29;
    localparam int BIT_NAK = 30;
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
    localparam logic [3:0] KIND_WELCOME = 4'd8;
    localparam logic [3:0] KIND_ACK = 4'd9;
    localparam logic [3:0] KIND_REFUSE = 4'd10;
    localparam logic [3:0] KIND_RESTART = 4'd11;

    localparam int FULL_BYTES   = 64 * PACKET_BEATS - HEADER_BYTES;        // behind the header
    localparam int FRAME_HALVES = (FRAME_BYTES - 1) / 32 + 1;
    localparam int PACKETS      = (FRAME_BYTES - 1) / FULL_BYTES + 1;      // of a frame
    localparam int LAST_BYTES   = FRAME_BYTES - (PACKETS - 1) * FULL_BYTES;
    localparam int LAST_KEEP    = (LAST_BYTES + HEADER_BYTES - 1) % 64 + 1;  // bytes of its last beat
    localparam int USED_W       = $clog2(SLOTS + 1);
    localparam int EVERY_W      = ACK_EVERY > 1 ? $clog2(ACK_EVERY) : 1;
    localparam int TIMER_W      = $clog2(ACK_CYCLES);

    // ---- the packet that comes in --------------------------------------------------------------------

    wire                       room, full_here, last_here, want_sof, want_eof, empty, freed, cut;
    wire [USED_W-1:0]          used;

    wire [511:0]               header = s_net_axis_tdata;  // only in its first beat
    wire [BITS_KIND-1:0]       kind   = header[BIT_KIND +: BITS_KIND];
    wire [BITS_SEQ-1:0]        seq    = header[BIT_SEQ +: BITS_SEQ];
    wire [BITS_LINK-1:0]       link   = header[BIT_LINK +: BITS_LINK];
    wire [BITS_BYTES-1:0]      bytes  = header[BIT_BYTES +: BITS_BYTES];
    wire [BITS_TX_EPOCH-1:0]   tx     = header[BIT_TX_EPOCH +: BITS_TX_EPOCH];
    wire [BITS_RX_EPOCH-1:0]   rx     = header[BIT_RX_EPOCH +: BITS_RX_EPOCH];
    wire                       sof    = header[BIT_SOF];
    wire                       eof    = header[BIT_EOF];
    wire                       data   = kind == KIND_DATA;
    wire                       hello  = kind == KIND_HELLO;
    wire                       probe  = kind == KIND_PROBE;
    // The session, the one that is offered, and the number that the next one gets, which no reset clears.
    logic                     session_q, offered_q;
    logic [BITS_TX_EPOCH-1:0] tx_q, offered_tx_q;
    logic [BITS_RX_EPOCH-1:0] rx_q, next_rx_q;
    logic [BITS_SEQ-1:0]      expected_q, beyond_q, limit_q;  // number of the next packet, the one after it, see `frame` of ACK
    initial next_rx_q = 'd1;

    // Wide comparisons: three bits of two numbers to a LUT, or six of one, and an addition joins them: all ones plus one
    // carries out. So each is one LUT and a carry chain deep.
    localparam logic [17:0] LINK_WANTED  = 18'(LINK);
    localparam logic [19:0] BYTES_FULL   = 20'(FULL_BYTES), BYTES_LAST = 20'(LAST_BYTES);
    localparam logic [35:0] OTHER_BYTES  = 36'(FRAME_BYTES), OTHER_ELEMENT = 36'(ELEMENT), OTHER_SHAPE = 36'(SHAPE);
    localparam logic [65:0] OTHER_TERMS  = 66'(CONTRACT);
    localparam logic [17:0] OTHER_BEATS  = 18'(PACKET_BEATS);
    wire [32:0] numbers    = {1'b0, tx ^ tx_q, rx ^ rx_q};
    wire [32:0] offers     = {1'b0, tx ^ offered_tx_q, rx ^ next_rx_q};
    wire [32:0] ahead      = {1'b0, seq ^ expected_q};
    wire [35:0] zero       = 36'(seq);
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
        same_numbers[14:11] = {session_q, same_link};
        same_offers[14:11]  = {offered_q, same_link};
        wanted_marks[5:4]   = {data, sof == want_sof && eof == want_eof};
        first_marks[4:3]    = {data, sof && eof == (PACKETS == 1)};
    end
    wire in_session  = 1'((16'(same_numbers) + 16'd1) >> 15);
    wire in_offered  = 1'((16'(same_offers) + 16'd1) >> 15);
    wire is_expected = 1'((12'(same_ahead) + 12'd1) >> 11);
    wire [BITS_SEQ-1:0] before_expected = expected_q - seq;
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
    wire [7:0] differs = ~agrees;

    // Up to its end: it is the one that is wanted; it would be the first of the session that is offered; it opens this one.
    wire hits_now    = in_session && is_expected && as_wanted;
    wire begins_now  = in_offered && is_zero && as_first;
    wire opens_now   = in_offered && data && sized;  // but PROBE

    // What its first beat said, as long as it lasts and a cycle longer.
    logic                     hits_q, begins_q, opens_full_q, opens_last_q, sized_q;
    logic                     known_q, mine_q, data_q, hello_q, probe_q, eof_q, ours_q;
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
    wire  take      = right && room && (hits || begins);
    wire  opens     = first ? in_offered && (probe ? s_net_axis_tkeep[63] : data && sized && eof && last_end)
                            : (opens_full_q && full_end) || (opens_last_q && last_end);
    wire  open      = right && empty && opens;
    wire  refuse    = right && lone_end && hello && differs != '0;

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
            eof_q         <= eof;
            ours_q        <= ours;
            in_session_q  <= in_session;
            in_offered_q  <= in_offered;
            is_expected_q <= is_expected;
            is_zero_q     <= is_zero;
            is_above_q    <= before_expected[BITS_SEQ-1];
            differs_q     <= differs != '0;
            seq_q         <= seq;
            frame_q       <= header[BIT_FRAME +: BITS_FRAME];
            said_tx_q     <= tx;
            said_rx_q     <= rx;
        end
    end

    vnx_unpack #(
        .DATA_W(512), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS),
        .FRAME_HALVES(FRAME_HALVES), .LAST_BITS(8 * (FRAME_BYTES - 32 * (FRAME_HALVES - 1)))
    ) u_unpack (
        .aclk(aclk), .aresetn(link_aresetn),
        .s_axis_tdata(s_net_axis_tdata), .s_axis_tlast(s_net_axis_tlast), .s_axis_tvalid(s_net_axis_tvalid),
        .take(take), .renew(open),
        .room(room), .full_here(full_here), .last_here(last_here),
        .want_sof(want_sof), .want_eof(want_eof),
        .used(used), .empty(empty), .freed(freed), .cut(cut),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .frame_done(frame_done)
    );

    assign error = {2'b00, cut};

    // ---- the packet that has come in -----------------------------------------------------------------

    logic                last_q, right_q, end_q, took_q, opened_q;
    logic                back_q;    // the sender has gone back since the last nak
    logic [BITS_SEQ-1:0] latest_q;

    wire good    = right_q && end_q && sized_q;
    wire about   = good && mine_q;                                  // DATA or PROBE of this boundary
    wire member  = in_session_q || opened_q;
    wire proper  = about && data_q && member;                       // DATA of the session
    wire wanted  = opened_q ? is_zero_q : is_expected_q;            // has the number that was expected
    wire [BITS_SEQ-1:0] before_latest = latest_q - seq_q;
    wire above   = opened_q ? !is_zero_q && !seq_q[BITS_SEQ-1] : is_above_q;
    wire gap     = proper && above;

    // A nak is decided another cycle later.
    logic gap_q, proper_q, opened2_q, not_above_q, miss_q, probed_q;
    wire  back    = back_q || opened2_q || not_above_q;
    wire  lacks   = (gap_q && back) || miss_q;

    wire offer   = good && hello_q && !differs_q && empty;
    wire astray  = about && !member;
    wire restart = astray && !in_offered_q;
    wire probed  = about && probe_q && member;

    // ---- answers -------------------------------------------------------------------------------------

    logic                     ack_q, nak_q, welcome_q, refuse_q, restart_q, acked_q, changed_q;
    logic [7:0]               refused_q;
    logic [BITS_TX_EPOCH-1:0] refused_tx_q, restart_tx_q;
    logic [BITS_RX_EPOCH-1:0] restart_rx_q;
    logic [EVERY_W-1:0]       taken_q, freed_q;
    logic [TIMER_W-1:0]       timer_q;
    wire                      clear;

    // Whose turn it is, one of the four or none, is decided a cycle ahead.
    logic                     turn_ack_q, turn_welcome_q, turn_refuse_q, turn_restart_q;
    wire others   = welcome_q || refuse_q || restart_q;
    wire turn     = turn_ack_q || turn_welcome_q || turn_refuse_q || turn_restart_q;
    wire send     = turn && !drain && (!m_net_axis_tvalid || m_net_axis_tready);
    wire acks     = send && turn_ack_q;
    wire enough   = (took_q && (eof_q || taken_q == EVERY_W'(ACK_EVERY - 1))) || (freed && freed_q == EVERY_W'(ACK_EVERY - 1))
                    || timer_q == TIMER_W'(ACK_CYCLES - 1);

    // The answer that is offered; what it lacks is constant.
    logic [BITS_KIND-1:0]     out_kind_q;
    logic                     out_nak_q, out_self_q;
    logic [BITS_SEQ-1:0]      out_seq_q;
    logic [BITS_FRAME-1:0]    out_frame_q;
    logic [BITS_TX_EPOCH-1:0] out_tx_q;
    logic [BITS_RX_EPOCH-1:0] out_rx_q;

    always_ff @(posedge aclk) begin
        last_q     <= last;
        right_q    <= right;
        end_q      <= (first ? data : data_q) ? ((first ? eof : eof_q) ? last_end : full_end) : lone_end;
        took_q     <= take;
        opened_q   <= open;

        if (open) begin
            session_q  <= 1'b1;
            offered_q  <= 1'b0;
            tx_q       <= first ? tx : said_tx_q;  // what is offered may have changed since the packet began
            rx_q       <= next_rx_q;
            next_rx_q  <= next_rx_q + 1'b1;
            expected_q <= BITS_SEQ'(take);
            beyond_q   <= take ? 'd2 : 'd1;
            limit_q    <= BITS_SEQ'(SLOTS);
        end else begin
            if (take) expected_q <= beyond_q;
            if (take) beyond_q   <= beyond_q + 1'b1;
            if (freed) limit_q   <= limit_q + 1'b1;
        end
        if (offer) begin
            offered_q    <= 1'b1;
            offered_tx_q <= said_tx_q;
        end
        if (proper) latest_q <= seq_q;
        proper_q    <= proper;
        gap_q       <= gap;
        opened2_q   <= opened_q;
        not_above_q <= !before_latest[BITS_SEQ-1];
        miss_q      <= probed && !wanted;
        probed_q    <= probed;
        if (proper_q)       back_q <= back && !gap_q;
        else if (opened2_q) back_q <= 1'b1;

        // An event in the cycle in which an answer leaves calls for another one.
        ack_q     <= lacks || probed_q || enough || (ack_q && !acks);
        nak_q     <= lacks || (nak_q && !acks);
        welcome_q <= offer || (welcome_q && !open && !(send && turn_welcome_q));
        refuse_q  <= refuse || (refuse_q && !clear && !(send && turn_refuse_q));
        restart_q <= restart || (restart_q && !(send && turn_restart_q));

        turn_ack_q     <= turn ? turn_ack_q && !send : ack_q && !(acked_q && others);
        turn_welcome_q <= turn ? turn_welcome_q && !send && !open : welcome_q && !open && !(ack_q && !acked_q);
        turn_refuse_q  <= turn ? turn_refuse_q && !send && !clear
                               : refuse_q && !clear && !welcome_q && !(ack_q && !acked_q);
        turn_restart_q <= turn ? turn_restart_q && !send
                               : restart_q && !welcome_q && !refuse_q && !(ack_q && !acked_q);

        if (restart) {restart_tx_q, restart_rx_q} <= {said_tx_q, said_rx_q};
        if (refuse) refused_tx_q <= tx;

        changed_q <= took_q || freed || (changed_q && !acks);
        timer_q   <= acks || !changed_q || ack_q ? '0 : timer_q + 1'b1;
        if (acks) taken_q <= '0;
        else if (took_q) taken_q <= taken_q == EVERY_W'(ACK_EVERY - 1) ? '0 : taken_q + 1'b1;
        if (acks) freed_q <= EVERY_W'(freed && ACK_EVERY > 1);
        else if (freed) freed_q <= freed_q == EVERY_W'(ACK_EVERY - 1) ? '0 : freed_q + 1'b1;

        m_net_axis_tvalid <= send || (m_net_axis_tvalid && !m_net_axis_tready);
        if (send) begin
            acked_q     <= turn_ack_q;
            out_nak_q   <= turn_ack_q && nak_q;
            out_self_q  <= turn_refuse_q;
            out_kind_q  <= turn_ack_q ? KIND_ACK : turn_welcome_q ? KIND_WELCOME : turn_refuse_q ? KIND_REFUSE : KIND_RESTART;
            out_seq_q   <= turn_ack_q ? expected_q : turn_refuse_q ? BITS_SEQ'(refused_q) : '0;
            out_frame_q <= turn_ack_q ? limit_q : turn_welcome_q ? BITS_FRAME'(SLOTS) : '0;
            out_tx_q    <= turn_ack_q ? tx_q : turn_welcome_q ? offered_tx_q : turn_refuse_q ? refused_tx_q : restart_tx_q;
            out_rx_q    <= turn_ack_q ? rx_q : turn_welcome_q ? next_rx_q : turn_refuse_q ? '0 : restart_rx_q;
        end

        if (!link_aresetn) begin
            last_q            <= 1'b0;
            right_q           <= 1'b0;
            took_q            <= 1'b0;
            opened_q          <= 1'b0;
            session_q         <= 1'b0;
            offered_q         <= 1'b0;
            expected_q        <= '0;
            beyond_q          <= 'd1;
            limit_q           <= BITS_SEQ'(SLOTS);
            back_q            <= 1'b1;
            proper_q          <= 1'b0;
            gap_q             <= 1'b0;
            opened2_q         <= 1'b0;
            miss_q            <= 1'b0;
            probed_q          <= 1'b0;
            ack_q             <= 1'b0;
            nak_q             <= 1'b0;
            welcome_q         <= 1'b0;
            refuse_q          <= 1'b0;
            restart_q         <= 1'b0;
            changed_q         <= 1'b0;
            taken_q           <= '0;
            freed_q           <= '0;
            acked_q           <= 1'b0;
            turn_ack_q        <= 1'b0;
            turn_welcome_q    <= 1'b0;
            turn_refuse_q     <= 1'b0;
            turn_restart_q    <= 1'b0;
            m_net_axis_tvalid <= 1'b0;
        end
        if (!aresetn) {tx_q, rx_q} <= '0;
    end

    assign drained          = drain && !m_net_axis_tvalid;
    assign m_net_axis_tkeep = '1;
    assign m_net_axis_tlast = 1'b1;
    always_comb begin
        m_net_axis_tdata = '0;
        m_net_axis_tdata[BIT_MAGIC +: BITS_MAGIC]       = IS_MAGIC;
        m_net_axis_tdata[BIT_VERSION +: BITS_VERSION]   = IS_VERSION;
        m_net_axis_tdata[BIT_KIND +: BITS_KIND]         = out_kind_q;
        m_net_axis_tdata[BIT_NAK]                       = out_nak_q;
        m_net_axis_tdata[BIT_LINK +: BITS_LINK]         = LINK;
        m_net_axis_tdata[BIT_BYTES +: BITS_BYTES]       = BITS_BYTES'(64 - HEADER_BYTES);
        m_net_axis_tdata[BIT_SEQ +: BITS_SEQ]           = out_seq_q;
        m_net_axis_tdata[BIT_FRAME +: BITS_FRAME]       = out_frame_q;
        m_net_axis_tdata[BIT_TX_EPOCH +: BITS_TX_EPOCH] = out_tx_q;
        m_net_axis_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH] = out_rx_q;
        if (out_self_q) begin
            m_net_axis_tdata[BIT_CONTRACT +: BITS_CONTRACT]         = CONTRACT;
            m_net_axis_tdata[BIT_FRAME_BYTES +: BITS_FRAME_BYTES]   = BITS_FRAME_BYTES'(FRAME_BYTES);
            m_net_axis_tdata[BIT_PACKET_BEATS +: BITS_PACKET_BEATS] = BITS_PACKET_BEATS'(PACKET_BEATS);
            m_net_axis_tdata[BIT_PACKING +: BITS_PACKING]           = PACKING;
            m_net_axis_tdata[BIT_ROLE +: BITS_ROLE]                 = ROLE;
            m_net_axis_tdata[BIT_ELEMENT +: BITS_ELEMENT]           = ELEMENT;
            m_net_axis_tdata[BIT_SHAPE +: BITS_SHAPE]               = SHAPE;
        end
    end

    // ---- registers -----------------------------------------------------------------------------------

    logic [BITS_FRAME-1:0]       current_q, first_frame_q, last_frame_q, last_cut_q;
    logic [USED_W-1:0]           most_q;
    logic                        fresh_q;  // nothing was taken in the session
    logic [BITS_LINK-1:0]        peer_link_q;
    logic [BITS_CONTRACT-1:0]    peer_contract_q;
    logic [BITS_FRAME_BYTES-1:0] peer_frame_bytes_q;
    logic [BITS_PACKET_BEATS-1:0] peer_packet_beats_q;
    logic [BITS_PACKING-1:0]     peer_packing_q;
    logic [BITS_ROLE-1:0]        peer_role_q;
    logic [BITS_ELEMENT-1:0]     peer_element_q;
    logic [BITS_SHAPE-1:0]       peer_shape_q;
    logic [15:0]                 events_q;
    logic [15*32-1:0]            status;
    wire                         write;
    wire  [4:0]                  write_word;
    wire  [31:0]                 write_data;

    assign clear = write && write_word == AT_CONTROL[6:2] && write_data[CONTROL_CLEAR];

    always_ff @(posedge aclk) begin
        if (took_q) current_q <= frame_q;
        if (took_q && (fresh_q || opened_q)) first_frame_q <= frame_q;
        if (took_q && eof_q) last_frame_q <= frame_q;
        if (cut) last_cut_q <= current_q;
        fresh_q <= (opened_q || fresh_q) && !took_q;
        if (clear || used > most_q) most_q <= used;

        if (refuse) begin
            refused_q           <= differs;
            peer_link_q         <= header[BIT_LINK +: BITS_LINK];
            peer_contract_q     <= header[BIT_CONTRACT +: BITS_CONTRACT];
            peer_frame_bytes_q  <= header[BIT_FRAME_BYTES +: BITS_FRAME_BYTES];
            peer_packet_beats_q <= header[BIT_PACKET_BEATS +: BITS_PACKET_BEATS];
            peer_packing_q      <= header[BIT_PACKING +: BITS_PACKING];
            peer_role_q         <= header[BIT_ROLE +: BITS_ROLE];
            peer_element_q      <= header[BIT_ELEMENT +: BITS_ELEMENT];
            peer_shape_q        <= header[BIT_SHAPE +: BITS_SHAPE];
        end else if (clear) begin
            refused_q <= '0;
        end

        events_q                         <= '0;
        events_q[AT_FRAMES[5:2]]         <= frame_done;
        events_q[AT_CUT_FRAMES[5:2]]     <= cut;
        events_q[AT_PACKETS[5:2]]        <= took_q;
        events_q[AT_GAPS[5:2]]           <= gap;
        events_q[AT_DUPLICATES[5:2]]     <= proper && !took_q && !above && !wanted;
        events_q[AT_BAD_CHECKSUM[5:2]]   <= last_q && !right_q;
        events_q[AT_BAD_LENGTH[5:2]]     <= (right_q && known_q && !(end_q && sized_q))
                                            || (proper && !took_q && wanted && !hits_q && !begins_q);
        events_q[AT_WRONG_KIND[5:2]]     <= right_q && !known_q;
        events_q[AT_WRONG_LINK[5:2]]     <= good && known_q && !hello_q && !ours_q;
        events_q[AT_WRONG_SESSION[5:2]]  <= astray;
        events_q[AT_NO_SLOT[5:2]]        <= proper && !took_q && wanted && (hits_q || begins_q);
        events_q[AT_HELLOS[5:2]]         <= good && hello_q;
        events_q[AT_SESSIONS[5:2]]       <= opened_q;
        events_q[AT_ACKS[5:2]]           <= acks;
        events_q[AT_NAKS[5:2]]           <= acks && nak_q;
        events_q[AT_RESTARTS[5:2]]       <= send && turn_restart_q;

        if (!aresetn) begin
            first_frame_q       <= '0;
            last_frame_q        <= '0;
            last_cut_q          <= '0;
            most_q              <= '0;
            fresh_q             <= 1'b0;
            refused_q           <= '0;
            peer_link_q         <= '0;
            peer_contract_q     <= '0;
            peer_frame_bytes_q  <= '0;
            peer_packet_beats_q <= '0;
            peer_packing_q      <= '0;
            peer_role_q         <= '0;
            peer_element_q      <= '0;
            peer_shape_q        <= '0;
            events_q            <= '0;
        end
    end

    always_comb begin
        status = '0;
        status[32*AT_STATE[5:2] + STATE_SESSION]            = session_q;
        status[32*AT_STATE[5:2] + STATE_OFFERED]            = offered_q;
        status[32*AT_STATE[5:2] + STATE_MIDDLE]             = !want_sof;
        status[32*AT_STATE[5:2] + STATE_SLOTS +: USED_W]    = used;
        status[32*AT_EPOCHS[5:2] + EPOCHS_TX +: 16]         = tx_q;
        status[32*AT_EPOCHS[5:2] + EPOCHS_RX +: 16]         = rx_q;
        status[32*AT_REFUSED[5:2] + REFUSED_LINK]           = refused_q[REFUSE_LINK];
        status[32*AT_REFUSED[5:2] + REFUSED_CONTRACT]       = refused_q[REFUSE_CONTRACT];
        status[32*AT_REFUSED[5:2] + REFUSED_FRAME_BYTES]    = refused_q[REFUSE_FRAME_BYTES];
        status[32*AT_REFUSED[5:2] + REFUSED_PACKET_BEATS]   = refused_q[REFUSE_PACKET_BEATS];
        status[32*AT_REFUSED[5:2] + REFUSED_PACKING]        = refused_q[REFUSE_PACKING];
        status[32*AT_REFUSED[5:2] + REFUSED_ROLE]           = refused_q[REFUSE_ROLE];
        status[32*AT_REFUSED[5:2] + REFUSED_ELEMENT]        = refused_q[REFUSE_ELEMENT];
        status[32*AT_REFUSED[5:2] + REFUSED_SHAPE]          = refused_q[REFUSE_SHAPE];
        status[32*AT_PEER_LINK[5:2] + PEER_LINK_LINK +: 16] = peer_link_q;
        status[32*AT_PEER_LINK[5:2] + PEER_LINK_PACKET_BEATS +: 16] = peer_packet_beats_q;
        status[32*AT_PEER_CONTRACT_LOW[5:2] +: 32]          = peer_contract_q[31:0];
        status[32*AT_PEER_CONTRACT_HIGH[5:2] +: 32]         = peer_contract_q[63:32];
        status[32*AT_PEER_FRAME_BYTES[5:2] +: 32]           = peer_frame_bytes_q;
        status[32*AT_PEER_ELEMENT[5:2] +: 32]               = peer_element_q;
        status[32*AT_PEER_SHAPE[5:2] +: 32]                 = peer_shape_q;
        status[32*AT_PEER_STREAM[5:2] + PEER_STREAM_PACKING +: 8] = peer_packing_q;
        status[32*AT_PEER_STREAM[5:2] + PEER_STREAM_ROLE +: 8]    = peer_role_q;
        status[32*AT_MOST_SLOTS[5:2] +: USED_W]             = most_q;
        status[32*AT_FIRST_FRAME[5:2] +: 32]                = first_frame_q;
        status[32*AT_LAST_FRAME[5:2] +: 32]                 = last_frame_q;
        status[32*AT_LAST_CUT[5:2] +: 32]                   = last_cut_q;
    end

    axil_counters #(.ADDR_W(7), .WORDS(15), .COUNTERS(16)) u_registers (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready), .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .status(status), .inc(events_q), .clear(clear),
        .write(write), .write_word(write_word), .write_data(write_data)
    );

    wire unused = &{1'b0, s_net_axis_tkeep, header, write_data};

endmodule

`default_nettype wire
