// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_tlast - the proof of axis_tlast.
`default_nettype none

module formal_axis_tlast #(
    parameter int DATA_W = 4,
    parameter int BEATS  = 1,
    parameter bit REG_EN = 0,
    parameter int STALL  = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int COUNT_W  = $clog2(BEATS + 1);
    localparam int CAPACITY = REG_EN ? 2 : 0;
    localparam int HELD_W   = $clog2(CAPACITY + 2);
    localparam int WIRES    = int'(!REG_EN);

    wire                s_axis_tready, m_axis_tlast, m_axis_tvalid, frame_done;
    wire [DATA_W-1:0]   m_axis_tdata;
    wire [HELD_W-1:0]   held;
    logic [COUNT_W-1:0] out_q;
    logic               done_q;

    axis_tlast #(.DATA_W(DATA_W), .BEATS(BEATS), .REG_EN(REG_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .frame_done(frame_done)
    );

    formal_stream #(
        .UNIT(DATA_W), .CAPACITY(CAPACITY), .PASS(WIRES), .POLITE(WIRES), .QUIET(1 - WIRES), .STALL(STALL),
        .IN_WITHIN(STALL + 1), .OUT_WITHIN(STALL)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_axis_tdata), .s_units(1'b1), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_axis_tdata), .m_units(1'b1), .m_side(m_axis_tlast), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held != '0 || (WIRES != 0 && s_axis_tvalid)), .held(held)
    );

    wire m_fire   = m_axis_tvalid && m_axis_tready;
    wire out_last = out_q == COUNT_W'(BEATS - 1);

    always_ff @(posedge aclk) begin
        if (m_fire) out_q <= out_last ? '0 : out_q + 1'b1;
        done_q <= m_fire && out_last;
        if (!aresetn) begin
            out_q  <= '0;
            done_q <= 1'b0;
        end
    end

    always_comb if (aresetn) begin
        pulse_done: assert (frame_done == done_q);
        if (m_axis_tvalid) last: assert (m_axis_tlast == out_last);
    end

endmodule

`default_nettype wire
