// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width_narrow_fast - many ratios and frames of axis_width_narrow_fast against the bit-string reference.
`default_nettype none

module axis_width_narrow_fast_case #(
    parameter int IN_W = 32, OUT_W = 4, IN_BEATS = 1, OUT_BEATS = 8, FRAMES = 20, GROUP = 8,
    parameter bit ENDLESS = 0
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    // A case that is done costs no more time.
    wire              clock = aclk && !done;
    wire              aresetn, s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast;
    wire [IN_W-1:0]   s_tdata;
    wire [OUT_W-1:0]  m_tdata;

    // To the bench an endless stream is one of whole frames that have no end mark.
    bench_stream #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS), .LAST(!ENDLESS),
        .FRAMES(FRAMES), .SEED(IN_W + OUT_W + IN_BEATS)
    ) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_width_narrow_fast #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(ENDLESS ? 0 : IN_BEATS), .OUT_BEATS(ENDLESS ? 0 : OUT_BEATS),
        .GROUP(GROUP)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    logic in_reset_q;
    always @(posedge clock) begin
        in_reset_q <= !aresetn;
        if (!aresetn && in_reset_q && s_tready === 1'b1) $fatal(1, "tready in reset (%m)");
        if (ENDLESS && aresetn && m_tvalid && m_tlast !== 1'b0) $fatal(1, "tlast in an endless stream (%m)");
    end

    wire unused = &{1'b0, s_tlast};
endmodule

`define CASE(K) u_``K (.aclk(aclk), .done(done[K]), .compared(compared[K*32 +: 32]))

module tb_axis_width_narrow_fast;
    localparam int N = 24;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // one place, two, many; ratios that fill the last place and that do not
    axis_width_narrow_fast_case #(.IN_W(2), .OUT_W(1), .IN_BEATS(1), .OUT_BEATS(2), .GROUP(2)) `CASE(0);
    axis_width_narrow_fast_case #(.IN_W(16), .OUT_W(8), .IN_BEATS(3), .OUT_BEATS(6), .GROUP(8)) `CASE(1);
    axis_width_narrow_fast_case #(.IN_W(15), .OUT_W(5), .IN_BEATS(2), .OUT_BEATS(6), .GROUP(2)) `CASE(2);
    axis_width_narrow_fast_case #(.IN_W(32), .OUT_W(4), .IN_BEATS(2), .OUT_BEATS(16), .GROUP(4)) `CASE(3);
    axis_width_narrow_fast_case #(.IN_W(32), .OUT_W(8), .IN_BEATS(3), .OUT_BEATS(12), .GROUP(2)) `CASE(4);
    axis_width_narrow_fast_case #(.IN_W(35), .OUT_W(7), .IN_BEATS(2), .OUT_BEATS(10), .GROUP(4)) `CASE(5);
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(1), .OUT_BEATS(16), .GROUP(8)) `CASE(6);
    axis_width_narrow_fast_case #(.IN_W(85), .OUT_W(5), .IN_BEATS(3), .OUT_BEATS(51), .GROUP(8)) `CASE(7);
    axis_width_narrow_fast_case #(.IN_W(512), .OUT_W(8), .IN_BEATS(2), .OUT_BEATS(128), .FRAMES(8)) `CASE(8);
    axis_width_narrow_fast_case #(.IN_W(512), .OUT_W(64), .IN_BEATS(2), .OUT_BEATS(16), .GROUP(2)) `CASE(9);
    // the last beat ends in each place, in its first part, its last, and in the first part of all
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(2), .OUT_BEATS(17), .GROUP(8)) `CASE(10);
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(2), .OUT_BEATS(18), .GROUP(4)) `CASE(11);
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(3), .OUT_BEATS(36), .GROUP(4)) `CASE(12);
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(3), .OUT_BEATS(37), .GROUP(4)) `CASE(13);
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(4), .OUT_BEATS(57), .GROUP(8)) `CASE(14);
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(1), .OUT_BEATS(1), .FRAMES(60), .GROUP(8)) `CASE(15);
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(1), .OUT_BEATS(9), .GROUP(8)) `CASE(16);
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(1), .OUT_BEATS(15), .GROUP(2)) `CASE(17);
    axis_width_narrow_fast_case #(.IN_W(8), .OUT_W(4), .IN_BEATS(3), .OUT_BEATS(5), .FRAMES(40), .GROUP(2)) `CASE(18);
    axis_width_narrow_fast_case #(.IN_W(8), .OUT_W(4), .IN_BEATS(2), .OUT_BEATS(3), .FRAMES(40), .GROUP(2)) `CASE(19);
    axis_width_narrow_fast_case #(.IN_W(21), .OUT_W(3), .IN_BEATS(5), .OUT_BEATS(29), .GROUP(4)) `CASE(20);
    // endless
    axis_width_narrow_fast_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(1), .OUT_BEATS(16), .ENDLESS(1)) `CASE(21);
    axis_width_narrow_fast_case #(.IN_W(12), .OUT_W(4), .IN_BEATS(1), .OUT_BEATS(3), .GROUP(2), .ENDLESS(1)) `CASE(22);
    axis_width_narrow_fast_case #(.IN_W(300), .OUT_W(1), .IN_BEATS(1), .OUT_BEATS(300), .FRAMES(3), .ENDLESS(1)) `CASE(23);
endmodule

`undef CASE
`default_nettype wire
