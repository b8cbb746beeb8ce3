// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_pad - every bit of axis_pad against the definition, its handshake against wires.
`default_nettype none

module axis_pad_case #(
    parameter int N = 1, W = 8, SLOT_W = 8, SIGNED_EN = 0, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    wire                clock = aclk && !done;
    wire                aresetn, s_tvalid, s_tready, m_tvalid, m_tready, s_tlast;
    wire [N*W-1:0]      s_tdata, back;
    wire [N*SLOT_W-1:0] m_tdata;

    axis_pad #(.N(N), .W(W), .SLOT_W(SLOT_W), .SIGNED_EN(SIGNED_EN)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // The fields as they must lie in the slots, for the reference stream.
    generate
        for (genvar i = 0; i < N; i++) begin : g_back
            assign back[i*W +: W] = m_tdata[i*SLOT_W +: W];
        end
    endgenerate

    bench_stream #(.IN_W(N * W), .IN_BEATS(7), .OUT_BEATS(7), .LAST(0), .FRAMES(60), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(back), .m_axis_tlast(1'b0), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    logic fill;
    always @(posedge clock) begin
        if (m_tvalid !== s_tvalid || s_tready !== m_tready) $fatal(1, "the handshake is not wires (%m)");
        if (m_tvalid)
            for (int i = 0; i < N; i++) begin
                fill = SIGNED_EN != 0 && s_tdata[i*W+W-1];
                for (int b = W; b < SLOT_W; b++)
                    if (m_tdata[i*SLOT_W+b] !== fill) $fatal(1, "slot %0d bit %0d is %b (%m)", i, b, m_tdata[i*SLOT_W+b]);
            end
    end
endmodule

module tb_axis_pad;
    localparam int N = 8;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_pad_case #(.N(1), .W(8), .SLOT_W(8), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_pad_case #(.N(1), .W(21), .SLOT_W(24), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_pad_case #(.N(1), .W(21), .SLOT_W(24), .SIGNED_EN(1), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_pad_case #(.N(16), .W(4), .SLOT_W(8), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_pad_case #(.N(7), .W(4), .SLOT_W(8), .SIGNED_EN(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_pad_case #(.N(3), .W(1), .SLOT_W(8), .SIGNED_EN(1), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_pad_case #(.N(5), .W(3), .SLOT_W(4), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_pad_case #(.N(2), .W(40), .SLOT_W(96), .SIGNED_EN(1), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
endmodule

`default_nettype wire
