// SPDX-License-Identifier: BSD-3-Clause
//
// axis_frame_label - gives the frames that pass their numbers back, from the tags of axis_frame_tag or axis_frame_match.
//
// Only the handshake goes through the block. `number` is held from a frame's first beat to its last; between frames it is
// the least that the next one can have, if number_known is high. `taint` comes with the last beat. A frame waits for its
// first tag, its last beat for the second.
//
// With DROP frames of another epoch than `epoch` are discarded: where results leave the board on which the host
// began a new run, those of an old one may still be under way.
//
// Throughput  one beat per cycle, no bubble between frames if the tags have come
// Latency     none
// Paths       from s_axis_tvalid to m_axis_tvalid and m_axis_tready to s_axis_tready, and to s_tag_tready
// Resources   about 48 LUT and 43 FF
//
// Parameters: BEATS  of a frame, 1 or more
//             DROP   1: frames of another epoch are discarded
// Checked by: test_axis_frame_label.py
`default_nettype none

module axis_frame_label #(
    parameter int BEATS = 1,
    parameter bit DROP  = 0
) (
    input  wire         aclk,
    input  wire         aresetn,

    input  wire  [7:0]  epoch,

    input  wire  [34:0] s_tag_tdata,
    input  wire         s_tag_tvalid,
    output logic        s_tag_tready,

    input  wire         s_axis_tvalid,
    output logic        s_axis_tready,

    output logic        m_axis_tvalid,
    input  wire         m_axis_tready,
    output logic [31:0] number,
    output logic        number_known,
    output logic        taint,

    output logic        passed,      // a frame has, but for those that are discarded
    output logic        marked       // with passed: it has a taint
);

    localparam int BEAT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam logic [1:0] ENDS = 2'd1, MARK = 2'd2, WHOLE = 2'd3;

    generate
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end
    endgenerate

    logic [BEAT_W-1:0] beat_q;
    logic              have_q;       // the frame under way, or the next one, has its number
    logic              end_q, taint_q, stale_q;

    wire  [1:0] kind = s_tag_tdata[33:32];
    wire last  = beat_q == BEAT_W'(BEATS - 1);
    wire go    = have_q && (end_q || !last);
    wire fire  = s_axis_tvalid && s_axis_tready;
    wire over  = fire && last;
    wire ends  = kind == ENDS || kind == WHOLE;

    assign s_tag_tready  = kind == ENDS ? have_q && !end_q : !have_q || over;
    assign m_axis_tvalid = s_axis_tvalid && go && !stale_q;
    assign s_axis_tready = go && (m_axis_tready || stale_q);
    assign taint         = last && taint_q;
    assign passed        = over && !stale_q;
    assign marked        = passed && taint_q;

    wire take = s_tag_tvalid && s_tag_tready;

    always_ff @(posedge aclk) begin
        if (fire) beat_q <= last ? '0 : beat_q + 1'b1;

        if (take && kind != ENDS) have_q <= kind != MARK;
        else if (over)            have_q <= 1'b0;
        if (take && ends)         end_q <= 1'b1;
        else if (over)            end_q <= 1'b0;
        if (take && ends) taint_q <= s_tag_tdata[34];

        if (take && kind != ENDS) begin
            number       <= s_tag_tdata[31:0];
            number_known <= 1'b1;
            stale_q      <= DROP && s_tag_tdata[31:24] != epoch;
        end else if (over) begin
            number[23:0] <= number[23:0] + 1'b1;
        end

        if (!aresetn) begin
            beat_q       <= '0;
            have_q       <= 1'b0;
            end_q        <= 1'b0;
            number_known <= 1'b0;
            stale_q      <= 1'b0;
        end
    end

endmodule

`default_nettype wire
