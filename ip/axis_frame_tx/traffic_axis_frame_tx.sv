// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_frame_tx - axis_frame_tx under the four shapes of bench_traffic, frames of 1 to 8 beats.
`default_nettype none

module traffic_axis_frame_tx #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 8, LAST_BYTES = DATA_W / 8
);
    localparam int KEEP_W = DATA_W / 8;
    wire              aclk, aresetn, s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready, closing, frame_done;
    wire [DATA_W-1:0] s_tdata, m_tdata;
    wire [KEEP_W-1:0] m_tkeep;
    int               frames, seen;

    bench_traffic #(.SET(SET), .BEATS(TRAFFIC), .IN_W(DATA_W)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .frames(frames),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_frame_tx #(.DATA_W(DATA_W), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .frames(16'd1), .drain(1'b0), .drained(),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .frame_done(frame_done)
    );

    // LAST_BYTES is of the block, not of the data: every bit of the last beat is compared.
    wire [KEEP_W-1:0] keep = m_tlast ? {KEEP_W{1'b1}} >> (KEEP_W - LAST_BYTES) : {KEEP_W{1'b1}};
    initial seen = 0;
    always @(posedge aclk) begin
        if (m_tvalid && m_tkeep !== keep) $fatal(1, "tkeep is %b, expected %b (%m)", m_tkeep, keep);
        if (frame_done) seen = seen + 1;
    end
    always @(negedge closing) begin
        if (seen != frames) $fatal(1, "frame_done for %0d of %0d frames (%m)", seen, frames);
        seen = 0;
    end
endmodule

`default_nettype wire
