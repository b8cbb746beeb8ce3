// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_demux - packets of one source through axis_demux: order, routing, what goes nowhere, rate.
`default_nettype none

module axis_demux_case #(
    parameter int N = 2, DATA_W = 8, DEST_W = 1, REG_EN = 1, LONGEST = 5, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    wire                 clock = aclk && !done;
    wire                 aresetn, s_tlast, s_tvalid, s_tready, error_dest;
    wire [DATA_W-1:0]    s_tdata;
    wire [DEST_W-1:0]    s_tdest;
    wire [N*DATA_W-1:0]  m_tdata;
    wire [N-1:0]         m_tlast, m_tvalid, m_tready;

    bench_switch #(.M(N), .DATA_W(DATA_W), .DEST_W(DEST_W), .FRAMES(150), .LONGEST(LONGEST), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid('0), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .error_dest(error_dest), .done(done), .compared(compared)
    );

    axis_demux #(.N(N), .DATA_W(DATA_W), .DEST_W(DEST_W), .REG_EN(REG_EN)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .error_dest(error_dest)
    );
endmodule

module tb_axis_demux;
    localparam int N = 10;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_demux_case #(.N(1), .DATA_W(8), .DEST_W(1), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_demux_case #(.N(2), .DATA_W(8), .DEST_W(1), .REG_EN(0), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_demux_case #(.N(2), .DATA_W(16), .DEST_W(1), .LONGEST(1), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_demux_case #(.N(3), .DATA_W(33), .DEST_W(2), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_demux_case #(.N(3), .DATA_W(33), .DEST_W(2), .REG_EN(0), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_demux_case #(.N(4), .DATA_W(1), .DEST_W(2), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_demux_case #(.N(5), .DATA_W(64), .DEST_W(8), .REG_EN(0), .LONGEST(2), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_demux_case #(.N(13), .DATA_W(16), .DEST_W(4), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
    axis_demux_case #(.N(32), .DATA_W(256), .DEST_W(5), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[287:256]));
    axis_demux_case #(.N(32), .DATA_W(16), .DEST_W(6), .REG_EN(0), .SEED(10)) u_9 (
        .aclk(aclk), .done(done[9]), .compared(compared[319:288]));
endmodule

`default_nettype wire
