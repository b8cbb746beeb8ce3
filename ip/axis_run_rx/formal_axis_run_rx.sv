// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_run_rx - the proof of axis_run_rx with runs that have no number: what comes goes, in order, and is counted.
`default_nettype none

module formal_axis_run_rx #(
    parameter int DATA_W = 4,
    parameter int DEST_W = 2,
    parameter int BEATS  = 1,
    parameter int STALL  = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [15:0]       frames,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int COUNT_W = $clog2(BEATS + 1);

    wire                s_axis_tready, m_axis_tvalid, frame_done, error_short, error_long, drained;
    wire [DATA_W-1:0]   m_axis_tdata;
    wire [1:0]          held;
    logic [COUNT_W-1:0] out_q;
    logic               done_q;

    axis_run_rx #(.DATA_W(DATA_W), .DEST_W(DEST_W), .BEATS(BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn), .frames(frames), .drain(1'b0), .drained(drained),
        .s_axis_tdata(s_axis_tdata), .s_axis_tdest(DEST_W'(0)), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .frame_done(frame_done), .error_short(error_short), .error_long(error_long)
    );

    formal_stream #(
        .UNIT(DATA_W), .CAPACITY(2), .STALL(STALL), .IN_WITHIN(STALL + 2), .OUT_WITHIN(STALL)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_axis_tdata), .s_units(1'b1), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_axis_tdata), .m_units(1'b1), .m_side(1'b0), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held != '0), .held(held)
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
        no_fault:   assert (!error_short && !error_long && !drained);
    end

endmodule

`default_nettype wire
