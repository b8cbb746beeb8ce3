// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_register - the proof of axis_register, all kinds.
`default_nettype none

module formal_axis_register #(
    parameter int DATA_W = 8,
    parameter int CUT   = 0,
    parameter int STALL  = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int REVERSE  = 2;
    localparam int LIGHT    = 3;
    localparam int SRL      = 4;
    localparam int WIDE     = 5;
    localparam int CAPACITY = CUT == SRL ? 3 : CUT == 0 || CUT == WIDE ? 2 : 1;
    localparam int HELD_W   = $clog2(CAPACITY + 2);

    wire              s_axis_tready, m_axis_tvalid;
    wire [DATA_W-1:0] m_axis_tdata;
    wire [HELD_W-1:0] held;

    axis_register #(.DATA_W(DATA_W), .CUT(CUT)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    // A beat waits for STALL cycles of the sink, and one more: after reset, for a flop of ready, in the chain.
    formal_stream #(
        .UNIT(DATA_W), .CAPACITY(CAPACITY), .PASS(int'(CUT == REVERSE)), .POLITE(int'(CUT == REVERSE)),
        .STALL(STALL), .IN_WITHIN(STALL + 1), .OUT_WITHIN(STALL + int'(CUT == SRL))
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_axis_tdata), .s_units(1'b1), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_axis_tdata), .m_units(1'b1), .m_side(1'b0), .m_valid(m_axis_tvalid), .m_ready(m_axis_tready),
        .pending(held != '0), .held(held)
    );

endmodule

`default_nettype wire
