// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_station - simulation only: a program that is the end of streams over VNx, with the network of its operating system
// (docs/vnx.md): rows are its sockets.
//
//   rows -> axis_arbiter -> vnx_seal -\               /-> vnx_check -> axis_demux -> rows
//                                      vnx_stack - wire
//
// vnx_sender and vnx_receiver at the rows stand for the program itself, so what comes of a run here is what the protocol
// gives, without the time that a processor takes. The address belongs to the operating system: it answers ARP from reset on,
// and asks for a peer when a packet is to go there, which is lost. The link is always up.
//
// Throughput: a beat per cycle each way, less what vnx_stack says.
// Parameters: ROWS          sockets
//             PACKET_BEATS  beats of a full packet
//             SEED          of its pauses
`default_nettype none

module vnx_station #(
    parameter int ROWS         = 1,
    parameter int PACKET_BEATS = 23,
    parameter int SEED         = 1
) (
    input  wire                aclk,
    input  wire                aresetn,
    input  wire [7:0]          stall_in,     // chance in 1/256 that a beat of the program waits
    input  wire [7:0]          stall_out,    // that none is offered to it
    input  wire [31:0]         ip,
    input  wire [47:0]         mac,
    input  wire [32*ROWS-1:0]  their_ip,
    input  wire [16*ROWS-1:0]  their_port,
    input  wire [16*ROWS-1:0]  my_port,

    input  wire [512*ROWS-1:0] s_axis_tdata,
    input  wire [64*ROWS-1:0]  s_axis_tkeep,
    input  wire [ROWS-1:0]     s_axis_tlast,
    input  wire [ROWS-1:0]     s_axis_tvalid,
    output wire [ROWS-1:0]     s_axis_tready,
    output wire [512*ROWS-1:0] m_axis_tdata,
    output wire [64*ROWS-1:0]  m_axis_tkeep,
    output wire [ROWS-1:0]     m_axis_tlast,
    output wire [ROWS-1:0]     m_axis_tuser,  // with tlast: the packet is right
    output wire [ROWS-1:0]     m_axis_tvalid,

    input  wire                wire_clk,
    output wire [511:0]        m_wire_tdata,
    output wire [6:0]          m_wire_bytes,
    output wire                m_wire_tlast,
    output wire                m_wire_tvalid,
    input  wire [511:0]        s_wire_tdata,
    input  wire [6:0]          s_wire_bytes,
    input  wire                s_wire_tlast,
    input  wire                s_wire_tvalid,

    output wire                error          // as that of vnx_stack
);
    localparam int ID_W = ROWS > 1 ? $clog2(ROWS) : 1;

    // ---- addresses of its peers, by their last octet
    logic [47:0]  known_mac[0:255];
    logic [255:0] known_q;
    wire  [7:0]   at, learn_at;
    wire          learn;
    wire  [47:0]  learn_mac;
    wire  [31:0]  learn_ip_unused, overflow_unused, unresolved_unused;
    wire          discovering_unused;
    wire  [11:0]  beats_unused, packets_unused;
    wire  [83:0]  bytes_unused;
    wire  [95:0]  user_unused;

    always @(posedge aclk) begin
        if (learn) begin
            known_mac[learn_at] <= learn_mac;
            known_q[learn_at]   <= 1'b1;
        end
        if (!aresetn) known_q <= '0;
    end

    // ---- rows to the network
    function automatic logic [576*ROWS-1:0] beside(input logic [64*ROWS-1:0] keep, input logic [512*ROWS-1:0] data);
        for (int k = 0; k < ROWS; k++) beside[576*k+:576] = {keep[64*k+:64], data[512*k+:512]};
    endfunction

    wire [511:0]    mixed_tdata, sent_tdata, told_tdata, checked_tdata;
    wire [63:0]     mixed_tkeep, sent_tkeep, told_tkeep, checked_tkeep;
    wire [15:0]     sent_tdest, told_tdest, checked_tdest;
    wire            mixed_tlast, mixed_tvalid, mixed_tready, sent_tlast, sent_tvalid, sent_tready;
    wire            told_tlast, told_tvalid, told_tready, checked_tlast, checked_tuser, checked_tvalid;
    wire [ID_W-1:0] mixed_tid;
    axis_arbiter #(
        .N(ROWS),
        .DATA_W(576)
    ) u_arbiter (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(beside(s_axis_tkeep, s_axis_tdata)),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata({mixed_tkeep, mixed_tdata}),
        .m_axis_tid(mixed_tid),
        .m_axis_tlast(mixed_tlast),
        .m_axis_tvalid(mixed_tvalid),
        .m_axis_tready(mixed_tready)
    );
    vnx_seal #(
        .PACKET_BEATS(PACKET_BEATS)
    ) u_seal (
        .aclk(aclk),
        .aresetn(aresetn),
        .link_aresetn(aresetn),
        .s_axis_tdata(mixed_tdata),
        .s_axis_tkeep(mixed_tkeep),
        .s_axis_tdest(16'(mixed_tid)),
        .s_axis_tlast(mixed_tlast),
        .s_axis_tvalid(mixed_tvalid),
        .s_axis_tready(mixed_tready),
        .m_axis_tdata(sent_tdata),
        .m_axis_tkeep(sent_tkeep),
        .m_axis_tdest(sent_tdest),
        .m_axis_tlast(sent_tlast),
        .m_axis_tvalid(sent_tvalid),
        .m_axis_tready(sent_tready)
    );

    vnx_stack #(
        .ROWS(ROWS),
        .SEED(SEED)
    ) u_stack (
        .aclk(aclk),
        .aresetn(aresetn),
        .stall_in(stall_in),
        .stall_out(stall_out),
        .ip(ip),
        .ip_mask(32'hFFFF_FF00),
        .gateway({ip[31:8], 8'd1}),
        .mac(mac),
        .their_ip(their_ip),
        .their_port(their_port),
        .my_port(my_port),
        .valid({ROWS{1'b1}}),
        .arp_discovery(1'b0),
        .discovering(discovering_unused),
        .arp_at(at),
        .arp_valid(known_q[at]),
        .arp_mac(known_mac[at]),
        .arp_learn(learn),
        .arp_learn_at(learn_at),
        .arp_learn_ip(learn_ip_unused),
        .arp_learn_mac(learn_mac),
        .link(1'b1),
        .probe_beats(beats_unused),
        .probe_packets(packets_unused),
        .probe_bytes(bytes_unused),
        .s_axis_tdata(sent_tdata),
        .s_axis_tkeep(sent_tkeep),
        .s_axis_tdest(sent_tdest),
        .s_axis_tlast(sent_tlast),
        .s_axis_tvalid(sent_tvalid),
        .s_axis_tready(sent_tready),
        .m_axis_tdata(told_tdata),
        .m_axis_tkeep(told_tkeep),
        .m_axis_tdest(told_tdest),
        .m_axis_tuser(user_unused),
        .m_axis_tlast(told_tlast),
        .m_axis_tvalid(told_tvalid),
        .m_axis_tready(told_tready),
        .wire_clk(wire_clk),
        .m_wire_tdata(m_wire_tdata),
        .m_wire_bytes(m_wire_bytes),
        .m_wire_tlast(m_wire_tlast),
        .m_wire_tvalid(m_wire_tvalid),
        .s_wire_tdata(s_wire_tdata),
        .s_wire_bytes(s_wire_bytes),
        .s_wire_tlast(s_wire_tlast),
        .s_wire_tvalid(s_wire_tvalid),
        .error(error),
        .overflow(overflow_unused),
        .unresolved(unresolved_unused)
    );

    // ---- the network to rows
    wire                received_unused, bad_unused, ready_unused, astray_unused;
    wire [577*ROWS-1:0] apart;
    vnx_check u_check (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(told_tdata),
        .s_axis_tkeep(told_tkeep),
        .s_axis_tdest(told_tdest),
        .s_axis_tlast(told_tlast),
        .s_axis_tvalid(told_tvalid),
        .s_axis_tready(told_tready),
        .m_axis_tdata(checked_tdata),
        .m_axis_tkeep(checked_tkeep),
        .m_axis_tdest(checked_tdest),
        .m_axis_tlast(checked_tlast),
        .m_axis_tuser(checked_tuser),
        .m_axis_tvalid(checked_tvalid),
        .received(received_unused),
        .bad(bad_unused)
    );
    axis_demux #(
        .N(ROWS),
        .DATA_W(577),
        .DEST_W(8),
        .REG_EN(0)
    ) u_demux (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({checked_tuser, checked_tkeep, checked_tdata}),
        .s_axis_tdest(|checked_tdest[15:8] ? 8'd255 : checked_tdest[7:0]),
        .s_axis_tlast(checked_tlast),
        .s_axis_tvalid(checked_tvalid),
        .s_axis_tready(ready_unused),
        .m_axis_tdata(apart),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready({ROWS{1'b1}}),
        .error_dest(astray_unused)
    );
    genvar g;
    generate
        for (g = 0; g < ROWS; g = g + 1) begin : g_rows
            assign {m_axis_tuser[g], m_axis_tkeep[64*g+:64], m_axis_tdata[512*g+:512]} = apart[577*g+:577];
        end
    endgenerate
endmodule

`default_nettype wire
