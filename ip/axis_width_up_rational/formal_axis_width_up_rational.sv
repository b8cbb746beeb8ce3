// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_width_up_rational - the proof of axis_width_up_rational: no frames, and frames of any length.
//
// A unit comes with the mark whether its frame ends with it, and the tuser of its beat. Where words need not be
// filled, one bit of every unit is 1 and tells how many units a word holds: with FRAME_END 2 the bit that the
// block looks at, with FRAME_END 1 bit 0, which is data to the block. With FRAME_END 1 a frame may end in each beat
// that FLUSH and ZERO allow, so that frames of many lengths follow one another.
`default_nettype none

module formal_axis_width_up_rational #(
    parameter int UNIT_W    = 2,
    parameter int IN_UNITS  = 2,
    parameter int OUT_UNITS = 3,
    parameter int FRAME_END = 0,
    parameter bit FLUSH     = 0,
    parameter bit ZERO      = 0,
    parameter int KEEP_BIT  = 0,
    parameter int USER_W    = 1,
    parameter int STALL     = 1
) (
    input wire                        aclk,
    input wire                        aresetn,
    input wire [IN_UNITS*UNIT_W-1:0]  s_axis_tdata,
    input wire                        s_axis_tlast,
    input wire [USER_W-1:0]           s_axis_tuser,
    input wire                        s_axis_tvalid,
    input wire                        m_axis_tready
);

    localparam int NEVER    = 0, BY_KEEP = 2;
    localparam bit FILLED   = FRAME_END != BY_KEEP && !ZERO;
    localparam int MARK     = FRAME_END == BY_KEEP ? KEEP_BIT : 0;
    localparam int UNIT     = UNIT_W + 1 + USER_W;
    localparam int CAPACITY = OUT_UNITS + 2 * IN_UNITS;
    localparam int HELD_W   = $clog2(CAPACITY + IN_UNITS + 1);
    localparam int PLACE_W  = $clog2(OUT_UNITS + IN_UNITS + 1);
    localparam int IN_N     = $clog2(IN_UNITS + 1);
    localparam int OUT_N    = $clog2(OUT_UNITS + 1);

    wire                         s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [OUT_UNITS*UNIT_W-1:0]  m_axis_tdata;
    wire [USER_W-1:0]            m_axis_tuser;
    wire [HELD_W-1:0]            held;

    axis_width_up_rational #(
        .UNIT_W(UNIT_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(FRAME_END), .FLUSH(FLUSH),
        .ZERO(ZERO), .KEEP_BIT(KEEP_BIT), .USER_W(USER_W)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    // ---- what the header asks of the source
    logic [PLACE_W-1:0] place_q;    // of the beat's first unit in its word
    wire  s_fire = s_axis_tvalid && s_axis_tready;
    wire  s_last = FRAME_END != NEVER && s_axis_tlast;
    wire  [PLACE_W-1:0] upto = place_q + PLACE_W'(IN_UNITS);
    wire  [IN_UNITS:0]  s_marks;
    wire  [IN_UNITS-1:0] s_clean;
    always_ff @(posedge aclk) begin
        if (s_fire) place_q <= s_last ? '0 : upto >= PLACE_W'(OUT_UNITS) ? upto - PLACE_W'(OUT_UNITS) : upto;
        if (!aresetn) place_q <= '0;
    end
    generate
        for (genvar k = 0; k < IN_UNITS; k++) begin : g_clean
            assign s_clean[k] = s_marks[k] || s_axis_tdata[k*UNIT_W +: UNIT_W] == '0;
        end
        if (FRAME_END == BY_KEEP) begin : g_by_keep
            always_comb if (s_axis_tvalid)
                assume (s_marks[0] && ((s_marks + 1'b1) & s_marks) == '0 && &s_clean
                        && (s_last || &s_marks[IN_UNITS-1:0]));
        end else if (ZERO) begin : g_by_last
            always_comb if (s_axis_tvalid) begin
                assume (&s_marks[IN_UNITS-1:0]);
                if (s_last) assume (FLUSH == (upto > PLACE_W'(OUT_UNITS)));
            end
        end else begin : g_filled
            always_comb if (s_axis_tvalid && s_last) assume (upto >= PLACE_W'(OUT_UNITS));
        end
    endgenerate

    // ---- units: of an unpacked frame what runs over its last word is none
    logic [IN_N-1:0]  s_units;
    logic [OUT_N-1:0] m_units;
    wire  [IN_UNITS*UNIT-1:0]  s_data;
    wire  [OUT_UNITS*UNIT-1:0] m_data;
    wire  [OUT_UNITS:0]        m_marks;
    wire  [OUT_UNITS-1:0]      clean;   // no bit is set where there is no unit
    assign s_marks[IN_UNITS]  = 1'b0;
    assign m_marks[OUT_UNITS] = 1'b0;
    always_comb begin
        s_units = '0;
        m_units = '0;
        for (int k = 0; k < IN_UNITS; k++) s_units = s_units + IN_N'(s_marks[k]);
        if (FILLED && s_last) s_units = IN_N'(PLACE_W'(OUT_UNITS) - place_q);
        for (int k = 0; k < OUT_UNITS; k++) m_units = m_units + OUT_N'(m_marks[k]);
    end
    generate
        for (genvar k = 0; k < IN_UNITS; k++) begin : g_in
            assign s_marks[k] = FILLED || s_axis_tdata[k*UNIT_W + MARK];
            assign s_data[k*UNIT +: UNIT] =
                {s_axis_tuser, s_last && s_units == IN_N'(k + 1), s_axis_tdata[k*UNIT_W +: UNIT_W]};
        end
        for (genvar k = 0; k < OUT_UNITS; k++) begin : g_out
            assign m_marks[k] = FILLED || m_axis_tdata[k*UNIT_W + MARK];
            assign clean[k] = m_marks[k] || m_axis_tdata[k*UNIT_W +: UNIT_W] == '0;
            assign m_data[k*UNIT +: UNIT] =
                {m_axis_tuser, m_axis_tlast && !m_marks[k+1], m_axis_tdata[k*UNIT_W +: UNIT_W]};
        end
    endgenerate

    // Ends inside: a word with one is complete however short.
    logic [HELD_W-1:0] ends_q;
    wire s_end = s_fire && s_last;
    wire m_end = m_axis_tvalid && m_axis_tready && m_axis_tlast;
    always_ff @(posedge aclk) ends_q <= aresetn ? ends_q + HELD_W'(s_end) - HELD_W'(m_end) : '0;

    formal_stream #(
        .UNIT(UNIT), .IN_U(IN_UNITS), .OUT_U(OUT_UNITS), .TAIL_W(USER_W), .SIDE_W(1), .CAPACITY(CAPACITY),
        .STALL(STALL), .QUIET(0), .IN_WITHIN(2 * STALL + 2), .OUT_WITHIN(STALL + 3)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_data), .s_units(s_units), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_data), .m_units(m_units), .m_side(m_axis_tlast), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held >= HELD_W'(OUT_UNITS) || ends_q != '0), .held(held)
    );

    always_comb if (aresetn && m_axis_tvalid) begin
        keep: assert (m_marks[0] && ((m_marks + 1'b1) & m_marks) == '0 && (m_axis_tlast || &m_marks[OUT_UNITS-1:0]));
        zero: assert (&clean);
        if (FRAME_END == NEVER) last: assert (!m_axis_tlast);
    end

endmodule

`default_nettype wire
