// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_register - axis_register under the four shapes of bench_traffic.
`default_nettype none

module traffic_axis_register #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 8, CUT = 0
);
    wire              aclk, aresetn, s_tvalid, s_tready, m_tvalid, m_tready;
    wire [DATA_W-1:0] s_tdata, m_tdata;

    bench_traffic #(.SET(SET), .BEATS(TRAFFIC), .IN_W(DATA_W), .LAST(0), .SLOW(CUT == 3 ? 2 : 1)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(), .frames(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(1'b0),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_register #(.DATA_W(DATA_W), .CUT(CUT)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

`default_nettype wire
