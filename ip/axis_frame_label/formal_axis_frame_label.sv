// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_label - the proof of axis_frame_label, for an arbitrary frame.
//
//   own      its beats have the number of its tag, and its last beat the taint of its second tag
//   whole    it leaves whole, or with DROP and another epoch not at all
//   waits    no frame leaves before its first tag has come, none ends before its second one has
`default_nettype none

module formal_axis_frame_label #(
    parameter int BEATS = 3,
    parameter bit DROP  = 0
) (
    input wire        aclk,
    input wire        aresetn,
    input wire [34:0] s_tag_tdata,
    input wire        s_tag_tvalid,
    input wire        s_axis_tvalid,
    input wire        m_axis_tready
);

    wire        s_tag_tready, s_axis_tready, m_axis_tvalid, number_known, taint, passed, marked;
    wire [31:0] number;
    (* anyconst *) logic [7:0] epoch;
    (* anyconst *) logic [2:0] which;     // of eight frames

    axis_frame_label #(.BEATS(BEATS), .DROP(DROP)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .epoch(epoch),
        .s_tag_tdata(s_tag_tdata), .s_tag_tvalid(s_tag_tvalid), .s_tag_tready(s_tag_tready),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .number(number), .number_known(number_known), .taint(taint), .passed(passed), .marked(marked)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(35), .POLITE(1), .QUIET(0)) u_tags (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(s_tag_tdata), .tvalid(s_tag_tvalid), .tready(s_tag_tready)
    );
    formal_source #(.DATA_W(1), .POLITE(1), .QUIET(0)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(1'b0), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );
    formal_sink #(.DATA_W(33), .QUIET(0)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata({taint, number}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    localparam int BEAT_W = $clog2(BEATS + 1);
    logic              open_q;               // a frame has its first tag and not its second
    logic [2:0]        told_q, ended_q, over_q;
    logic [31:0]       number_q;
    logic              taint_q;
    logic [BEAT_W-1:0] beat_q;
    wire  [1:0]        kind = s_tag_tdata[33:32];
    wire               take = s_tag_tvalid && s_tag_tready;
    wire               fire = s_axis_tvalid && s_axis_tready;
    wire               last = 32'(beat_q) == BEATS - 1;
    wire               mine = over_q == which;
    wire               gone = DROP && number_q[31:24] != epoch;

    // Tags as their makers send them.
    always_comb if (s_tag_tvalid) assume (kind == (open_q ? 2'd1 : kind == 2'd2 ? 2'd2 : BEATS == 1 ? 2'd3 : 2'd0));

    always_ff @(posedge aclk) begin
        if (take && kind == 2'd0) open_q <= 1'b1;
        if (take && kind == 2'd1) open_q <= 1'b0;
        if (take && (kind == 2'd0 || kind == 2'd3)) begin
            told_q <= told_q + 1'b1;
            if (told_q == which) number_q <= s_tag_tdata[31:0];
        end
        if (take && (kind == 2'd1 || kind == 2'd3)) begin
            ended_q <= ended_q + 1'b1;
            if (ended_q == which) taint_q <= s_tag_tdata[34];
        end
        if (fire) beat_q <= last ? '0 : beat_q + 1'b1;
        if (fire && last) over_q <= over_q + 1'b1;
        if (!aresetn) begin
            open_q  <= 1'b0;
            told_q  <= '0;
            ended_q <= '0;
            over_q  <= '0;
            beat_q  <= '0;
        end
    end

    always_comb if (aresetn) begin
        order: assert (3'(told_q - over_q) <= 3'd1 && 3'(ended_q - over_q) <= 3'd1 && open_q == (told_q != ended_q));
        if (fire) waits: assert (told_q != over_q && (!last || ended_q != over_q));
        if (m_axis_tvalid && mine) own: assert (number == number_q && number_known && !gone && taint == (last && taint_q));
        if (fire) whole: assert (!mine || gone ? !(mine && m_axis_tvalid) : m_axis_tvalid && m_axis_tready);
        told: assert (passed == (fire && last && m_axis_tvalid) && marked == (passed && taint));
        leaves: cover (passed && over_q == 3'd2);
        if (DROP) discards: cover (fire && !m_axis_tvalid && mine);
    end

endmodule

`default_nettype wire
