// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width - many parameter sets of axis_width at once, with the slice and without, each against the
// bit-string reference. The engines axis_width_up, _stack and _down are checked here too.
`default_nettype none

module axis_width_case #(
    parameter int IN_W = 8, OUT_W = 8, IN_BEATS = 1, OUT_BEATS = 1, ENDLESS = 0, SLICE = 1, FRAMES = 20, SEED = 1
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
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS), .LAST(ENDLESS == 0),
        .FRAMES(FRAMES), .SEED(SEED)
    ) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_width #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(ENDLESS != 0 ? 0 : IN_BEATS),
        .OUT_BEATS(ENDLESS != 0 ? 0 : OUT_BEATS), .SLICE(SLICE != 0)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .m_axis_tlast(m_tlast)
    );

    always @(posedge clock) begin
        if (ENDLESS != 0 && aresetn && m_tvalid && m_tlast !== 1'b0) $fatal(1, "tlast in an endless stream (%m)");
    end

    wire unused = &{1'b0, s_tlast};
endmodule

`define CASE(K, I, O, IB, OB, F, E) \
    axis_width_case #( \
        .IN_W(I), .OUT_W(O), .IN_BEATS(IB), .OUT_BEATS(OB), .ENDLESS(E), .SLICE(1), .FRAMES(F), .SEED(K + 1) \
    ) u_slice_``K (.aclk(aclk), .done(done[2*K]), .compared(compared[2*K*32 +: 32])); \
    axis_width_case #( \
        .IN_W(I), .OUT_W(O), .IN_BEATS(IB), .OUT_BEATS(OB), .ENDLESS(E), .SLICE(0), .FRAMES(F), .SEED(K + 1) \
    ) u_bare_``K (.aclk(aclk), .done(done[2*K+1]), .compared(compared[(2*K+1)*32 +: 32]));

module tb_axis_width;
    localparam int N = 2 * 49;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // equal widths: one, two, odd
    `CASE(0, 8, 8, 1, 1, 40, 0)
    `CASE(1, 8, 8, 2, 2, 40, 0)
    `CASE(2, 33, 33, 7, 7, 20, 0)
    // integer ratios, up: exact frames, frames with a zero tail, single beats
    `CASE(3, 1, 8, 16, 2, 15, 0)
    `CASE(4, 1, 8, 9, 2, 20, 0)
    `CASE(5, 4, 64, 1, 1, 100, 0)
    `CASE(6, 4, 64, 17, 2, 20, 0)
    `CASE(7, 16, 128, 8, 1, 30, 0)
    `CASE(8, 16, 128, 15, 2, 20, 0)
    // integer ratios, down
    `CASE(9, 64, 4, 1, 16, 20, 0)
    `CASE(10, 64, 4, 2, 17, 15, 0)
    `CASE(11, 8, 1, 1, 1, 100, 0)
    `CASE(12, 8, 4, 3, 5, 30, 0)
    // rational and co-prime, up: packed with and without a flush beat, and unpacked
    `CASE(13, 3, 8, 10, 4, 30, 0)
    `CASE(14, 3, 8, 1, 1, 100, 0)
    `CASE(15, 3, 8, 8, 3, 30, 0)
    `CASE(16, 3, 8, 6, 2, 30, 0)
    `CASE(17, 24, 32, 3, 3, 60, 0)
    `CASE(18, 24, 32, 4, 3, 60, 0)
    `CASE(19, 24, 32, 2, 2, 60, 0)
    `CASE(20, 40, 512, 64, 5, 1, 0)
    `CASE(21, 40, 512, 13, 2, 6, 0)
    `CASE(22, 5, 7, 9, 7, 30, 0)
    `CASE(23, 5, 7, 3, 2, 60, 0)
    `CASE(24, 15, 16, 17, 16, 8, 0)
    // rational and co-prime, down: packed and unpacked
    `CASE(25, 8, 3, 3, 8, 30, 0)
    `CASE(26, 8, 3, 4, 10, 30, 0)
    `CASE(27, 8, 3, 1, 3, 60, 0)
    `CASE(28, 512, 40, 5, 64, 3, 0)
    `CASE(29, 512, 40, 1, 7, 12, 0)
    `CASE(30, 512, 40, 2, 26, 5, 0)
    `CASE(31, 32, 24, 3, 4, 60, 0)
    `CASE(32, 32, 24, 1, 1, 100, 0)
    `CASE(33, 7, 5, 5, 7, 30, 0)
    `CASE(34, 7, 5, 1, 1, 100, 0)
    `CASE(35, 7, 5, 2, 2, 60, 0)
    // endless: the counts are those after which both sides stand at a boundary of beats
    `CASE(36, 9, 9, 3, 3, 20, 1)
    `CASE(37, 1, 8, 8, 1, 30, 1)
    `CASE(38, 16, 128, 8, 1, 30, 1)
    `CASE(39, 64, 4, 1, 16, 15, 1)
    `CASE(40, 12, 4, 1, 3, 60, 1)
    `CASE(41, 3, 8, 8, 3, 30, 1)
    `CASE(42, 24, 32, 4, 3, 40, 1)
    `CASE(43, 40, 128, 16, 5, 6, 1)
    `CASE(44, 5, 7, 7, 5, 30, 1)
    `CASE(45, 32, 24, 3, 4, 40, 1)
    `CASE(46, 128, 40, 5, 16, 6, 1)
    `CASE(47, 7, 5, 5, 7, 30, 1)
    `CASE(48, 16, 15, 15, 16, 6, 1)
endmodule

// So many units that rotation and shifter take two cycles, and long multiplexers. Slow on Icarus.
module tb_axis_width_long;
    localparam int N = 2 * 7;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    `CASE(0, 261, 523, 5, 3, 4, 0)
    `CASE(1, 523, 261, 3, 7, 4, 0)
    `CASE(2, 300, 3, 1, 100, 2, 0)
    `CASE(3, 67, 71, 5, 5, 20, 0)
    `CASE(4, 67, 150, 9, 5, 20, 0)
    `CASE(5, 71, 67, 3, 4, 20, 0)
    `CASE(6, 67, 71, 71, 67, 2, 1)
endmodule

`default_nettype wire
