// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width_hold - many ratios of axis_width_hold, with the slice and without, against the reference.
//
// The source changes its beat as soon as tready was high, so a tready before the last part shows as wrong data.
`default_nettype none

module axis_width_hold_case #(
    parameter int IN_W = 16, OUT_W = 8, BEATS = 1, SLICE = 1, FRAMES = 20, SEED = 1
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

    axis_width_hold #(.IN_W(IN_W), .OUT_W(OUT_W), .SLICE(SLICE != 0)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

`define CASE(K, I, O, B, F) \
    axis_width_hold_case #(.IN_W(I), .OUT_W(O), .BEATS(B), .SLICE(1), .FRAMES(F), .SEED(K + 1)) u_slice_``K ( \
        .aclk(aclk), .done(done[2*K]), .compared(compared[2*K*32 +: 32])); \
    axis_width_hold_case #(.IN_W(I), .OUT_W(O), .BEATS(B), .SLICE(0), .FRAMES(F), .SEED(K + 1)) u_bare_``K ( \
        .aclk(aclk), .done(done[2*K+1]), .compared(compared[(2*K+1)*32 +: 32]));

module tb_axis_width_hold;
    localparam int N = 2 * 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    `CASE(0, 2, 1, 1, 60)
    `CASE(1, 16, 8, 3, 40)
    `CASE(2, 15, 5, 2, 40)
    `CASE(3, 32, 8, 1, 60)
    `CASE(4, 35, 7, 2, 30)
    `CASE(5, 64, 8, 2, 30)
    `CASE(6, 512, 64, 2, 20)
    `CASE(7, 256, 8, 1, 10)
    // a multiplexer in two cycles, with the slice
    `CASE(8, 140, 2, 1, 4)
endmodule

// The longest multiplexers, in two cycles always. Slow on Icarus.
module tb_axis_width_hold_long;
    localparam int N = 2 * 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(2000000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    `CASE(0, 300, 1, 1, 3)
    `CASE(1, 1200, 1, 1, 2)
    `CASE(2, 2048, 4, 1, 2)
endmodule

`default_nettype wire
