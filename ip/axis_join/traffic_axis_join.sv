// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_join - axis_join under the four shapes of bench_traffic_ports; the payloads are equally wide.
`default_nettype none

module traffic_axis_join #(
    parameter int SET = 0, TRAFFIC = 1000, N = 2, SUM_W = 16,
    parameter bit REG_EN = 0
);
    localparam int W = SUM_W / N;
    wire             aclk, aresetn, m_tvalid;
    wire [N*W-1:0]   s_tdata;
    wire [SUM_W-1:0] m_tdata;
    wire [N-1:0]     s_tvalid, s_tready, m_tready;

    bench_traffic_ports #(
        .SET(SET), .N(N), .M(N), .W(W), .BEATS(TRAFFIC), .UNITS_MIN(5), .UNITS_MAX(5), .PAIR(1), .LAST(0)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(), .sent(), .strays(),
        .s_axis_tdata(s_tdata), .s_axis_tdest(), .s_axis_tlast(), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata[N*W-1:0]), .m_axis_tid({N{32'd0}}), .m_axis_tlast({N{1'b0}}),
        .m_axis_tvalid({N{m_tvalid}}), .m_axis_tready(m_tready)
    );

    axis_join #(.N(N), .SUM_W(SUM_W), .REG_EN(REG_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(SUM_W'(s_tdata)), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready[0])
    );
endmodule

`default_nettype wire
