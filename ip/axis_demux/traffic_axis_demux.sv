// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_demux - axis_demux under the four shapes of bench_traffic_ports; every output that DEST_W can name is named.
`default_nettype none

module traffic_axis_demux #(
    parameter int SET = 0, TRAFFIC = 1000, N = 2, DATA_W = 8, DEST_W = 1,
    parameter bit REG_EN = 1
);
    wire                 aclk, aresetn, closing, s_tlast, s_tvalid, s_tready, error_dest;
    wire [DATA_W-1:0]    s_tdata;
    wire [31:0]          s_tdest;
    wire [N*DATA_W-1:0]  m_tdata;
    wire [N-1:0]         m_tlast, m_tvalid, m_tready;
    int                  strays, seen;

    bench_traffic_ports #(.SET(SET), .M(N), .W(DATA_W), .BEATS(TRAFFIC * (1 << DEST_W) / N), .DESTS(1 << DEST_W)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .sent(), .strays(strays),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid({N{32'd0}}), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_demux #(.N(N), .DATA_W(DATA_W), .DEST_W(DEST_W), .REG_EN(REG_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest[DEST_W-1:0]), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .error_dest(error_dest)
    );

    initial seen = 0;
    always @(posedge aclk) if (error_dest) seen = seen + 1;
    always @(negedge closing) begin
        if (seen != strays) $fatal(1, "error_dest for %0d of %0d packets (%m)", seen, strays);
        seen = 0;
    end
endmodule

`default_nettype wire
