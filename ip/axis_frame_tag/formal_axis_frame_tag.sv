// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_tag - the proof of axis_frame_tag, for an arbitrary frame.
//
//   own      its tags have its number and its taint
//   grammar  tags come as those who take them know them: begins, ends, and between frames what is least
//   begun    no first beat leaves without its tag, nor a last one
//   least    kind 2 says what `mark` said when no frame was there
`default_nettype none

module formal_axis_frame_tag #(
    parameter int BEATS = 3
) (
    input wire        aclk,
    input wire        aresetn,
    input wire [31:0] number,
    input wire        taint,
    input wire [31:0] mark,
    input wire        mark_known,
    input wire        s_axis_tvalid,
    input wire        m_axis_tready,
    input wire        m_tag_tready
);

    wire        s_axis_tready, m_axis_tvalid, m_tag_tvalid;
    wire [31:0] now;
    wire [34:0] m_tag_tdata;
    (* anyconst *) logic [2:0] which;

    axis_frame_tag #(.BEATS(BEATS)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .number(number), .taint(taint), .mark(mark), .mark_known(mark_known),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .now(now),
        .m_tag_tdata(m_tag_tdata), .m_tag_tvalid(m_tag_tvalid), .m_tag_tready(m_tag_tready)
    );

    localparam int BEAT_W = $clog2(BEATS + 1);
    logic              open_q, bad_q;
    logic [2:0]        in_q, told_q, ended_q;
    logic [31:0]       number_q;
    logic              taint_q, seen_q;
    logic [BEAT_W-1:0] beat_q;
    wire  [1:0]        kind = m_tag_tdata[33:32];
    wire               made = m_tag_tvalid && m_tag_tready;
    wire               fire = s_axis_tvalid && s_axis_tready;
    wire               first = beat_q == '0, last = 32'(beat_q) == BEATS - 1;

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    // The number and the taint hold with the beat.
    formal_source #(.DATA_W(33), .POLITE(1), .QUIET(0)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata({taint, number}), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );
    formal_sink #(.DATA_W(35)) u_sink_tag (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata(m_tag_tdata), .tvalid(m_tag_tvalid), .tready(m_tag_tready)
    );
    formal_sink #(.DATA_W(1)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata(1'b0), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );
    always_comb assume (!taint || (s_axis_tvalid && last));

    always_ff @(posedge aclk) begin
        if (fire) beat_q <= last ? '0 : beat_q + 1'b1;
        if (fire && last) in_q <= in_q + 1'b1;
        if (s_axis_tvalid && in_q == which && first) number_q <= number;
        if (s_axis_tvalid && in_q == which && last) taint_q <= taint;
        if (made && kind == 2'd0) open_q <= 1'b1;
        if (made && kind == 2'd1) open_q <= 1'b0;
        if (made && (kind == 2'd0 || kind == 2'd3)) told_q <= told_q + 1'b1;
        if (made && (kind == 2'd1 || kind == 2'd3)) ended_q <= ended_q + 1'b1;
        seen_q <= 1'b1;
        if (!aresetn) begin
            beat_q  <= '0;
            in_q    <= '0;
            open_q  <= 1'b0;
            told_q  <= '0;
            ended_q <= '0;
        end
    end
    assign bad_q = 1'b0;

    wire [2:0] out_begun = told_q + 3'(m_tag_tvalid && (kind == 2'd0 || kind == 2'd3));
    wire [2:0] out_ended = ended_q + 3'(m_tag_tvalid && (kind == 2'd1 || kind == 2'd3));

    always_comb if (aresetn) begin
        if (m_tag_tvalid) grammar: assert (kind == (open_q ? 2'd1 : kind == 2'd2 ? 2'd2 : BEATS == 1 ? 2'd3 : 2'd0));
        // A tag may be ahead of its beat.
        order: assert (3'(out_begun - in_q) <= 3'd1 && 3'(out_ended - in_q) <= 3'd1);
        if (!first) begun: assert (out_begun == 3'(in_q + 1'b1));
        if (m_tag_tvalid && kind != 2'd2 && kind != 2'd1 && told_q == which) own: assert (m_tag_tdata[31:0] == number_q);
        if (m_tag_tvalid && kind != 2'd2 && kind != 2'd0 && ended_q == which) own_taint: assert (m_tag_tdata[34] == taint_q);
        passes: cover (fire && last && in_q == 3'd2);
        says:   cover (m_tag_tvalid && kind == 2'd2);
    end

    wire unused = &{1'b0, now, seen_q, bad_q};

endmodule

`default_nettype wire
