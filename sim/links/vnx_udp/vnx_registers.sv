// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_registers - simulation only: the registers of networklayer (S_AXIL_nl) and of cmac_N (S_AXILITE) of one card, for
// vnx_stack.sv, which does what they say. Its bus side is that of the real ones, so that the host's own program
// brings the model up: without that nothing passes.
//
// As in VNx: settings and socket table hold numbers as the host has them; the ARP table has a byte for each valid bit
// and IP and MAC addresses with the first octet in the lowest byte. There are ROWS rows, and where the four arrays of
// the table lie follows from that. STAT_RX_STATUS tells how the link was when it was read before (after reset: up), so
// who reads it once believes in a link that is not there. RS-FEC changes when RESET goes back to 0; meanwhile there is
// no link. Statistics of the MAC are those of the last STAT_PM_TICK. What is not listed reads 0.
// Source: VNx (NetLayers/template.xml, Ethernet/template.xml, Notebooks/vnx_utils.py), PG203.
`default_nettype none

module vnx_registers #(
    parameter int ROWS = 16
) (
    input  wire               aclk,
    input  wire               aresetn,
    // the host
    input  wire  [12:0]       s_nl_axil_awaddr,
    input  wire  [2:0]        s_nl_axil_awprot,
    input  wire               s_nl_axil_awvalid,
    output wire               s_nl_axil_awready,
    input  wire  [31:0]       s_nl_axil_wdata,
    input  wire  [3:0]        s_nl_axil_wstrb,
    input  wire               s_nl_axil_wvalid,
    output wire               s_nl_axil_wready,
    output wire  [1:0]        s_nl_axil_bresp,
    output wire               s_nl_axil_bvalid,
    input  wire               s_nl_axil_bready,
    input  wire  [12:0]       s_nl_axil_araddr,
    input  wire  [2:0]        s_nl_axil_arprot,
    input  wire               s_nl_axil_arvalid,
    output wire               s_nl_axil_arready,
    output wire  [31:0]       s_nl_axil_rdata,
    output wire  [1:0]        s_nl_axil_rresp,
    output wire               s_nl_axil_rvalid,
    input  wire               s_nl_axil_rready,
    input  wire  [12:0]       s_cmac_axil_awaddr,
    input  wire  [2:0]        s_cmac_axil_awprot,
    input  wire               s_cmac_axil_awvalid,
    output wire               s_cmac_axil_awready,
    input  wire  [31:0]       s_cmac_axil_wdata,
    input  wire  [3:0]        s_cmac_axil_wstrb,
    input  wire               s_cmac_axil_wvalid,
    output wire               s_cmac_axil_wready,
    output wire  [1:0]        s_cmac_axil_bresp,
    output wire               s_cmac_axil_bvalid,
    input  wire               s_cmac_axil_bready,
    input  wire  [12:0]       s_cmac_axil_araddr,
    input  wire  [2:0]        s_cmac_axil_arprot,
    input  wire               s_cmac_axil_arvalid,
    output wire               s_cmac_axil_arready,
    output wire  [31:0]       s_cmac_axil_rdata,
    output wire  [1:0]        s_cmac_axil_rresp,
    output wire               s_cmac_axil_rvalid,
    input  wire               s_cmac_axil_rready,
    // vnx_stack.sv
    output logic [31:0]       ip,
    output logic [31:0]       ip_mask,
    output logic [31:0]       gateway,
    output logic [47:0]       mac,
    output logic [32*ROWS-1:0] their_ip,
    output logic [16*ROWS-1:0] their_port,
    output logic [16*ROWS-1:0] my_port,
    output logic [ROWS-1:0]   valid,
    output logic              arp_discovery,
    output logic              rsfec,
    input  wire  [7:0]        arp_at,
    output wire               arp_valid,
    output wire  [47:0]       arp_mac,
    input  wire               arp_learn,
    input  wire  [7:0]        arp_learn_at,
    input  wire  [31:0]       arp_learn_ip,
    input  wire  [47:0]       arp_learn_mac,
    input  wire               link,
    input  wire  [11:0]       probe_beats,
    input  wire  [11:0]       probe_packets,
    input  wire  [83:0]       probe_bytes
);
    localparam int PROBES = 12;
    localparam int ETH_IN = 0, ETH_OUT = 7;
    // ---- networklayer
    localparam int THEIR_IP = 32'h820, THEIR_PORT = THEIR_IP + 8 * ROWS, MY_PORT = THEIR_PORT + 8 * ROWS;
    localparam int VALID = MY_PORT + 8 * ROWS;
    localparam int ARP_VALID = 32'h1100, ARP_IP = 32'h1400, ARP_MAC = 32'h1800;

    wire        nl_write, nl_read;
    wire [12:0] nl_write_at, nl_read_at;
    wire [31:0] nl_data;
    logic [31:0] nl_found;
    axil_target u_networklayer (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axil_awaddr(s_nl_axil_awaddr),
        .s_axil_awprot(s_nl_axil_awprot),
        .s_axil_awvalid(s_nl_axil_awvalid),
        .s_axil_awready(s_nl_axil_awready),
        .s_axil_wdata(s_nl_axil_wdata),
        .s_axil_wstrb(s_nl_axil_wstrb),
        .s_axil_wvalid(s_nl_axil_wvalid),
        .s_axil_wready(s_nl_axil_wready),
        .s_axil_bresp(s_nl_axil_bresp),
        .s_axil_bvalid(s_nl_axil_bvalid),
        .s_axil_bready(s_nl_axil_bready),
        .s_axil_araddr(s_nl_axil_araddr),
        .s_axil_arprot(s_nl_axil_arprot),
        .s_axil_arvalid(s_nl_axil_arvalid),
        .s_axil_arready(s_nl_axil_arready),
        .s_axil_rdata(s_nl_axil_rdata),
        .s_axil_rresp(s_nl_axil_rresp),
        .s_axil_rvalid(s_nl_axil_rvalid),
        .s_axil_rready(s_nl_axil_rready),
        .write(nl_write),
        .write_at(nl_write_at),
        .write_data(nl_data),
        .read(nl_read),
        .read_at(nl_read_at),
        .read_data(nl_found)
    );

    logic [31:0]  arp_ip_q [0:255];
    logic [47:0]  arp_mac_q[0:255];
    logic [255:0] arp_valid_q;
    logic [63:0]  cycles_q [0:PROBES-1];
    logic [63:0]  bytes_q  [0:PROBES-1];
    logic [63:0]  packets_q[0:PROBES-1];

    assign arp_valid = arp_valid_q[arp_at];
    assign arp_mac   = arp_mac_q[arp_at];

    function automatic [31:0] swapped(input [31:0] word);
        swapped = {word[7:0], word[15:8], word[23:16], word[31:24]};
    endfunction

    function automatic [31:0] of_mac(input [47:0] address, input bit high);
        // The first octet is the highest byte inside, and the lowest on the bus.
        of_mac = high ? {16'd0, address[7:0], address[15:8]} : swapped(address[47:16]);
    endfunction

    // Offset of an array in the socket table, as a row; ROWS or more if it is not of that array.
    function automatic int row_of(input [12:0] at, input int base);
        row_of = int'(at) >= base && int'(at) < base + 8 * ROWS && at[2:0] == 3'd0 ? (int'(at) - base) / 8 : ROWS;
    endfunction

    function automatic [31:0] word_of(input [63:0] count, input bit high);
        word_of = high ? count[63:32] : count[31:0];
    endfunction

    wire [12:0] at = nl_read_at;
    wire [12:0] probe_at = at - 13'h400;
    wire [12:0] probe_number = probe_at / 13'h18;
    wire [3:0]  probe = probe_number[3:0];
    wire [2:0]  probe_word = 3'(probe_at % 13'h18 / 13'd4);
    wire [7:0]  entry = nl_write_at[7:0];  // of the ARP table, first of four

    // Looked up only when it is asked for, since probes change in every cycle.
    always @(posedge aclk) if (nl_read) begin
        nl_found <= 32'd0;
        case (at)
            13'h010: nl_found <= mac[31:0];
            13'h014: nl_found <= {16'd0, mac[47:32]};
            13'h018: nl_found <= ip;
            13'h01C: nl_found <= gateway;
            13'h020: nl_found <= ip_mask;
            13'h07C: nl_found <= 32'h5E77_1465;
            13'h810: nl_found <= ROWS;
            13'h1010: nl_found <= {31'd0, arp_discovery};
            default: ;
        endcase
        if (at >= 13'h400 && int'(probe_number) < PROBES) begin
            case (probe_word[2:1])
                2'd0: nl_found <= word_of(cycles_q[probe], probe_word[0]);
                2'd1: nl_found <= word_of(bytes_q[probe], probe_word[0]);
                default: nl_found <= word_of(packets_q[probe], probe_word[0]);
            endcase
        end
        if (row_of(at, THEIR_IP) < ROWS) nl_found <= their_ip[32*row_of(at, THEIR_IP)+:32];
        if (row_of(at, THEIR_PORT) < ROWS) nl_found <= {16'd0, their_port[16*row_of(at, THEIR_PORT)+:16]};
        if (row_of(at, MY_PORT) < ROWS) nl_found <= {16'd0, my_port[16*row_of(at, MY_PORT)+:16]};
        if (row_of(at, VALID) < ROWS) nl_found <= {31'd0, valid[row_of(at, VALID)]};
        if (int'(at) >= ARP_VALID && int'(at) < ARP_VALID + 256)
            nl_found <= {7'd0, arp_valid_q[at[7:0]+8'd3], 7'd0, arp_valid_q[at[7:0]+8'd2],
                        7'd0, arp_valid_q[at[7:0]+8'd1], 7'd0, arp_valid_q[at[7:0]]};
        if (int'(at) >= ARP_IP && int'(at) < ARP_IP + 1024) nl_found <= swapped(arp_ip_q[at[9:2]]);
        if (int'(at) >= ARP_MAC) nl_found <= of_mac(arp_mac_q[at[10:3]], at[2]);
    end

    always @(posedge aclk) begin
        if (arp_learn) begin
            arp_valid_q[arp_learn_at] <= 1'b1;
            arp_ip_q[arp_learn_at]    <= arp_learn_ip;
            arp_mac_q[arp_learn_at]   <= arp_learn_mac;
        end
        if (nl_write) begin
            case (nl_write_at)
                13'h010: mac[31:0] <= nl_data;
                13'h014: mac[47:32] <= nl_data[15:0];
                13'h018: ip <= nl_data;
                13'h01C: gateway <= nl_data;
                13'h020: ip_mask <= nl_data;
                13'h1010: arp_discovery <= nl_data[0];
                default: ;
            endcase
            if (row_of(nl_write_at, THEIR_IP) < ROWS) their_ip[32*row_of(nl_write_at, THEIR_IP)+:32] <= nl_data;
            if (row_of(nl_write_at, THEIR_PORT) < ROWS) their_port[16*row_of(nl_write_at, THEIR_PORT)+:16] <= nl_data[15:0];
            if (row_of(nl_write_at, MY_PORT) < ROWS) my_port[16*row_of(nl_write_at, MY_PORT)+:16] <= nl_data[15:0];
            if (row_of(nl_write_at, VALID) < ROWS) valid[row_of(nl_write_at, VALID)] <= nl_data[0];
            if (int'(nl_write_at) >= ARP_VALID && int'(nl_write_at) < ARP_VALID + 256) begin
                arp_valid_q[entry]      <= nl_data[0];
                arp_valid_q[entry+8'd1] <= nl_data[8];
                arp_valid_q[entry+8'd2] <= nl_data[16];
                arp_valid_q[entry+8'd3] <= nl_data[24];
            end
            if (int'(nl_write_at) >= ARP_IP && int'(nl_write_at) < ARP_IP + 1024)
                arp_ip_q[nl_write_at[9:2]] <= swapped(nl_data);
            if (int'(nl_write_at) >= ARP_MAC && !nl_write_at[2]) arp_mac_q[nl_write_at[10:3]][47:16] <= swapped(nl_data);
            if (int'(nl_write_at) >= ARP_MAC && nl_write_at[2])
                arp_mac_q[nl_write_at[10:3]][15:0] <= {nl_data[7:0], nl_data[15:8]};
        end
        if (probe_beats != 12'd0)
            for (int k = 0; k < PROBES; k = k + 1)
                if (probe_beats[k]) begin
                    cycles_q[k]  <= cycles_q[k] + 64'd1;
                    bytes_q[k]   <= bytes_q[k] + {57'd0, probe_bytes[7*k+:7]};
                    packets_q[k] <= packets_q[k] + {63'd0, probe_packets[k]};
                end
        if (!aresetn || (nl_write && nl_write_at == 13'h5F0 && nl_data[0]))
            for (int k = 0; k < PROBES; k = k + 1) begin
                cycles_q[k]  <= 64'd0;
                bytes_q[k]   <= 64'd0;
                packets_q[k] <= 64'd0;
            end
        if (!aresetn) begin
            // All cards wake up with one address.
            mac           <= 48'h000A_3502_9DE5;
            ip            <= 32'hC0A8_0005;
            gateway       <= 32'hC0A8_0001;
            ip_mask       <= 32'hFFFF_FF00;
            their_ip      <= '0;
            their_port    <= '0;
            my_port       <= '0;
            valid         <= '0;
            arp_discovery <= 1'b0;
            arp_valid_q   <= '0;
            for (int k = 0; k < 256; k = k + 1) begin
                arp_ip_q[k]  <= 32'd0;
                arp_mac_q[k] <= 48'd0;
            end
        end
    end

    // ---- cmac
    localparam [31:0] UP = 32'h0000_0003, DOWN = 32'h0000_0040;  // status and aligned; local fault

    wire        cm_write, cm_read;
    wire [12:0] cm_write_at, cm_read_at;
    wire [31:0] cm_data;
    logic [31:0] cm_found;
    axil_target u_cmac (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axil_awaddr(s_cmac_axil_awaddr),
        .s_axil_awprot(s_cmac_axil_awprot),
        .s_axil_awvalid(s_cmac_axil_awvalid),
        .s_axil_awready(s_cmac_axil_awready),
        .s_axil_wdata(s_cmac_axil_wdata),
        .s_axil_wstrb(s_cmac_axil_wstrb),
        .s_axil_wvalid(s_cmac_axil_wvalid),
        .s_axil_wready(s_cmac_axil_wready),
        .s_axil_bresp(s_cmac_axil_bresp),
        .s_axil_bvalid(s_cmac_axil_bvalid),
        .s_axil_bready(s_cmac_axil_bready),
        .s_axil_araddr(s_cmac_axil_araddr),
        .s_axil_arprot(s_cmac_axil_arprot),
        .s_axil_arvalid(s_cmac_axil_arvalid),
        .s_axil_arready(s_cmac_axil_arready),
        .s_axil_rdata(s_cmac_axil_rdata),
        .s_axil_rresp(s_cmac_axil_rresp),
        .s_axil_rvalid(s_cmac_axil_rvalid),
        .s_axil_rready(s_cmac_axil_rready),
        .write(cm_write),
        .write_at(cm_write_at),
        .write_data(cm_data),
        .read(cm_read),
        .read_at(cm_read_at),
        .read_data(cm_found)
    );

    logic [31:0] reset_q, loopback_q, stale_q;
    logic [2:0]  fec_config_q;
    logic [1:0]  fec_enable_q;
    logic [63:0] shown_q[0:3];  // packets and bytes sent, packets and bytes received
    wire  [31:0] status = link && reset_q == 32'd0 ? UP : DOWN;

    always @(posedge aclk) if (cm_read) begin
        case (cm_read_at)
            13'h0004: cm_found <= reset_q;
            13'h000C: cm_found <= link ? 32'h1 : 32'h10;
            13'h0014: cm_found <= 32'h1;
            13'h0020: cm_found <= 32'h1;
            13'h0090: cm_found <= loopback_q;
            13'h0204: cm_found <= stale_q;
            13'h0500, 13'h0508: cm_found <= shown_q[0][31:0];
            13'h0504, 13'h050C: cm_found <= shown_q[0][63:32];
            13'h0510: cm_found <= shown_q[1][31:0];
            13'h0514: cm_found <= shown_q[1][63:32];
            13'h0608, 13'h0610: cm_found <= shown_q[2][31:0];
            13'h060C, 13'h0614: cm_found <= shown_q[2][63:32];
            13'h0618: cm_found <= shown_q[3][31:0];
            13'h061C: cm_found <= shown_q[3][63:32];
            13'h1000: cm_found <= {29'd0, fec_config_q};
            13'h107C: cm_found <= {30'd0, fec_enable_q};
            default: cm_found <= 32'd0;
        endcase
    end

    always @(posedge aclk) begin
        if (cm_read && cm_read_at == 13'h0204) stale_q <= status;
        if (cm_write) begin
            case (cm_write_at)
                13'h0004: begin
                    reset_q <= cm_data;
                    if (cm_data == 32'd0) rsfec <= fec_enable_q == 2'd3;
                end
                13'h0090: loopback_q <= {31'd0, cm_data[0]};
                13'h02B0:
                if (cm_data[0]) begin
                    shown_q[0] <= packets_q[ETH_OUT];
                    shown_q[1] <= bytes_q[ETH_OUT];
                    shown_q[2] <= packets_q[ETH_IN];
                    shown_q[3] <= bytes_q[ETH_IN];
                end
                13'h1000: fec_config_q <= cm_data[2:0];
                13'h107C: fec_enable_q <= cm_data[1:0];
                default: ;
            endcase
        end
        if (!aresetn) begin
            reset_q      <= 32'd0;
            loopback_q   <= 32'd0;
            stale_q      <= UP;
            fec_config_q <= 3'd0;
            fec_enable_q <= 2'd0;
            rsfec        <= 1'b0;
            for (int k = 0; k < 4; k = k + 1) shown_q[k] <= 64'd0;
        end
    end

    initial
        if (ROWS < 1 || ROWS > 63) begin
            $display("Error: vnx_registers: ROWS is %0d, and 1 to 63 are possible (%m)", ROWS);
            $fatal(1);
        end
endmodule

`default_nettype wire
