// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_arp - simulation only: ARP as the networklayer of VNx does it.
//
// Requests for our address are answered and nothing is learnt from them; replies to us fill the table, at the last octet of
// their sender. A rising edge of `discovery` asks for all 256 addresses of our /24 that the table does not have; data look-ups
// wait meanwhile. A packet to an address that is not known lets `ask` come instead of it. The table itself lies with the
// registers, which the host can read and write.
//
// Throughput: a frame of ARP every two cycles at most. Frames that come while eight wait are not answered.
// Source:     arp_server of github.com/hpcn-uam/100G-fpga-network-stack-core
`default_nettype none

module vnx_arp (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire [31:0]  ip,
    input  wire [47:0]  mac,
    input  wire         discovery,
    output wire         discovering,
    output wire [7:0]   scan_at,
    input  wire         scan_known,

    input  wire         ask,         // a pulse: a packet to ask_ip was dropped
    input  wire [31:0]  ask_ip,

    input  wire         heard,       // a pulse: an ARP frame came
    input  wire [15:0]  heard_op,
    input  wire [47:0]  heard_mac,   // of its sender
    input  wire [31:0]  heard_ip,
    input  wire [31:0]  heard_for,   // the address that it is about

    output wire         learn,
    output wire [7:0]   learn_at,
    output wire [31:0]  learn_ip,
    output wire [47:0]  learn_mac,

    output wire [511:0] m_axis_tdata,  // frames of 42 bytes
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready
);
    localparam logic [15:0] REQUEST = 16'd1, REPLY = 16'd2;
    localparam int          REPLIES = 8;

    logic [79:0]  replies[0:REPLIES-1];  // to whom: MAC, IP
    logic [31:0]  reply_write_q, reply_read_q;
    logic         asked_q, discovery_q, scan_q, valid_q;
    logic [31:0]  asked_ip_q;
    logic [7:0]   scan_at_q;
    logic [511:0] data_q;

    assign learn       = heard && heard_op == REPLY && heard_for == ip;
    assign learn_at    = heard_ip[7:0];
    assign learn_ip    = heard_ip;
    assign learn_mac   = heard_mac;
    assign discovering = scan_q || (discovery && !discovery_q);
    assign scan_at     = scan_at_q;

    function automatic logic [511:0] frame(input logic [15:0] op, input logic [47:0] to_mac, input logic [47:0] target,
                                           input logic [31:0] to_ip);
        logic [335:0] bytes;  // in the order of the wire, first at the top
        bytes = {to_mac, mac, 16'h0806, 16'h0001, 16'h0800, 8'd6, 8'd4, op, mac, ip, target, to_ip};
        frame = '0;
        for (int k = 0; k < 42; k++) frame[8*k+:8] = bytes[8*(41-k)+:8];
    endfunction

    wire        answer = reply_read_q != reply_write_q;
    wire [47:0] back_mac;
    wire [31:0] back_ip;
    assign {back_mac, back_ip} = replies[reply_read_q%REPLIES];

    always_ff @(posedge aclk) begin
        discovery_q <= discovery;
        if (m_axis_tready) valid_q <= 1'b0;
        if (!valid_q) begin
            if (answer) begin
                reply_read_q <= reply_read_q + 32'd1;
                data_q       <= frame(REPLY, back_mac, back_mac, back_ip);
                valid_q      <= 1'b1;
            end else if (asked_q) begin
                asked_q <= 1'b0;
                data_q  <= frame(REQUEST, '1, '0, asked_ip_q);
                valid_q <= 1'b1;
            end else if (scan_q) begin
                scan_at_q <= scan_at_q + 8'd1;
                scan_q    <= scan_at_q != 8'd255;
                data_q    <= frame(REQUEST, '1, '0, {ip[31:8], scan_at_q});
                valid_q   <= !scan_known;
            end
        end
        if (ask) begin
            asked_q    <= 1'b1;
            asked_ip_q <= ask_ip;
        end
        if (discovery && !discovery_q) begin
            scan_q    <= 1'b1;
            scan_at_q <= 8'd0;
        end
        if (heard && heard_op == REQUEST && heard_for == ip && reply_write_q - reply_read_q < REPLIES) begin
            replies[reply_write_q%REPLIES] <= {heard_mac, heard_ip};
            reply_write_q                  <= reply_write_q + 32'd1;
        end
        if (!aresetn) begin
            reply_write_q <= 32'd0;
            reply_read_q  <= 32'd0;
            asked_q       <= 1'b0;
            discovery_q   <= 1'b0;
            scan_q        <= 1'b0;
            valid_q       <= 1'b0;
        end
    end

    assign m_axis_tdata  = data_q;
    assign m_axis_tvalid = valid_q;
endmodule

`default_nettype wire
