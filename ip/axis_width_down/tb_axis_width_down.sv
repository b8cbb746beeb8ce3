// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width_down - parameter sets of axis_width_down, with the slice and without, against bench_units.
`default_nettype none

module axis_width_down_one #(
    parameter int UNIT_W = 8, IN_UNITS = 2, OUT_UNITS = 1, FRAME_END = 0, USER_W = 1,
    parameter int LENGTH = 0, MOST = 9, FRAMES = 20,
    parameter bit SLICE = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    localparam int BY_LAST   = 1, BY_KEEP = 2;
    // With BY_KEEP frames end after any byte.
    localparam int GRAIN_W   = FRAME_END == BY_KEEP ? 8 : UNIT_W;
    localparam int IN_N      = IN_UNITS * UNIT_W / GRAIN_W;
    localparam int OUT_N     = OUT_UNITS * UNIT_W / GRAIN_W;
    localparam int IN_FROM   = (LENGTH + IN_UNITS - 1) / IN_UNITS * IN_UNITS - IN_UNITS;
    localparam int OUT_FROM  = (LENGTH + OUT_UNITS - 1) / OUT_UNITS * OUT_UNITS - OUT_UNITS;
    localparam int END       = FRAME_END == BY_LAST ? OUT_FROM + OUT_UNITS - 1 - IN_FROM : 0;

    // A case that is done costs no more time.
    wire                      clock = aclk && !done;
    wire                      aresetn, s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready;
    wire [USER_W-1:0]         s_tuser, m_tuser;
    wire [IN_N*GRAIN_W-1:0]   s_tdata;
    wire [IN_N-1:0]           s_tkeep;
    wire [OUT_N*GRAIN_W-1:0]  m_tdata;
    wire [OUT_N-1:0]          m_tkeep;

    bench_units #(
        .UNIT_W(GRAIN_W), .IN_UNITS(IN_N), .OUT_UNITS(OUT_N), .USER_W(USER_W), .LENGTH(LENGTH), .MOST(MOST),
        .ENDS(FRAME_END != 0), .KEEP(FRAME_END == BY_KEEP), .FRAMES(FRAMES), .SEED(IN_UNITS * 100 + OUT_UNITS)
    ) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .done(done), .compared(compared)
    );

    axis_width_down #(
        .UNIT_W(UNIT_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(FRAME_END), .END(END),
        .SLICE(SLICE), .USER_W(USER_W)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

module axis_width_down_case #(
    parameter int UNIT_W = 8, IN_UNITS = 2, OUT_UNITS = 1, FRAME_END = 0, USER_W = 1,
    parameter int LENGTH = 0, MOST = 9, FRAMES = 20
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    wire [1:0]  ready;
    wire [31:0] slice, bare;

    axis_width_down_one #(
        .UNIT_W(UNIT_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(FRAME_END), .USER_W(USER_W),
        .LENGTH(LENGTH), .MOST(MOST), .FRAMES(FRAMES), .SLICE(1)
    ) u_slice (.aclk(aclk), .done(ready[0]), .compared(slice));
    axis_width_down_one #(
        .UNIT_W(UNIT_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(FRAME_END), .USER_W(USER_W),
        .LENGTH(LENGTH), .MOST(MOST), .FRAMES(FRAMES), .SLICE(0)
    ) u_bare (.aclk(aclk), .done(ready[1]), .compared(bare));
    assign done     = &ready;
    assign compared = slice == 0 || bare == 0 ? '0 : slice + bare;
endmodule

`define CASE(K) u_``K (.aclk(aclk), .done(done[K]), .compared(compared[K*32 +: 32]))

module tb_axis_width_down;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // no frames: an integer ratio, and others
    axis_width_down_case #(.UNIT_W(1), .IN_UNITS(2), .OUT_UNITS(1), .LENGTH(8), .USER_W(3)) `CASE(0);
    axis_width_down_case #(.UNIT_W(5), .IN_UNITS(7), .OUT_UNITS(5), .LENGTH(35), .FRAMES(8)) `CASE(1);
    // unpacked: the excess of the last input beat is dropped
    axis_width_down_case #(.IN_UNITS(4), .OUT_UNITS(1), .FRAME_END(1), .LENGTH(6)) `CASE(2);
    axis_width_down_case #(.IN_UNITS(4), .OUT_UNITS(3), .FRAME_END(1), .LENGTH(3), .FRAMES(40)) `CASE(3);
    // packed: the last output beat ends in zeros; what is left of the last word may leave with a word of zeros
    axis_width_down_case #(.IN_UNITS(5), .OUT_UNITS(3), .FRAME_END(1), .LENGTH(10), .USER_W(3)) `CASE(4);
    axis_width_down_case #(.IN_UNITS(7), .OUT_UNITS(4), .FRAME_END(1), .LENGTH(7)) `CASE(5);
    // frames of any number of bytes
    axis_width_down_case #(.IN_UNITS(3), .OUT_UNITS(2), .FRAME_END(2), .USER_W(4), .MOST(20), .FRAMES(40)) `CASE(6);
    axis_width_down_case #(.UNIT_W(16), .IN_UNITS(4), .OUT_UNITS(3), .FRAME_END(2), .MOST(30), .FRAMES(40)) `CASE(7);
    axis_width_down_case #(.UNIT_W(24), .IN_UNITS(3), .OUT_UNITS(1), .FRAME_END(2), .MOST(20), .FRAMES(30)) `CASE(8);
endmodule

// More units, long shifters. Slow on Icarus.
module tb_axis_width_down_long;
    localparam int N = 8;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_width_down_case #(.IN_UNITS(64), .OUT_UNITS(5), .FRAME_END(2), .MOST(200), .FRAMES(200)) `CASE(0);
    axis_width_down_case #(.IN_UNITS(64), .OUT_UNITS(1), .FRAME_END(2), .MOST(140), .FRAMES(70)) `CASE(1);
    axis_width_down_case #(.IN_UNITS(65), .OUT_UNITS(1), .FRAME_END(2), .MOST(140), .FRAMES(70)) `CASE(2);
    axis_width_down_case #(.IN_UNITS(128), .OUT_UNITS(9), .FRAME_END(2), .MOST(300), .FRAMES(140)) `CASE(3);
    axis_width_down_case #(.UNIT_W(1), .IN_UNITS(300), .OUT_UNITS(257), .LENGTH(77100), .FRAMES(1)) `CASE(4);
    axis_width_down_case #(.UNIT_W(1), .IN_UNITS(523), .OUT_UNITS(261), .FRAME_END(1), .LENGTH(1569)) `CASE(5);
    axis_width_down_case #(.UNIT_W(3), .IN_UNITS(15), .OUT_UNITS(8), .FRAME_END(1), .LENGTH(40)) `CASE(6);
    axis_width_down_case #(.UNIT_W(8), .IN_UNITS(67), .OUT_UNITS(60), .FRAME_END(2), .MOST(150), .FRAMES(100)) `CASE(7);
endmodule

`undef CASE
`default_nettype wire
