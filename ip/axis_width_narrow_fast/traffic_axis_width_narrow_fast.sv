// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_width_narrow_fast - axis_width_narrow_fast under the four shapes of bench_traffic.
`default_nettype none

module traffic_axis_width_narrow_fast #(
    parameter int SET = 0, TRAFFIC = 1000, IN_W = 32, OUT_W = 4, IN_BEATS = 0, OUT_BEATS = 0, GROUP = 8
);
    localparam bit ENDLESS = IN_BEATS == 0;
    wire             aclk, aresetn, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready;
    wire [IN_W-1:0]  s_tdata;
    wire [OUT_W-1:0] m_tdata;

    bench_traffic #(
        .SET(SET), .BEATS(TRAFFIC), .IN_W(IN_W), .OUT_W(OUT_W),
        .ENDLESS(ENDLESS), .UNIT(ENDLESS ? 1 : OUT_BEATS * OUT_W), .UNITS_MAX(1), .LAST(ENDLESS ? 2 : 1), .OFFERED(1)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(), .frames(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_width_narrow_fast #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS), .GROUP(GROUP)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

`default_nettype wire
