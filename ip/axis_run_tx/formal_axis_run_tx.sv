// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_run_tx - the proof of axis_run_tx: what comes goes, in order, with TLAST on the last beat of a run.
`default_nettype none

module formal_axis_run_tx #(
    parameter int DATA_W = 4,
    parameter int BEATS  = 1,
    parameter int MOST   = 3,  // frames of a run
    parameter int STALL  = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    (* anyconst *) logic [15:0] frames;
    always_comb assume (frames != '0 && frames <= 16'(MOST));

    localparam int COUNT_W = $clog2(MOST * BEATS + 1);
    localparam int BEAT_W  = $clog2(BEATS + 1);

    wire                s_axis_tready, m_axis_tlast, m_axis_tvalid, frame_done, drained;
    wire [DATA_W-1:0]   m_axis_tdata;
    wire [1:0]          held;
    logic [COUNT_W-1:0] out_q;   // beats of the run that have left
    logic [BEAT_W-1:0]  beat_q;  // beats of the frame that have come
    logic               done_q;

    axis_run_tx #(.DATA_W(DATA_W), .BEATS(BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn), .frames(frames), .drain(1'b0), .drained(drained),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .frame_done(frame_done)
    );

    formal_stream #(
        .UNIT(DATA_W), .CAPACITY(2), .STALL(STALL), .IN_WITHIN(STALL + 1), .OUT_WITHIN(STALL)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_axis_tdata), .s_units(1'b1), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_axis_tdata), .m_units(1'b1), .m_side(m_axis_tlast), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held != '0), .held(held)
    );

    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire ends   = out_q == COUNT_W'(frames) * COUNT_W'(BEATS) - 1'b1;

    always_ff @(posedge aclk) begin
        if (m_axis_tvalid && m_axis_tready) out_q <= ends ? '0 : out_q + 1'b1;
        if (s_fire) beat_q <= beat_q == BEAT_W'(BEATS - 1) ? '0 : beat_q + 1'b1;
        done_q <= s_fire && beat_q == BEAT_W'(BEATS - 1);
        if (!aresetn) begin
            out_q  <= '0;
            beat_q <= '0;
            done_q <= 1'b0;
        end
    end

    always_comb if (aresetn) begin
        pulse_done:  assert (frame_done == done_q);
        not_drained: assert (!drained);
        if (m_axis_tvalid) last: assert (m_axis_tlast == ends);
        several: cover (m_axis_tvalid && m_axis_tlast && frames == 16'(MOST));
    end

endmodule

`default_nettype wire
