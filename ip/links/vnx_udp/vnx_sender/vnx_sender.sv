// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_sender - sending end of a link over VNx: forwards each frame exactly, or reports it as lost.
//
// Frames are cut into packets (vnx_pack) and kept (vnx_emit) until the receiver acknowledges them; what it misses
// is sent again, and nothing else (vnx_window). Packets, sessions and the answers to what a network may do are in docs/vnx.md.
//
// A packet that has begun goes on to its TLAST, waiting for nothing but m_net_axis_tready. s_net_axis is taken always. While
// there is no session, no frame is taken. With `drain` no other packet begins; `drained` says that none is half offered.
// frame_done pulses when the last packet of a frame has left for the first time.
//
// NUMBERED, where streams meet that have gone different ways: a frame keeps the number that it came with. `number` is held as
// long as the frame is at s_axis; between frames it is the least that the next one can have, if number_known is
// high, and a PROBE tells it. `taint` comes with a frame's last beat if the frame is not what it should be; so does
// the bit in its last packet.
//
// The table below is written by `make registers` from registers.json, with the constants in vnx_sender_status.
//
//   offset  name                  access
//   0x00    STATE                 r       What the link does
//           [0] OPEN              r       In a session with the receiver; otherwise HELLOs are sent
//           [1] REFUSED           r       The last answer to a HELLO was REFUSE
//           [2] SWALLOW           r       The rest of a lost frame is being taken from the partition
//           [3] WAITS_LIMIT       r       A packet waits for the receiver's leave
//           [4] WAITS_ROOM        r       The partition waits for room in the buffer
//   0x04    EPOCHS                r       The numbers of the session
//           [15:0] TX             r       The sender's half, which no reset clears
//           [31:16] RX            r       The receiver's half; 0 while there is no session
//   0x08    CONTROL               w1      What the host asks for
//           [0] CLEAR             w1      Clear the counters, REFUSED, MOST and LOST_*
//   0x0C    REFUSED               r       What differs in the receiver that refused last, see PEER_*; 0 if none did
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
//   0x10    PEER_LINK             r       What the receiver said that refused last
//           [15:0] LINK           r       The boundary
//           [31:16] PACKET_BEATS  r       Beats of a full packet
//   0x14    PEER_CONTRACT_LOW     r       Likewise: contract, bits 31:0
//   0x18    PEER_CONTRACT_HIGH    r       Likewise: contract, bits 63:32
//   0x1C    PEER_FRAME_BYTES      r       Likewise: bytes of a frame
//   0x20    PEER_ELEMENT          r       Likewise: datatype
//   0x24    PEER_SHAPE            r       Likewise: shape
//   0x28    PEER_STREAM           r       Likewise
//           [7:0] PACKING         r       Packing
//           [15:8] ROLE           r       Role of the stream
//           [23:16] SLOTS         r       Slots of the buffer, their logarithm to base 2
//   0x2C    FRAME                 r       Number of the frame that is being taken from the partition, or of the next
//                                         one
//   0x30    SLOTS                 r       Packets in the buffer
//           [8:0] USED            r       At the moment
//           [24:16] MOST          r       At most, since the counters were cleared
//   0x34    LOST_FRAMES           r       Frames that the receiver may not have got whole, since it lost the session
//   0x38    LOST_FIRST            r       Number of the first of them; holds while LOST_FRAMES is not 0
//   0x3C    LOST_LAST             r       Number of the last of them
//   0x40    FRAMES                r       Frames whose last packet was sent
//   0x44    PACKETS               r       DATA packets sent for the first time
//   0x48    RESENT                r       DATA packets sent again
//   0x4C    NAKS                  r       ACKs that said that something is missing
//   0x50    PROBES                r       PROBE packets sent
//   0x54    HELLOS                r       HELLO packets sent
//   0x58    SESSIONS              r       Sessions begun
//   0x5C    RESTARTS              r       Sessions that were given up, since the receiver does not know them
//   0x60    REFUSALS              r       REFUSE packets received
//   0x64    STALE_REPLIES         r       Replies of another session or to what was not sent, and those that came
//                                         within 3 cycles after another
//   0x68    BAD_REPLIES           r       Packets with a wrong checksum, length, kind or link
//   0x6C    LIMIT_CYCLES          r       Cycles in which a packet waited for the receiver's leave
//   0x70    ROOM_CYCLES           r       Cycles in which the partition waited for room in the buffer
//   0x74    NET_CYCLES            r       Cycles in which a beat waited for the network
//   others                        r       0; writes are ignored
//
// Throughput  one beat per cycle inside a packet, an idle cycle between packets; s_axis waits one cycle in 2 * PACKET_BEATS
// Latency     4 cycles from the last beat of a packet at s_axis to its first at m_net_axis
// Paths       m_net_axis and every other output are flops, but s_axis_tready, a few LUTs behind flops, and drained; from
//             m_net_axis_tready to the enables of the memory; s_axis_tdata goes through a LUT to the memory
// Resources   memory of SLOTS packets, each 2**$clog2(PACKET_BEATS) beats; about 1,400 LUT and 1,850 FF
//
// Parameters: FRAME_BYTES     of a frame; bytes behind them in its last beat are not looked at
//             PACKET_BEATS    beats of a full packet, 2 to 256
//             SLOTS           packets that are kept, a power of two, 4 to 256
//             ULTRA           1: in UltraRAM; 0: in block RAM
//             LINK            first 16 bits of the SHA-256 of the boundary's name
//             CONTRACT        what both ends must agree in, as are PACKING, ROLE, ELEMENT and SHAPE
//             PACKING         how elements lie in bytes
//             ROLE            what the stream carries
//             ELEMENT         first 32 bits of the SHA-256 of the data type
//             SHAPE           first 32 bits of the SHA-256 of the shape
//             HELLO_CYCLES    from one HELLO to the next, 2 or more
//             TIMEOUT_CYCLES  of silence before a PROBE, 2 or more; doubled by each that nothing follows while nothing is under way
//             IDLE_CYCLES     up to these, at least TIMEOUT_CYCLES
//             REORDER         packets by which the network may reorder, 0 to 255: fewer after it do not make one lost
//             FLIGHT          packets under way, more than REORDER
//             NUMBERED        1: frames bring their number; 0: they are counted from reset on
// Checked by: test_vnx_sender.py
`default_nettype none

module vnx_sender #(
    parameter int          FRAME_BYTES    = 64,
    parameter int          PACKET_BEATS   = 23,
    parameter int          SLOTS          = 32,
    parameter bit          ULTRA          = 0,
    parameter logic [15:0] LINK           = 16'd1,
    parameter logic [63:0] CONTRACT       = 64'd0,
    parameter logic [7:0]  PACKING        = 8'd0,
    parameter logic [7:0]  ROLE           = 8'd0,
    parameter logic [31:0] ELEMENT        = 32'd0,
    parameter logic [31:0] SHAPE          = 32'd0,
    parameter int          HELLO_CYCLES   = 4096,
    parameter int          TIMEOUT_CYCLES = 1024,
    parameter int          IDLE_CYCLES    = 300000,
    parameter int          REORDER        = 3,
    parameter int          FLIGHT         = 32,
    parameter bit          NUMBERED       = 0
) (
    input  wire                 aclk,
    input  wire                 aresetn,        // counters and what else the host reads
    input  wire                 link_aresetn,   // all but that; low also while aresetn is

    input  wire  [6:0]          s_axil_awaddr,
    input  wire  [2:0]          s_axil_awprot,
    input  wire                 s_axil_awvalid,
    output logic                s_axil_awready,
    input  wire  [31:0]         s_axil_wdata,
    input  wire  [3:0]          s_axil_wstrb,
    input  wire                 s_axil_wvalid,
    output logic                s_axil_wready,
    output logic [1:0]          s_axil_bresp,
    output logic                s_axil_bvalid,
    input  wire                 s_axil_bready,
    input  wire  [6:0]          s_axil_araddr,
    input  wire  [2:0]          s_axil_arprot,
    input  wire                 s_axil_arvalid,
    output logic                s_axil_arready,
    output logic [31:0]         s_axil_rdata,
    output logic [1:0]          s_axil_rresp,
    output logic                s_axil_rvalid,
    input  wire                 s_axil_rready,

    input  wire                 drain,
    output logic                drained,

    input  wire  [511:0]        s_axis_tdata,
    input  wire                 s_axis_tlast,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,
    input  wire  [31:0]         number,
    input  wire                 number_known,
    input  wire                 taint,

    input  wire  [511:0]        s_net_axis_tdata,
    input  wire  [63:0]         s_net_axis_tkeep,
    input  wire                 s_net_axis_tlast,
    input  wire                 s_net_axis_tuser,   // with tlast: checksum, magic and version are right
    input  wire                 s_net_axis_tvalid,

    output logic [511:0]        m_net_axis_tdata,
    output logic [63:0]         m_net_axis_tkeep,
    output logic                m_net_axis_tlast,
    output logic                m_net_axis_tvalid,
    input  wire                 m_net_axis_tready,

    output logic                frame_done
);

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int BIT_HAVE = 256;

    localparam int BEAT_W = $clog2(PACKET_BEATS);
    localparam int SLOT_W = $clog2(SLOTS);

    // ---- packets are written ---------------------------------------------------------------------

    wire               room, anew, open, write, commit, eof, tainted, mid, waits, swallow;
    wire [BEAT_W-1:0]  write_beat;
    wire [511:0]       write_data;
    wire [31:0]        seq, frame, top;
    wire [15:0]        tx_epoch, rx_epoch;

    vnx_pack #(.FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .LINK(LINK), .NUMBERED(NUMBERED)) u_pack (
        .aclk(aclk), .aresetn(link_aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .number(number), .taint(taint),
        .room(room), .anew(anew), .seq(seq), .tx_epoch(tx_epoch), .rx_epoch(rx_epoch),
        .write(write), .write_beat(write_beat), .write_data(write_data), .commit(commit), .eof(eof), .tainted(tainted),
        .frame(frame), .mid(mid), .waits(waits), .swallow(swallow)
    );

    // The length of a frame says where it ends.
    wire unused = &{1'b0, s_axis_tlast, s_net_axis_tkeep[62:0]};

    // ---- and sent --------------------------------------------------------------------------------

    wire               start, start_eof, start_first, start_taint, control, ready, busy, hello_made, probe_made, all_sent;
    wire [SLOT_W-1:0]  start_slot, busy_slot;
    wire               frame_known = NUMBERED && all_sent && (mid || number_known);
    wire [31:0]        start_turn;

    vnx_emit #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .ULTRA(ULTRA), .LINK(LINK), .CONTRACT(CONTRACT),
        .PACKING(PACKING), .ROLE(ROLE), .ELEMENT(ELEMENT), .SHAPE(SHAPE)
    ) u_emit (
        .aclk(aclk), .aresetn(link_aresetn),
        .write(write), .write_slot(seq[SLOT_W-1:0]), .write_beat(write_beat), .write_data(write_data),
        .start(start), .start_slot(start_slot), .start_eof(start_eof), .start_first(start_first),
        .start_turn(start_turn), .start_taint(start_taint), .control(control),
        .ready(ready), .busy(busy), .busy_slot(busy_slot), .hello_made(hello_made), .probe_made(probe_made),
        .open(open), .top(top), .frame(frame), .frame_known(frame_known), .tx_epoch(tx_epoch), .rx_epoch(rx_epoch),
        .drain(drain), .drained(drained),
        .m_net_axis_tdata(m_net_axis_tdata), .m_net_axis_tkeep(m_net_axis_tkeep), .m_net_axis_tlast(m_net_axis_tlast),
        .m_net_axis_tvalid(m_net_axis_tvalid), .m_net_axis_tready(m_net_axis_tready), .frame_done(frame_done)
    );

    // ---- session and window ----------------------------------------------------------------------

    wire        clear, refuse, refused, is_nak, is_opened, is_refused, is_restart, is_stale, is_bad;
    wire        waits_limit, waits_room;
    wire [31:0] lost, lost_first, lost_last;
    wire [9:0]  refused_fields;
    wire [8:0]  used, most;

    // Where streams meet, others may wait for what a PROBE says of the next frame: it does not wait for an idle stream's.
    wire news;
    generate
        if (NUMBERED) begin : g_numbered
            logic [31:0] told_q;
            logic        told_known_q, news_q;
            always_ff @(posedge aclk) begin
                if (probe_made && frame_known) told_q <= frame;
                told_known_q <= open && (told_known_q || (probe_made && frame_known));
                news_q       <= frame_known && !(told_known_q && told_q == frame);
                if (!link_aresetn) told_known_q <= 1'b0;
            end
            assign news = news_q;
        end else begin : g_counted
            assign news = 1'b0;
        end
    endgenerate

    vnx_window #(
        .SLOTS(SLOTS), .LINK(LINK), .HELLO_CYCLES(HELLO_CYCLES), .TIMEOUT_CYCLES(TIMEOUT_CYCLES), .IDLE_CYCLES(IDLE_CYCLES),
        .REORDER(REORDER), .FLIGHT(FLIGHT)
    ) u_window (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .net_header(s_net_axis_tdata[255:0]), .net_have(s_net_axis_tdata[BIT_HAVE +: SLOTS]),
        .net_whole(s_net_axis_tkeep[63]), .net_last(s_net_axis_tlast), .net_good(s_net_axis_tuser), .net_beat(s_net_axis_tvalid),
        .room(room), .anew(anew), .seq(seq), .commit(commit), .eof(eof), .tainted(tainted), .frame(frame), .mid(mid),
        .waits(waits), .news(news),
        .drain(drain), .ready(ready), .busy(busy), .busy_slot(busy_slot),
        .start(start), .start_slot(start_slot), .start_eof(start_eof), .start_first(start_first),
        .start_turn(start_turn), .start_taint(start_taint), .control(control),
        .open(open), .top(top), .all_sent(all_sent), .tx_epoch(tx_epoch), .rx_epoch(rx_epoch),
        .clear(clear), .refuse(refuse), .refused(refused), .refused_fields(refused_fields),
        .used(used), .most(most), .lost(lost), .lost_first(lost_first), .lost_last(lost_last),
        .is_nak(is_nak), .is_opened(is_opened), .is_refused(is_refused), .is_restart(is_restart), .is_stale(is_stale),
        .is_bad(is_bad), .waits_limit(waits_limit), .waits_room(waits_room)
    );

    vnx_sender_status u_status (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready), .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .refuse(refuse), .net_beat(s_net_axis_tdata), .refused(refused), .refused_fields(refused_fields), .clear(clear),
        .open(open), .swallow(swallow), .tx_epoch(tx_epoch), .rx_epoch(rx_epoch), .frame(frame), .used(used), .most(most),
        .lost(lost), .lost_first(lost_first), .lost_last(lost_last),
        .hello_made(hello_made), .probe_made(probe_made), .sent(start), .sent_first(start_first), .frame_done(frame_done), .is_nak(is_nak), .is_opened(is_opened),
        .is_refused(is_refused), .is_restart(is_restart), .is_stale(is_stale), .is_bad(is_bad), .waits_limit(waits_limit),
        .waits_room(waits_room), .net_waits(m_net_axis_tvalid && !m_net_axis_tready)
    );

endmodule

`default_nettype wire
