// SPDX-License-Identifier: BSD-3-Clause
//
// Two cards on a switch, of which only what the host sees is modelled: registers, cables, and replies to ARP.
`default_nettype none
`timescale 1ns / 1ps

`define LITE(S, P) \
        .S``_awaddr(P``_awaddr), \
        .S``_awprot(P``_awprot), \
        .S``_awvalid(P``_awvalid), \
        .S``_awready(P``_awready), \
        .S``_wdata(P``_wdata), \
        .S``_wstrb(P``_wstrb), \
        .S``_wvalid(P``_wvalid), \
        .S``_wready(P``_wready), \
        .S``_bresp(P``_bresp), \
        .S``_bvalid(P``_bvalid), \
        .S``_bready(P``_bready), \
        .S``_araddr(P``_araddr), \
        .S``_arprot(P``_arprot), \
        .S``_arvalid(P``_arvalid), \
        .S``_arready(P``_arready), \
        .S``_rdata(P``_rdata), \
        .S``_rresp(P``_rresp), \
        .S``_rvalid(P``_rvalid), \
        .S``_rready(P``_rready)

`define CARD(N) \
    vnx_registers #( \
        .ROWS(ROWS) \
    ) u_card_``N ( \
        .aclk(aclk), \
        .aresetn(aresetn), \
        `LITE(s_nl_axil, s_axil_nl_``N), \
        `LITE(s_cmac_axil, s_axil_cmac_``N), \
        .ip(ip[32*N+:32]), \
        .ip_mask(ip_mask[32*N+:32]), \
        .gateway(gateway[32*N+:32]), \
        .mac(mac[48*N+:48]), \
        .their_ip(their_ip[32*ROWS*N+:32*ROWS]), \
        .their_port(their_port[16*ROWS*N+:16*ROWS]), \
        .my_port(my_port[16*ROWS*N+:16*ROWS]), \
        .valid(valid[ROWS*N+:ROWS]), \
        .arp_discovery(discovery[N]), \
        .rsfec(rsfec[N]), \
        .arp_at(arp_at), \
        .arp_valid(arp_valid[N]), \
        .arp_mac(arp_mac[48*N+:48]), \
        .arp_learn(learn[N]), \
        .arp_learn_at(asked_q[7:0]), \
        .arp_learn_ip(stranger ? ip[32*(1-N)+:32] : asked_q), \
        .arp_learn_mac(stranger ? 48'h0202_0202_0202 : mac[48*(1-N)+:48]), \
        .link(cable && rsfec[N] == port_fec), \
        .probe_beats(probe_beats), \
        .probe_packets(probe_packets), \
        .probe_bytes(probe_bytes) \
    );

module vnx_cards #(
    parameter int ROWS = 4
) (
    input  wire               aclk,
    input  wire               aresetn,
    input  wire               cable,      // both cards hang on the switch
    input  wire               port_fec,   // RS-FEC of the switch
    input  wire [7:0]         lose,       // so many scans find nobody
    input  wire               stranger,   // another device has the addresses of the cards, too
    input  wire [7:0]         arp_at,
    input  wire [11:0]        probe_beats,
    input  wire [11:0]        probe_packets,
    input  wire [83:0]        probe_bytes,
    output wire [63:0]        ip,
    output wire [63:0]        ip_mask,
    output wire [63:0]        gateway,
    output wire [95:0]        mac,
    output wire [64*ROWS-1:0] their_ip,
    output wire [32*ROWS-1:0] their_port,
    output wire [32*ROWS-1:0] my_port,
    output wire [2*ROWS-1:0]  valid,
    output wire [1:0]         rsfec,
    output wire [1:0]         arp_valid,
    output wire [95:0]        arp_mac,
    output logic [15:0]       scans,
    input  wire [12:0] s_axil_nl_0_awaddr,
    input  wire [2:0]  s_axil_nl_0_awprot,
    input  wire        s_axil_nl_0_awvalid,
    output wire        s_axil_nl_0_awready,
    input  wire [31:0] s_axil_nl_0_wdata,
    input  wire [3:0]  s_axil_nl_0_wstrb,
    input  wire        s_axil_nl_0_wvalid,
    output wire        s_axil_nl_0_wready,
    output wire [1:0]  s_axil_nl_0_bresp,
    output wire        s_axil_nl_0_bvalid,
    input  wire        s_axil_nl_0_bready,
    input  wire [12:0] s_axil_nl_0_araddr,
    input  wire [2:0]  s_axil_nl_0_arprot,
    input  wire        s_axil_nl_0_arvalid,
    output wire        s_axil_nl_0_arready,
    output wire [31:0] s_axil_nl_0_rdata,
    output wire [1:0]  s_axil_nl_0_rresp,
    output wire        s_axil_nl_0_rvalid,
    input  wire        s_axil_nl_0_rready,
    input  wire [12:0] s_axil_nl_1_awaddr,
    input  wire [2:0]  s_axil_nl_1_awprot,
    input  wire        s_axil_nl_1_awvalid,
    output wire        s_axil_nl_1_awready,
    input  wire [31:0] s_axil_nl_1_wdata,
    input  wire [3:0]  s_axil_nl_1_wstrb,
    input  wire        s_axil_nl_1_wvalid,
    output wire        s_axil_nl_1_wready,
    output wire [1:0]  s_axil_nl_1_bresp,
    output wire        s_axil_nl_1_bvalid,
    input  wire        s_axil_nl_1_bready,
    input  wire [12:0] s_axil_nl_1_araddr,
    input  wire [2:0]  s_axil_nl_1_arprot,
    input  wire        s_axil_nl_1_arvalid,
    output wire        s_axil_nl_1_arready,
    output wire [31:0] s_axil_nl_1_rdata,
    output wire [1:0]  s_axil_nl_1_rresp,
    output wire        s_axil_nl_1_rvalid,
    input  wire        s_axil_nl_1_rready,
    input  wire [12:0] s_axil_cmac_0_awaddr,
    input  wire [2:0]  s_axil_cmac_0_awprot,
    input  wire        s_axil_cmac_0_awvalid,
    output wire        s_axil_cmac_0_awready,
    input  wire [31:0] s_axil_cmac_0_wdata,
    input  wire [3:0]  s_axil_cmac_0_wstrb,
    input  wire        s_axil_cmac_0_wvalid,
    output wire        s_axil_cmac_0_wready,
    output wire [1:0]  s_axil_cmac_0_bresp,
    output wire        s_axil_cmac_0_bvalid,
    input  wire        s_axil_cmac_0_bready,
    input  wire [12:0] s_axil_cmac_0_araddr,
    input  wire [2:0]  s_axil_cmac_0_arprot,
    input  wire        s_axil_cmac_0_arvalid,
    output wire        s_axil_cmac_0_arready,
    output wire [31:0] s_axil_cmac_0_rdata,
    output wire [1:0]  s_axil_cmac_0_rresp,
    output wire        s_axil_cmac_0_rvalid,
    input  wire        s_axil_cmac_0_rready,
    input  wire [12:0] s_axil_cmac_1_awaddr,
    input  wire [2:0]  s_axil_cmac_1_awprot,
    input  wire        s_axil_cmac_1_awvalid,
    output wire        s_axil_cmac_1_awready,
    input  wire [31:0] s_axil_cmac_1_wdata,
    input  wire [3:0]  s_axil_cmac_1_wstrb,
    input  wire        s_axil_cmac_1_wvalid,
    output wire        s_axil_cmac_1_wready,
    output wire [1:0]  s_axil_cmac_1_bresp,
    output wire        s_axil_cmac_1_bvalid,
    input  wire        s_axil_cmac_1_bready,
    input  wire [12:0] s_axil_cmac_1_araddr,
    input  wire [2:0]  s_axil_cmac_1_arprot,
    input  wire        s_axil_cmac_1_arvalid,
    output wire        s_axil_cmac_1_arready,
    output wire [31:0] s_axil_cmac_1_rdata,
    output wire [1:0]  s_axil_cmac_1_rresp,
    output wire        s_axil_cmac_1_rvalid,
    input  wire        s_axil_cmac_1_rready
);
    wire  [1:0]  discovery;
    logic [1:0]  discovery_q, scan_q, learn;
    logic [31:0] asked_q;

    `CARD(0)
    `CARD(1)

    // A scan ends with the answer of the other card: only of its own subnet, and if that one sees us.
    always @(posedge aclk) begin
        discovery_q <= discovery;
        scan_q      <= discovery & ~discovery_q;
        learn       <= 2'b00;
        for (int k = 0; k < 2; k = k + 1)
            if (scan_q[k]) begin
                scans   <= scans + 16'd1;
                asked_q <= ip[32*(1-k)+:32];
                learn[k] <= scans >= {8'd0, lose} && cable && ip[32*k+8+:24] == ip[32*(1-k)+8+:24];
            end
        if (!aresetn) begin
            discovery_q <= 2'b00;
            scan_q      <= 2'b00;
            scans       <= 16'd0;
        end
    end
endmodule

`default_nettype wire
