// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_strip - the proof of axis_strip.
`default_nettype none

module formal_axis_strip #(
    parameter int N         = 1,
    parameter int W         = 8,
    parameter int SLOT_W    = 8,
    parameter bit SIGNED_EN = 0,
    parameter int STALL     = 2
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [N*SLOT_W-1:0] s_axis_tdata,
    input wire                s_axis_tvalid,
    input wire                m_axis_tready
);

    wire           s_axis_tready, m_axis_tvalid, error_pad, held;
    wire [N*W-1:0] m_axis_tdata, fields;
    logic          wrong, wrong_q, wrong2_q;

    axis_strip #(.N(N), .W(W), .SLOT_W(SLOT_W), .SIGNED_EN(SIGNED_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .error_pad(error_pad)
    );

    formal_stream #(
        .UNIT(N * W), .CAPACITY(0), .PASS(1), .QUIET(0), .STALL(STALL), .IN_WITHIN(STALL), .OUT_WITHIN(STALL)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(fields), .s_units(1'b1), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_axis_tdata), .m_units(1'b1), .m_side(1'b0), .m_valid(m_axis_tvalid), .m_ready(m_axis_tready),
        .pending(s_axis_tvalid), .held(held)
    );

    // Whole slots wait at the input, padding too.
    formal_source #(.DATA_W(N * SLOT_W), .POLITE(1), .QUIET(0)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata(s_axis_tdata), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );

    generate
        for (genvar i = 0; i < N; i++) begin : g_slot
            assign fields[i*W +: W] = s_axis_tdata[i*SLOT_W +: W];
        end
    endgenerate

    always_comb begin
        wrong = 1'b0;
        for (int i = 0; i < N; i++) begin
            for (int k = W; k < SLOT_W; k++) begin
                if (s_axis_tdata[i*SLOT_W+k] != (SIGNED_EN && s_axis_tdata[i*SLOT_W+W-1])) wrong = 1'b1;
            end
        end
    end
    always_ff @(posedge aclk) wrong_q <= aresetn && s_axis_tvalid && s_axis_tready && wrong;
    // A beat of more than 256 bits is checked in two steps.
    always_ff @(posedge aclk) wrong2_q <= aresetn && wrong_q;
    always_comb if (aresetn) pulse_pad: assert (error_pad == (N * SLOT_W > 256 ? wrong2_q : wrong_q));

endmodule

`default_nettype wire
