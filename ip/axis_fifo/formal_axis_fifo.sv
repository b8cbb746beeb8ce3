// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_fifo - the proof of axis_fifo, all kinds; `level` is the number of beats inside.
`default_nettype none

module formal_axis_fifo #(
    parameter int DATA_W  = 2,
    parameter int DEPTH   = 4,
    parameter int STORE    = 0,
    parameter bit OUT_REG = 0,
    parameter int STALL   = 2,
    parameter int LATENCY = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int CAPACITY = DEPTH + 1;
    localparam int HELD_W   = $clog2(CAPACITY + 2);

    wire                       s_axis_tready, m_axis_tvalid;
    wire [DATA_W-1:0]          m_axis_tdata;
    wire [$clog2(DEPTH+2)-1:0] level;
    wire [HELD_W-1:0]          held;

    axis_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH), .STORE(STORE), .OUT_REG(OUT_REG)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .level(level)
    );

    formal_stream #(
        .UNIT(DATA_W), .CAPACITY(CAPACITY), .STALL(STALL),
        .IN_WITHIN(STALL + LATENCY), .OUT_WITHIN(STALL + LATENCY - 1)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_axis_tdata), .s_units(1'b1), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_axis_tdata), .m_units(1'b1), .m_side(1'b0), .m_valid(m_axis_tvalid), .m_ready(m_axis_tready),
        .pending(held != '0), .held(held)
    );

    always_comb if (aresetn) begin
        fill_level: assert (HELD_W'(level) == held);
        full:       cover (held == HELD_W'(CAPACITY));
    end

endmodule

`default_nettype wire
