// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_switch - packets of N sources for M sinks through axis_switch: order, routing, what goes nowhere, fairness.
`default_nettype none

module axis_switch_case #(
    parameter int N = 2, M = 2, DATA_W = 8, DEST_W = 1, CUT = 0, LONGEST = 5, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    localparam int ID_W = N > 1 ? $clog2(N) : 1;
    wire                 clock = aclk && !done;
    wire                 aresetn;
    wire [N*DATA_W-1:0]  s_tdata;
    wire [N*DEST_W-1:0]  s_tdest;
    wire [N-1:0]         s_tlast, s_tvalid, s_tready, error_dest;
    wire [M*DATA_W-1:0]  m_tdata;
    wire [M*ID_W-1:0]    m_tid;
    wire [M-1:0]         m_tlast, m_tvalid, m_tready;

    bench_switch #(.N(N), .M(M), .DATA_W(DATA_W), .DEST_W(DEST_W), .FRAMES(80 / N), .LONGEST(LONGEST), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid(m_tid), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .error_dest(error_dest), .done(done), .compared(compared)
    );

    axis_switch #(.N(N), .M(M), .DATA_W(DATA_W), .DEST_W(DEST_W), .CUT(CUT)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid(m_tid), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .error_dest(error_dest)
    );
endmodule

module tb_axis_switch;
    localparam int N = 8;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_switch_case #(.N(1), .M(1), .DATA_W(8), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_switch_case #(.N(1), .M(3), .DATA_W(16), .DEST_W(2), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_switch_case #(.N(3), .M(1), .DATA_W(16), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_switch_case #(.N(2), .M(2), .DATA_W(64), .LONGEST(1), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_switch_case #(.N(3), .M(5), .DATA_W(33), .DEST_W(3), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_switch_case #(.N(4), .M(4), .DATA_W(64), .DEST_W(2), .CUT(4), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_switch_case #(.N(8), .M(3), .DATA_W(32), .DEST_W(2), .LONGEST(2), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_switch_case #(.N(8), .M(8), .DATA_W(16), .DEST_W(4), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
endmodule

`default_nettype wire
