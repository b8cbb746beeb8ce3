// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_run_rx_runs - numbered runs of any length: none of them shifts the next.
//
// Bit 0 of the data marks the first beat of a run as it comes, bit 1 marks all beats that come, so zeros are the block's.
`default_nettype none

module formal_axis_run_rx_runs #(
    parameter int DEST_W = 2,
    parameter int BEATS  = 2,
    parameter int MOST   = 2,  // frames of a run
    parameter int STALL  = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [DEST_W-1:0] s_axis_tdest,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    (* anyconst *) logic [15:0] frames;
    always_comb assume (frames != '0 && frames <= 16'(MOST));

    localparam int COUNT_W = $clog2(MOST * BEATS + 1);

    wire               s_axis_tready, m_axis_tvalid, frame_done, error_short, error_long, drained;
    wire [1:0]         m_axis_tdata;
    logic [DEST_W-1:0] last_q;           // number of the run from which a beat was taken
    logic [COUNT_W-1:0] in_q, out_q;     // beats of it that were taken; of the run that comes out
    logic              filled_q, told_q; // zeros have come out; its surplus has been flagged

    wire first = s_axis_tdest != last_q;

    axis_run_rx #(.DATA_W(2), .DEST_W(DEST_W), .BEATS(BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(aresetn), .frames(frames), .drain(1'b0), .drained(drained),
        .s_axis_tdata({1'b1, first}), .s_axis_tdest(s_axis_tdest), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .frame_done(frame_done), .error_short(error_short), .error_long(error_long)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(DEST_W), .POLITE(1), .WITHIN((MOST * BEATS + 2) * (STALL + 1))) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(s_axis_tdest), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );
    formal_sink #(.DATA_W(2), .STALL(STALL)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata(m_axis_tdata), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire m_fire = m_axis_tvalid && m_axis_tready;
    wire [COUNT_W-1:0] whole = COUNT_W'(frames) * COUNT_W'(BEATS);
    wire               ends  = out_q == whole - 1'b1;

    always_ff @(posedge aclk) begin
        if (s_fire) begin
            last_q <= s_axis_tdest;
            in_q   <= first ? COUNT_W'(1) : in_q == whole ? whole : in_q + 1'b1;
        end
        if (m_fire) begin
            out_q    <= ends ? '0 : out_q + 1'b1;
            filled_q <= !ends && !m_axis_tdata[1];
        end
        told_q <= s_fire && !first && in_q == whole;
        if (!aresetn) begin
            last_q   <= '0;
            in_q     <= '0;
            out_q    <= '0;
            filled_q <= 1'b0;
            told_q   <= 1'b0;
        end
    end

    always_comb if (aresetn) begin
        assume (s_axis_tdest != '0);
        if (m_axis_tvalid) begin
            aligned:   assert (m_axis_tdata[0] == (out_q == '0));
            zeros:     assert (m_axis_tdata[1] || m_axis_tdata == '0);
            once_zero: assert (!filled_q || m_axis_tdata == '0);
        end
        long_only: assert (!error_long || told_q);
        // A cut is flagged when the beat of the next run waits.
        short_only: assert (!error_short || (s_axis_tvalid && first && in_q != whole));
        cut:     cover (m_fire && ends && filled_q);
        surplus: cover (error_long);
    end

endmodule

`default_nettype wire
