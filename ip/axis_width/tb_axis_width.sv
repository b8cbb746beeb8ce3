// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width - many parameter sets of axis_width at once, each against the bit-string reference.
`default_nettype none

module axis_width_case #(
    parameter int IN_W = 8, OUT_W = 8, IN_BEATS = 1, OUT_BEATS = 1, FRAMES = 20, SEED = 1
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
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS), .FRAMES(FRAMES), .SEED(SEED)
    ) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_width #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .m_axis_tlast(m_tlast)
    );

    wire unused = &{1'b0, s_tlast};
endmodule

`define CASE(K, I, O, IB, OB, F) \
    axis_width_case #(.IN_W(I), .OUT_W(O), .IN_BEATS(IB), .OUT_BEATS(OB), .FRAMES(F), .SEED(K + 1)) u_``K ( \
        .aclk(aclk), .done(done[K]), .compared(compared[K*32 +: 32]));

module tb_axis_width;
    localparam int N = 36;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // equal widths: one, two, odd
    `CASE(0, 8, 8, 1, 1, 40)
    `CASE(1, 8, 8, 2, 2, 40)
    `CASE(2, 33, 33, 7, 7, 20)
    // integer ratios, up: exact frames, frames with a zero tail, single beats
    `CASE(3, 1, 8, 16, 2, 15)
    `CASE(4, 1, 8, 9, 2, 20)
    `CASE(5, 4, 64, 1, 1, 100)
    `CASE(6, 4, 64, 17, 2, 20)
    `CASE(7, 16, 128, 8, 1, 30)
    `CASE(8, 16, 128, 15, 2, 20)
    // integer ratios, down
    `CASE(9, 64, 4, 1, 16, 20)
    `CASE(10, 64, 4, 2, 17, 15)
    `CASE(11, 8, 1, 1, 1, 100)
    `CASE(12, 8, 4, 3, 5, 30)
    // rational and co-prime, up: packed with and without a flush beat, and unpacked
    `CASE(13, 3, 8, 10, 4, 30)
    `CASE(14, 3, 8, 1, 1, 100)
    `CASE(15, 3, 8, 8, 3, 30)
    `CASE(16, 3, 8, 6, 2, 30)
    `CASE(17, 24, 32, 3, 3, 60)
    `CASE(18, 24, 32, 4, 3, 60)
    `CASE(19, 24, 32, 2, 2, 60)
    `CASE(20, 40, 512, 64, 5, 3)
    `CASE(21, 40, 512, 13, 2, 6)
    `CASE(22, 5, 7, 9, 7, 30)
    `CASE(23, 5, 7, 3, 2, 60)
    `CASE(24, 31, 32, 33, 32, 8)
    // rational and co-prime, down: packed and unpacked
    `CASE(25, 8, 3, 3, 8, 30)
    `CASE(26, 8, 3, 4, 10, 30)
    `CASE(27, 8, 3, 1, 3, 60)
    `CASE(28, 512, 40, 5, 64, 3)
    `CASE(29, 512, 40, 1, 7, 12)
    `CASE(30, 512, 40, 2, 26, 5)
    `CASE(31, 32, 24, 3, 4, 60)
    `CASE(32, 32, 24, 1, 1, 100)
    `CASE(33, 7, 5, 5, 7, 30)
    `CASE(34, 7, 5, 1, 1, 100)
    `CASE(35, 7, 5, 2, 2, 60)
endmodule

`default_nettype wire
