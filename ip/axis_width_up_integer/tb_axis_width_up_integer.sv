// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width_up_integer - parameter sets of axis_width_up_integer against bench_units; a unit is a beat.
`default_nettype none

module axis_width_up_integer_case #(
    parameter int BEAT_W = 8, RATIO = 2, FRAME_END = 0, KEEP_BIT = 0, USER_W = 1,
    parameter int LENGTH = 0, MOST = 9, FRAMES = 20,
    parameter bit ZERO = 0
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    localparam int BY_KEEP = 2;
    // With BY_KEEP one bit of a beat is the mark.
    localparam int UNIT_W  = FRAME_END == BY_KEEP ? BEAT_W - 1 : BEAT_W;

    // A case that is done costs no more time.
    wire                     clock = aclk && !done;
    wire                     aresetn, s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready, s_tkeep;
    wire [USER_W-1:0]        s_tuser, m_tuser;
    wire [UNIT_W-1:0]        s_unit;
    wire [BEAT_W-1:0]        s_tdata;
    wire [RATIO*UNIT_W-1:0]  m_units;
    wire [RATIO*BEAT_W-1:0]  m_tdata;
    wire [RATIO-1:0]         m_tkeep;

    bench_units #(
        .UNIT_W(UNIT_W), .OUT_UNITS(RATIO), .USER_W(USER_W), .LENGTH(LENGTH), .MOST(MOST),
        .ENDS(FRAME_END != 0), .KEEP(FRAME_END == BY_KEEP), .FRAMES(FRAMES), .SEED(BEAT_W + RATIO)
    ) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_unit), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_units), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .done(done), .compared(compared)
    );

    generate
        if (FRAME_END == BY_KEEP) begin : g_mark
            for (genvar b = 0; b < BEAT_W; b++) begin : g_bit
                if (b == KEEP_BIT) begin : g_keep
                    assign s_tdata[b] = s_tkeep;
                end else begin : g_data
                    assign s_tdata[b] = s_unit[b < KEEP_BIT ? b : b - 1];
                end
                for (genvar u = 0; u < RATIO; u++) begin : g_out
                    if (b == KEEP_BIT) begin : g_keep
                        assign m_tkeep[u] = m_tdata[u*BEAT_W + b];
                    end else begin : g_data
                        assign m_units[u*UNIT_W + (b < KEEP_BIT ? b : b - 1)] = m_tdata[u*BEAT_W + b];
                    end
                end
            end
        end else begin : g_plain
            assign s_tdata = s_unit;
            assign m_units = m_tdata;
            assign m_tkeep = '0;
        end
    endgenerate

    axis_width_up_integer #(
        .BEAT_W(BEAT_W), .RATIO(RATIO), .FRAME_END(FRAME_END), .ZERO(ZERO), .KEEP_BIT(KEEP_BIT), .USER_W(USER_W)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

`define CASE(K) u_``K (.aclk(aclk), .done(done[K]), .compared(compared[K*32 +: 32]))

module tb_axis_width_up_integer;
    localparam int N = 10;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    // no frames
    axis_width_up_integer_case #(.BEAT_W(1), .RATIO(2), .LENGTH(8)) `CASE(0);
    axis_width_up_integer_case #(.BEAT_W(9), .RATIO(3), .LENGTH(6), .USER_W(5)) `CASE(1);
    // frames that fill their words
    axis_width_up_integer_case #(.BEAT_W(8), .RATIO(4), .FRAME_END(1), .LENGTH(4), .FRAMES(30)) `CASE(2);
    axis_width_up_integer_case #(.BEAT_W(5), .RATIO(5), .FRAME_END(1), .LENGTH(15), .USER_W(2)) `CASE(3);
    // frames that end anywhere
    axis_width_up_integer_case #(.BEAT_W(8), .RATIO(4), .FRAME_END(1), .ZERO(1), .MOST(13), .FRAMES(40)) `CASE(4);
    axis_width_up_integer_case #(.BEAT_W(1), .RATIO(3), .FRAME_END(1), .ZERO(1), .LENGTH(7), .USER_W(3)) `CASE(5);
    axis_width_up_integer_case #(.BEAT_W(16), .RATIO(2), .FRAME_END(1), .ZERO(1), .LENGTH(1)) `CASE(6);
    // the same by the mark in each beat
    axis_width_up_integer_case #(.BEAT_W(9), .RATIO(4), .FRAME_END(2), .KEEP_BIT(8), .MOST(13), .FRAMES(40)) `CASE(7);
    axis_width_up_integer_case #(.BEAT_W(5), .RATIO(2), .FRAME_END(2), .KEEP_BIT(0), .USER_W(4), .MOST(5)) `CASE(8);
    axis_width_up_integer_case #(.BEAT_W(7), .RATIO(9), .FRAME_END(2), .KEEP_BIT(3), .MOST(20)) `CASE(9);
endmodule

`undef CASE
`default_nettype wire
