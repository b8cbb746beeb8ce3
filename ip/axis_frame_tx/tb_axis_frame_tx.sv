// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_frame_tx - data, TLAST, TKEEP and frame_done of axis_frame_tx.
`default_nettype none

module axis_frame_tx_case #(
    parameter int DATA_W = 8, LAST_BYTES = 1, BEATS = 1, SEED = 1
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    localparam int KEEP_W = DATA_W / 8;
    wire              clock = aclk && !done;
    wire              aresetn, s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast, frame_done;
    wire [DATA_W-1:0] s_tdata, m_tdata;
    wire [KEEP_W-1:0] m_tkeep;

    bench_stream #(.IN_W(DATA_W), .IN_BEATS(BEATS), .OUT_BEATS(BEATS), .FRAMES(60), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .done(done), .compared(compared)
    );

    axis_frame_tx #(.DATA_W(DATA_W), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(clock), .aresetn(aresetn), .frames(16'd1), .drain(1'b0), .drained(),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .frame_done(frame_done)
    );

    int ones, frames, pulses;
    initial begin
        frames = 0;
        pulses = 0;
    end
    always @(posedge clock) begin
        if (m_tvalid && aresetn) begin
            ones = 0;
            for (int i = 0; i < KEEP_W; i++) begin
                if (m_tkeep[i] && ones != i) $fatal(1, "tkeep %b has a hole (%m)", m_tkeep);
                ones = ones + int'(m_tkeep[i]);
            end
            if (ones != (m_tlast ? LAST_BYTES : KEEP_W)) $fatal(1, "tkeep %b, tlast %b (%m)", m_tkeep, m_tlast);
        end
        frames <= aresetn ? frames + int'(s_tvalid && s_tready && s_tlast) : 0;
        pulses <= aresetn ? pulses + int'(frame_done) : 0;
        if (aresetn && frames != pulses + int'(frame_done)) $fatal(1, "frame_done is not one pulse a frame (%m)");
    end
endmodule

module tb_axis_frame_tx;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_frame_tx_case #(.DATA_W(8), .LAST_BYTES(1), .BEATS(3), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_frame_tx_case #(.DATA_W(64), .LAST_BYTES(3), .BEATS(1), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_frame_tx_case #(.DATA_W(512), .LAST_BYTES(64), .BEATS(4), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_frame_tx_case #(.DATA_W(32), .LAST_BYTES(1), .BEATS(2), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
