// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_broadcast - axis_broadcast under the four shapes of bench_traffic_ports.
`default_nettype none

module traffic_axis_broadcast #(
    parameter int SET = 0, TRAFFIC = 1000, N = 2, DATA_W = 8,
    parameter bit REG_EN = 1
);
    wire                 aclk, aresetn, s_tvalid, s_tready;
    wire [DATA_W-1:0]    s_tdata;
    wire [N*DATA_W-1:0]  m_tdata;
    wire [N-1:0]         m_tvalid, m_tready;

    bench_traffic_ports #(.SET(SET), .M(N), .W(DATA_W), .BEATS(TRAFFIC), .COPY(1), .LAST(0)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(), .sent(), .strays(),
        .s_axis_tdata(s_tdata), .s_axis_tdest(), .s_axis_tlast(), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid({N{32'd0}}), .m_axis_tlast({N{1'b0}}),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_broadcast #(.N(N), .DATA_W(DATA_W), .REG_EN(REG_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

`default_nettype wire
