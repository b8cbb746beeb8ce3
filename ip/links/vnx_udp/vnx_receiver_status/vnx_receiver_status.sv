// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_receiver_status - registers and counters of vnx_receiver, whose header has their table; part of vnx_receiver.
//
// A HELLO that is refused is kept for the host until the next one. What the host reads is reset by aresetn alone.
//
// Throughput  as axil_counters
// Latency     2 cycles from an event to its counter
// Paths       clear is a LUT behind flops; no combinational path from input to output
// Resources   about 400 LUT and 590 FF
//
// Parameters: none
// Checked by: test_vnx_receiver.py
`default_nettype none

module vnx_receiver_status (
    input  wire          aclk,
    input  wire          aresetn,

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

    // ---- the HELLO that is refused
    input  wire          refuse,
    input  wire  [511:0] net_beat,          // the first beat of a packet, as it comes in
    input  wire  [9:0]   differs,
    output logic [9:0]   refused_fields,    // as the sender reads them
    output logic         clear,             // the host clears the counters

    // ---- state
    input  wire          session,
    input  wire          offered,
    input  wire  [15:0]  session_tx,
    input  wire  [15:0]  session_rx,
    input  wire          middle,            // the packet that is expected is not the first of its frame
    input  wire  [8:0]   used,              // slots
    input  wire  [31:0]  frame,             // number of the frame of the packet that was taken last
    input  wire          taken_eof,         // it is the last of it

    // ---- events
    input  wire          took,
    input  wire          opened,
    input  wire          cut,
    input  wire          frame_done,
    input  wire          gap,
    input  wire          is_double,
    input  wire          is_bad_checksum,
    input  wire          is_bad_length,
    input  wire          is_wrong_kind,
    input  wire          is_wrong_link,
    input  wire          is_wrong_session,
    input  wire          is_no_slot,
    input  wire          is_hello,
    input  wire          is_ack,
    input  wire          is_nak,
    input  wire          is_restart
);

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
    localparam int PEER_STREAM_VERSION = 24;
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
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam int REFUSE_VERSION = 9;
    localparam int BIT_LINK = 64;
    localparam int BITS_LINK = 16;
    localparam int REFUSE_LINK = 0;
    localparam int BITS_FRAME = 32;
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

    logic [BITS_FRAME-1:0]       current_q, first_frame_q, last_frame_q, last_cut_q;
    logic [8:0]                  most_q;
    logic [9:0]                  refused_q;
    logic                        fresh_q;  // nothing was taken in the session
    logic [BITS_LINK-1:0]        peer_link_q;
    logic [BITS_CONTRACT-1:0]    peer_contract_q;
    logic [BITS_FRAME_BYTES-1:0] peer_frame_bytes_q;
    logic [BITS_PACKET_BEATS-1:0] peer_packet_beats_q;
    logic [BITS_PACKING-1:0]     peer_packing_q;
    logic [BITS_ROLE-1:0]        peer_role_q;
    logic [BITS_ELEMENT-1:0]     peer_element_q;
    logic [BITS_SHAPE-1:0]       peer_shape_q;
    logic [BITS_SLOTS-1:0]       peer_slots_q;
    logic [BITS_VERSION-1:0]     peer_version_q;
    logic [15:0]                 events_q;
    logic [15*32-1:0]            status;
    wire                         write;
    wire  [4:0]                  write_word;
    wire  [31:0]                 write_data;

    assign clear = write && write_word == AT_CONTROL[6:2] && write_data[CONTROL_CLEAR];

    always_ff @(posedge aclk) begin
        if (took) current_q <= frame;
        if (took && (fresh_q || opened)) first_frame_q <= frame;
        if (took && taken_eof) last_frame_q <= frame;
        if (cut) last_cut_q <= current_q;
        fresh_q <= (opened || fresh_q) && !took;
        if (clear || used > most_q) most_q <= used;

        if (refuse) begin
            refused_q           <= differs;
            peer_link_q         <= net_beat[BIT_LINK +: BITS_LINK];
            peer_contract_q     <= net_beat[BIT_CONTRACT +: BITS_CONTRACT];
            peer_frame_bytes_q  <= net_beat[BIT_FRAME_BYTES +: BITS_FRAME_BYTES];
            peer_packet_beats_q <= net_beat[BIT_PACKET_BEATS +: BITS_PACKET_BEATS];
            peer_packing_q      <= net_beat[BIT_PACKING +: BITS_PACKING];
            peer_role_q         <= net_beat[BIT_ROLE +: BITS_ROLE];
            peer_element_q      <= net_beat[BIT_ELEMENT +: BITS_ELEMENT];
            peer_shape_q        <= net_beat[BIT_SHAPE +: BITS_SHAPE];
            peer_slots_q        <= net_beat[BIT_SLOTS +: BITS_SLOTS];
            peer_version_q      <= net_beat[BIT_VERSION +: BITS_VERSION];
        end else if (clear) begin
            refused_q <= '0;
        end

        events_q                         <= '0;
        events_q[AT_FRAMES[5:2]]         <= frame_done;
        events_q[AT_CUT_FRAMES[5:2]]     <= cut;
        events_q[AT_PACKETS[5:2]]        <= took;
        events_q[AT_GAPS[5:2]]           <= gap;
        events_q[AT_DUPLICATES[5:2]]     <= is_double;
        events_q[AT_BAD_CHECKSUM[5:2]]   <= is_bad_checksum;
        events_q[AT_BAD_LENGTH[5:2]]     <= is_bad_length;
        events_q[AT_WRONG_KIND[5:2]]     <= is_wrong_kind;
        events_q[AT_WRONG_LINK[5:2]]     <= is_wrong_link;
        events_q[AT_WRONG_SESSION[5:2]]  <= is_wrong_session;
        events_q[AT_NO_SLOT[5:2]]        <= is_no_slot;
        events_q[AT_HELLOS[5:2]]         <= is_hello;
        events_q[AT_SESSIONS[5:2]]       <= opened;
        events_q[AT_ACKS[5:2]]           <= is_ack;
        events_q[AT_NAKS[5:2]]           <= is_nak;
        events_q[AT_RESTARTS[5:2]]       <= is_restart;

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
            peer_slots_q        <= '0;
            peer_version_q      <= '0;
            events_q            <= '0;
        end
    end

    always_comb begin
        status = '0;
        status[32*AT_STATE[5:2] + STATE_SESSION]            = session;
        status[32*AT_STATE[5:2] + STATE_OFFERED]            = offered;
        status[32*AT_STATE[5:2] + STATE_MIDDLE]             = middle;
        status[32*AT_STATE[5:2] + STATE_SLOTS +: 9]         = used;
        status[32*AT_EPOCHS[5:2] + EPOCHS_TX +: 16]         = session_tx;
        status[32*AT_EPOCHS[5:2] + EPOCHS_RX +: 16]         = session_rx;
        status[32*AT_REFUSED[5:2] + REFUSED_LINK]           = refused_q[REFUSE_LINK];
        status[32*AT_REFUSED[5:2] + REFUSED_CONTRACT]       = refused_q[REFUSE_CONTRACT];
        status[32*AT_REFUSED[5:2] + REFUSED_FRAME_BYTES]    = refused_q[REFUSE_FRAME_BYTES];
        status[32*AT_REFUSED[5:2] + REFUSED_PACKET_BEATS]   = refused_q[REFUSE_PACKET_BEATS];
        status[32*AT_REFUSED[5:2] + REFUSED_PACKING]        = refused_q[REFUSE_PACKING];
        status[32*AT_REFUSED[5:2] + REFUSED_ROLE]           = refused_q[REFUSE_ROLE];
        status[32*AT_REFUSED[5:2] + REFUSED_ELEMENT]        = refused_q[REFUSE_ELEMENT];
        status[32*AT_REFUSED[5:2] + REFUSED_SHAPE]          = refused_q[REFUSE_SHAPE];
        status[32*AT_REFUSED[5:2] + REFUSED_SLOTS]          = refused_q[REFUSE_SLOTS];
        status[32*AT_REFUSED[5:2] + REFUSED_VERSION]        = refused_q[REFUSE_VERSION];
        status[32*AT_PEER_LINK[5:2] + PEER_LINK_LINK +: 16] = peer_link_q;
        status[32*AT_PEER_LINK[5:2] + PEER_LINK_PACKET_BEATS +: 16] = peer_packet_beats_q;
        status[32*AT_PEER_CONTRACT_LOW[5:2] +: 32]          = peer_contract_q[31:0];
        status[32*AT_PEER_CONTRACT_HIGH[5:2] +: 32]         = peer_contract_q[63:32];
        status[32*AT_PEER_FRAME_BYTES[5:2] +: 32]           = peer_frame_bytes_q;
        status[32*AT_PEER_ELEMENT[5:2] +: 32]               = peer_element_q;
        status[32*AT_PEER_SHAPE[5:2] +: 32]                 = peer_shape_q;
        status[32*AT_PEER_STREAM[5:2] + PEER_STREAM_PACKING +: 8] = peer_packing_q;
        status[32*AT_PEER_STREAM[5:2] + PEER_STREAM_ROLE +: 8]    = peer_role_q;
        status[32*AT_PEER_STREAM[5:2] + PEER_STREAM_SLOTS +: 8]   = peer_slots_q;
        status[32*AT_PEER_STREAM[5:2] + PEER_STREAM_VERSION +: 8] = peer_version_q;
        status[32*AT_MOST_SLOTS[5:2] +: 9]                  = most_q;
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

    assign refused_fields = refused_q;

    wire unused = &{1'b0, net_beat, write_data};

endmodule

`default_nettype wire
