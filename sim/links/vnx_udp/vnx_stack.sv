// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_stack - simulation only: networklayer and cmac of one QSFP of a card, between a core and the wire (docs/vnx.md).
//
//   core -> vnx_layer_tx -\                          core <- vnx_layer_rx <- vnx_cmac <- wire
//               vnx_arp  --> vnx_cmac -> wire
//
// What the host writes comes as levels; the ARP table lies beside them, and `arp_at` looks into it. Loses what the stack
// loses: beats when the core does not take them, packets to unknown addresses.
//
// Probes, by number, are those of the networklayer's registers: 0 eth_in, 1 pkth_in, 2 arp_in, 3 arp_out, 6 ethhi_out,
// 7 eth_out, 8 udp_in, 9 app_out (sk2nl), 10 udp_out, 11 app_in (nl2sk). There is no ICMP: 4 and 5 rest.
//
// Throughput: a beat per cycle of aclk, less what the parts say; 100 Gb/s on the wire.
// Parameters: ROWS  of the socket table
//             SEED  of its pauses
`default_nettype none

module vnx_stack #(
    parameter int ROWS = 16,
    parameter int SEED = 1
) (
    input  wire               aclk,
    input  wire               aresetn,       // of the card
    input  wire [7:0]         stall_in,      // chance in 1/256 that a beat of the core waits
    input  wire [7:0]         stall_out,     // that none is offered to it

    input  wire [31:0]        ip,
    input  wire [31:0]        ip_mask,
    input  wire [31:0]        gateway,
    input  wire [47:0]        mac,
    input  wire [32*ROWS-1:0] their_ip,
    input  wire [16*ROWS-1:0] their_port,
    input  wire [16*ROWS-1:0] my_port,
    input  wire [ROWS-1:0]    valid,
    input  wire               arp_discovery,
    output wire               discovering,
    output wire [7:0]         arp_at,
    input  wire               arp_valid,
    input  wire [47:0]        arp_mac,
    output wire               arp_learn,
    output wire [7:0]         arp_learn_at,
    output wire [31:0]        arp_learn_ip,
    output wire [47:0]        arp_learn_mac,
    input  wire               link,          // a cable with the same FEC at its other end
    output wire [11:0]        probe_beats,
    output wire [11:0]        probe_packets,
    output wire [83:0]        probe_bytes,

    input  wire [511:0]       s_axis_tdata,  // sk2nl
    input  wire [63:0]        s_axis_tkeep,
    input  wire [15:0]        s_axis_tdest,
    input  wire               s_axis_tlast,
    input  wire               s_axis_tvalid,
    output wire               s_axis_tready,
    output wire [511:0]       m_axis_tdata,  // nl2sk
    output wire [63:0]        m_axis_tkeep,
    output wire [15:0]        m_axis_tdest,
    output wire [95:0]        m_axis_tuser,
    output wire               m_axis_tlast,
    output wire               m_axis_tvalid,
    input  wire               m_axis_tready,

    input  wire               wire_clk,
    output wire [511:0]       m_wire_tdata,
    output wire [6:0]         m_wire_bytes,
    output wire               m_wire_tlast,
    output wire               m_wire_tvalid,
    input  wire [511:0]       s_wire_tdata,
    input  wire [6:0]         s_wire_bytes,
    input  wire               s_wire_tlast,
    input  wire               s_wire_tvalid,

    output wire               error,         // the core did what no core may do (vnx_layer_tx)
    output wire [31:0]        overflow,      // beats lost since the core or its own clock was too slow
    output wire [31:0]        unresolved     // packets to addresses that ARP does not know
);
    wire pause_in, pause_out;
    bench_stall #(
        .SEED(SEED)
    ) u_in_stall (
        .aclk(aclk),
        .aresetn(aresetn),
        .chance(stall_in),
        .stall(pause_in)
    );
    bench_stall #(
        .SEED(SEED + 1)
    ) u_out_stall (
        .aclk(aclk),
        .aresetn(aresetn),
        .chance(stall_out),
        .stall(pause_out)
    );

    wire         heard, ask, busy;
    wire [15:0]  heard_op;
    wire [47:0]  heard_mac;
    wire [31:0]  heard_ip, heard_for, ask_ip;
    wire [7:0]   scan_at, hop_at;
    wire [511:0] arp_tdata, data_tdata, out_tdata, in_tdata;
    wire [6:0]   data_bytes, out_bytes, in_bytes, app_bytes;
    wire         arp_tvalid, data_tlast, data_tvalid, out_tready, in_tlast, in_tvalid, in_tready, in_taken;
    wire         arp_turn = arp_tvalid && !busy;
    wire [4:0]   faults;
    wire [31:0]  swallowed_unused, unknown_unused;

    assign arp_at = discovering ? scan_at : hop_at;

    vnx_arp u_arp (
        .aclk(aclk),
        .aresetn(aresetn),
        .ip(ip),
        .mac(mac),
        .discovery(arp_discovery),
        .discovering(discovering),
        .scan_at(scan_at),
        .scan_known(arp_valid),
        .ask(ask),
        .ask_ip(ask_ip),
        .heard(heard),
        .heard_op(heard_op),
        .heard_mac(heard_mac),
        .heard_ip(heard_ip),
        .heard_for(heard_for),
        .learn(arp_learn),
        .learn_at(arp_learn_at),
        .learn_ip(arp_learn_ip),
        .learn_mac(arp_learn_mac),
        .m_axis_tdata(arp_tdata),
        .m_axis_tvalid(arp_tvalid),
        .m_axis_tready(arp_turn && out_tready)
    );

    vnx_layer_tx #(
        .ROWS(ROWS)
    ) u_tx (
        .aclk(aclk),
        .aresetn(aresetn),
        .pause(pause_in),
        .ip(ip),
        .ip_mask(ip_mask),
        .gateway(gateway),
        .mac(mac),
        .their_ip(their_ip),
        .their_port(their_port),
        .my_port(my_port),
        .valid(valid),
        .arp_at(hop_at),
        .arp_valid(arp_valid),
        .arp_mac(arp_mac),
        .hold(discovering || arp_tvalid),
        .busy(busy),
        .ask(ask),
        .ask_ip(ask_ip),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tkeep(s_axis_tkeep),
        .s_axis_tdest(s_axis_tdest),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(data_tdata),
        .m_axis_bytes(data_bytes),
        .m_axis_tlast(data_tlast),
        .m_axis_tvalid(data_tvalid),
        .m_axis_tready(out_tready),
        .faults(faults),
        .swallowed(swallowed_unused),
        .unresolved(unresolved)
    );

    assign out_tdata = arp_turn ? arp_tdata : data_tdata;
    assign out_bytes = arp_turn ? 7'd42 : data_bytes;
    wire   out_tlast  = arp_turn || data_tlast;
    wire   out_tvalid = arp_turn || data_tvalid;

    vnx_cmac u_cmac (
        .aclk(aclk),
        .aresetn(aresetn),
        .link(link),
        .s_axis_tdata(out_tdata),
        .s_axis_bytes(out_bytes),
        .s_axis_tlast(out_tlast),
        .s_axis_tvalid(out_tvalid),
        .s_axis_tready(out_tready),
        .m_axis_tdata(in_tdata),
        .m_axis_bytes(in_bytes),
        .m_axis_tlast(in_tlast),
        .m_axis_tvalid(in_tvalid),
        .m_axis_tready(in_tready),
        .wire_clk(wire_clk),
        .m_wire_tdata(m_wire_tdata),
        .m_wire_bytes(m_wire_bytes),
        .m_wire_tlast(m_wire_tlast),
        .m_wire_tvalid(m_wire_tvalid),
        .s_wire_tdata(s_wire_tdata),
        .s_wire_bytes(s_wire_bytes),
        .s_wire_tlast(s_wire_tlast),
        .s_wire_tvalid(s_wire_tvalid),
        .lost(overflow)
    );

    vnx_layer_rx #(
        .ROWS(ROWS)
    ) u_rx (
        .aclk(aclk),
        .aresetn(aresetn),
        .pause(pause_out),
        .ip(ip),
        .their_ip(their_ip),
        .their_port(their_port),
        .my_port(my_port),
        .s_axis_tdata(in_tdata),
        .s_axis_bytes(in_bytes),
        .s_axis_tlast(in_tlast),
        .s_axis_tvalid(in_tvalid),
        .s_axis_tready(in_tready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tkeep(m_axis_tkeep),
        .m_axis_bytes(app_bytes),
        .m_axis_tdest(m_axis_tdest),
        .m_axis_tuser(m_axis_tuser),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .heard(heard),
        .heard_op(heard_op),
        .heard_mac(heard_mac),
        .heard_ip(heard_ip),
        .heard_for(heard_for),
        .taken(in_taken),
        .unknown(unknown_unused)
    );
    assign error = |faults;

    // ---- probes
    wire eth_in  = in_tvalid && in_tready;
    wire arp_out = arp_turn && out_tready;
    wire udp_out = data_tvalid && out_tready;
    wire app_out = s_axis_tvalid && s_axis_tready;
    wire app_in  = m_axis_tvalid && m_axis_tready;
    wire sent    = arp_out || udp_out;

    logic [6:0] app_out_bytes;
    always_comb begin
        app_out_bytes = 7'd64;
        if (s_axis_tkeep != '1) begin
            app_out_bytes = 7'd0;
            for (int i = 0; i < 64; i++) app_out_bytes = app_out_bytes + 7'(s_axis_tkeep[i]);
        end
    end

    assign probe_beats = {app_in, udp_out, app_out, in_taken, sent, sent, 2'b00, arp_out, heard, eth_in, eth_in};
    assign probe_packets = probe_beats & {
        m_axis_tlast, data_tlast, s_axis_tlast, in_tlast, out_tlast, out_tlast, 2'b00, 1'b1, 1'b1, in_tlast, in_tlast
    };
    assign probe_bytes = {
        app_bytes, data_bytes, app_out_bytes, in_bytes, out_bytes, out_bytes, 14'd0, 7'd42, in_bytes, in_bytes, in_bytes
    };
endmodule

`default_nettype wire
