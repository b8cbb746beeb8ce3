// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_width_down - the proof of axis_width_down: no frames, and frames of any length.
//
// A unit, with FRAME_END 2 a byte, comes with the mark whether its frame ends with it, and the tuser of its beat.
// With FRAME_END 1 a frame may end in each beat that stands where END says, so that frames of many lengths follow
// one another.
`default_nettype none

module formal_axis_width_down #(
    parameter int UNIT_W    = 2,
    parameter int IN_UNITS  = 3,
    parameter int OUT_UNITS = 2,
    parameter int FRAME_END = 0,
    parameter int END       = 0,
    parameter bit SLICE     = 1,
    parameter int USER_W    = 1,
    parameter int STALL     = 1,
    localparam int BY_KEEP  = 2,
    localparam int KEEP_W   = FRAME_END == BY_KEEP ? UNIT_W / 8 : 1
) (
    input wire                        aclk,
    input wire                        aresetn,
    input wire [IN_UNITS*UNIT_W-1:0]  s_axis_tdata,
    input wire [IN_UNITS*KEEP_W-1:0]  s_axis_tkeep,
    input wire                        s_axis_tlast,
    input wire [USER_W-1:0]           s_axis_tuser,
    input wire                        s_axis_tvalid,
    input wire                        m_axis_tready
);

    localparam int NEVER    = 0, BY_LAST = 1;
    localparam int GRAIN_W  = FRAME_END == BY_KEEP ? 8 : UNIT_W;
    localparam int IN_N     = IN_UNITS * KEEP_W;
    localparam int OUT_N    = OUT_UNITS * KEEP_W;
    localparam int UNIT     = GRAIN_W + 1 + USER_W;
    // With FRAME_END 1: units of a frame's last beats, and where the last input beat stands, modulo OUT_UNITS.
    localparam int IN_LAST  = END + 1 < IN_UNITS ? END + 1 : IN_UNITS;
    localparam int LEFT     = IN_UNITS + OUT_UNITS - 1 - END;
    localparam int OUT_LAST = LEFT < OUT_UNITS ? LEFT : OUT_UNITS;
    localparam int PLACE    = (IN_UNITS * OUT_UNITS + OUT_UNITS - 1 - END) % OUT_UNITS;
    localparam int CAPACITY = IN_N + 4 * OUT_N;
    localparam int STEPS    = IN_UNITS / OUT_UNITS + 2;
    localparam int HELD_W   = $clog2(CAPACITY + IN_N + 1);
    localparam int PLACE_W  = $clog2(IN_UNITS + OUT_UNITS + 1);
    localparam int IN_W     = $clog2(IN_N + 1);
    localparam int OUT_W    = $clog2(OUT_N + 1);

    wire                         s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [OUT_UNITS*UNIT_W-1:0]  m_axis_tdata;
    wire [OUT_N-1:0]             m_axis_tkeep;
    wire [USER_W-1:0]            m_axis_tuser;
    wire [HELD_W-1:0]            held;

    axis_width_down #(
        .UNIT_W(UNIT_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(FRAME_END), .END(END),
        .SLICE(SLICE), .USER_W(USER_W)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tlast(s_axis_tlast),
        .s_axis_tuser(s_axis_tuser), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tlast(m_axis_tlast),
        .m_axis_tuser(m_axis_tuser), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    // ---- what the header asks of the source
    logic [PLACE_W-1:0] place_q;    // of the beat's first unit in the frame, modulo OUT_UNITS
    wire  s_fire = s_axis_tvalid && s_axis_tready;
    wire  s_last = FRAME_END != NEVER && s_axis_tlast;
    always_ff @(posedge aclk) begin
        if (s_fire) place_q <= s_last ? '0 : (place_q + PLACE_W'(IN_UNITS)) % PLACE_W'(OUT_UNITS);
        if (!aresetn) place_q <= '0;
    end
    wire [IN_N:0] s_kept = {1'b0, s_axis_tkeep};
    always_comb if (s_axis_tvalid) begin
        if (FRAME_END == BY_LAST && s_last) assume (place_q == PLACE_W'(PLACE));
        if (FRAME_END == BY_KEEP)
            assume (s_kept[0] && ((s_kept + 1'b1) & s_kept) == '0 && (s_last || &s_axis_tkeep));
    end

    // ---- units
    logic [IN_W-1:0]       s_units;
    logic [OUT_W-1:0]      m_units;
    wire  [IN_N*UNIT-1:0]  s_data;
    wire  [OUT_N*UNIT-1:0] m_data;
    wire  [OUT_N-1:0]      clean;   // no bit is set where there is no unit
    always_comb begin
        s_units = s_last ? IN_W'(IN_LAST) : IN_W'(IN_N);
        m_units = m_axis_tlast ? OUT_W'(OUT_LAST) : OUT_W'(OUT_N);
        if (FRAME_END == BY_KEEP) begin
            s_units = '0;
            m_units = '0;
            for (int k = 0; k < IN_N; k++) s_units = s_units + IN_W'(s_axis_tkeep[k]);
            for (int k = 0; k < OUT_N; k++) m_units = m_units + OUT_W'(m_axis_tkeep[k]);
        end
    end
    generate
        for (genvar k = 0; k < IN_N; k++) begin : g_in
            assign s_data[k*UNIT +: UNIT] =
                {s_axis_tuser, s_last && s_units == IN_W'(k + 1), s_axis_tdata[k*GRAIN_W +: GRAIN_W]};
        end
        for (genvar k = 0; k < OUT_N; k++) begin : g_out
            assign m_data[k*UNIT +: UNIT] =
                {m_axis_tuser, m_axis_tlast && m_units == OUT_W'(k + 1), m_axis_tdata[k*GRAIN_W +: GRAIN_W]};
            assign clean[k] = OUT_W'(k) < m_units || m_axis_tdata[k*GRAIN_W +: GRAIN_W] == '0;
        end
    endgenerate

    // Ends inside: a beat with one is complete however short.
    logic [HELD_W-1:0] ends_q;
    wire s_end = s_fire && s_last;
    wire m_end = m_axis_tvalid && m_axis_tready && m_axis_tlast;
    always_ff @(posedge aclk) ends_q <= aresetn ? ends_q + HELD_W'(s_end) - HELD_W'(m_end) : '0;

    formal_stream #(
        .UNIT(UNIT), .IN_U(IN_N), .OUT_U(OUT_N), .TAIL_W(USER_W), .SIDE_W(OUT_N + 1), .CAPACITY(CAPACITY),
        .STALL(STALL), .QUIET(0), .IN_WITHIN(STEPS * (STALL + 1)), .OUT_WITHIN(STALL + 3)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_data), .s_units(s_units), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_data), .m_units(m_units), .m_side({m_axis_tlast, m_axis_tkeep}), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held >= HELD_W'(OUT_N) || ends_q != '0), .held(held)
    );

    wire [OUT_N:0] m_kept = {1'b0, m_axis_tkeep};
    always_comb if (aresetn && m_axis_tvalid) begin
        keep: assert (m_kept[0] && ((m_kept + 1'b1) & m_kept) == '0 && (m_axis_tlast || &m_axis_tkeep));
        zero: assert (&clean);
        if (FRAME_END == NEVER) last: assert (!m_axis_tlast);
    end

endmodule

`default_nettype wire
