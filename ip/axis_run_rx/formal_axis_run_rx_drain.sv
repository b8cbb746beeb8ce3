// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_run_rx_drain - draining axis_run_rx: beats of the run under way are discarded, and no other run begins.
`default_nettype none

module formal_axis_run_rx_drain #(
    parameter int DEST_W = 2,
    parameter int BEATS  = 2,
    parameter int MOST   = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire              link_aresetn,
    input wire              drain,
    input wire [DEST_W-1:0] s_axis_tdest,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    (* anyconst *) logic [15:0] frames;
    always_comb assume (frames != '0 && frames <= 16'(MOST));

    wire               s_axis_tready, m_axis_tvalid, m_axis_tdata, frame_done, error_short, error_long, drained;
    logic [DEST_W-1:0] last_q;
    logic              drain_q, down_q, rests_q;
    logic [1:0]        after_q;  // beats that left since then

    wire dead = drain || !link_aresetn;

    axis_run_rx #(.DATA_W(1), .DEST_W(DEST_W), .BEATS(BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn), .frames(frames), .drain(drain), .drained(drained),
        .s_axis_tdata(1'b1), .s_axis_tdest(s_axis_tdest), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .frame_done(frame_done), .error_short(error_short), .error_long(error_long)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(DEST_W), .POLITE(1)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b0), .tdata(s_axis_tdest), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );
    // Beats that wait are withdrawn with the partitions' reset, as everywhere in a core.
    formal_sink #(.DATA_W(1)) u_sink (
        .aclk(aclk), .aresetn(link_aresetn), .pending(1'b0), .tdata(m_axis_tdata), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire m_fire = m_axis_tvalid && m_axis_tready;

    always_ff @(posedge aclk) begin
        if (s_fire) last_q <= s_axis_tdest;
        drain_q <= drain;
        down_q  <= !link_aresetn;
        rests_q <= drained;
        after_q <= drain && link_aresetn ? after_q + 2'(m_fire) : '0;
        if (!aresetn || (link_aresetn && down_q)) last_q <= '0;
        if (!aresetn) begin
            drain_q <= 1'b0;
            down_q  <= 1'b1;
            rests_q <= 1'b0;
            after_q <= '0;
        end
    end

    always_comb begin
        if (!aresetn) assume (!link_aresetn);
        // As shell_reset does it: drained, then in reset, in which draining ends.
        if (aresetn && drain_q) assume (drain || !link_aresetn);
        if (aresetn && !link_aresetn && !down_q && drain_q) assume (rests_q);
    end

    always_comb if (aresetn) begin
        if (dead && s_fire) this_run: assert (s_axis_tdest == last_q);
        if (drain && link_aresetn) begin
            few:   assert (after_q <= 2'd2);
            stays: assert (!rests_q || drained);
        end
        emptied: cover (drained && after_q == 2'd2);
        held:    cover (!link_aresetn && s_fire);
    end

endmodule

`default_nettype wire
