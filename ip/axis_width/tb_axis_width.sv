// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width - many parameter sets of axis_width at once, with the slice and without, each against the
// bit-string reference.
`default_nettype none

module axis_width_one #(
    parameter int IN_W = 8, OUT_W = 8, IN_BEATS = 1, OUT_BEATS = 1, FRAMES = 20, SEED = 1,
    parameter bit ENDLESS = 0, SLICE = 1
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
        .FRAMES(FRAMES), .SEED(SEED)
    ) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_width #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(ENDLESS ? 0 : IN_BEATS),
        .OUT_BEATS(ENDLESS ? 0 : OUT_BEATS), .SLICE(SLICE)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .m_axis_tlast(m_tlast)
    );

    always @(posedge clock) begin
        if (ENDLESS && aresetn && m_tvalid && m_tlast !== 1'b0) $fatal(1, "tlast in an endless stream (%m)");
    end

    wire unused = &{1'b0, s_tlast};
endmodule

module axis_width_case #(
    parameter int IN_W = 8, OUT_W = 8, IN_BEATS = 1, OUT_BEATS = 1, FRAMES = 20,
    parameter bit ENDLESS = 0
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    wire [1:0]  ready;
    wire [31:0] slice, bare;

    axis_width_one #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS), .ENDLESS(ENDLESS), .FRAMES(FRAMES),
        .SEED(IN_W + OUT_W + IN_BEATS), .SLICE(1)
    ) u_slice (.aclk(aclk), .done(ready[0]), .compared(slice));
    axis_width_one #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS), .ENDLESS(ENDLESS), .FRAMES(FRAMES),
        .SEED(IN_W + OUT_W + IN_BEATS), .SLICE(0)
    ) u_bare (.aclk(aclk), .done(ready[1]), .compared(bare));
    assign done     = &ready;
    assign compared = slice == 0 || bare == 0 ? '0 : slice + bare;
endmodule

`define CASE(K) u_``K (.aclk(aclk), .done(done[K]), .compared(compared[K*32 +: 32]))

module tb_axis_width;
    localparam int N = 49;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // equal widths: one, two, odd
    axis_width_case #(.IN_W(8), .OUT_W(8), .IN_BEATS(1), .OUT_BEATS(1), .FRAMES(40)) `CASE(0);
    axis_width_case #(.IN_W(8), .OUT_W(8), .IN_BEATS(2), .OUT_BEATS(2), .FRAMES(40)) `CASE(1);
    axis_width_case #(.IN_W(33), .OUT_W(33), .IN_BEATS(7), .OUT_BEATS(7), .FRAMES(20)) `CASE(2);
    // integer ratios, up: exact frames, frames with a zero tail, single beats
    axis_width_case #(.IN_W(1), .OUT_W(8), .IN_BEATS(16), .OUT_BEATS(2), .FRAMES(15)) `CASE(3);
    axis_width_case #(.IN_W(1), .OUT_W(8), .IN_BEATS(9), .OUT_BEATS(2), .FRAMES(20)) `CASE(4);
    axis_width_case #(.IN_W(4), .OUT_W(64), .IN_BEATS(1), .OUT_BEATS(1), .FRAMES(100)) `CASE(5);
    axis_width_case #(.IN_W(4), .OUT_W(64), .IN_BEATS(17), .OUT_BEATS(2), .FRAMES(20)) `CASE(6);
    axis_width_case #(.IN_W(16), .OUT_W(128), .IN_BEATS(8), .OUT_BEATS(1), .FRAMES(30)) `CASE(7);
    axis_width_case #(.IN_W(16), .OUT_W(128), .IN_BEATS(15), .OUT_BEATS(2), .FRAMES(20)) `CASE(8);
    // integer ratios, down
    axis_width_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(1), .OUT_BEATS(16), .FRAMES(20)) `CASE(9);
    axis_width_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(2), .OUT_BEATS(17), .FRAMES(15)) `CASE(10);
    axis_width_case #(.IN_W(8), .OUT_W(1), .IN_BEATS(1), .OUT_BEATS(1), .FRAMES(100)) `CASE(11);
    axis_width_case #(.IN_W(8), .OUT_W(4), .IN_BEATS(3), .OUT_BEATS(5), .FRAMES(30)) `CASE(12);
    // rational and co-prime, up: packed with and without a flush beat, and unpacked
    axis_width_case #(.IN_W(3), .OUT_W(8), .IN_BEATS(10), .OUT_BEATS(4), .FRAMES(30)) `CASE(13);
    axis_width_case #(.IN_W(3), .OUT_W(8), .IN_BEATS(1), .OUT_BEATS(1), .FRAMES(100)) `CASE(14);
    axis_width_case #(.IN_W(3), .OUT_W(8), .IN_BEATS(8), .OUT_BEATS(3), .FRAMES(30)) `CASE(15);
    axis_width_case #(.IN_W(3), .OUT_W(8), .IN_BEATS(6), .OUT_BEATS(2), .FRAMES(30)) `CASE(16);
    axis_width_case #(.IN_W(24), .OUT_W(32), .IN_BEATS(3), .OUT_BEATS(3), .FRAMES(60)) `CASE(17);
    axis_width_case #(.IN_W(24), .OUT_W(32), .IN_BEATS(4), .OUT_BEATS(3), .FRAMES(60)) `CASE(18);
    axis_width_case #(.IN_W(24), .OUT_W(32), .IN_BEATS(2), .OUT_BEATS(2), .FRAMES(60)) `CASE(19);
    axis_width_case #(.IN_W(40), .OUT_W(512), .IN_BEATS(64), .OUT_BEATS(5), .FRAMES(1)) `CASE(20);
    axis_width_case #(.IN_W(40), .OUT_W(512), .IN_BEATS(13), .OUT_BEATS(2), .FRAMES(6)) `CASE(21);
    axis_width_case #(.IN_W(5), .OUT_W(7), .IN_BEATS(9), .OUT_BEATS(7), .FRAMES(30)) `CASE(22);
    axis_width_case #(.IN_W(5), .OUT_W(7), .IN_BEATS(3), .OUT_BEATS(2), .FRAMES(60)) `CASE(23);
    axis_width_case #(.IN_W(15), .OUT_W(16), .IN_BEATS(17), .OUT_BEATS(16), .FRAMES(8)) `CASE(24);
    // rational and co-prime, down: packed and unpacked
    axis_width_case #(.IN_W(8), .OUT_W(3), .IN_BEATS(3), .OUT_BEATS(8), .FRAMES(30)) `CASE(25);
    axis_width_case #(.IN_W(8), .OUT_W(3), .IN_BEATS(4), .OUT_BEATS(10), .FRAMES(30)) `CASE(26);
    axis_width_case #(.IN_W(8), .OUT_W(3), .IN_BEATS(1), .OUT_BEATS(3), .FRAMES(60)) `CASE(27);
    axis_width_case #(.IN_W(512), .OUT_W(40), .IN_BEATS(5), .OUT_BEATS(64), .FRAMES(3)) `CASE(28);
    axis_width_case #(.IN_W(512), .OUT_W(40), .IN_BEATS(1), .OUT_BEATS(7), .FRAMES(12)) `CASE(29);
    axis_width_case #(.IN_W(512), .OUT_W(40), .IN_BEATS(2), .OUT_BEATS(26), .FRAMES(5)) `CASE(30);
    axis_width_case #(.IN_W(32), .OUT_W(24), .IN_BEATS(3), .OUT_BEATS(4), .FRAMES(60)) `CASE(31);
    axis_width_case #(.IN_W(32), .OUT_W(24), .IN_BEATS(1), .OUT_BEATS(1), .FRAMES(100)) `CASE(32);
    axis_width_case #(.IN_W(7), .OUT_W(5), .IN_BEATS(5), .OUT_BEATS(7), .FRAMES(30)) `CASE(33);
    axis_width_case #(.IN_W(7), .OUT_W(5), .IN_BEATS(1), .OUT_BEATS(1), .FRAMES(100)) `CASE(34);
    axis_width_case #(.IN_W(7), .OUT_W(5), .IN_BEATS(2), .OUT_BEATS(2), .FRAMES(60)) `CASE(35);
    // endless: the counts are those after which both sides stand at a boundary of beats
    axis_width_case #(.IN_W(9), .OUT_W(9), .IN_BEATS(3), .OUT_BEATS(3), .FRAMES(20), .ENDLESS(1)) `CASE(36);
    axis_width_case #(.IN_W(1), .OUT_W(8), .IN_BEATS(8), .OUT_BEATS(1), .FRAMES(30), .ENDLESS(1)) `CASE(37);
    axis_width_case #(.IN_W(16), .OUT_W(128), .IN_BEATS(8), .OUT_BEATS(1), .FRAMES(30), .ENDLESS(1)) `CASE(38);
    axis_width_case #(.IN_W(64), .OUT_W(4), .IN_BEATS(1), .OUT_BEATS(16), .FRAMES(15), .ENDLESS(1)) `CASE(39);
    axis_width_case #(.IN_W(12), .OUT_W(4), .IN_BEATS(1), .OUT_BEATS(3), .FRAMES(60), .ENDLESS(1)) `CASE(40);
    axis_width_case #(.IN_W(3), .OUT_W(8), .IN_BEATS(8), .OUT_BEATS(3), .FRAMES(30), .ENDLESS(1)) `CASE(41);
    axis_width_case #(.IN_W(24), .OUT_W(32), .IN_BEATS(4), .OUT_BEATS(3), .FRAMES(40), .ENDLESS(1)) `CASE(42);
    axis_width_case #(.IN_W(40), .OUT_W(128), .IN_BEATS(16), .OUT_BEATS(5), .FRAMES(6), .ENDLESS(1)) `CASE(43);
    axis_width_case #(.IN_W(5), .OUT_W(7), .IN_BEATS(7), .OUT_BEATS(5), .FRAMES(30), .ENDLESS(1)) `CASE(44);
    axis_width_case #(.IN_W(32), .OUT_W(24), .IN_BEATS(3), .OUT_BEATS(4), .FRAMES(40), .ENDLESS(1)) `CASE(45);
    axis_width_case #(.IN_W(128), .OUT_W(40), .IN_BEATS(5), .OUT_BEATS(16), .FRAMES(6), .ENDLESS(1)) `CASE(46);
    axis_width_case #(.IN_W(7), .OUT_W(5), .IN_BEATS(5), .OUT_BEATS(7), .FRAMES(30), .ENDLESS(1)) `CASE(47);
    axis_width_case #(.IN_W(16), .OUT_W(15), .IN_BEATS(15), .OUT_BEATS(16), .FRAMES(6), .ENDLESS(1)) `CASE(48);
endmodule

// So many units that rotation and shifter take two cycles, and long multiplexers. Slow on Icarus.
module tb_axis_width_long;
    localparam int N = 7;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_width_case #(.IN_W(261), .OUT_W(523), .IN_BEATS(5), .OUT_BEATS(3), .FRAMES(4)) `CASE(0);
    axis_width_case #(.IN_W(523), .OUT_W(261), .IN_BEATS(3), .OUT_BEATS(7), .FRAMES(4)) `CASE(1);
    axis_width_case #(.IN_W(300), .OUT_W(3), .IN_BEATS(1), .OUT_BEATS(100), .FRAMES(2)) `CASE(2);
    axis_width_case #(.IN_W(67), .OUT_W(71), .IN_BEATS(5), .OUT_BEATS(5), .FRAMES(20)) `CASE(3);
    axis_width_case #(.IN_W(67), .OUT_W(150), .IN_BEATS(9), .OUT_BEATS(5), .FRAMES(20)) `CASE(4);
    axis_width_case #(.IN_W(71), .OUT_W(67), .IN_BEATS(3), .OUT_BEATS(4), .FRAMES(20)) `CASE(5);
    axis_width_case #(.IN_W(67), .OUT_W(71), .IN_BEATS(71), .OUT_BEATS(67), .FRAMES(2), .ENDLESS(1)) `CASE(6);
endmodule

`undef CASE
`default_nettype wire
