// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_seal - packets of all lengths through vnx_seal: bytes, checksum, order, pauses, and what link_aresetn cuts off.
`default_nettype none

module vnx_seal_case #(
    parameter int DATA_W = 512, PACKET_BEATS = 23, PACKETS = 100, CUTS = 0, SEED = 1
) (
    input  wire  aclk,
    output logic done,
    output int   compared
);
    localparam int KEEP_W = DATA_W / 8;
    localparam int DEST_W = 16;
    localparam int W      = 1 + DEST_W + KEEP_W + DATA_W;
    localparam int MOST   = PACKETS * PACKET_BEATS;

    logic              aresetn, link_aresetn, s_tlast, s_tvalid, m_tready;
    logic [DATA_W-1:0] s_tdata;
    logic [KEEP_W-1:0] s_tkeep;
    logic [DEST_W-1:0] s_tdest;
    wire               s_tready, m_tlast, m_tvalid;
    wire  [DATA_W-1:0] m_tdata;
    wire  [KEEP_W-1:0] m_tkeep;
    wire  [DEST_W-1:0] m_tdest;

    vnx_seal #(.DATA_W(DATA_W), .DEST_W(DEST_W), .PACKET_BEATS(PACKET_BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tdest(m_tdest), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_checker #(.DATA_W(1 + DATA_W + KEEP_W + DEST_W)) u_checker (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({m_tlast, m_tdest, m_tkeep, m_tdata}),
        .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    // Beats of packets that came whole, and of the one under way; whole counts the former.
    logic [W-1:0]      expected [0:MOST-1];
    logic [DATA_W-1:0] first;
    logic [31:0]       remainder;
    int seed, made, whole, beats, seen, packets, left, cycle, low, idle, longest_idle;
    logic              under_way;

    function automatic logic [31:0] stepped(input logic [31:0] old, input logic [DATA_W-1:0] beat,
                                            input logic [KEEP_W-1:0] keep);
        stepped = old;
        for (int j = 0; j < DATA_W; j++)
            stepped = (stepped >> 1) ^ (stepped[0] != (beat[j] && keep[j / 8]) ? 32'h82F63B78 : 32'd0);
    endfunction

    function automatic logic [DATA_W-1:0] noise(input logic unused);
        for (int k = 0; k < DATA_W; k += 32) noise[k +: 32] = $random(seed);
    endfunction

    function automatic int below(input int most);
        below = int'($unsigned($random(seed)) % $unsigned(most));
    endfunction

    initial begin
        done = 1'b0; compared = 0; seed = SEED; made = 0; whole = 0; beats = 0; seen = 0; packets = 0; cycle = 0;
        low = 0; idle = 0; longest_idle = 0; left = 0; under_way = 1'b0;
        aresetn = 1'b0; link_aresetn = 1'b0; s_tvalid = 1'b0; m_tready = 1'b0; remainder = '1;
        s_tdata = '0; s_tkeep = '0; s_tdest = '0; s_tlast = 1'b0; first = '0;
    end

    // In the second half nobody waits, and no packet is cut off.
    wire full_rate = packets > PACKETS / 2;

    always @(posedge aclk) if (!done) begin
        cycle = cycle + 1;

        // What left.
        if (m_tvalid && m_tready && aresetn) begin
            if (seen >= whole) $fatal(1, "beat %0d left before its packet was whole (%m)", seen);
            if ({m_tlast, m_tdest, m_tkeep, m_tdata} !== expected[seen])
                $fatal(1, "beat %0d is %h, expected %h (%m)", seen, {m_tlast, m_tdest, m_tkeep, m_tdata}, expected[seen]);
            seen = seen + 1;
            compared = compared + 1;
            under_way = !m_tlast;
        end else if (under_way && m_tready && !m_tvalid) $fatal(1, "a pause in a packet, behind beat %0d (%m)", seen);
        idle = m_tvalid || seen == whole ? 0 : idle + 1;
        if (full_rate && idle > longest_idle) longest_idle = idle;
        done <= packets == PACKETS && left == 0 && seen == whole && idle == 0 && cycle > 100;

        // What was taken, by the state of this very cycle.
        if (s_tvalid && s_tready && aresetn && link_aresetn) begin
            if (beats == whole) begin
                remainder = '1;
                first = s_tdata;
                remainder = stepped(remainder, s_tdata & ~(DATA_W'(32'hFFFF_FFFF) << 32), s_tkeep);
            end else remainder = stepped(remainder, s_tdata, s_tkeep);
            expected[beats] = {s_tlast, s_tdest, s_tkeep, s_tdata};
            if (s_tlast) expected[whole][63:32] = ~remainder;
            beats = beats + 1;
            if (s_tlast) whole = beats;
        end
        if (!link_aresetn) beats = whole;

        // What comes next: an offer stays until it is taken, but a reset ends it.
        aresetn <= cycle > 3;
        if (low > 0) begin
            low = low - 1;
            if (low == 0) left = 0;
        end else if (CUTS != 0 && !full_rate && below(40) == 0) low = 1 + below(9);
        link_aresetn <= low == 0 && cycle > 3;
        m_tready <= full_rate || below(3) != 0;
        if (low > 0 ? below(2) == 0 : !s_tvalid || s_tready) begin
            if (left == 0 && packets < PACKETS && cycle > 8) begin
                left = packets % 4 == 0 ? PACKET_BEATS : 1 + below(PACKET_BEATS);
                packets = packets + 1;
                s_tdest <= 16'($random(seed));
            end
            s_tvalid <= 1'b0;
            if (left > 0 && (full_rate || below(3) != 0)) begin
                s_tvalid <= 1'b1;
                s_tdata  <= noise(1'b0);
                s_tlast  <= left == 1;
                s_tkeep  <= left == 1 ? {KEEP_W{1'b1}} >> below(KEEP_W > 8 ? KEEP_W : 1) : '1;
                left = left - 1;
            end
        end
        if (low == 1) begin
            s_tvalid <= 1'b0;
            left = 0;
        end
    end

    always @(posedge done) if (longest_idle > PACKET_BEATS + 8)
        $fatal(1, "whole packets waited for %0d cycles (%m)", longest_idle);
endmodule

module tb_vnx_seal;
    localparam int N = 4;
    logic            aclk;
    wire  [N-1:0]    done;
    wire  [N*32-1:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    vnx_seal_case #(.DATA_W(64), .PACKET_BEATS(5), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    vnx_seal_case #(.DATA_W(64), .PACKET_BEATS(9), .CUTS(1), .PACKETS(300), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    vnx_seal_case #(.DATA_W(512), .PACKET_BEATS(23), .CUTS(1), .PACKETS(24), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    vnx_seal_case #(.DATA_W(64), .PACKET_BEATS(1), .CUTS(1), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
