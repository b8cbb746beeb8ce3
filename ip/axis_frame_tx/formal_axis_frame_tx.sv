// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_tx - the proof of axis_frame_tx.
`default_nettype none

module formal_axis_frame_tx #(
    parameter int DATA_W     = 8,
    parameter int LAST_BYTES = DATA_W / 8,
    parameter int STALL      = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tlast,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int KEEP_W = DATA_W / 8;
    localparam logic [KEEP_W-1:0] KEEP_ALL  = '1;
    localparam logic [KEEP_W-1:0] KEEP_LAST = KEEP_ALL >> (KEEP_W - LAST_BYTES);

    wire              s_axis_tready, m_axis_tlast, m_axis_tvalid, frame_done;
    wire [DATA_W-1:0] m_axis_tdata;
    wire [KEEP_W-1:0] m_axis_tkeep;
    wire [1:0]        held;

    axis_frame_tx #(.DATA_W(DATA_W), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .frame_done(frame_done)
    );

    formal_stream #(
        .UNIT(DATA_W + 1), .SIDE_W(KEEP_W), .CAPACITY(2), .STALL(STALL),
        .IN_WITHIN(STALL + 1), .OUT_WITHIN(STALL)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data({s_axis_tlast, s_axis_tdata}), .s_units(1'b1), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready),
        .s_fair(1'b1),
        .m_data({m_axis_tlast, m_axis_tdata}), .m_units(1'b1), .m_side(m_axis_tkeep), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held != '0), .held(held)
    );

    logic done_q;

    always_ff @(posedge aclk) done_q <= aresetn && m_axis_tvalid && m_axis_tready && m_axis_tlast;

    always_comb if (aresetn) begin
        pulse_done: assert (frame_done == done_q);
        if (m_axis_tvalid) keep: assert (m_axis_tkeep == (m_axis_tlast ? KEEP_LAST : KEEP_ALL));
    end

endmodule

`default_nettype wire
