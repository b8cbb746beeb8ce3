// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_width_narrow - axis_width_narrow under the four shapes of bench_traffic, frames of 1 to 8 wide beats.
`default_nettype none

module traffic_axis_width_narrow #(
    parameter int SET = 0, TRAFFIC = 1000, IN_W = 16, OUT_W = 8,
    parameter bit SLICE = 1,
    parameter int TIE_S_AXIS_TLAST = -1
);
    wire             aclk, aresetn, s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready;
    wire [IN_W-1:0]  s_tdata;
    wire [OUT_W-1:0] m_tdata;

    bench_traffic #(
        .SET(SET), .BEATS(TRAFFIC), .IN_W(IN_W), .OUT_W(OUT_W), .LAST(TIE_S_AXIS_TLAST == 0 ? 2 : 1),
        .OFFERED(1)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(), .frames(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_width_narrow #(.IN_W(IN_W), .OUT_W(OUT_W), .SLICE(SLICE)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(TIE_S_AXIS_TLAST != 0 && s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

`default_nettype wire
