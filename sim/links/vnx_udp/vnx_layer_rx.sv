// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_layer_rx - simulation only: the receive side of VNx's networklayer (nl2sk).
//
// A frame of IPv4 and UDP to the card's address goes to the first row whose far address, far port and own port match; `valid`
// of the row is ignored. The payload is all bytes after the 42 bytes of headers, up to the end of the frame: lengths, checksums
// and MAC are ignored, so the padding of an Ethernet frame is delivered (18 bytes at least), and two frames between which a
// last beat is missing are delivered as one. A row's number is TDEST; TUSER is {own IP, far IP, own port, far port}. 256 beats
// are buffered for the core; then the block stalls, ARP included.
//
// Throughput: a beat per cycle; a frame whose last beat has more than 42 bytes takes one more.
// Parameters: ROWS  of the socket table
// Source:     packet_handler and udp of github.com/hpcn-uam/100G-fpga-network-stack-core
`default_nettype none

module vnx_layer_rx #(
    parameter int ROWS = 16
) (
    input  wire               aclk,
    input  wire               aresetn,
    input  wire               pause,
    input  wire [31:0]        ip,
    input  wire [32*ROWS-1:0] their_ip,
    input  wire [16*ROWS-1:0] their_port,
    input  wire [16*ROWS-1:0] my_port,

    input  wire [511:0]       s_axis_tdata,
    input  wire [6:0]         s_axis_bytes,
    input  wire               s_axis_tlast,
    input  wire               s_axis_tvalid,
    output wire               s_axis_tready,

    output wire [511:0]       m_axis_tdata,
    output wire [63:0]        m_axis_tkeep,
    output wire [6:0]         m_axis_bytes,  // that TKEEP marks
    output wire [15:0]        m_axis_tdest,
    output wire [95:0]        m_axis_tuser,
    output wire               m_axis_tlast,
    output wire               m_axis_tvalid,
    input  wire               m_axis_tready,

    output wire               heard,         // a pulse: an ARP frame came
    output wire [15:0]        heard_op,
    output wire [47:0]        heard_mac,
    output wire [31:0]        heard_ip,
    output wire [31:0]        heard_for,
    output wire               taken,         // of a frame to a row the beat that comes
    output wire [31:0]        unknown        // frames that match no row
);
    localparam int BEATS  = 256;
    localparam int HEADER = 42;
    localparam int BEAT_W = 512 + 7 + 16 + 96 + 1;

    // ---- headers, in the order of the wire with the first byte at the top
    logic         first_q, take_q, flush_q;
    logic [335:0] header;
    always_comb begin
        header = '0;
        if (first_q) for (int i = 0; i < HEADER; i++) header[8*(HEADER-1-i)+:8] = s_axis_tdata[8*i+:8];
    end

    wire unused = &{1'b0, header[335:240], header[219:176]};  // no MAC, no length, no checksum

    wire [15:0] ethertype = header[8*28+:16];
    wire [3:0]  version   = header[8*27+4+:4];
    wire [7:0]  protocol  = header[8*18+:8];
    wire [31:0] far       = header[8*12+:32];
    wire [31:0] near      = header[8*8+:32];
    wire [15:0] far_port  = header[8*6+:16];
    wire [15:0] near_port = header[8*4+:16];

    logic        hit;
    logic [15:0] row;
    always_comb begin
        hit = 1'b0;
        row = 16'd0;
        if (first_q)
            for (int i = ROWS - 1; i >= 0; i--)
                if (their_ip[32*i+:32] == far && their_port[16*i+:16] == far_port && my_port[16*i+:16] == near_port) begin
                    hit = 1'b1;
                    row = 16'(i);
                end
    end

    wire long = s_axis_bytes > 7'(HEADER);
    wire udp  = ethertype == 16'h0800 && version == 4'd4 && protocol == 8'd17 && near == ip && hit && long;
    wire take = first_q ? udp : take_q;

    // ---- payload: 22 bytes are left of one beat, 42 come with the next
    logic [BEAT_W-1:0] store[0:BEATS-1];
    logic [31:0]       write_q, read_q, unknown_q;
    logic [175:0]      carry_q;
    logic [6:0]        rest_q;  // bytes in the beat that is still to come
    logic [15:0]       row_q;
    logic [95:0]       user_q;

    wire         fire  = s_axis_tvalid && s_axis_tready;
    wire [175:0] tail  = s_axis_tdata[511:336];
    wire [6:0]   over  = s_axis_bytes - 7'(HEADER);  // where it is long
    wire [15:0]  to    = first_q ? row : row_q;
    wire [95:0]  user  = first_q ? {ip, far, near_port, far_port} : user_q;
    wire         whole = s_axis_tlast && !long;      // its last beat of payload is complete with this one

    assign s_axis_tready = aresetn && !flush_q && write_q - read_q < BEATS;
    assign taken         = fire && take;

    always_ff @(posedge aclk) begin
        if (fire) begin
            first_q <= s_axis_tlast;
            take_q  <= take;
            row_q   <= to;
            user_q  <= user;
            carry_q <= tail;
            if (take && !first_q) begin
                store[write_q%BEATS] <= {
                    user, to, whole, whole ? 7'd22 + s_axis_bytes : 7'd64, s_axis_tdata[335:0], carry_q
                };
                write_q <= write_q + 32'd1;
            end
            if (take && s_axis_tlast && long) begin
                flush_q <= 1'b1;
                rest_q  <= over;
            end
            if (first_q && !take && ethertype != 16'h0806) unknown_q <= unknown_q + 32'd1;
        end
        if (flush_q && write_q - read_q < BEATS) begin
            store[write_q%BEATS] <= {user_q, row_q, 1'b1, rest_q, 336'd0, carry_q};
            write_q              <= write_q + 32'd1;
            flush_q              <= 1'b0;
        end
        if (!aresetn) begin
            first_q   <= 1'b1;
            take_q    <= 1'b0;
            flush_q   <= 1'b0;
            write_q   <= 32'd0;
            unknown_q <= 32'd0;
        end
    end
    assign unknown = unknown_q;

    assign heard     = fire && first_q && ethertype == 16'h0806 && s_axis_bytes >= 7'(HEADER);
    assign heard_op  = header[8*20+:16];
    assign heard_mac = header[8*14+:48];
    assign heard_ip  = header[8*10+:32];
    assign heard_for = header[31:0];

    // ---- to the core
    logic offered_q;

    assign {m_axis_tuser, m_axis_tdest, m_axis_tlast, m_axis_bytes, m_axis_tdata} = store[read_q%BEATS];
    assign m_axis_tkeep  = m_axis_bytes == 7'd64 ? '1 : (64'd1 << m_axis_bytes) - 64'd1;
    assign m_axis_tvalid = read_q != write_q && (offered_q || !pause);

    always_ff @(posedge aclk) begin
        offered_q <= m_axis_tvalid && !m_axis_tready;
        if (m_axis_tvalid && m_axis_tready) read_q <= read_q + 32'd1;
        if (!aresetn) begin
            offered_q <= 1'b0;
            read_q    <= 32'd0;
        end
    end
endmodule

`default_nettype wire
