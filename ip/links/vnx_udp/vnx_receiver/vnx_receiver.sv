// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_receiver - the receiving end of a boundary over VNx: packets of vnx_sender in, frames and answers out.
//
// Packet and sessions are those of docs/vnx.md. Packets come checked by vnx_check, whose verdict is TUSER at TLAST, and
// are always taken, in any order. All that is decided of a packet for the next one's sake, whether it stays and whether it opens a
// session, is decided in the cycle of its last beat, so the next may follow at once. Answers and counters come a cycle later.
//
// vnx_match compares packets with the session, vnx_session has its numbers and makes the answers, vnx_unpack is the buffer. With
// `drain` no answer is begun, `drained` says that none is offered.
//
// link_aresetn resets all but the registers and the number of the next session, which has only an initial value. The
// rest of a packet that was coming in is dropped. aresetn resets the registers, too; link_aresetn must be low while
// it is. The table is written by `make registers` from registers.json.
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
//           [8] SLOTS             r       Slots of the buffer
//           [9] VERSION           r       Version of the protocol
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
//           [23:16] SLOTS         r       Slots of the buffer, their logarithm to base 2
//           [31:24] VERSION       r       Version of the protocol
//   0x2C    MOST_SLOTS            r       Most slots that were in use at once
//   0x30    FIRST_FRAME           r       Number of the frame that the session began with, once a packet was taken
//   0x34    LAST_FRAME            r       Number of the last frame that was received whole
//   0x38    LAST_CUT              r       Number of the last frame that was cut
//   0x40    FRAMES                r       Frames forwarded, including those that were cut; this and all below modulo
//                                         2**32
//   0x44    CUT_FRAMES            r       Frames of which a part never came, filled with zeros
//   0x48    PACKETS               r       DATA taken, when all before it was
//   0x4C    GAPS                  r       DATA that left a gap: those before it have not come
//   0x50    DUPLICATES            r       DATA that had come
//   0x54    BAD_CHECKSUM          r       Packets that vnx_check found wrong: checksum, magic, version but of HELLO,
//                                         TKEEP
//   0x58    BAD_LENGTH            r       Packets of a length, or with marks of first and last, that this one cannot
//                                         have, or cut by a reset
//   0x5C    WRONG_KIND            r       Packets of kinds that no sender sends
//   0x60    WRONG_LINK            r       Packets of another boundary, but HELLO
//   0x64    WRONG_SESSION         r       DATA and PROBE of another session
//   0x68    NO_SLOT               r       DATA with no slot of its own: the sender did not keep to the limit
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
// NUMBERED, where streams meet that have gone different ways: m_axis_tuser is the number of the beat's frame, m_axis_taint
// comes with the last beat of a frame that is not what it should be. Once mark_known is high, no frame with a number
// below `mark` will come, but those that are at m_axis already. The proofs are of NUMBERED 0; numbers, taint and mark are
// only simulated (test_vnx_receiver.py, test_vnx_meet.py).
//
// Throughput  one beat per cycle at s_net_axis; m_axis as vnx_unpack
// Latency     7 cycles from the last beat of a packet to its first beat at m_axis, 8 in every second packet; 6 to 9 to an answer
// Paths       no combinational path from input to output but from drain to drained; all outputs are flops but
//             what is constant in an answer
// Resources   the buffer and the turning of vnx_unpack; about 1,050 LUT and 1,400 FF for sessions, answers and registers with 64 slots
//
// Parameters: FRAME_BYTES   of a frame
//             PACKET_BEATS  of a full packet, 2 to 256
//             SLOTS         packets in the buffer, a power of two, 4 to 256
//             ULTRA         1: the buffer is in UltraRAM; 0: in block RAM
//             LINK          number of the boundary
//             CONTRACT      what else must be the same at the sender, see docs/vnx.md; so are the next four
//             PACKING       likewise
//             ROLE          likewise
//             ELEMENT       likewise
//             SHAPE         likewise
//             ACK_EVERY     packets, or slots freed, for an ACK, 1 to SLOTS
//             ACK_CYCLES    until a change is acknowledged in any case, 2 or more
//             NUMBERED      1: frames bring their number; 0: the outputs about it are zero
// Checked by: test_vnx_receiver.py
`default_nettype none

module vnx_receiver #(
    parameter int          FRAME_BYTES  = 64,
    parameter int          PACKET_BEATS = 23,
    parameter int          SLOTS        = 32,
    parameter bit          ULTRA        = 0,
    parameter logic [15:0] LINK         = 16'd1,
    parameter logic [63:0] CONTRACT     = 64'd0,
    parameter logic [7:0]  PACKING      = 8'd0,
    parameter logic [7:0]  ROLE         = 8'd0,
    parameter logic [31:0] ELEMENT      = 32'd0,
    parameter logic [31:0] SHAPE        = 32'd0,
    parameter int          ACK_EVERY    = 4,
    parameter int          ACK_CYCLES   = 256,
    parameter bit          NUMBERED     = 0
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
    output logic [31:0]  m_axis_tuser,
    output logic         m_axis_taint,
    output logic [31:0]  mark,
    output logic         mark_known,

    output logic         frame_done,
    output logic [2:0]   error
);

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;

    localparam int FRAME_HALVES = (FRAME_BYTES - 1) / 32 + 1;
    localparam int SLOT_W       = $clog2(SLOTS);
    localparam int USED_W       = $clog2(SLOTS + 1);

    wire [511:0]      now_data;                 // the beat of the cycle before
    wire              now_last, now_valid;
    wire [SLOTS-1:0]  have;
    wire [USED_W-1:0] used;
    wire [SLOT_W-1:0] slot;
    wire              full_here, last_here, empty, settled, freed, cut, idle, advance, took, took_eof, misplaced, middle;
    wire              session, offered, write, store, store_sof, store_eof, open, refuse, stored, opened, about, offer, restart;
    wire              probed, says_frame;
    wire [15:0]       session_tx, session_rx, offered_tx, next_rx, net_tx, said_tx, said_rx;
    wire [31:0]       expected, limit, seq, turn, frame, store_frame, took_frame;
    wire [9:0]        differs, refused_fields;
    wire              is_double, is_bad_checksum, is_bad_length, is_wrong_kind, is_wrong_link, is_wrong_session, is_no_slot, is_hello;
    wire              clear, is_gap, is_ack, is_nak, is_restart;

    vnx_match #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(LINK), .CONTRACT(CONTRACT), .PACKING(PACKING),
        .ROLE(ROLE), .ELEMENT(ELEMENT), .SHAPE(SHAPE)
    ) u_match (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_net_axis_tdata(s_net_axis_tdata), .s_net_axis_tkeep(s_net_axis_tkeep), .s_net_axis_tlast(s_net_axis_tlast),
        .s_net_axis_tuser(s_net_axis_tuser), .s_net_axis_tvalid(s_net_axis_tvalid),
        .now_data(now_data), .now_last(now_last), .now_valid(now_valid), .have(have), .empty(empty), .full_here(full_here), .last_here(last_here), .misplaced(misplaced),
        .session(session), .offered(offered), .session_tx(session_tx), .session_rx(session_rx), .offered_tx(offered_tx),
        .next_rx(next_rx), .expected(expected), .limit(limit),
        .write(write), .slot(slot), .store(store), .store_sof(store_sof), .store_eof(store_eof), .store_frame(store_frame),
        .open(open), .refuse(refuse), .differs(differs), .net_tx(net_tx),
        .stored(stored), .opened(opened), .about(about), .offer(offer), .restart(restart), .probed(probed),
        .says_frame(says_frame), .frame(frame), .seq(seq), .turn(turn), .said_tx(said_tx), .said_rx(said_rx),
        .is_double(is_double), .is_bad_checksum(is_bad_checksum), .is_bad_length(is_bad_length),
        .is_wrong_kind(is_wrong_kind), .is_wrong_link(is_wrong_link), .is_wrong_session(is_wrong_session),
        .is_no_slot(is_no_slot), .is_hello(is_hello)
    );

    // The packet right before a PROBE is taken by then.
    logic [1:0]  asks_q;
    logic [31:0] asks_seq_q, asks_frame_q;
    logic        asks_says_q;
    wire         asks_next;
    always_ff @(posedge aclk) begin
        asks_q <= {asks_q[0], probed} & {2{link_aresetn}};
        if (probed) {asks_seq_q, asks_frame_q, asks_says_q} <= {seq, frame, says_frame};
    end

    vnx_session #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .LINK(LINK), .CONTRACT(CONTRACT), .PACKING(PACKING),
        .ROLE(ROLE), .ELEMENT(ELEMENT), .SHAPE(SHAPE), .SLOTS(SLOTS), .ACK_EVERY(ACK_EVERY), .ACK_CYCLES(ACK_CYCLES)
    ) u_session (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn), .drain(drain), .drained(drained),
        .open(open), .refuse(refuse), .net_tx(net_tx), .net_version(now_data[BIT_VERSION +: BITS_VERSION]),
        .stored(stored), .opened(opened), .about(about), .offer(offer), .restart(restart),
        .asks(asks_q[1]), .asks_seq(asks_seq_q), .asks_next(asks_next), .seq(seq), .sent_turn(turn), .said_tx(said_tx), .said_rx(said_rx),
        .advance(advance), .took(took), .took_eof(took_eof), .freed(freed), .have(have), .settled(settled),
        .session(session), .offered(offered), .session_tx(session_tx), .session_rx(session_rx), .offered_tx(offered_tx),
        .next_rx(next_rx), .expected(expected), .limit(limit),
        .clear(clear), .refused_fields(refused_fields), .is_gap(is_gap), .is_ack(is_ack), .is_nak(is_nak), .is_restart(is_restart),
        .m_net_axis_tdata(m_net_axis_tdata), .m_net_axis_tkeep(m_net_axis_tkeep), .m_net_axis_tlast(m_net_axis_tlast),
        .m_net_axis_tvalid(m_net_axis_tvalid), .m_net_axis_tready(m_net_axis_tready)
    );

    vnx_unpack #(
        .DATA_W(512), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .ULTRA(ULTRA), .NUMBERED(NUMBERED),
        .FRAME_HALVES(FRAME_HALVES), .LAST_BITS(8 * (FRAME_BYTES - 32 * (FRAME_HALVES - 1)))
    ) u_unpack (
        .aclk(aclk), .aresetn(link_aresetn),
        .s_axis_tdata(now_data), .s_axis_tlast(now_last), .s_axis_tvalid(now_valid),
        .write(write), .slot(slot), .store(store), .store_sof(store_sof), .store_eof(store_eof), .store_number(store_frame),
        .renew(open),
        .have(have), .full_here(full_here), .last_here(last_here),
        .advance(advance), .took(took), .took_eof(took_eof), .took_number(took_frame), .misplaced(misplaced), .settled(settled), .middle(middle),
        .used(used), .empty(empty), .freed(freed), .cut(cut),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axis_tuser(m_axis_tuser), .m_axis_taint(m_axis_taint), .idle(idle),
        .frame_done(frame_done)
    );

    assign error = {2'b00, cut};

    // What a PROBE says of the next frame holds when all that came before it has gone. All of it is in order by now: the
    // number of the PROBE is the one that is expected.
    generate
        if (NUMBERED) begin : g_numbered
            logic [31:0] told_q, said_q;
            logic        tells_q, said_known_q;
            always_ff @(posedge aclk) begin
                told_q  <= asks_frame_q;
                tells_q <= asks_q[1] && asks_says_q && asks_next;
                if (tells_q) said_q <= told_q;
                said_known_q <= said_known_q || tells_q;
                if (idle) mark <= said_q;
                mark_known <= mark_known || (said_known_q && idle);
                if (!link_aresetn) begin
                    tells_q      <= 1'b0;
                    said_known_q <= 1'b0;
                    mark_known   <= 1'b0;
                end
            end
        end else begin : g_counted
            wire unused = &{1'b0, idle, asks_next, asks_says_q, asks_frame_q};
            assign mark       = '0;
            assign mark_known = 1'b0;
        end
    endgenerate

    vnx_receiver_status u_status (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready), .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .refuse(refuse), .net_beat(now_data), .differs(differs), .refused_fields(refused_fields), .clear(clear),
        .session(session), .offered(offered), .session_tx(session_tx), .session_rx(session_rx),
        .middle(middle), .used(9'(used)), .frame(took_frame), .taken_eof(took_eof),
        .took(took), .opened(opened), .cut(cut), .frame_done(frame_done), .gap(is_gap), .is_double(is_double),
        .is_bad_checksum(is_bad_checksum), .is_bad_length(is_bad_length), .is_wrong_kind(is_wrong_kind),
        .is_wrong_link(is_wrong_link), .is_wrong_session(is_wrong_session), .is_no_slot(is_no_slot), .is_hello(is_hello),
        .is_ack(is_ack), .is_nak(is_nak), .is_restart(is_restart)
    );

endmodule

`default_nettype wire
