// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_fifo - axis_fifo under the four shapes of bench_traffic; `level` is 0 at the end of each.
`default_nettype none

module traffic_axis_fifo #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 8, DEPTH = 16, STORE = 0,
    parameter bit OUT_REG = 0
);
    wire                       aclk, aresetn, s_tvalid, s_tready, m_tvalid, m_tready, closing;
    wire [DATA_W-1:0]          s_tdata, m_tdata;
    wire [$clog2(DEPTH+2)-1:0] level;

    bench_traffic #(.SET(SET), .BEATS(TRAFFIC), .IN_W(DATA_W), .LAST(0)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .frames(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(1'b0),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH), .STORE(STORE), .OUT_REG(OUT_REG)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .level(level)
    );

    always @(posedge closing) if (level !== '0) $fatal(1, "level is %0d of an empty FIFO (%m)", level);
endmodule

`default_nettype wire
