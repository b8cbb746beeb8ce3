// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_arbiter - packets of N sources through axis_arbiter: order, routing, fairness, rate, latency.
`default_nettype none

module axis_arbiter_case #(
    parameter int N = 2, DATA_W = 8, CUT = 0, LONGEST = 5, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    localparam int ID_W = N > 1 ? $clog2(N) : 1;
    wire                 clock = aclk && !done;
    wire                 aresetn, m_tlast, m_tvalid, m_tready;
    wire [N*DATA_W-1:0]  s_tdata;
    wire [N-1:0]         s_tlast, s_tvalid, s_tready;
    wire [DATA_W-1:0]    m_tdata;
    wire [ID_W-1:0]      m_tid;

    bench_switch #(.N(N), .DATA_W(DATA_W), .ROUTE(0), .FRAMES(8 + 80 / N), .LONGEST(LONGEST), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tdest(), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid(m_tid), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .error_dest('0), .done(done), .compared(compared)
    );

    axis_arbiter #(.N(N), .DATA_W(DATA_W), .CUT(CUT)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid(m_tid), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // Between packets a beat waits at most one cycle before an empty output.
    int   quiet;
    logic midway;
    initial quiet = 0;
    always @(posedge clock) begin
        if ((s_tvalid & s_tready) != '0) midway <= (s_tvalid & s_tready & s_tlast) == '0;
        quiet <= s_tvalid != '0 && (s_tvalid & s_tready) == '0 && !m_tvalid && !midway ? quiet + 1 : 0;
        if (quiet > 1) $fatal(1, "a beat waits before an empty output (%m)");
        if (!aresetn) begin
            midway <= 1'b0;
            quiet  <= 0;
        end
    end
endmodule

module tb_axis_arbiter;
    localparam int N = 10;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_arbiter_case #(.N(1), .DATA_W(8), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_arbiter_case #(.N(2), .DATA_W(8), .LONGEST(1), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_arbiter_case #(.N(3), .DATA_W(33), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_arbiter_case #(.N(4), .DATA_W(64), .CUT(4), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_arbiter_case #(.N(5), .DATA_W(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_arbiter_case #(.N(7), .DATA_W(16), .LONGEST(1), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_arbiter_case #(.N(8), .DATA_W(8), .LONGEST(3), .CUT(1), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_arbiter_case #(.N(11), .DATA_W(16), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
    axis_arbiter_case #(.N(16), .DATA_W(128), .LONGEST(2), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[287:256]));
    axis_arbiter_case #(.N(16), .DATA_W(8), .LONGEST(1), .CUT(4), .SEED(10)) u_9 (
        .aclk(aclk), .done(done[9]), .compared(compared[319:288]));
endmodule

`default_nettype wire
