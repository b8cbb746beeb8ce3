// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_tlast - data, TLAST and frame_done of axis_tlast, and the mark of a frame that is too long to run.
`default_nettype none

module axis_tlast_case #(
    parameter int DATA_W = 8, BEATS = 1, REG_EN = 0, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    wire              clock = aclk && !done;
    wire              aresetn, s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast, frame_done;
    wire [DATA_W-1:0] s_tdata, m_tdata;

    bench_stream #(.IN_W(DATA_W), .IN_BEATS(BEATS), .OUT_BEATS(BEATS), .FRAMES(60), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_tlast #(.DATA_W(DATA_W), .BEATS(BEATS), .REG_EN(REG_EN)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done)
    );

    int   given, taken;
    logic ends;
    initial ends = 1'b0;
    always @(posedge clock) begin
        taken <= aresetn ? taken + int'(s_tvalid && s_tready) : 0;
        given <= aresetn ? given + int'(m_tvalid && m_tready) : 0;
        if (aresetn && REG_EN == 0 && (m_tvalid !== s_tvalid || s_tready !== m_tready)) $fatal(1, "the handshake is not wires (%m)");
        if (aresetn && REG_EN != 0 && m_tvalid !== (taken != given)) $fatal(1, "latency is not one cycle (%m)");
        ends <= aresetn && m_tvalid && m_tready && m_tlast;
        if (aresetn && frame_done !== ends) $fatal(1, "frame_done is %b (%m)", frame_done);
    end
endmodule

// The longest frame: its count is put just before its end, after the beginning of the count has been looked at.
module axis_tlast_long #(
    parameter int BEATS = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    logic aresetn, tvalid;
    wire  tready, m_tdata, m_tlast, m_tvalid, frame_done;
    axis_tlast #(.DATA_W(1), .BEATS(BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .s_axis_tdata(1'b1), .s_axis_tvalid(tvalid), .s_axis_tready(tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(1'b1),
        .frame_done(frame_done)
    );
    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; tvalid = 1'b0;
        repeat (2) @(negedge aclk);
        aresetn = 1'b1;
        for (int frame = 0; frame < 3; frame++) begin
            tvalid = 1'b1;
            for (int n = 0; n < 20; n++) begin
                if (m_tlast) $fatal(1, "frame %0d: tlast on beat %0d (%m)", frame, n);
                @(negedge aclk);
            end
            // 20 beats are through; what is left is looked at, then all but 9 of it skipped.
            if (32'(u_dut.g_count.count_q) != 32'(BEATS - 2 - 20)) $fatal(1, "%0d beats are left (%m)", u_dut.g_count.count_q);
            tvalid = 1'b0;
            force u_dut.g_count.count_q = 7;
            @(negedge aclk);
            release u_dut.g_count.count_q;
            tvalid = 1'b1;
            for (int n = 0; n < 9; n++) begin
                if (m_tlast !== (n == 8)) $fatal(1, "frame %0d: tlast is %b, %0d beats before the end (%m)", frame, m_tlast, 8 - n);
                compared = compared + 1;
                @(negedge aclk);
            end
            if (!frame_done) $fatal(1, "frame %0d: no frame_done (%m)", frame);
        end
        done = 1'b1;
    end
endmodule

module tb_axis_tlast;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_tlast_case #(.DATA_W(8), .BEATS(1), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_tlast_case #(.DATA_W(1), .BEATS(2), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_tlast_case #(.DATA_W(33), .BEATS(3), .REG_EN(1), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_tlast_case #(.DATA_W(64), .BEATS(4), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_tlast_case #(.DATA_W(8), .BEATS(5), .REG_EN(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_tlast_case #(.DATA_W(16), .BEATS(17), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_tlast_case #(.DATA_W(8), .BEATS(64), .REG_EN(1), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_tlast_case #(.DATA_W(512), .BEATS(1), .REG_EN(1), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
    axis_tlast_long #(.BEATS(2147483647)) u_8 (.aclk(aclk), .done(done[8]), .compared(compared[287:256]));
endmodule

`default_nettype wire
