// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_pad - axis_pad under the four shapes of bench_traffic.
`default_nettype none

module traffic_axis_pad #(
    parameter int SET = 0, TRAFFIC = 1000, N = 1, W = 8, SLOT_W = 8,
    parameter bit SIGNED_EN = 0
);
    wire                 aclk, aresetn, s_tvalid, s_tready, m_tvalid, m_tready;
    wire [N*W-1:0]       s_tdata, fields;
    wire [N*SLOT_W-1:0]  m_tdata, padded;

    bench_traffic #(.SET(SET), .BEATS(TRAFFIC), .IN_W(N * W), .LAST(0)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(), .frames(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(fields), .m_axis_tkeep(1'b1), .m_axis_tlast(1'b0),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_pad #(.N(N), .W(W), .SLOT_W(SLOT_W), .SIGNED_EN(SIGNED_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // The fields go to the sink; what they make when padded by arithmetic is the whole word.
    generate
        for (genvar i = 0; i < N; i++) begin : g_field
            wire signed [W-1:0] field = m_tdata[i*SLOT_W +: W];
            assign fields[i*W +: W] = field;
            assign padded[i*SLOT_W +: SLOT_W] = SIGNED_EN ? SLOT_W'($signed(field)) : SLOT_W'($unsigned(field));
        end
    endgenerate
    always @(posedge aclk) if (m_tvalid && m_tdata !== padded) $fatal(1, "got %h, expected %h (%m)", m_tdata, padded);
endmodule

`default_nettype wire
