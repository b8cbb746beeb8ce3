// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_receiver - the receiving end of a boundary over VNx: packets of vnx_sender in, frames and answers out.
//
// Packet and sessions are those of docs/vnx.md. Packets come checked by vnx_check, whose verdict is TUSER at TLAST, and
// are always taken. All that is decided of a packet for the next one's sake, whether it stays and whether it opens a session,
// is decided in the cycle of its last beat, so the next may follow at once. Answers and counters come a cycle later.
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
// NUMBERED, where streams meet that have gone different ways: m_axis_tuser is the number of the beat's frame, m_axis_taint
// comes with the last beat of a frame that is not what it should be. Once mark_known is high, no frame with a number
// below `mark` will come, but those that are at m_axis already. The proofs are of NUMBERED 0; numbers, taint and mark are
// only simulated (test_vnx_receiver.py, test_vnx_meet.py).
//
// Throughput  one beat per cycle at s_net_axis; m_axis as vnx_unpack
// Latency     3 cycles from the last beat of a packet to its first beat at m_axis, 4 in every second packet; 4 or 5 to an answer
// Paths       no combinational path from input to output but from drain to drained; all outputs are flops but
//             what is constant in an answer
// Resources   the buffer and the turning of vnx_unpack; about 750 LUT and 1,080 FF for sessions, answers and registers
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
//             NUMBERED      1: frames bring their number; 0: the outputs about it are zero
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

    localparam int FRAME_HALVES = (FRAME_BYTES - 1) / 32 + 1;
    localparam int USED_W       = $clog2(SLOTS + 1);

    wire              room, full_here, last_here, want_sof, want_eof, empty, freed, cut, idle;
    wire [USED_W-1:0] used;
    wire              session, offered, take, open, refuse, took, opened, taken_eof, proper, gap, offer, restart, probed, missed, says_frame;
    wire [15:0]       session_tx, session_rx, offered_tx, next_rx, net_tx, said_tx, said_rx;
    wire [31:0]       expected, seq, frame;
    wire [7:0]        differs, refused_fields;
    wire              is_double, is_bad_checksum, is_bad_length, is_wrong_kind, is_wrong_link, is_wrong_session, is_no_slot, is_hello;
    wire              clear, is_ack, is_nak, is_restart;

    vnx_match #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .LINK(LINK), .CONTRACT(CONTRACT), .PACKING(PACKING),
        .ROLE(ROLE), .ELEMENT(ELEMENT), .SHAPE(SHAPE)
    ) u_match (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_net_axis_tdata(s_net_axis_tdata), .s_net_axis_tkeep(s_net_axis_tkeep), .s_net_axis_tlast(s_net_axis_tlast),
        .s_net_axis_tuser(s_net_axis_tuser), .s_net_axis_tvalid(s_net_axis_tvalid),
        .room(room), .empty(empty), .full_here(full_here), .last_here(last_here), .want_sof(want_sof), .want_eof(want_eof),
        .session(session), .offered(offered), .session_tx(session_tx), .session_rx(session_rx), .offered_tx(offered_tx),
        .next_rx(next_rx), .expected(expected),
        .take(take), .open(open), .refuse(refuse), .differs(differs), .net_tx(net_tx),
        .took(took), .opened(opened), .taken_eof(taken_eof), .proper(proper), .gap(gap), .offer(offer), .restart(restart),
        .probed(probed), .missed(missed), .says_frame(says_frame), .seq(seq), .frame(frame), .said_tx(said_tx), .said_rx(said_rx),
        .is_double(is_double), .is_bad_checksum(is_bad_checksum), .is_bad_length(is_bad_length),
        .is_wrong_kind(is_wrong_kind), .is_wrong_link(is_wrong_link), .is_wrong_session(is_wrong_session),
        .is_no_slot(is_no_slot), .is_hello(is_hello)
    );

    vnx_session #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .LINK(LINK), .CONTRACT(CONTRACT), .PACKING(PACKING),
        .ROLE(ROLE), .ELEMENT(ELEMENT), .SHAPE(SHAPE), .SLOTS(SLOTS), .ACK_EVERY(ACK_EVERY), .ACK_CYCLES(ACK_CYCLES)
    ) u_session (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn), .drain(drain), .drained(drained),
        .take(take), .open(open), .refuse(refuse), .net_tx(net_tx),
        .took(took), .opened(opened), .taken_eof(taken_eof), .proper(proper), .gap(gap), .offer(offer), .restart(restart),
        .probed(probed), .missed(missed), .seq(seq), .said_tx(said_tx), .said_rx(said_rx), .freed(freed),
        .session(session), .offered(offered), .session_tx(session_tx), .session_rx(session_rx), .offered_tx(offered_tx),
        .next_rx(next_rx), .expected(expected),
        .clear(clear), .refused_fields(refused_fields), .is_ack(is_ack), .is_nak(is_nak), .is_restart(is_restart),
        .m_net_axis_tdata(m_net_axis_tdata), .m_net_axis_tkeep(m_net_axis_tkeep), .m_net_axis_tlast(m_net_axis_tlast),
        .m_net_axis_tvalid(m_net_axis_tvalid), .m_net_axis_tready(m_net_axis_tready)
    );

    vnx_unpack #(
        .DATA_W(512), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .NUMBERED(NUMBERED),
        .FRAME_HALVES(FRAME_HALVES), .LAST_BITS(8 * (FRAME_BYTES - 32 * (FRAME_HALVES - 1)))
    ) u_unpack (
        .aclk(aclk), .aresetn(link_aresetn),
        .s_axis_tdata(s_net_axis_tdata), .s_axis_tlast(s_net_axis_tlast), .s_axis_tvalid(s_net_axis_tvalid),
        .take(take), .renew(open),
        .room(room), .full_here(full_here), .last_here(last_here),
        .want_sof(want_sof), .want_eof(want_eof),
        .used(used), .empty(empty), .freed(freed), .cut(cut),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axis_tuser(m_axis_tuser), .m_axis_taint(m_axis_taint), .idle(idle),
        .frame_done(frame_done)
    );

    assign error = {2'b00, cut};

    // What a PROBE says of the next frame holds when all that came before it has gone.
    generate
        if (NUMBERED) begin : g_numbered
            logic [31:0] said_q;
            logic        said_known_q, taken_q;
            always_ff @(posedge aclk) begin
                taken_q <= take;
                if (probed && !missed && says_frame) said_q <= frame;
                said_known_q <= said_known_q || (probed && !missed && says_frame);
                if (idle && !take && !taken_q) mark <= said_q;
                mark_known <= mark_known || (said_known_q && idle && !take && !taken_q);
                if (!link_aresetn) begin
                    said_known_q <= 1'b0;
                    mark_known   <= 1'b0;
                end
            end
        end else begin : g_counted
            wire unused = &{1'b0, idle, says_frame};
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
        .refuse(refuse), .net_beat(s_net_axis_tdata), .differs(differs), .refused_fields(refused_fields), .clear(clear),
        .session(session), .offered(offered), .session_tx(session_tx), .session_rx(session_rx),
        .middle(!want_sof), .used(9'(used)), .frame(frame), .taken_eof(taken_eof),
        .took(took), .opened(opened), .cut(cut), .frame_done(frame_done), .gap(gap), .is_double(is_double),
        .is_bad_checksum(is_bad_checksum), .is_bad_length(is_bad_length), .is_wrong_kind(is_wrong_kind),
        .is_wrong_link(is_wrong_link), .is_wrong_session(is_wrong_session), .is_no_slot(is_no_slot), .is_hello(is_hello),
        .is_ack(is_ack), .is_nak(is_nak), .is_restart(is_restart)
    );

endmodule

`default_nettype wire
