// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_strip - axis_strip on good and spoilt padding: data, and one error_pad for each spoilt beat.
`default_nettype none

module axis_strip_case #(
    parameter int N = 1, W = 8, SLOT_W = 8, SIGNED_EN = 0, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    wire                 clock = aclk && !done;
    wire                 aresetn, s_tvalid, s_tready, m_tvalid, m_tready, s_tlast, error_pad;
    wire  [N*W-1:0]      fields, m_tdata;
    logic [N*SLOT_W-1:0] s_tdata;

    bench_stream #(.IN_W(N * W), .IN_BEATS(7), .OUT_BEATS(7), .LAST(0), .FRAMES(60), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(fields), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(1'b0), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_strip #(.N(N), .W(W), .SLOT_W(SLOT_W), .SIGNED_EN(SIGNED_EN)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .error_pad(error_pad)
    );

    // In a third of the beats one bit of the padding is wrong; each such bit has its turn.
    localparam int EXTRA = SLOT_W - W;
    localparam bit LATE = N > 256 / SLOT_W;
    int   beat, spoilt, wrong;
    logic expected, expected_late;
    initial begin
        beat = 0; spoilt = 0; expected = 1'b0; expected_late = 1'b0;
    end
    always_comb begin
        for (int i = 0; i < N; i++) begin
            s_tdata[i*SLOT_W +: W] = fields[i*W +: W];
            for (int b = W; b < SLOT_W; b++) s_tdata[i*SLOT_W+b] = SIGNED_EN != 0 && fields[i*W+W-1];
        end
        wrong = (beat / 3) % (N * (EXTRA > 0 ? EXTRA : 1));
        if (EXTRA > 0 && beat % 3 == 0)
            s_tdata[(wrong / EXTRA) * SLOT_W + W + wrong % EXTRA] = !s_tdata[(wrong / EXTRA) * SLOT_W + W + wrong % EXTRA];
    end
    always @(posedge clock) begin
        if (m_tvalid !== s_tvalid || s_tready !== m_tready) $fatal(1, "the handshake is not wires (%m)");
        if (error_pad !== (LATE ? expected_late : expected) && beat > 1) $fatal(1, "beat %0d: error_pad is %b (%m)", beat, error_pad);
        expected <= aresetn && s_tvalid && m_tready && EXTRA > 0 && beat % 3 == 0;
        if (aresetn && s_tvalid && m_tready) beat <= beat + 1;
        expected_late <= aresetn && expected;
        if (expected) spoilt <= spoilt + 1;
    end
    always @(posedge done) if (EXTRA > 0 && spoilt < 600) $fatal(1, "only %0d spoilt beats (%m)", spoilt);
endmodule

module tb_axis_strip;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_strip_case #(.N(1), .W(8), .SLOT_W(8), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_strip_case #(.N(1), .W(21), .SLOT_W(24), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_strip_case #(.N(1), .W(21), .SLOT_W(24), .SIGNED_EN(1), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_strip_case #(.N(16), .W(4), .SLOT_W(8), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_strip_case #(.N(7), .W(4), .SLOT_W(8), .SIGNED_EN(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_strip_case #(.N(3), .W(1), .SLOT_W(8), .SIGNED_EN(1), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_strip_case #(.N(5), .W(3), .SLOT_W(4), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_strip_case #(.N(2), .W(40), .SLOT_W(96), .SIGNED_EN(1), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
    axis_strip_case #(.N(64), .W(4), .SLOT_W(8), .SIGNED_EN(1), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[287:256]));
endmodule

`default_nettype wire
