// SPDX-License-Identifier: BSD-3-Clause
//
// formal_accl_gate - the proof of accl_gate: frames stay whole through a drain and a reset of the link at any time.
//
// Grants come and go as accl_command gives them, after any time: it chooses only when there is a request. Bit 0 of the data marks
// the first beat of a frame as it comes, bit 1 marks all beats that come, so zeros are the block's; bit 2 is free.
//
//   exact      a grant lets one frame through: BEATS beats, TLAST on the last, none without a grant
//   aligned    the first beat of a frame that comes leaves as the first one of a frame
//   zeros, on  zeros only if a drain or reset struck while the frame was chosen, and then to its end
//   order      what comes leaves, once, in order and unaltered
//   `told`     frame_done is right, once
//   progress   a frame that was granted goes on, with the partition's beats or with zeros
`default_nettype none

module formal_accl_gate #(
    parameter int BEATS = 2,
    parameter int STALL = 2
) (
    input wire aclk,
    input wire aresetn,
    input wire link_aresetn,
    input wire drain,
    input wire s_axis_tdata,
    input wire s_axis_tvalid,
    input wire m_axis_tready
);

    (* anyseq *) logic choose, open, taken;

    localparam int BEAT_W = $clog2(BEATS + 1);

    wire               request, drained, s_axis_tready, m_axis_tlast, m_axis_tvalid, frame_done;
    wire [2:0]         m_axis_tdata;
    logic              chosen_q, grant_q, struck_q, zero_q, gone_q, done_q;
    logic [BEAT_W-1:0] in_q, out_q;  // beats of the frame that have come, that have left

    wire dead = drain || !link_aresetn;

    accl_gate #(.DATA_W(3), .BEATS(BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn), .drain(drain), .drained(drained),
        .request(request), .chosen(chosen_q), .grant(grant_q),
        .s_axis_tdata({s_axis_tdata, 1'b1, in_q == '0}), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .frame_done(frame_done)
    );

    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire m_fire = m_axis_tvalid && m_axis_tready;
    wire ends   = out_q == BEAT_W'(BEATS - 1);
    wire over   = (gone_q || (m_fire && ends)) && taken;  // behind an arbiter, some time later

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    always_comb if (!aresetn) assume (!link_aresetn);

    formal_source #(.DATA_W(1), .QUIET(0)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(1'b0), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );
    formal_sink #(.DATA_W(4), .STALL(STALL), .WITHIN(STALL + 2)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(grant_q && !gone_q && (s_axis_tvalid || struck_q) && !dead),
        .tdata({m_axis_tlast, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    wire [1:0] held_unused;
    formal_track #(.UNIT(3), .CAPACITY(2)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data({s_axis_tdata, 1'b1, in_q == '0}), .in_units(1'b1), .in_fire(s_fire),
        .out_data(m_axis_tdata), .out_units(1'b1), .out_valid(m_axis_tvalid && m_axis_tdata[1]),
        .out_fire(m_fire && m_axis_tdata[1]), .held(held_unused)
    );

    always_ff @(posedge aclk) begin
        chosen_q <= chosen_q ? !over : choose && request;
        grant_q  <= chosen_q && !over && (grant_q || open);
        struck_q <= chosen_q && (struck_q || dead);
        if (s_fire) in_q  <= in_q == BEAT_W'(BEATS - 1) ? '0 : in_q + 1'b1;
        if (m_fire) out_q <= ends ? '0 : out_q + 1'b1;
        if (m_fire) zero_q <= !ends && m_axis_tdata == '0;
        gone_q <= chosen_q && (gone_q || (m_fire && ends));
        done_q <= s_fire && in_q == BEAT_W'(BEATS - 1);
        // The partition restarts.
        if (dead) in_q <= '0;
        if (!aresetn) begin
            chosen_q <= 1'b0;
            grant_q  <= 1'b0;
            struck_q <= 1'b0;
            in_q     <= '0;
            out_q    <= '0;
            zero_q   <= 1'b0;
            gone_q   <= 1'b0;
            done_q   <= 1'b0;
        end
    end

    always_comb if (aresetn) begin
        if (m_axis_tvalid) exact:      assert (grant_q && !gone_q && m_axis_tlast == ends);
        if (!chosen_q)     whole:      assert (out_q == '0 && !m_axis_tvalid);
        if (s_axis_tready) takes_none: assert (grant_q && !gone_q && !dead);
        asks: assert (request == (s_axis_tvalid && !dead));
        if (m_axis_tvalid) begin
            aligned: assert (!m_axis_tdata[1] || m_axis_tdata[0] == (out_q == '0));
            zeros:   assert (m_axis_tdata[1] || (m_axis_tdata == '0 && struck_q));
            if (zero_q) on: assert (m_axis_tdata == '0);
        end
        told_done: assert (frame_done == done_q);
        rests: assert (drained == (drain && !chosen_q));
        filled:   cover (m_fire && ends && m_axis_tdata == '0 && !dead);
        unfilled: cover (m_fire && ends && m_axis_tdata[1] && !struck_q);
        cut:      cover (BEATS == 1 || (m_fire && zero_q));
    end

endmodule

`default_nettype wire
