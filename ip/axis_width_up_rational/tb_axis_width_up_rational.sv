// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_width_up_rational - parameter sets of axis_width_up_rational against bench_units.
`default_nettype none

module axis_width_up_rational_case #(
    parameter int UNIT_W = 8, IN_UNITS = 2, OUT_UNITS = 3, FRAME_END = 0, KEEP_BIT = 0, USER_W = 1,
    parameter int LENGTH = 0, MOST = 9, FRAMES = 20
) (
    input  wire         aclk,
    output wire         done,
    output wire  [31:0] compared
);
    localparam int BY_LAST = 1, BY_KEEP = 2;
    // With BY_KEEP one bit of a unit is the mark.
    localparam int DATA_W    = FRAME_END == BY_KEEP ? UNIT_W - 1 : UNIT_W;
    // A frame that fills its input beats is packed, one that fills its output beats is unpacked.
    localparam bit PACK      = FRAME_END == BY_LAST && LENGTH % IN_UNITS == 0;
    localparam int LAST_FROM = (LENGTH + IN_UNITS - 1) / IN_UNITS * IN_UNITS - IN_UNITS;
    localparam bit FLUSH     = PACK && LAST_FROM % OUT_UNITS + IN_UNITS > OUT_UNITS;
    localparam bit ZERO      = PACK && LENGTH % OUT_UNITS != 0;

    // A case that is done costs no more time.
    wire                         clock = aclk && !done;
    wire                         aresetn, s_tlast, s_tvalid, s_tready, m_tlast, m_tvalid, m_tready;
    wire [USER_W-1:0]            s_tuser, m_tuser;
    wire [IN_UNITS-1:0]          s_tkeep;
    wire [IN_UNITS*DATA_W-1:0]   s_units;
    wire [IN_UNITS*UNIT_W-1:0]   s_tdata;
    wire [OUT_UNITS*DATA_W-1:0]  m_units;
    wire [OUT_UNITS*UNIT_W-1:0]  m_tdata;
    wire [OUT_UNITS-1:0]         m_tkeep;

    bench_units #(
        .UNIT_W(DATA_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .USER_W(USER_W), .LENGTH(LENGTH), .MOST(MOST),
        .ENDS(FRAME_END != 0), .KEEP(FRAME_END == BY_KEEP), .JUNK(FRAME_END != BY_KEEP), .FRAMES(FRAMES),
        .SEED(IN_UNITS * 100 + OUT_UNITS)
    ) u_bench (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_units), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_units), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .done(done), .compared(compared)
    );

    generate
        if (FRAME_END == BY_KEEP) begin : g_mark
            for (genvar b = 0; b < UNIT_W; b++) begin : g_bit
                for (genvar u = 0; u < OUT_UNITS; u++) begin : g_unit
                    if (b == KEEP_BIT) begin : g_keep
                        if (u < IN_UNITS) begin : g_in
                            assign s_tdata[u*UNIT_W + b] = s_tkeep[u];
                        end
                        assign m_tkeep[u] = m_tdata[u*UNIT_W + b];
                    end else begin : g_data
                        if (u < IN_UNITS) begin : g_in
                            assign s_tdata[u*UNIT_W + b] = s_units[u*DATA_W + (b < KEEP_BIT ? b : b - 1)];
                        end
                        assign m_units[u*DATA_W + (b < KEEP_BIT ? b : b - 1)] = m_tdata[u*UNIT_W + b];
                    end
                end
            end
        end else begin : g_plain
            assign s_tdata = s_units;
            assign m_units = m_tdata;
            assign m_tkeep = '0;
        end
    endgenerate

    axis_width_up_rational #(
        .UNIT_W(UNIT_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(FRAME_END), .FLUSH(FLUSH),
        .ZERO(ZERO), .KEEP_BIT(KEEP_BIT), .USER_W(USER_W)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
endmodule

`define CASE(K) u_``K (.aclk(aclk), .done(done[K]), .compared(compared[K*32 +: 32]))

module tb_axis_width_up_rational;
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
    axis_width_up_rational_case #(.UNIT_W(1), .IN_UNITS(2), .OUT_UNITS(3), .LENGTH(6)) `CASE(0);
    axis_width_up_rational_case #(.UNIT_W(8), .IN_UNITS(5), .OUT_UNITS(7), .LENGTH(35), .USER_W(4), .FRAMES(8)) `CASE(1);
    // packed: the last beat runs over, ends inside a word, fills it
    axis_width_up_rational_case #(.IN_UNITS(3), .OUT_UNITS(5), .FRAME_END(1), .LENGTH(6), .USER_W(3)) `CASE(2);
    axis_width_up_rational_case #(.IN_UNITS(3), .OUT_UNITS(8), .FRAME_END(1), .LENGTH(3), .FRAMES(40)) `CASE(3);
    axis_width_up_rational_case #(.IN_UNITS(3), .OUT_UNITS(4), .FRAME_END(1), .LENGTH(12)) `CASE(4);
    // unpacked: what runs over is dropped
    axis_width_up_rational_case #(.IN_UNITS(3), .OUT_UNITS(4), .FRAME_END(1), .LENGTH(8), .USER_W(3)) `CASE(5);
    axis_width_up_rational_case #(.IN_UNITS(5), .OUT_UNITS(7), .FRAME_END(1), .LENGTH(14)) `CASE(6);
    // frames of any number of units
    axis_width_up_rational_case #(
        .UNIT_W(9), .IN_UNITS(3), .OUT_UNITS(4), .FRAME_END(2), .KEEP_BIT(8), .USER_W(4), .MOST(30), .FRAMES(70)
    ) `CASE(7);
    axis_width_up_rational_case #(.UNIT_W(5), .IN_UNITS(2), .OUT_UNITS(9), .FRAME_END(2), .MOST(30)) `CASE(8);
    // the rotated beat in a register of its own
    axis_width_up_rational_case #(
        .UNIT_W(3), .IN_UNITS(9), .OUT_UNITS(11), .FRAME_END(2), .KEEP_BIT(1), .MOST(40), .FRAMES(50)
    ) `CASE(9);
endmodule

// More units, and all widths of their pairs up to 8. Slow on Icarus.
module tb_axis_width_up_rational_long;
    localparam int N = 7;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_width_up_rational_case #(.UNIT_W(9), .IN_UNITS(5), .OUT_UNITS(64), .FRAME_END(2), .MOST(200), .FRAMES(200)) `CASE(0);
    axis_width_up_rational_case #(.UNIT_W(9), .IN_UNITS(65), .OUT_UNITS(128), .FRAME_END(2), .MOST(400), .FRAMES(400)) `CASE(1);
    axis_width_up_rational_case #(.UNIT_W(9), .IN_UNITS(7), .OUT_UNITS(8), .FRAME_END(2), .MOST(60), .FRAMES(200)) `CASE(2);
    axis_width_up_rational_case #(.UNIT_W(1), .IN_UNITS(67), .OUT_UNITS(150), .FRAME_END(1), .LENGTH(603)) `CASE(3);
    axis_width_up_rational_case #(.UNIT_W(1), .IN_UNITS(67), .OUT_UNITS(71), .FRAME_END(1), .LENGTH(355)) `CASE(4);
    axis_width_up_rational_case #(.UNIT_W(1), .IN_UNITS(67), .OUT_UNITS(71), .LENGTH(4757), .FRAMES(2)) `CASE(5);
    axis_width_up_rational_case #(.UNIT_W(8), .IN_UNITS(8), .OUT_UNITS(15), .LENGTH(120)) `CASE(6);
endmodule

`undef CASE
`default_nettype wire
