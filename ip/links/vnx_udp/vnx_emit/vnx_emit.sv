// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_emit - keeps the packets of vnx_sender and sends those that vnx_window names; part of vnx_sender.
//
// `start` begins the packet of a slot, `control` a HELLO or, if it comes in a session, a PROBE, which is made here. A HELLO is as
// long as a full packet, each of its beats the same, so that no session begins where these do not pass. Either may come while
// `ready` is high. A packet that has begun goes on to its TLAST, waiting for nothing but m_net_axis_tready; `busy` says that
// beats of `busy_slot` are still to be read. A packet is kept with its header; only the number of the transmission is put
// in as it leaves. frame_done pulses when the last packet of a frame has left for the first time.
//
// Throughput  one beat per cycle inside a packet, an idle cycle between packets
// Latency     3 cycles from start to the first beat at m_net_axis
// Paths       m_net_axis and frame_done are flops; from drain to drained, from m_net_axis_tready to *_made and the enables of
//             the memory; ready is a LUT behind flops
// Resources   memory of SLOTS packets, each 2**$clog2(PACKET_BEATS) beats; about 110 LUT and 610 FF
//
// Parameters: FRAME_BYTES   of a frame: its last packet has as many bytes as are left
//             PACKET_BEATS  beats of a full packet, 2 to 256
//             SLOTS         packets that are kept, a power of two, 4 to 256
//             ULTRA         1: in UltraRAM; 0: in block RAM
//             LINK          of the header
//             CONTRACT      what HELLO says, as are PACKING, ROLE, ELEMENT and SHAPE
//             PACKING       how elements lie in bytes
//             ROLE          what the stream carries
//             ELEMENT       first 32 bits of the SHA-256 of the data type
//             SHAPE         first 32 bits of the SHA-256 of the shape
// Checked by: test_vnx_sender.py
`default_nettype none

module vnx_emit #(
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
    localparam int         BEAT_W       = $clog2(PACKET_BEATS),
    localparam int         SLOT_W       = $clog2(SLOTS)
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    // ---- what is written
    input  wire                 write,
    input  wire  [SLOT_W-1:0]   write_slot,
    input  wire  [BEAT_W-1:0]   write_beat,
    input  wire  [511:0]        write_data,

    // ---- what is sent
    input  wire                 start,
    input  wire  [SLOT_W-1:0]   start_slot,
    input  wire                 start_eof,   // the packet is the last of its frame
    input  wire                 start_first, // sent never before
    input  wire  [31:0]         start_turn,  // number of the transmission, which goes into the header; of a PROBE, too
    input  wire                 start_taint, // with start_eof: its frame is tainted
    input  wire                 control,
    output logic                ready,
    output logic                busy,
    output logic [SLOT_W-1:0]   busy_slot,
    output logic                hello_made,  // the first beat of a HELLO goes to the register at m_net_axis
    output logic                probe_made,  // a PROBE does

    // ---- what HELLO and PROBE say
    input  wire                 open,        // in a session
    input  wire  [31:0]         top,
    input  wire  [31:0]         frame,       // a PROBE says the number of the next frame, if
    input  wire                 frame_known, // this is high
    input  wire  [15:0]         tx_epoch,
    input  wire  [15:0]         rx_epoch,

    input  wire                 drain,
    output logic                drained,

    output logic [511:0]        m_net_axis_tdata,
    output logic [63:0]         m_net_axis_tkeep,
    output logic                m_net_axis_tlast,
    output logic                m_net_axis_tvalid,
    input  wire                 m_net_axis_tready,

    output logic                frame_done
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
    localparam int BIT_MAGIC = 0;
    localparam int BITS_MAGIC = 16;
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_SOF = 28;
    localparam int BIT_TAINT = 31;
    localparam int BIT_LINK = 64;
    localparam int BITS_LINK = 16;
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
    localparam int BIT_FRAME_BYTES = 320;
    localparam int BITS_FRAME_BYTES = 32;
    localparam int BIT_PACKET_BEATS = 352;
    localparam int BITS_PACKET_BEATS = 16;
    localparam int BIT_PACKING = 368;
    localparam int BITS_PACKING = 8;
    localparam int BIT_ROLE = 376;
    localparam int BITS_ROLE = 8;
    localparam int BIT_ELEMENT = 384;
    localparam int BITS_ELEMENT = 32;
    localparam int BIT_SHAPE = 416;
    localparam int BITS_SHAPE = 32;
    localparam int BIT_SLOTS = 448;
    localparam int BITS_SLOTS = 8;
    localparam logic [3:0] KIND_HELLO = 4'd1;
    localparam logic [3:0] KIND_PROBE = 4'd2;

    localparam int PAYLOAD    = 64 * PACKET_BEATS - HEADER_BYTES;
    localparam int LAST_BYTES = (FRAME_BYTES - 1) % PAYLOAD + 1;
    localparam int LAST_BEATS = (LAST_BYTES + 95) / 64;
    localparam int KEEP       = (LAST_BYTES + 31) % 64 + 1;  // bytes of the last beat of a frame's last packet

    // ---- an address, its word, the register at m_net_axis -------------------------------------------

    logic              a_open_q, b_open_q;   // `control` came in a session: only then a turn was taken for a PROBE
    logic              busy_q;               // a_valid_q && !a_control_q
    logic              a_valid_q, a_control_q, a_end_q, a_eof_q, a_first_q, a_taint_q;
    logic [BEAT_W-1:0] a_beat_q;
    logic [SLOT_W-1:0] a_slot_q;
    logic              b_valid_q, b_control_q, b_gone, b_begin_q, b_end_q, b_short_q, b_done_q, b_taint_q;
    logic [31:0]       a_turn_q, b_turn_q;
    logic              m_valid_q, m_last_q, m_short_q, m_done_q;
    logic [511:0]      ram_q, data_q;

    wire m_free = !m_valid_q || m_net_axis_tready;
    wire b_free = !b_valid_q || m_free;
    wire a_go   = a_valid_q && b_free;
    // A PROBE tells the number of the packet that comes next, so that packet waits until the PROBE is made.
    assign ready = !a_valid_q && !(b_valid_q && b_control_q);
    wire one_beat = start_eof && LAST_BEATS == 1;
    wire a_end    = a_end_q || (a_control_q && a_open_q);  // a PROBE is a beat

    generate
        if (ULTRA) begin : g_ultra
            (* ram_style = "ultra" *) logic [511:0] mem [0:(1 << (SLOT_W + BEAT_W))-1];
            always_ff @(posedge aclk) if (write) mem[{write_slot, write_beat}] <= write_data;
            always_ff @(posedge aclk) if (a_go) ram_q <= mem[{a_slot_q, a_beat_q}];
        end else begin : g_block
            (* ram_style = "block" *) logic [511:0] mem [0:(1 << (SLOT_W + BEAT_W))-1];
            always_ff @(posedge aclk) if (write) mem[{write_slot, write_beat}] <= write_data;
            always_ff @(posedge aclk) if (a_go) ram_q <= mem[{a_slot_q, a_beat_q}];
        end
    endgenerate

    always_ff @(posedge aclk) begin
        if (start || control) begin
            a_valid_q   <= 1'b1;
            busy_q      <= !control;
            a_control_q <= control;
            a_open_q    <= open;
            a_slot_q    <= start_slot;
            a_beat_q    <= '0;
            a_eof_q     <= start && start_eof;
            a_end_q     <= start && one_beat;
            a_first_q   <= start_first;
            a_turn_q    <= start_turn;
            a_taint_q   <= start && start_eof && start_taint;
        end else if (a_go) begin
            a_taint_q <= 1'b0;  // it is in the header
            a_valid_q <= !a_end;
            busy_q    <= busy_q && !a_end;
            a_beat_q  <= a_beat_q + 1'b1;
            a_end_q   <= a_beat_q == (a_eof_q ? BEAT_W'(LAST_BEATS - 2) : BEAT_W'(PACKET_BEATS - 2));
        end
        if (b_free) begin
            b_valid_q   <= a_valid_q;
            b_control_q <= a_control_q;
            b_open_q    <= a_open_q;
            b_begin_q   <= a_beat_q == '0;
            b_turn_q    <= a_turn_q;
            b_end_q     <= a_end;
            b_short_q   <= a_end_q && a_eof_q;
            b_done_q    <= a_end_q && a_eof_q && a_first_q;
            b_taint_q   <= a_taint_q;
        end
        if (m_free) begin
            m_valid_q <= b_valid_q && !b_gone;
            m_last_q  <= b_end_q;
            m_short_q <= b_short_q;
            m_done_q  <= b_done_q;
        end
        frame_done <= m_valid_q && m_net_axis_tready && m_done_q;
        if (!aresetn) begin
            a_valid_q  <= 1'b0;
            busy_q     <= 1'b0;
            b_valid_q  <= 1'b0;
            m_valid_q  <= 1'b0;
            frame_done <= 1'b0;
        end
    end

    // HELLO or PROBE: they differ in kind, length and rx_epoch; the second half of a PROBE is not looked at. A PROBE of a session
    // that has ended since is not sent.
    wire          probes = b_open_q;
    assign        b_gone = b_control_q && b_open_q && !open;
    logic [511:0] word;
    always_comb begin
        word = '0;
        word[BIT_MAGIC +: BITS_MAGIC]               = IS_MAGIC;
        word[BIT_VERSION +: BITS_VERSION]           = IS_VERSION;
        word[BIT_KIND +: BITS_KIND]                 = probes ? KIND_PROBE : KIND_HELLO;
        word[BIT_SOF]                               = probes && frame_known;
        word[BIT_LINK +: BITS_LINK]                 = LINK;
        word[BIT_BYTES +: BITS_BYTES]               = 16'(probes ? 64 - HEADER_BYTES : PAYLOAD);
        word[BIT_SEQ +: BITS_SEQ]                   = top;
        word[BIT_FRAME +: BITS_FRAME]               = probes && frame_known ? frame : '0;
        word[BIT_TX_EPOCH +: BITS_TX_EPOCH]         = tx_epoch;
        word[BIT_RX_EPOCH +: BITS_RX_EPOCH]         = probes ? rx_epoch : '0;
        word[BIT_TURN +: BITS_TURN]                 = probes ? b_turn_q : '0;
        word[BIT_CONTRACT +: BITS_CONTRACT]         = CONTRACT;
        word[BIT_FRAME_BYTES +: BITS_FRAME_BYTES]   = 32'(FRAME_BYTES);
        word[BIT_PACKET_BEATS +: BITS_PACKET_BEATS] = 16'(PACKET_BEATS);
        word[BIT_PACKING +: BITS_PACKING]           = PACKING;
        word[BIT_ROLE +: BITS_ROLE]                 = ROLE;
        word[BIT_ELEMENT +: BITS_ELEMENT]           = ELEMENT;
        word[BIT_SHAPE +: BITS_SHAPE]               = SHAPE;
        word[BIT_SLOTS +: BITS_SLOTS]               = BITS_SLOTS'(SLOT_W);
    end
    always_ff @(posedge aclk) if (m_free) begin
        data_q <= b_control_q ? word : ram_q;
        if (b_begin_q && !b_control_q) data_q[BIT_TURN +: BITS_TURN] <= b_turn_q;
        if (b_taint_q) data_q[BIT_TAINT] <= 1'b1;
    end

    assign m_net_axis_tdata  = data_q;
    assign m_net_axis_tkeep  = {64{!m_short_q}} | 64'({64{1'b1}} >> (64 - KEEP));
    assign m_net_axis_tlast  = m_last_q;
    assign m_net_axis_tvalid = m_valid_q;
    assign busy              = busy_q;
    assign busy_slot         = a_slot_q;
    assign hello_made        = m_free && b_valid_q && b_control_q && b_begin_q && !probes;
    assign probe_made        = m_free && b_valid_q && b_control_q && probes && open;
    assign drained           = drain && !a_valid_q && !b_valid_q && !m_valid_q;

endmodule

`default_nettype wire
