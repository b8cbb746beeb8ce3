// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_width_up_integer - the proof of axis_width_up_integer: no frames, and frames of any length.
//
// A unit is a beat with the mark whether its frame ends with it, and its tuser. Where words need not be filled,
// one bit of every beat is 1 and tells how many beats a word holds: with FRAME_END 2 the bit that the block looks
// at, with FRAME_END 1 bit 0, which is data to the block.
`default_nettype none

module formal_axis_width_up_integer #(
    parameter int BEAT_W    = 2,
    parameter int RATIO     = 2,
    parameter int FRAME_END = 0,
    parameter bit ZERO      = 0,
    parameter int KEEP_BIT  = 0,
    parameter int USER_W    = 1,
    parameter int STALL     = 1
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [BEAT_W-1:0] s_axis_tdata,
    input wire              s_axis_tlast,
    input wire [USER_W-1:0] s_axis_tuser,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int NEVER   = 0, BY_KEEP = 2;
    localparam bit FILLED  = FRAME_END != BY_KEEP && !ZERO;
    localparam int MARK    = FRAME_END == BY_KEEP ? KEEP_BIT : 0;
    localparam int UNIT    = BEAT_W + 1 + USER_W;
    localparam int HELD_W  = $clog2(RATIO + 2);
    localparam int COUNT_W = $clog2(RATIO + 1);

    wire                     s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [RATIO*BEAT_W-1:0]  m_axis_tdata;
    wire [USER_W-1:0]        m_axis_tuser;
    wire [HELD_W-1:0]        held;

    axis_width_up_integer #(
        .BEAT_W(BEAT_W), .RATIO(RATIO), .FRAME_END(FRAME_END), .ZERO(ZERO), .KEEP_BIT(KEEP_BIT), .USER_W(USER_W)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    // What the header asks of the source.
    logic [COUNT_W-1:0] beat_q;     // of the word
    wire  s_fire = s_axis_tvalid && s_axis_tready;
    wire  s_last = FRAME_END != NEVER && s_axis_tlast;
    always_ff @(posedge aclk) begin
        if (s_fire) beat_q <= s_last || beat_q == COUNT_W'(RATIO - 1) ? '0 : beat_q + 1'b1;
        if (!aresetn) beat_q <= '0;
    end
    always_comb if (s_axis_tvalid) begin
        if (!FILLED) assume (s_axis_tdata[MARK]);
        else if (s_last) assume (beat_q == COUNT_W'(RATIO - 1));
    end

    logic [COUNT_W-1:0]    m_units;
    wire  [RATIO:0]        marks;
    wire  [RATIO*UNIT-1:0] m_data;
    wire  [RATIO-1:0]      clean;    // no bit is set where there is no beat
    assign marks[RATIO] = 1'b0;
    always_comb begin
        m_units = '0;
        for (int k = 0; k < RATIO; k++) m_units = m_units + COUNT_W'(marks[k]);
    end
    generate
        for (genvar k = 0; k < RATIO; k++) begin : g_out
            assign marks[k] = FILLED || m_axis_tdata[k*BEAT_W + MARK];
            assign clean[k] = marks[k] || m_axis_tdata[k*BEAT_W +: BEAT_W] == '0;
            assign m_data[k*UNIT +: UNIT] =
                {m_axis_tuser, m_axis_tlast && !marks[k+1], m_axis_tdata[k*BEAT_W +: BEAT_W]};
        end
    endgenerate

    // Ends inside: a word with one is complete however short.
    logic [HELD_W-1:0] ends_q;
    wire s_end = s_fire && s_last;
    wire m_end = m_axis_tvalid && m_axis_tready && m_axis_tlast;
    always_ff @(posedge aclk) ends_q <= aresetn ? ends_q + HELD_W'(s_end) - HELD_W'(m_end) : '0;

    formal_stream #(
        .UNIT(UNIT), .IN_U(1), .OUT_U(RATIO), .TAIL_W(USER_W), .SIDE_W(1), .CAPACITY(RATIO), .STALL(STALL),
        .QUIET(0), .IN_WITHIN(STALL + 1), .OUT_WITHIN(STALL + 2)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data({s_axis_tuser, s_last, s_axis_tdata}), .s_units(1'b1), .s_valid(s_axis_tvalid),
        .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_data), .m_units(m_units), .m_side(m_axis_tlast), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held == HELD_W'(RATIO) || ends_q != '0), .held(held)
    );

    always_comb if (aresetn && m_axis_tvalid) begin
        keep: assert (marks[0] && ((marks + 1'b1) & marks) == '0 && (m_axis_tlast || &marks[RATIO-1:0]));
        zero: assert (&clean);
        if (FRAME_END == NEVER) last: assert (!m_axis_tlast);
    end

endmodule

`default_nettype wire
