// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_pad - the proof of axis_pad.
`default_nettype none

module formal_axis_pad #(
    parameter int N         = 1,
    parameter int W         = 8,
    parameter int SLOT_W    = 8,
    parameter bit SIGNED_EN = 0,
    parameter int STALL     = 2
) (
    input wire           aclk,
    input wire           aresetn,
    input wire [N*W-1:0] s_axis_tdata,
    input wire           s_axis_tvalid,
    input wire           m_axis_tready
);

    wire                s_axis_tready, m_axis_tvalid, held;
    wire [N*SLOT_W-1:0] m_axis_tdata;
    wire [N*W-1:0]      fields;

    axis_pad #(.N(N), .W(W), .SLOT_W(SLOT_W), .SIGNED_EN(SIGNED_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    formal_stream #(
        .UNIT(N * W), .SIDE_W(N * SLOT_W), .CAPACITY(0), .PASS(1), .POLITE(1), .QUIET(0), .STALL(STALL),
        .IN_WITHIN(STALL), .OUT_WITHIN(STALL)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_axis_tdata), .s_units(1'b1), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(fields), .m_units(1'b1), .m_side(m_axis_tdata), .m_valid(m_axis_tvalid), .m_ready(m_axis_tready),
        .pending(s_axis_tvalid), .held(held)
    );

    // Slots rebuilt from their fields.
    wire [N*SLOT_W-1:0] expected;
    generate
        for (genvar i = 0; i < N; i++) begin : g_slot
            wire [W-1:0] word = m_axis_tdata[i*SLOT_W +: W];
            assign fields[i*W +: W] = word;
            if (SLOT_W > W) begin : g_fill
                assign expected[i*SLOT_W +: SLOT_W] = {{(SLOT_W - W){SIGNED_EN && word[W-1]}}, word};
            end else begin : g_same
                assign expected[i*SLOT_W +: SLOT_W] = word;
            end
        end
    endgenerate

    always_comb if (aresetn && m_axis_tvalid) fill: assert (m_axis_tdata == expected);

endmodule

`default_nettype wire
