// SPDX-License-Identifier: BSD-3-Clause
//
// axis_frame_tag - tells the numbers of the frames that pass, in a stream of tags beside the stream of their beats.
//
// Only the handshake goes through the block. When its first beat comes a frame makes a tag with its number, when its last
// beat comes a second one with its taint: it is not what it should be. A frame of one beat makes one tag. A first or
// last beat waits until its tag has room, and a tag does not wait until its beat is taken. Tags go to axis_frame_match and axis_frame_label:
//
//   bits 33:32  kind: 0 a frame begins, 1 it ends, 2 no frame with a lower number will begin, 3 one begins and ends
//   bit  34     taint, in kinds 1 and 3
//   bits 31:0   number, but in kind 1: the epoch of its origin, then 24 bits that count
//
// ORIGIN 0: numbers come with the frames; mark and mark_known are those of vnx_receiver. ORIGIN 1: the block gives numbers.
// Each reset begins a new epoch, which no reset clears, so that no number comes twice. A tag of kind 2 follows when nothing
// has come for 16 cycles, if it says something new.
//
// Throughput  one beat per cycle
// Latency     none; 1 cycle to a tag
// Paths       from s_axis_tvalid to m_axis_tvalid and m_axis_tready to s_axis_tready, and from m_tag_tready to both
// Resources   about 85 LUT and 81 FF; ORIGIN: 115 FF
//
// Parameters: BEATS   of a frame, 1 or more
//             ORIGIN  1: numbers begin here
// Checked by: test_axis_frame_tag.py
`default_nettype none

module axis_frame_tag #(
    parameter int BEATS  = 1,
    parameter bit ORIGIN = 0
) (
    input  wire         aclk,
    input  wire         aresetn,

    input  wire  [31:0] number,      // of the frame at s_axis
    input  wire         taint,       // with its last beat; ORIGIN: at any time until then, for a cycle
    input  wire  [31:0] mark,        // no frame with a lower number will come
    input  wire         mark_known,

    input  wire         s_axis_tvalid,
    output logic        s_axis_tready,

    output logic        m_axis_tvalid,
    input  wire         m_axis_tready,

    output logic [31:0] now,         // ORIGIN: number of the next frame

    output logic [34:0] m_tag_tdata,
    output logic        m_tag_tvalid,
    input  wire         m_tag_tready
);

    localparam int BEAT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam logic [1:0] BEGINS = 2'd0, ENDS = 2'd1, MARK = 2'd2, WHOLE = 2'd3;

    generate
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end
    endgenerate

    logic [BEAT_W-1:0] beat_q;
    logic              out_q;        // the tag of the beat at s_axis is
    logic              taint_q;      // of the frame under way
    logic              up_q;         // reset is over, and the epoch is new
    logic [31:0]       said_q;       // by the last tag of kind 2
    logic              said_known_q;
    logic [3:0]        quiet_q;      // cycles without a beat, up to 15

    wire [31:0] here, least;
    wire        least_known;
    wire first = beat_q == '0;
    wire last  = beat_q == BEAT_W'(BEATS - 1);
    wire free  = !m_tag_tvalid || m_tag_tready;
    wire due   = up_q && s_axis_tvalid && (first || last) && !out_q;
    wire tells = due && free;
    wire go    = up_q && (free || out_q || !(first || last));
    wire fire  = s_axis_tvalid && s_axis_tready;
    wire says  = up_q && free && first && !s_axis_tvalid && quiet_q == '1 && least_known && !(said_known_q && said_q == least);

    assign m_axis_tvalid = s_axis_tvalid && go;
    assign s_axis_tready = m_axis_tready && go;

    always_ff @(posedge aclk) begin
        up_q <= aresetn;
        if (fire) beat_q <= last ? '0 : beat_q + 1'b1;
        out_q <= (out_q || tells) && !fire;
        if (s_axis_tvalid)      quiet_q <= '0;
        else if (quiet_q != '1) quiet_q <= quiet_q + 1'b1;

        if (free) begin
            m_tag_tvalid        <= says || tells;
            m_tag_tdata[31:0]   <= says ? least : here;
            m_tag_tdata[33:32]  <= says ? MARK : !last ? BEGINS : BEATS > 1 ? ENDS : WHOLE;
            m_tag_tdata[34]     <= !says && last && (taint || taint_q);
        end
        taint_q <= ORIGIN && (taint_q || taint) && !(fire && last);
        if (says) said_q <= least;
        said_known_q <= said_known_q || says;

        if (!aresetn) begin
            up_q         <= 1'b0;
            beat_q       <= '0;
            out_q        <= 1'b0;
            quiet_q      <= '0;
            taint_q      <= 1'b0;
            m_tag_tvalid <= 1'b0;
            said_known_q <= 1'b0;
        end
    end

    generate
        if (ORIGIN) begin : g_origin
            logic [7:0]  epoch_q;
            logic [23:0] count_q;
            initial epoch_q = '0;
            always_ff @(posedge aclk) begin
                if (aresetn && !up_q) epoch_q <= epoch_q + 1'b1;
                if (tells && first) count_q <= count_q + 1'b1;
                if (!aresetn) count_q <= '0;
            end
            assign least       = {epoch_q, count_q};
            assign least_known = 1'b1;
            assign here        = least;
            assign now         = least;
            wire unused = &{1'b0, number, mark, mark_known};
        end else begin : g_passes
            assign least       = mark;
            assign least_known = mark_known;
            assign here        = number;
            assign now         = '0;
        end
    endgenerate

endmodule

`default_nettype wire
