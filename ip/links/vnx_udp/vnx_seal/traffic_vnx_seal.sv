// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_vnx_seal - vnx_seal under the four shapes of bench_traffic; what the seal replaces is put back behind it.
//
// Frames are of 4 beats, for a latency that means something: from the last beat in. With VARIED they are of 1 byte to
// PACKET_BEATS beats.
`default_nettype none

module traffic_vnx_seal #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 512, DEST_W = 16, PACKET_BEATS = 23,
    parameter bit VARIED = 0
);
    localparam int BYTES   = DATA_W / 8;
    localparam int LONGEST = VARIED ? PACKET_BEATS : PACKET_BEATS < 4 ? PACKET_BEATS : 4;

    wire               aclk, aresetn, s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready;
    wire [DATA_W-1:0]  tdata, m_tdata;
    wire [BYTES-1:0]   s_tkeep, m_tkeep;
    wire [DEST_W-1:0]  m_tdest;
    logic              s_first, m_first;
    // Bytes 4 to 7 of packets under way; few packets fit into the block.
    logic [31:0]       covered [0:1023];
    logic [9:0]        in, out;

    wire [31:0] back = m_first ? m_tdata[63:32] ^ covered[out] : 32'd0;

    bench_traffic #(
        .SET(SET), .BEATS(TRAFFIC), .IN_W(DATA_W), .UNIT(8), .UNITS_MIN(VARIED ? 1 : LONGEST * BYTES),
        .UNITS_MAX(LONGEST * BYTES), .KEEP_IN(8), .KEEP_OUT(8), .LATENCY(1 - LONGEST), .STEADY(0)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(), .frames(),
        .s_axis_tdata(tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata ^ (DATA_W'(back) << 32)),
        .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // The bench wants zeros beyond the end of a frame.
    wire [DATA_W-1:0] s_tdata;
    generate
        for (genvar b = 0; b < BYTES; b++) begin : g_byte
            assign s_tdata[8*b +: 8] = tdata[8*b +: 8] & {8{s_tkeep[b]}};
        end
    endgenerate

    vnx_seal #(.DATA_W(DATA_W), .DEST_W(DEST_W), .PACKET_BEATS(PACKET_BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tdest(DEST_W'(in)), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tdest(m_tdest), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    initial begin
        s_first = 1'b1; m_first = 1'b1; in = '0; out = '0;
    end
    always @(posedge aclk) begin
        if (s_tvalid && s_tready) begin
            if (s_first) covered[in] = s_tdata[63:32];
            s_first <= s_tlast;
            if (s_tlast) in <= in + 1'b1;
        end
        if (m_tvalid && m_tdest !== DEST_W'(out)) $fatal(1, "tdest is %h, expected %h (%m)", m_tdest, out);
        if (m_tvalid && m_tready) begin
            m_first <= m_tlast;
            if (m_tlast) out <= out + 1'b1;
        end
        if (!aresetn) begin
            s_first <= 1'b1;
            m_first <= 1'b1;
            in  <= '0;
            out <= '0;
        end
    end
endmodule

`default_nettype wire
