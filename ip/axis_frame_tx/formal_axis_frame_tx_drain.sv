// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_tx_drain - draining axis_frame_tx: no beat that was offered is withdrawn, and each transfer ends.
`default_nettype none

module formal_axis_frame_tx_drain #(
    parameter int DATA_W     = 32,
    parameter int LAST_BYTES = 3,
    parameter int STALL      = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [15:0]       frames,
    input wire              drain,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tlast,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int KEEP_W = DATA_W / 8;
    wire              s_axis_tready, m_axis_tlast, m_axis_tvalid, frame_done, drained;
    wire [DATA_W-1:0] m_axis_tdata;
    wire [KEEP_W-1:0] m_axis_tkeep;

    axis_frame_tx #(.DATA_W(DATA_W), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .frames(frames), .drain(drain), .drained(drained),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .frame_done(frame_done)
    );

    logic open_q, drain_q;  // open: beats of a transfer were taken, its last was not
    wire  m_fire = m_axis_tvalid && m_axis_tready;
    wire  wants  = drain && !drained;

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_sink #(
        .DATA_W(DATA_W + KEEP_W + 1), .STALL(STALL), .WITHIN(STALL + 1)
    ) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(wants), .tdata({m_axis_tlast, m_axis_tkeep, m_axis_tdata}),
        .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    logic [2:0] after_q;  // beats that left since drain
    always_ff @(posedge aclk) begin
        if (m_fire) open_q <= !m_axis_tlast;
        drain_q <= drain;
        after_q <= drain ? after_q + 3'(m_fire) : '0;
        if (!aresetn) begin
            open_q  <= 1'b0;
            drain_q <= 1'b0;
            after_q <= '0;
        end
    end

    always_comb if (aresetn) begin
        // Once begun, until reset.
        if (drain_q) assume (drain);
        if (drain) takes_none: assert (!s_axis_tready);
        if (drained) rests: assert (drain && !m_axis_tvalid && !open_q);
        // Two beats in the register and one to end the transfer.
        few: assert (after_q <= 3'd3);
        emptied: cover (drained && after_q == 3'd3);
    end

endmodule

`default_nettype wire
