// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_accl_gate - accl_gate under the four shapes of bench_traffic, with grants as accl_command gives them, but at once.
`default_nettype none

module traffic_accl_gate #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 8, BEATS = 1
);
    wire              aclk, aresetn, s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready, closing, frame_done;
    wire              request;
    wire [DATA_W-1:0] s_tdata, m_tdata;
    int               frames, seen;
    logic             grant_q;

    bench_traffic #(
        .SET(SET), .BEATS(TRAFFIC), .IN_W(DATA_W), .UNIT(DATA_W), .UNITS_MIN(BEATS), .UNITS_MAX(BEATS), .STEADY(0)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .frames(frames),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    accl_gate #(.DATA_W(DATA_W), .BEATS(BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn), .drain(1'b0), .drained(),
        .request(request), .chosen(grant_q), .grant(grant_q),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done)
    );

    always_ff @(posedge aclk) grant_q <= aresetn && (grant_q ? !(m_tvalid && m_tready && m_tlast) : request);

    initial seen = 0;
    always @(posedge aclk) if (frame_done) seen = seen + 1;
    always @(negedge closing) begin
        if (seen != frames) $fatal(1, "frame_done for %0d of %0d frames (%m)", seen, frames);
        seen = 0;
    end
endmodule

`default_nettype wire
