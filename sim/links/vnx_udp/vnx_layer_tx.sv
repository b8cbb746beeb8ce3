// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_layer_tx - simulation only: the transmit side of VNx's networklayer (sk2nl), a datagram for each TLAST.
//
// TDEST, sampled on the first beat only, is the row of the socket table that gives addresses and ports. A packet is stored whole
// before it leaves, since its length comes first: a FIFO of 256 beats; a longer packet never leaves, nor does anything after
// it. Nothing is cut to an MTU. A row that is not valid discards the packet; one whose next hop is not in the ARP table
// drops it and asks for the address. The next hop is the gateway unless the far address lies in the *gateway's* subnet, and the
// table is looked up by the last octet alone.
//
// `faults` are what a core must never do: a row beyond the table (undefined in the stack), over 256 beats, TKEEP that is
// not full or has holes, what was offered is taken back or changed, a packet that does not go on.
//
// Throughput: 1 + ceil((42 + P) / 64) cycles for P bytes.
// Parameters: ROWS   of the socket table
//             QUIET  cycles without a beat after which a packet that has begun is called unended
// Source:     udp and ethernet_header_inserter of github.com/hpcn-uam/100G-fpga-network-stack-core
`default_nettype none

module vnx_layer_tx #(
    parameter int ROWS  = 16,
    parameter int QUIET = 4096
) (
    input  wire               aclk,
    input  wire               aresetn,
    input  wire               pause,
    input  wire [31:0]        ip,
    input  wire [31:0]        ip_mask,
    input  wire [31:0]        gateway,
    input  wire [47:0]        mac,
    input  wire [32*ROWS-1:0] their_ip,
    input  wire [16*ROWS-1:0] their_port,
    input  wire [16*ROWS-1:0] my_port,
    input  wire [ROWS-1:0]    valid,
    output wire [7:0]         arp_at,
    input  wire               arp_valid,
    input  wire [47:0]        arp_mac,
    input  wire               hold,         // no packet may begin
    output wire               busy,         // one is under way
    output wire               ask,          // a pulse: dropped for ask_ip is not known
    output wire [31:0]        ask_ip,

    input  wire [511:0]       s_axis_tdata,
    input  wire [63:0]        s_axis_tkeep,
    input  wire [15:0]        s_axis_tdest,
    input  wire               s_axis_tlast,
    input  wire               s_axis_tvalid,
    output wire               s_axis_tready,

    output wire [511:0]       m_axis_tdata,
    output wire [6:0]         m_axis_bytes,
    output wire               m_axis_tlast,
    output wire               m_axis_tvalid,
    input  wire               m_axis_tready,

    output wire [4:0]         faults,
    output wire [31:0]        swallowed,    // packets to rows that are not valid
    output wire [31:0]        unresolved    // packets to unknown addresses
);
    localparam int BEATS  = 256;
    localparam int HEADER = 42;
    localparam int ROW_W  = ROWS < 2 ? 1 : $clog2(ROWS);

    // ---- what comes; `packets` hold the row and the bytes of those that are whole
    logic [511:0] store[0:BEATS-1];
    logic [31:0]  packets[0:BEATS-1];
    logic [31:0]  write_q, read_q, whole_q, begun_q;  // beats and packets, counted on
    logic [15:0]  row_q, beats_q;
    logic         first_q;

    wire         fire  = s_axis_tvalid && s_axis_tready;
    wire  [15:0] row   = first_q ? s_axis_tdest : row_q;
    logic [6:0]  count;
    logic [511:0] kept;

    assign s_axis_tready = aresetn && !pause && write_q - read_q < BEATS && whole_q - begun_q < BEATS;

    always_comb begin
        count = 7'd64;
        kept  = s_axis_tdata;
        if (s_axis_tkeep != '1) begin
            count = 7'd0;
            for (int i = 0; i < 64; i++) begin
                if (s_axis_tkeep[i]) count = 7'(i + 1);
                else kept[8*i+:8] = 8'd0;
            end
        end
    end

    always_ff @(posedge aclk) begin
        if (fire) begin
            store[write_q%BEATS] <= kept;
            write_q              <= write_q + 32'd1;
            row_q                <= row;
            first_q              <= s_axis_tlast;
            beats_q              <= s_axis_tlast ? 16'd0 : beats_q + 16'd1;
            if (s_axis_tlast) begin
                packets[whole_q%BEATS] <= {row, beats_q * 16'd64 + 16'(count)};
                whole_q                <= whole_q + 32'd1;
            end
        end
        if (!aresetn) begin
            write_q <= 32'd0;
            whole_q <= 32'd0;
            beats_q <= 16'd0;
            first_q <= 1'b1;
        end
    end

    // ---- what leaves
    logic         send_q;
    logic [15:0]  left_q;   // bytes of the frame still to be sent
    logic [15:0]  taken_q;  // payload beats still to be taken
    logic [335:0] carry_q;  // the header, then what of a payload beat did not fit
    logic [31:0]  swallowed_q, unresolved_q;

    wire [15:0]      next_row, bytes;
    assign {next_row, bytes} = packets[begun_q%BEATS];
    wire             known = next_row < 16'(ROWS);
    wire [ROW_W-1:0] at    = known ? ROW_W'(next_row) : '0;
    wire [31:0]      far   = their_ip[32*at+:32];
    wire [31:0]      hop   = ((far ^ gateway) & ip_mask) == 32'd0 ? far : gateway;
    wire             begins = !send_q && !hold && begun_q != whole_q;
    wire             open   = known && valid[at];
    wire             goes   = begins && open && arp_valid;
    wire             out_go = send_q && m_axis_tready;
    wire [511:0]     piece  = taken_q != 16'd0 ? store[read_q%BEATS] : '0;
    wire [15:0]      beats  = (bytes + 16'd63) / 16'd64;

    assign arp_at = hop[7:0];
    assign ask    = begins && open && !arp_valid;
    assign ask_ip = hop;
    assign busy   = send_q;

    function automatic logic [335:0] header(input logic [15:0] length, input logic [ROW_W-1:0] of);
        logic [159:0] ipv4;
        logic [31:0]  sum;
        logic [335:0] whole;
        ipv4 = {8'h45, 8'h00, length + 16'd28, 32'd0, 8'd64, 8'd17, 16'd0, ip, their_ip[32*of+:32]};
        sum  = 32'd0;
        for (int i = 0; i < 10; i++) sum = sum + 32'(ipv4[16*i+:16]);
        sum  = 32'(sum[15:0]) + 32'(sum[31:16]);
        sum  = 32'(sum[15:0]) + 32'(sum[31:16]);
        ipv4[79:64] = ~sum[15:0];
        whole = {arp_mac, mac, 16'h0800, ipv4, my_port[16*of+:16], their_port[16*of+:16], length + 16'd8, 16'd0};
        header = '0;
        for (int i = 0; i < HEADER; i++) header[8*i+:8] = whole[8*(HEADER-1-i)+:8];
    endfunction

    always_ff @(posedge aclk) begin
        if (begins) begin
            begun_q <= begun_q + 32'd1;
            if (goes) begin
                send_q  <= 1'b1;
                left_q  <= bytes + 16'(HEADER);
                taken_q <= beats;
                carry_q <= header(bytes, at);
            end else begin
                read_q <= read_q + 32'(beats);
                if (open) unresolved_q <= unresolved_q + 32'd1;
                else swallowed_q <= swallowed_q + 32'd1;
            end
        end
        if (out_go) begin
            carry_q <= piece[511:176];
            left_q  <= left_q - 16'd64;
            send_q  <= left_q > 16'd64;
            if (taken_q != 16'd0) begin
                taken_q <= taken_q - 16'd1;
                read_q  <= read_q + 32'd1;
            end
        end
        if (!aresetn) begin
            begun_q      <= 32'd0;
            read_q       <= 32'd0;
            send_q       <= 1'b0;
            swallowed_q  <= 32'd0;
            unresolved_q <= 32'd0;
        end
    end

    assign m_axis_tdata  = {piece[175:0], carry_q};
    assign m_axis_tlast  = left_q <= 16'd64;
    assign m_axis_bytes  = m_axis_tlast ? 7'(left_q) : 7'd64;
    assign m_axis_tvalid = send_q;
    assign swallowed     = swallowed_q;
    assign unresolved    = unresolved_q;

    // ---- what no core may do
    logic [4:0]   faults_q;
    logic         waits_q;
    logic [592:0] offer_q;
    logic [31:0]  quiet_q;

    wire [592:0] offer = {s_axis_tlast, s_axis_tdest, s_axis_tkeep, s_axis_tdata};
    wire         holes = (s_axis_tkeep & (s_axis_tkeep + 64'd1)) != 64'd0;
    wire         bad   = s_axis_tlast ? count == 7'd0 || holes : s_axis_tkeep != '1;

    always_ff @(posedge aclk) begin
        waits_q <= s_axis_tvalid && !s_axis_tready;
        if (s_axis_tvalid && !s_axis_tready) offer_q <= offer;
        quiet_q <= first_q || fire || !s_axis_tready ? 32'd0 : quiet_q + 32'd1;
        if (fire && first_q && s_axis_tdest >= 16'(ROWS)) faults_q[0] <= 1'b1;
        if (write_q - read_q == BEATS && begun_q == whole_q && !send_q) faults_q[1] <= 1'b1;
        if (fire && bad) faults_q[2] <= 1'b1;
        if (waits_q && (!s_axis_tvalid || offer != offer_q)) faults_q[3] <= 1'b1;
        if (quiet_q == QUIET) faults_q[4] <= 1'b1;
        if (!aresetn) begin
            faults_q <= 5'd0;
            waits_q  <= 1'b0;
            quiet_q  <= 32'd0;
        end
    end
    assign faults = faults_q;
endmodule

`default_nettype wire
