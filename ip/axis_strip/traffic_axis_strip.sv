// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_strip - axis_strip under the four shapes of bench_traffic; one beat in 16 or so has a wrong pad bit.
`default_nettype none

module traffic_axis_strip #(
    parameter int SET = 0, TRAFFIC = 1000, N = 1, W = 8, SLOT_W = 8,
    parameter bit SIGNED_EN = 0
);
    localparam int PADS = N * (SLOT_W - W);
    wire                 aclk, aresetn, s_tvalid, s_tready, m_tvalid, m_tready, closing, error_pad;
    wire [N*W-1:0]       fields, m_tdata;
    wire [N*SLOT_W-1:0]  s_tdata;

    bench_traffic #(.SET(SET), .BEATS(TRAFFIC), .IN_W(N * W), .LAST(0)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .frames(),
        .s_axis_tdata(fields), .s_axis_tkeep(), .s_axis_tlast(),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(1'b0),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_strip #(.N(N), .W(W), .SLOT_W(SLOT_W), .SIGNED_EN(SIGNED_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .error_pad(error_pad)
    );

    // A function of the beat's number, so it holds while the beat waits; which pad bit is wrong rotates.
    int                  number, sent, seen;
    logic [N*SLOT_W-1:0] spoil;
    generate
        for (genvar i = 0; i < N; i++) begin : g_slot
            wire signed [W-1:0] field = fields[i*W +: W];
            wire [SLOT_W-1:0]   good  = SIGNED_EN ? SLOT_W'($signed(field)) : SLOT_W'($unsigned(field));
            assign s_tdata[i*SLOT_W +: SLOT_W] = good ^ spoil[i*SLOT_W +: SLOT_W];
        end
    endgenerate
    initial begin
        number = 0; sent = 0; seen = 0; spoil = '0;
    end
    always @(posedge aclk) begin
        if (s_tvalid && s_tready) begin
            number = number + 1;
            if (PADS > 0 && number[3:0] == 4'd5) begin
                spoil <= {{N*SLOT_W-1{1'b0}}, 1'b1} << (number / 16 % N * SLOT_W + W + number / 16 / N % (PADS > 0 ? PADS / N : 1));
                sent  = sent + 1;
            end
            if (number[3:0] == 4'd6) spoil <= '0;
        end
        if (error_pad) seen = seen + 1;
    end
    always @(negedge closing) begin
        if (seen + (spoil != '0 ? 1 : 0) != sent) $fatal(1, "error_pad for %0d of %0d beats (%m)", seen, sent);
        if (PADS > 0 && sent < TRAFFIC / 32) $fatal(1, "only %0d beats were spoilt (%m)", sent);
        // A beat that is yet to come may be counted already.
        sent = spoil != '0 ? 1 : 0;
        seen = 0;
    end
endmodule

`default_nettype wire
