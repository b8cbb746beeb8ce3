// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_sender_status - registers and counters of vnx_sender, whose header has their table; part of vnx_sender.
//
// A REFUSE is kept for the host until the next one. What the host reads is reset by aresetn alone.
//
// Throughput  as axil_counters
// Latency     1 or 2 cycles from an event to its counter
// Paths       clear is a LUT behind flops; no combinational path from input to output
// Resources   about 360 LUT and 420 FF
//
// Parameters: none
// Checked by: test_vnx_sender.py
`default_nettype none

module vnx_sender_status (
    input  wire                 aclk,
    input  wire                 aresetn,

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

    // ---- the REFUSE
    input  wire                 refuse,
    input  wire  [511:0]        net_beat,       // as it comes in
    input  wire                 refused,        // the last answer to a HELLO was one
    input  wire  [9:0]          refused_fields,
    output logic                clear,          // the host clears the counters

    // ---- state
    input  wire                 open,
    input  wire                 swallow,
    input  wire  [15:0]         tx_epoch,
    input  wire  [15:0]         rx_epoch,
    input  wire  [31:0]         frame,
    input  wire  [8:0]          used,
    input  wire  [8:0]          most,
    input  wire  [31:0]         lost,
    input  wire  [31:0]         lost_first,
    input  wire  [31:0]         lost_last,

    // ---- events
    input  wire                 hello_made,
    input  wire                 probe_made,
    input  wire                 sent,           // a DATA packet
    input  wire                 sent_first,     // never before
    input  wire                 frame_done,
    input  wire                 is_nak,
    input  wire                 is_opened,
    input  wire                 is_refused,
    input  wire                 is_restart,
    input  wire                 is_stale,
    input  wire                 is_bad,
    input  wire                 waits_limit,
    input  wire                 waits_room,
    input  wire                 net_waits       // a beat waits for the network
);

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
    localparam int REFUSED_SLOTS = 8;
    localparam int REFUSED_VERSION = 9;
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
    localparam int PEER_STREAM_SLOTS = 16;
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

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int REFUSE_VERSION = 9;
    localparam int BIT_LINK = 64;
    localparam int BITS_LINK = 16;
    localparam int REFUSE_LINK = 0;
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

    wire         write;
    wire  [4:0]  write_word;
    wire  [31:0] write_data;

    logic [63:0] peer_contract_q;
    logic [31:0] peer_frame_bytes_q, peer_element_q, peer_shape_q;
    logic [15:0] peer_link_q, peer_beats_q;
    logic [7:0]  peer_packing_q, peer_role_q, peer_slots_q;
    logic        is_hello_q, is_probe_q, is_new_q, is_again_q, net_waits_q;

    always_ff @(posedge aclk) begin
        if (refuse) begin
            peer_link_q        <= net_beat[BIT_LINK +: BITS_LINK];
            peer_contract_q    <= net_beat[BIT_CONTRACT +: BITS_CONTRACT];
            peer_frame_bytes_q <= net_beat[BIT_FRAME_BYTES +: BITS_FRAME_BYTES];
            peer_beats_q       <= net_beat[BIT_PACKET_BEATS +: BITS_PACKET_BEATS];
            peer_packing_q     <= net_beat[BIT_PACKING +: BITS_PACKING];
            peer_role_q        <= net_beat[BIT_ROLE +: BITS_ROLE];
            peer_element_q     <= net_beat[BIT_ELEMENT +: BITS_ELEMENT];
            peer_shape_q       <= net_beat[BIT_SHAPE +: BITS_SHAPE];
            peer_slots_q       <= net_beat[BIT_SLOTS +: BITS_SLOTS];
        end
        is_hello_q  <= hello_made;
        is_probe_q  <= probe_made;
        is_new_q    <= sent && sent_first;
        is_again_q  <= sent && !sent_first;
        net_waits_q <= net_waits;
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
        status[AT_REFUSED[6:2]*32 + REFUSED_SLOTS]                = refused_fields[REFUSE_SLOTS];
        status[AT_REFUSED[6:2]*32 + REFUSED_VERSION]              = refused_fields[REFUSE_VERSION];
        status[AT_PEER_LINK[6:2]*32 + PEER_LINK_LINK +: 16]       = peer_link_q;
        status[AT_PEER_LINK[6:2]*32 + PEER_LINK_PACKET_BEATS +: 16] = peer_beats_q;
        status[AT_PEER_CONTRACT_LOW[6:2]*32 +: 32]                = peer_contract_q[31:0];
        status[AT_PEER_CONTRACT_HIGH[6:2]*32 +: 32]               = peer_contract_q[63:32];
        status[AT_PEER_FRAME_BYTES[6:2]*32 +: 32]                 = peer_frame_bytes_q;
        status[AT_PEER_ELEMENT[6:2]*32 +: 32]                     = peer_element_q;
        status[AT_PEER_SHAPE[6:2]*32 +: 32]                       = peer_shape_q;
        status[AT_PEER_STREAM[6:2]*32 + PEER_STREAM_PACKING +: 8] = peer_packing_q;
        status[AT_PEER_STREAM[6:2]*32 + PEER_STREAM_ROLE +: 8]    = peer_role_q;
        status[AT_PEER_STREAM[6:2]*32 + PEER_STREAM_SLOTS +: 8]   = peer_slots_q;
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

    assign clear = write && write_word == AT_CONTROL[6:2] && write_data[CONTROL_CLEAR];

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
        .write(write), .write_word(write_word), .write_data(write_data)
    );

    wire unused = &{1'b0, net_beat, write_data};

endmodule

`default_nettype wire
