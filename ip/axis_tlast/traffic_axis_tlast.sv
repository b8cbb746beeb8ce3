// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_tlast - axis_tlast under the four shapes of bench_traffic; of a frame longer than the run no end.
`default_nettype none

module traffic_axis_tlast #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 8, BEATS = 1,
    parameter bit REG_EN = 0
);
    localparam bit LONG = BEATS > 2 * TRAFFIC;
    wire              aclk, aresetn, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready, closing, frame_done;
    wire [DATA_W-1:0] s_tdata, m_tdata;
    int               frames, seen;

    bench_traffic #(
        .SET(SET), .BEATS(TRAFFIC), .IN_W(DATA_W), .UNIT(DATA_W), .UNITS_MIN(LONG ? 8 : BEATS),
        .UNITS_MAX(LONG ? 8 : BEATS), .LAST(LONG ? 2 : 1)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .frames(frames),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_tlast #(.DATA_W(DATA_W), .BEATS(BEATS), .REG_EN(REG_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done)
    );

    initial seen = 0;
    always @(posedge frame_done) seen = BEATS == 1 ? seen : seen + 1;
    always @(negedge closing) begin
        if (BEATS > 1 && seen != (LONG ? 0 : frames)) $fatal(1, "frame_done for %0d of %0d frames (%m)", seen, frames);
        seen = 0;
    end
endmodule

`default_nettype wire
