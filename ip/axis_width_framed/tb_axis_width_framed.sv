// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width_framed - many pairs of widths of axis_width_framed, with the slice and without, against bench_units.
`default_nettype none

// A unit is a byte. Bit 0 of the input's tkeep is junk.
module axis_width_framed_one #(
    parameter int IN_W = 8, OUT_W = 8, USER_W = 1, FRAMES = 20, MOST = 9, SEED = 1,
    parameter bit SLICE = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    // A case that is done costs no more time.
    wire                clock = aclk && !done;
    wire                aresetn, s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready;
    wire [IN_W-1:0]     s_tdata;
    wire [IN_W/8-1:0]   s_tkeep;
    wire [USER_W-1:0]   s_tuser, m_tuser;
    wire [OUT_W-1:0]    m_tdata;
    wire [OUT_W/8-1:0]  m_tkeep;

    bench_units #(
        .IN_UNITS(IN_W / 8), .OUT_UNITS(OUT_W / 8), .USER_W(USER_W), .MOST(MOST), .FRAMES(FRAMES), .SEED(SEED)
    ) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .done(done), .compared(compared)
    );

    axis_width_framed #(.IN_W(IN_W), .OUT_W(OUT_W), .USER_W(USER_W), .SLICE(SLICE)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep & ~(IN_W / 8)'(s_tdata[3])), .s_axis_tlast(s_tlast),
        .s_axis_tuser(s_tuser), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

module axis_width_framed_case #(
    parameter int IN_W = 8, OUT_W = 8, USER_W = 1, FRAMES = 20, MOST = 9
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    wire [1:0]  ready;
    wire [31:0] slice, bare;

    axis_width_framed_one #(
        .IN_W(IN_W), .OUT_W(OUT_W), .USER_W(USER_W), .FRAMES(FRAMES), .MOST(MOST), .SEED(IN_W + OUT_W), .SLICE(1)
    ) u_slice (.aclk(aclk), .done(ready[0]), .compared(slice));
    axis_width_framed_one #(
        .IN_W(IN_W), .OUT_W(OUT_W), .USER_W(USER_W), .FRAMES(FRAMES), .MOST(MOST), .SEED(IN_W + OUT_W), .SLICE(0)
    ) u_bare (.aclk(aclk), .done(ready[1]), .compared(bare));
    assign done     = &ready;
    assign compared = slice == 0 || bare == 0 ? '0 : slice + bare;
endmodule

`define CASE(K) u_``K (.aclk(aclk), .done(done[K]), .compared(compared[K*32 +: 32]))

module tb_axis_width_framed;
    localparam int N = 20;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // equal widths
    axis_width_framed_case #(.IN_W(8), .OUT_W(8), .USER_W(1), .FRAMES(20), .MOST(9)) `CASE(0);
    axis_width_framed_case #(.IN_W(24), .OUT_W(24), .USER_W(2), .FRAMES(30), .MOST(13)) `CASE(1);
    // integer ratios
    axis_width_framed_case #(.IN_W(8), .OUT_W(16), .USER_W(1), .FRAMES(40), .MOST(9)) `CASE(2);
    axis_width_framed_case #(.IN_W(8), .OUT_W(32), .USER_W(3), .FRAMES(60), .MOST(17)) `CASE(3);
    axis_width_framed_case #(.IN_W(16), .OUT_W(48), .USER_W(2), .FRAMES(60), .MOST(25)) `CASE(4);
    axis_width_framed_case #(.IN_W(32), .OUT_W(64), .USER_W(1), .FRAMES(60), .MOST(33)) `CASE(5);
    axis_width_framed_case #(.IN_W(16), .OUT_W(8), .USER_W(1), .FRAMES(40), .MOST(9)) `CASE(6);
    axis_width_framed_case #(.IN_W(32), .OUT_W(8), .USER_W(3), .FRAMES(60), .MOST(17)) `CASE(7);
    axis_width_framed_case #(.IN_W(48), .OUT_W(16), .USER_W(2), .FRAMES(60), .MOST(25)) `CASE(8);
    axis_width_framed_case #(.IN_W(128), .OUT_W(64), .USER_W(1), .FRAMES(60), .MOST(40)) `CASE(9);
    // rational and co-prime
    axis_width_framed_case #(.IN_W(24), .OUT_W(32), .USER_W(4), .FRAMES(80), .MOST(30)) `CASE(10);
    axis_width_framed_case #(.IN_W(32), .OUT_W(24), .USER_W(4), .FRAMES(80), .MOST(30)) `CASE(11);
    axis_width_framed_case #(.IN_W(40), .OUT_W(56), .USER_W(2), .FRAMES(90), .MOST(42)) `CASE(12);
    axis_width_framed_case #(.IN_W(56), .OUT_W(40), .USER_W(2), .FRAMES(90), .MOST(42)) `CASE(13);
    axis_width_framed_case #(.IN_W(16), .OUT_W(72), .USER_W(1), .FRAMES(60), .MOST(30)) `CASE(14);
    axis_width_framed_case #(.IN_W(72), .OUT_W(16), .USER_W(1), .FRAMES(60), .MOST(30)) `CASE(15);
    axis_width_framed_case #(.IN_W(32), .OUT_W(112), .USER_W(1), .FRAMES(60), .MOST(50)) `CASE(16);
    axis_width_framed_case #(.IN_W(112), .OUT_W(32), .USER_W(1), .FRAMES(60), .MOST(50)) `CASE(17);
    axis_width_framed_case #(.IN_W(88), .OUT_W(120), .USER_W(1), .FRAMES(60), .MOST(60)) `CASE(18);
    axis_width_framed_case #(.IN_W(120), .OUT_W(88), .USER_W(1), .FRAMES(60), .MOST(60)) `CASE(19);
endmodule

// Long multiplexers, wide beats, all lengths of 40 to 512. Slow on Icarus.
module tb_axis_width_framed_long;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_width_framed_case #(.IN_W(8), .OUT_W(512), .USER_W(1), .FRAMES(70), .MOST(140)) `CASE(0);
    axis_width_framed_case #(.IN_W(512), .OUT_W(8), .USER_W(1), .FRAMES(70), .MOST(140)) `CASE(1);
    axis_width_framed_case #(.IN_W(64), .OUT_W(512), .USER_W(1), .FRAMES(150), .MOST(140)) `CASE(2);
    axis_width_framed_case #(.IN_W(512), .OUT_W(64), .USER_W(1), .FRAMES(150), .MOST(140)) `CASE(3);
    axis_width_framed_case #(.IN_W(40), .OUT_W(512), .USER_W(1), .FRAMES(330), .MOST(330)) `CASE(4);
    axis_width_framed_case #(.IN_W(512), .OUT_W(40), .USER_W(1), .FRAMES(330), .MOST(330)) `CASE(5);
    axis_width_framed_case #(.IN_W(1024), .OUT_W(8), .USER_W(1), .FRAMES(40), .MOST(300)) `CASE(6);
    axis_width_framed_case #(.IN_W(1024), .OUT_W(72), .USER_W(1), .FRAMES(140), .MOST(300)) `CASE(7);
    axis_width_framed_case #(.IN_W(520), .OUT_W(1024), .USER_W(1), .FRAMES(200), .MOST(400)) `CASE(8);
endmodule

`undef CASE
`default_nettype wire
