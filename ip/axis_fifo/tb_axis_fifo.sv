// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_fifo - axis_fifo against the reference stream, its level against a count, its capacity.
`default_nettype none

module axis_fifo_case #(
    parameter int DATA_W = 8, DEPTH = 2, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    localparam int LEVEL_W = $clog2(DEPTH + 2);
    wire               clock = aclk && !done;
    wire               aresetn, s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast;
    wire [DATA_W-1:0]  s_tdata, m_tdata;
    wire [LEVEL_W-1:0] level;

    bench_stream #(.IN_W(DATA_W), .IN_BEATS(7), .OUT_BEATS(7), .FRAMES(60), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_fifo #(.DATA_W(DATA_W + 1), .DEPTH(DEPTH)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata({s_tlast, s_tdata}), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata({m_tlast, m_tdata}), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .level(level)
    );

    int held, most;
    logic was_up;
    initial begin
        held   = 0;
        most   = 0;
        was_up = 1'b0;
    end
    always @(posedge clock) begin
        held   <= aresetn ? held + int'(s_tvalid && s_tready) - int'(m_tvalid && m_tready) : 0;
        was_up <= aresetn;
        if (held > most) most <= held;
        if (aresetn && int'(level) != held) $fatal(1, "level is %0d, %0d beats are inside (%m)", level, held);
        if (aresetn && was_up && held < DEPTH && !s_tready) $fatal(1, "refuses beat %0d (%m)", held);
    end
    always @(posedge done) if (most != DEPTH + 1) $fatal(1, "never held more than %0d beats (%m)", most);
endmodule

module tb_axis_fifo;
    localparam int N = 5;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_fifo_case #(.DATA_W(1), .DEPTH(2), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_fifo_case #(.DATA_W(8), .DEPTH(3), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_fifo_case #(.DATA_W(40), .DEPTH(5), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_fifo_case #(.DATA_W(7), .DEPTH(16), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_fifo_case #(.DATA_W(256), .DEPTH(13), .SEED(5)) u_4 (.aclk(aclk), .done(done[4]), .compared(compared[159:128]));
endmodule

`default_nettype wire
