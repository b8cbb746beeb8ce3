// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_run_tx_drain - axis_run_tx drained, and held in reset at any time: a run is brought to its end, no beat is
// withdrawn, and the next beat that comes is the first of a frame.
//
// Bit 0 of the data marks the first beat of a frame as it comes, bit 1 marks all beats that come, so zeros are the block's.
`default_nettype none

module formal_axis_run_tx_drain #(
    parameter int BEATS = 2,
    parameter int MOST  = 2,
    parameter int STALL = 2
) (
    input wire aclk,
    input wire aresetn,
    input wire link_aresetn,
    input wire drain,
    input wire s_axis_tvalid,
    input wire m_axis_tready
);

    (* anyconst *) logic [15:0] frames;
    always_comb assume (frames != '0 && frames <= 16'(MOST));

    localparam int COUNT_W = $clog2(MOST * BEATS + 1);
    localparam int BEAT_W  = $clog2(BEATS + 1);

    wire                s_axis_tready, m_axis_tlast, m_axis_tvalid, frame_done, drained;
    wire [1:0]          m_axis_tdata;
    logic [COUNT_W-1:0] out_q;           // beats of the run that have left
    logic [BEAT_W-1:0]  beat_q, place_q; // beats of the frame that have come, that have left
    logic               drain_q;

    wire dead = drain || !link_aresetn;

    axis_run_tx #(.DATA_W(2), .BEATS(BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn), .frames(frames), .drain(drain), .drained(drained),
        .s_axis_tdata({1'b1, beat_q == '0}), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .frame_done(frame_done)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_sink #(.DATA_W(3), .STALL(STALL), .WITHIN(STALL + 2)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(drain_q && drain && !drained),
        .tdata({m_axis_tlast, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire m_fire = m_axis_tvalid && m_axis_tready;
    wire ends   = out_q == COUNT_W'(frames) * COUNT_W'(BEATS) - 1'b1;

    always_ff @(posedge aclk) begin
        if (m_fire) out_q <= ends ? '0 : out_q + 1'b1;
        if (m_fire) place_q <= place_q == BEAT_W'(BEATS - 1) ? '0 : place_q + 1'b1;
        if (s_fire) beat_q <= beat_q == BEAT_W'(BEATS - 1) ? '0 : beat_q + 1'b1;
        drain_q <= drain;
        // The partitions restart.
        if (dead) beat_q <= '0;
        if (!aresetn) begin
            out_q   <= '0;
            place_q <= '0;
            beat_q  <= '0;
            drain_q <= 1'b0;
        end
    end

    always_comb if (aresetn) begin
        if (dead) takes_none: assert (!s_axis_tready);
        if (drained) rests: assert (drain && !m_axis_tvalid && out_q == '0);
        if (m_axis_tvalid) begin
            last:    assert (m_axis_tlast == ends);
            aligned: assert (!m_axis_tdata[1] || m_axis_tdata[0] == (place_q == '0));
            zeros:   assert (m_axis_tdata[1] || m_axis_tdata == '0);
        end
        emptied: cover (drained && frames == 16'(MOST) && s_axis_tvalid);
        goes_on: cover (m_fire && m_axis_tlast && m_axis_tdata == '0 && !dead);
    end

endmodule

`default_nettype wire
