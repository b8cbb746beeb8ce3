// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_register - axis_register against the reference stream, three widths at once.
`default_nettype none

module axis_register_case #(
    parameter int DATA_W = 8, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    wire              clock = aclk && !done;
    wire              aresetn, s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast;
    wire [DATA_W-1:0] s_tdata, m_tdata;

    bench_stream #(.IN_W(DATA_W), .IN_BEATS(5), .OUT_BEATS(5), .FRAMES(60), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_register #(.DATA_W(DATA_W + 1)) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata({s_tlast, s_tdata}), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata({m_tlast, m_tdata}), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // Full rate with every path registered, and no more than one cycle of latency.
    int taken, given;
    logic in_reset;
    always @(posedge clock) begin
        taken <= aresetn ? taken + int'(s_tvalid && s_tready) : 0;
        given <= aresetn ? given + int'(m_tvalid && m_tready) : 0;
        in_reset <= !aresetn;
        if (in_reset === 1'b1 && (s_tready || m_tvalid)) $fatal(1, "ready or valid in reset (%m)");
        if (aresetn && m_tvalid !== (taken != given)) $fatal(1, "latency is not one cycle (%m)");
        if (aresetn && !in_reset && taken - given == 1 && !s_tready) $fatal(1, "not ready with one beat inside (%m)");
    end
endmodule

module tb_axis_register;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_register_case #(.DATA_W(1), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_register_case #(.DATA_W(64), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_register_case #(.DATA_W(517), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
endmodule

`default_nettype wire
