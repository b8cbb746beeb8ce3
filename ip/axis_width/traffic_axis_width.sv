// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_width - axis_width under the four shapes of bench_traffic; m_axis_tlast of an endless stream is 0.
`default_nettype none

module traffic_axis_width #(
    parameter int SET = 0, TRAFFIC = 1000, IN_W = 8, OUT_W = 8, IN_BEATS = 1, OUT_BEATS = 1,
    parameter bit SLICE = 1
);
    localparam logic [63:0] IN_BITS  = 64'(IN_BEATS) * 64'(IN_W);
    localparam logic [63:0] OUT_BITS = 64'(OUT_BEATS) * 64'(OUT_W);
    localparam logic [63:0] BITS     = IN_BITS < OUT_BITS ? IN_BITS : OUT_BITS;
    // No end is seen of a frame that is longer than the run.
    localparam bit ENDLESS = BITS == 0 || BITS > 64'd1000000;
    wire             aclk, aresetn, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready;
    wire [IN_W-1:0]  s_tdata;
    wire [OUT_W-1:0] m_tdata;

    bench_traffic #(
        .SET(SET), .BEATS(TRAFFIC), .IN_W(IN_W), .OUT_W(OUT_W),
        .ENDLESS(ENDLESS), .UNIT(ENDLESS ? 1 : int'(BITS)), .UNITS_MAX(1), .LAST(ENDLESS ? 2 : 1)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(), .frames(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_width #(.IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS), .SLICE(SLICE)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

`default_nettype wire
