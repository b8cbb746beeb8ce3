// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width_narrow - many ratios of axis_width_narrow, with the slice and without, against the reference.
//
// The source changes its beat as soon as tready was high, so a tready before the last part shows as wrong data.
`default_nettype none

module axis_width_narrow_one #(
    parameter int IN_W = 16, OUT_W = 8, BEATS = 1, FRAMES = 20, SEED = 1,
    parameter bit SLICE = 1
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

    bench_stream #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(BEATS), .OUT_BEATS(BEATS * (IN_W / OUT_W)), .FRAMES(FRAMES), .SEED(SEED)
    ) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_width_narrow #(.IN_W(IN_W), .OUT_W(OUT_W), .SLICE(SLICE)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

module axis_width_narrow_case #(
    parameter int IN_W = 16, OUT_W = 8, BEATS = 1, FRAMES = 20
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    wire [1:0]  ready;
    wire [31:0] slice, bare;

    axis_width_narrow_one #(
        .IN_W(IN_W), .OUT_W(OUT_W), .BEATS(BEATS), .FRAMES(FRAMES), .SEED(IN_W + OUT_W), .SLICE(1)
    ) u_slice (.aclk(aclk), .done(ready[0]), .compared(slice));
    axis_width_narrow_one #(
        .IN_W(IN_W), .OUT_W(OUT_W), .BEATS(BEATS), .FRAMES(FRAMES), .SEED(IN_W + OUT_W), .SLICE(0)
    ) u_bare (.aclk(aclk), .done(ready[1]), .compared(bare));
    assign done     = &ready;
    assign compared = slice == 0 || bare == 0 ? '0 : slice + bare;
endmodule

`define CASE(K) u_``K (.aclk(aclk), .done(done[K]), .compared(compared[K*32 +: 32]))

module tb_axis_width_narrow;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_width_narrow_case #(.IN_W(2), .OUT_W(1), .BEATS(1), .FRAMES(60)) `CASE(0);
    axis_width_narrow_case #(.IN_W(16), .OUT_W(8), .BEATS(3), .FRAMES(40)) `CASE(1);
    axis_width_narrow_case #(.IN_W(15), .OUT_W(5), .BEATS(2), .FRAMES(40)) `CASE(2);
    axis_width_narrow_case #(.IN_W(32), .OUT_W(8), .BEATS(1), .FRAMES(60)) `CASE(3);
    axis_width_narrow_case #(.IN_W(35), .OUT_W(7), .BEATS(2), .FRAMES(30)) `CASE(4);
    axis_width_narrow_case #(.IN_W(64), .OUT_W(8), .BEATS(2), .FRAMES(30)) `CASE(5);
    axis_width_narrow_case #(.IN_W(512), .OUT_W(64), .BEATS(2), .FRAMES(20)) `CASE(6);
    axis_width_narrow_case #(.IN_W(256), .OUT_W(8), .BEATS(1), .FRAMES(10)) `CASE(7);
    // a multiplexer in two cycles, with the slice
    axis_width_narrow_case #(.IN_W(140), .OUT_W(2), .BEATS(1), .FRAMES(4)) `CASE(8);
endmodule

// The longest multiplexers, in two cycles always. Slow on Icarus.
module tb_axis_width_narrow_long;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(2000000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_width_narrow_case #(.IN_W(300), .OUT_W(1), .BEATS(1), .FRAMES(3)) `CASE(0);
    axis_width_narrow_case #(.IN_W(1200), .OUT_W(1), .BEATS(1), .FRAMES(2)) `CASE(1);
    axis_width_narrow_case #(.IN_W(2048), .OUT_W(4), .BEATS(1), .FRAMES(2)) `CASE(2);
endmodule

`undef CASE
`default_nettype wire
