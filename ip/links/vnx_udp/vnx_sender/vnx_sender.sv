// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_sender - sending end of a link over VNx: forwards each frame exactly, or reports it as lost.
//
// Frames are cut into packets (vnx_pack) and kept in block RAM until the receiver acknowledges them; what it misses
// is sent again (vnx_window, go-back-N). Packets, sessions and the answers to what a network may do are in docs/vnx.md.
//
// A packet that has begun goes on to its TLAST, waiting for nothing but m_net_axis_tready. s_net_axis is taken always. While
// there is no session, no frame is taken. With `drain` no other packet begins; `drained` says that none is half offered.
// frame_done pulses when the last packet of a frame has left for the first time.
//
// The table below and the constants are written by `make registers` from registers.json.
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
//             m_net_axis_tready to the enables of the block RAM; s_axis_tdata goes through a LUT to the block RAM
// Resources   block RAM of SLOTS packets, each 2**$clog2(PACKET_BEATS) beats; about 1,400 LUT and 1,850 FF
//
// Parameters: FRAME_BYTES     of a frame; bytes behind them in its last beat are not looked at
//             PACKET_BEATS    beats of a full packet, 2 to 256
//             SLOTS           packets that are kept, a power of two, 4 to 256
//             LINK            first 16 bits of the SHA-256 of the boundary's name
//             CONTRACT        what both ends must agree in, as are PACKING, ROLE, ELEMENT and SHAPE
//             PACKING         how elements lie in bytes
//             ROLE            what the stream carries
//             ELEMENT         first 32 bits of the SHA-256 of the data type
//             SHAPE           first 32 bits of the SHA-256 of the shape
//             HELLO_CYCLES    from one HELLO to the next, 2 or more
//             TIMEOUT_CYCLES  of silence before a PROBE, 2 or more
// Checked by: test_vnx_sender.py
`default_nettype none

module vnx_sender #(
    parameter int          FRAME_BYTES    = 64,
    parameter int          PACKET_BEATS   = 23,
    parameter int          SLOTS          = 32,
    parameter logic [15:0] LINK           = 16'd1,
    parameter logic [63:0] CONTRACT       = 64'd0,
    parameter logic [7:0]  PACKING        = 8'd0,
    parameter logic [7:0]  ROLE           = 8'd0,
    parameter logic [31:0] ELEMENT        = 32'd0,
    parameter logic [31:0] SHAPE          = 32'd0,
    parameter int          HELLO_CYCLES   = 4096,
    parameter int          TIMEOUT_CYCLES = 1024
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

    // ---- packet, from packet.json ------
    localparam int HEADER_BYTES = 32;
    localparam int BIT_MAGIC = 0;
    localparam int BITS_MAGIC = 16;
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h01;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_LINK = 64;
    localparam int BITS_LINK = 16;
    localparam int REFUSE_LINK = 0;
    localparam int BIT_BYTES = 80;
    localparam int BITS_BYTES = 16;
    localparam int BIT_SEQ = 96;
    localparam int BITS_SEQ = 32;
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
    localparam logic [3:0] KIND_HELLO = 4'd1;
    localparam logic [3:0] KIND_PROBE = 4'd2;

    // ---- registers, from registers.json ----------------------------------------------------------
    localparam logic [6:0] AT_STATE = 7'h00;
    localparam int STATE_OPEN = 0;
    localparam int STATE_REFUSED = 1;
    localparam int STATE_SWALLOW = 2;
    localparam int STATE_WAITS_LIMIT = 3;
    localparam int STATE_WAITS_ROOM = 4;
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
    localparam logic [6:0] AT_FRAME = 7'h2C;
    localparam logic [6:0] AT_SLOTS = 7'h30;
    localparam int SLOTS_USED = 0;
    localparam int SLOTS_MOST = 16;
    localparam logic [6:0] AT_LOST_FRAMES = 7'h34;
    localparam logic [6:0] AT_LOST_FIRST = 7'h38;
    localparam logic [6:0] AT_LOST_LAST = 7'h3C;
    localparam logic [6:0] AT_FRAMES = 7'h40;
    localparam logic [6:0] AT_PACKETS = 7'h44;
    localparam logic [6:0] AT_RESENT = 7'h48;
    localparam logic [6:0] AT_NAKS = 7'h4C;
    localparam logic [6:0] AT_PROBES = 7'h50;
    localparam logic [6:0] AT_HELLOS = 7'h54;
    localparam logic [6:0] AT_SESSIONS = 7'h58;
    localparam logic [6:0] AT_RESTARTS = 7'h5C;
    localparam logic [6:0] AT_REFUSALS = 7'h60;
    localparam logic [6:0] AT_STALE_REPLIES = 7'h64;
    localparam logic [6:0] AT_BAD_REPLIES = 7'h68;
    localparam logic [6:0] AT_LIMIT_CYCLES = 7'h6C;
    localparam logic [6:0] AT_ROOM_CYCLES = 7'h70;
    localparam logic [6:0] AT_NET_CYCLES = 7'h74;

    localparam int BEAT_W     = $clog2(PACKET_BEATS);
    localparam int SLOT_W     = $clog2(SLOTS);
    localparam int PAYLOAD    = 64 * PACKET_BEATS - 32;
    localparam int LAST_BYTES = (FRAME_BYTES - 1) % PAYLOAD + 1;
    localparam int LAST_BEATS = (LAST_BYTES + 95) / 64;
    localparam int KEEP       = (LAST_BYTES + 31) % 64 + 1;  // bytes of the last beat of a frame's last packet

    // ---- packets are written ---------------------------------------------------------------------

    wire               room, anew, open, write, commit, eof, mid, waits, swallow;
    wire [BEAT_W-1:0]  write_beat;
    wire [511:0]       write_data;
    wire [31:0]        seq, frame, top;
    wire [15:0]        tx_epoch, rx_epoch;

    vnx_pack #(.FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .LINK(LINK)) u_pack (
        .aclk(aclk), .aresetn(link_aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .room(room), .anew(anew), .seq(seq), .tx_epoch(tx_epoch), .rx_epoch(rx_epoch),
        .write(write), .write_beat(write_beat), .write_data(write_data), .commit(commit), .eof(eof),
        .frame(frame), .mid(mid), .waits(waits), .swallow(swallow)
    );

    // The length of a frame says where it ends.
    wire unused = &{1'b0, s_axis_tlast, s_net_axis_tkeep[62:0], s_net_axis_tdata[511:448]};

    // ---- and sent: an address, its word, the register at m_net_axis -----------------------------

    logic              a_valid_q, a_control_q, a_end_q, a_eof_q, a_first_q;
    logic [BEAT_W-1:0] a_beat_q;
    logic [SLOT_W-1:0] a_slot_q;
    logic              b_valid_q, b_control_q, b_end_q, b_short_q, b_done_q;
    logic              m_valid_q, m_last_q, m_short_q, m_done_q;
    logic [511:0]      ram_q, data_q;
    wire               start, start_eof, start_first, control;
    wire [SLOT_W-1:0]  start_slot;

    wire m_free = !m_valid_q || m_net_axis_tready;
    wire b_free = !b_valid_q || m_free;
    wire a_go   = a_valid_q && b_free;
    // A PROBE tells the number of the packet that comes next, so that packet waits until the PROBE is made.
    wire ready  = !a_valid_q && !(b_valid_q && b_control_q);
    wire one_beat = start_eof && LAST_BEATS == 1;

    (* ram_style = "block" *) logic [511:0] mem [0:(1 << (SLOT_W + BEAT_W))-1];
    always_ff @(posedge aclk) if (write) mem[{seq[SLOT_W-1:0], write_beat}] <= write_data;
    always_ff @(posedge aclk) if (a_go) ram_q <= mem[{a_slot_q, a_beat_q}];

    always_ff @(posedge aclk) begin
        if (start || control) begin
            a_valid_q   <= 1'b1;
            a_control_q <= control;
            a_slot_q    <= start_slot;
            a_beat_q    <= '0;
            a_eof_q     <= start && start_eof;
            a_end_q     <= control || one_beat;
            a_first_q   <= start_first;
        end else if (a_go) begin
            a_valid_q <= !a_end_q;
            a_beat_q  <= a_beat_q + 1'b1;
            a_end_q   <= a_beat_q == (a_eof_q ? BEAT_W'(LAST_BEATS - 2) : BEAT_W'(PACKET_BEATS - 2));
        end
        if (b_free) begin
            b_valid_q   <= a_valid_q;
            b_control_q <= a_control_q;
            b_end_q     <= a_end_q;
            b_short_q   <= a_end_q && a_eof_q;
            b_done_q    <= a_end_q && a_eof_q && a_first_q;
        end
        if (m_free) begin
            m_valid_q <= b_valid_q;
            m_last_q  <= b_end_q;
            m_short_q <= b_short_q;
            m_done_q  <= b_done_q;
        end
        frame_done <= m_valid_q && m_net_axis_tready && m_done_q;
        if (!link_aresetn) begin
            a_valid_q  <= 1'b0;
            b_valid_q  <= 1'b0;
            m_valid_q  <= 1'b0;
            frame_done <= 1'b0;
        end
    end

    // HELLO or PROBE: they differ in kind and rx_epoch; the second half of a PROBE is not looked at.
    logic [511:0] word;
    always_comb begin
        word = '0;
        word[BIT_MAGIC +: BITS_MAGIC]               = IS_MAGIC;
        word[BIT_VERSION +: BITS_VERSION]           = IS_VERSION;
        word[BIT_KIND +: BITS_KIND]                 = open ? KIND_PROBE : KIND_HELLO;
        word[BIT_LINK +: BITS_LINK]                 = LINK;
        word[BIT_BYTES +: BITS_BYTES]               = 16'(64 - HEADER_BYTES);
        word[BIT_SEQ +: BITS_SEQ]                   = top;
        word[BIT_TX_EPOCH +: BITS_TX_EPOCH]         = tx_epoch;
        word[BIT_RX_EPOCH +: BITS_RX_EPOCH]         = rx_epoch;
        word[BIT_CONTRACT +: BITS_CONTRACT]         = CONTRACT;
        word[BIT_FRAME_BYTES +: BITS_FRAME_BYTES]   = 32'(FRAME_BYTES);
        word[BIT_PACKET_BEATS +: BITS_PACKET_BEATS] = 16'(PACKET_BEATS);
        word[BIT_PACKING +: BITS_PACKING]           = PACKING;
        word[BIT_ROLE +: BITS_ROLE]                 = ROLE;
        word[BIT_ELEMENT +: BITS_ELEMENT]           = ELEMENT;
        word[BIT_SHAPE +: BITS_SHAPE]               = SHAPE;
    end
    always_ff @(posedge aclk) if (m_free) data_q <= b_control_q ? word : ram_q;

    assign m_net_axis_tdata  = data_q;
    assign m_net_axis_tkeep  = {64{!m_short_q}} | 64'({64{1'b1}} >> (64 - KEEP));
    assign m_net_axis_tlast  = m_last_q;
    assign m_net_axis_tvalid = m_valid_q;
    assign drained           = drain && !a_valid_q && !b_valid_q && !m_valid_q;

    // ---- session and window ----------------------------------------------------------------------

    wire        write_register, clear, refuse, refused, is_nak, is_opened, is_refused, is_restart, is_stale, is_bad;
    wire        waits_limit, waits_room;
    wire [4:0]  write_word;
    wire [31:0] write_word_data, lost, lost_first, lost_last;
    wire [7:0]  refused_fields;
    wire [8:0]  used, most;

    vnx_window #(
        .SLOTS(SLOTS), .LINK(LINK), .HELLO_CYCLES(HELLO_CYCLES), .TIMEOUT_CYCLES(TIMEOUT_CYCLES)
    ) u_window (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .net_header(s_net_axis_tdata[255:0]), .net_whole(s_net_axis_tkeep[63]), .net_last(s_net_axis_tlast),
        .net_good(s_net_axis_tuser), .net_beat(s_net_axis_tvalid),
        .room(room), .anew(anew), .seq(seq), .commit(commit), .eof(eof), .frame(frame), .mid(mid), .waits(waits),
        .drain(drain), .ready(ready), .busy(a_valid_q && !a_control_q), .busy_slot(a_slot_q),
        .start(start), .start_slot(start_slot), .start_eof(start_eof), .start_first(start_first), .control(control),
        .open(open), .top(top), .tx_epoch(tx_epoch), .rx_epoch(rx_epoch),
        .clear(clear), .refuse(refuse), .refused(refused), .refused_fields(refused_fields),
        .used(used), .most(most), .lost(lost), .lost_first(lost_first), .lost_last(lost_last),
        .is_nak(is_nak), .is_opened(is_opened), .is_refused(is_refused), .is_restart(is_restart), .is_stale(is_stale),
        .is_bad(is_bad), .waits_limit(waits_limit), .waits_room(waits_room)
    );

    // ---- what the host reads ---------------------------------------------------------------------

    logic [63:0] peer_contract_q;
    logic [31:0] peer_frame_bytes_q, peer_element_q, peer_shape_q;
    logic [15:0] peer_link_q, peer_beats_q;
    logic [7:0]  peer_packing_q, peer_role_q;
    logic        is_hello_q, is_probe_q, is_new_q, is_again_q, net_waits_q;

    always_ff @(posedge aclk) begin
        if (refuse) begin
            peer_link_q        <= s_net_axis_tdata[BIT_LINK +: BITS_LINK];
            peer_contract_q    <= s_net_axis_tdata[BIT_CONTRACT +: BITS_CONTRACT];
            peer_frame_bytes_q <= s_net_axis_tdata[BIT_FRAME_BYTES +: BITS_FRAME_BYTES];
            peer_beats_q       <= s_net_axis_tdata[BIT_PACKET_BEATS +: BITS_PACKET_BEATS];
            peer_packing_q     <= s_net_axis_tdata[BIT_PACKING +: BITS_PACKING];
            peer_role_q        <= s_net_axis_tdata[BIT_ROLE +: BITS_ROLE];
            peer_element_q     <= s_net_axis_tdata[BIT_ELEMENT +: BITS_ELEMENT];
            peer_shape_q       <= s_net_axis_tdata[BIT_SHAPE +: BITS_SHAPE];
        end
        is_hello_q  <= m_free && b_valid_q && b_control_q && !open;
        is_probe_q  <= m_free && b_valid_q && b_control_q && open;
        is_new_q    <= start && start_first;
        is_again_q  <= start && !start_first;
        net_waits_q <= m_valid_q && !m_net_axis_tready;
        if (!aresetn) begin
            is_hello_q  <= 1'b0;
            is_probe_q  <= 1'b0;
            is_new_q    <= 1'b0;
            is_again_q  <= 1'b0;
            net_waits_q <= 1'b0;
        end
    end

    logic [16*32-1:0] status;
    always_comb begin
        status = '0;
        status[AT_STATE[6:2]*32 + STATE_OPEN]                     = open;
        status[AT_STATE[6:2]*32 + STATE_REFUSED]                  = refused;
        status[AT_STATE[6:2]*32 + STATE_SWALLOW]                  = swallow;
        status[AT_STATE[6:2]*32 + STATE_WAITS_LIMIT]              = waits_limit;
        status[AT_STATE[6:2]*32 + STATE_WAITS_ROOM]               = waits_room;
        status[AT_EPOCHS[6:2]*32 + EPOCHS_TX +: 16]               = tx_epoch;
        status[AT_EPOCHS[6:2]*32 + EPOCHS_RX +: 16]               = rx_epoch;
        status[AT_REFUSED[6:2]*32 + REFUSED_LINK]                 = refused_fields[REFUSE_LINK];
        status[AT_REFUSED[6:2]*32 + REFUSED_CONTRACT]             = refused_fields[REFUSE_CONTRACT];
        status[AT_REFUSED[6:2]*32 + REFUSED_FRAME_BYTES]          = refused_fields[REFUSE_FRAME_BYTES];
        status[AT_REFUSED[6:2]*32 + REFUSED_PACKET_BEATS]         = refused_fields[REFUSE_PACKET_BEATS];
        status[AT_REFUSED[6:2]*32 + REFUSED_PACKING]              = refused_fields[REFUSE_PACKING];
        status[AT_REFUSED[6:2]*32 + REFUSED_ROLE]                 = refused_fields[REFUSE_ROLE];
        status[AT_REFUSED[6:2]*32 + REFUSED_ELEMENT]              = refused_fields[REFUSE_ELEMENT];
        status[AT_REFUSED[6:2]*32 + REFUSED_SHAPE]                = refused_fields[REFUSE_SHAPE];
        status[AT_PEER_LINK[6:2]*32 + PEER_LINK_LINK +: 16]       = peer_link_q;
        status[AT_PEER_LINK[6:2]*32 + PEER_LINK_PACKET_BEATS +: 16] = peer_beats_q;
        status[AT_PEER_CONTRACT_LOW[6:2]*32 +: 32]                = peer_contract_q[31:0];
        status[AT_PEER_CONTRACT_HIGH[6:2]*32 +: 32]               = peer_contract_q[63:32];
        status[AT_PEER_FRAME_BYTES[6:2]*32 +: 32]                 = peer_frame_bytes_q;
        status[AT_PEER_ELEMENT[6:2]*32 +: 32]                     = peer_element_q;
        status[AT_PEER_SHAPE[6:2]*32 +: 32]                       = peer_shape_q;
        status[AT_PEER_STREAM[6:2]*32 + PEER_STREAM_PACKING +: 8] = peer_packing_q;
        status[AT_PEER_STREAM[6:2]*32 + PEER_STREAM_ROLE +: 8]    = peer_role_q;
        status[AT_FRAME[6:2]*32 +: 32]                            = frame;
        status[AT_SLOTS[6:2]*32 + SLOTS_USED +: 9]                = used;
        status[AT_SLOTS[6:2]*32 + SLOTS_MOST +: 9]                = most;
        status[AT_LOST_FRAMES[6:2]*32 +: 32]                      = lost;
        status[AT_LOST_FIRST[6:2]*32 +: 32]                       = lost_first;
        status[AT_LOST_LAST[6:2]*32 +: 32]                        = lost_last;
    end

    // Counters are the upper half of the words.
    logic [13:0] inc;
    always_comb begin
        inc = '0;
        inc[AT_FRAMES[5:2]]        = frame_done;
        inc[AT_PACKETS[5:2]]       = is_new_q;
        inc[AT_RESENT[5:2]]        = is_again_q;
        inc[AT_NAKS[5:2]]          = is_nak;
        inc[AT_PROBES[5:2]]        = is_probe_q;
        inc[AT_HELLOS[5:2]]        = is_hello_q;
        inc[AT_SESSIONS[5:2]]      = is_opened;
        inc[AT_RESTARTS[5:2]]      = is_restart;
        inc[AT_REFUSALS[5:2]]      = is_refused;
        inc[AT_STALE_REPLIES[5:2]] = is_stale;
        inc[AT_BAD_REPLIES[5:2]]   = is_bad;
        inc[AT_LIMIT_CYCLES[5:2]]  = waits_limit;
        inc[AT_ROOM_CYCLES[5:2]]   = waits_room;
        inc[AT_NET_CYCLES[5:2]]    = net_waits_q;
    end

    assign clear = write_register && write_word == AT_CONTROL[6:2] && write_word_data[CONTROL_CLEAR];

    axil_counters #(.ADDR_W(7), .WORDS(16), .COUNTERS(14)) u_registers (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready), .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arprot(s_axil_arprot), .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready), .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .status(status), .inc(inc), .clear(clear),
        .write(write_register), .write_word(write_word), .write_data(write_word_data)
    );

endmodule

`default_nettype wire
