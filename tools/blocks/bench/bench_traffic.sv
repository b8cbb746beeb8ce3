// SPDX-License-Identifier: BSD-3-Clause
//
// bench_traffic - simulation only: all of a traffic bench for a block with one stream in and one out.
//
// Frames are one little-endian bit string at both sides, cut in beats of IN_W and OUT_W bits.
//
// Parameters: SET                         see bench_traffic_report
//             IN_W, OUT_W                 bits of a beat
//             BEATS                       on the busier side in each shape, at least
//             UNIT, UNITS_MIN, UNITS_MAX  frames, see bench_traffic_string
//             ENDLESS   1: no frames in the block's eyes: pieces of whole beats at both sides, no tlast
//             LAST      1 when m_axis_tlast is to be compared with the frame, 2 when it must be 0
//             FIX       beats that a frame has at the output, see bench_traffic_sink
//             KEEP_IN, KEEP_OUT  bits of tdata for each bit of tkeep
//             OFFERED   1: the latency is from the first beat offered, not taken
//             LATENCY   what to add to the latency: of a block beside the stream
//             STEADY    1: while the source does not stall the block never leaves the sink waiting after the first
//                       beat, even just after the sink stalled
//             SLOW      cycles that the busier side needs for a beat at full rate
`default_nettype none

module bench_traffic #(
    parameter int SET       = 0,
    parameter int IN_W      = 8,
    parameter int OUT_W     = IN_W,
    parameter int BEATS     = 1000,
    parameter bit ENDLESS   = 0,
    parameter int UNIT      = IN_W,
    parameter int UNITS_MIN = 1,
    parameter int UNITS_MAX = 8,
    parameter int LAST      = ENDLESS ? 0 : 1,
    parameter int FIX       = 0,
    parameter int KEEP_IN   = IN_W,
    parameter int KEEP_OUT  = OUT_W,
    parameter bit OFFERED   = 0,
    parameter int LATENCY   = 0,
    parameter int SLOW      = 1,
    parameter bit STEADY    = SLOW == 1 && IN_W == OUT_W
) (
    output wire                        aclk,
    output wire                        aresetn,
    output wire  [1:0]                 shape,
    output wire                        closing,
    output int                         frames,   // that came out complete in this shape

    output wire  [IN_W-1:0]            s_axis_tdata,
    output wire  [IN_W/KEEP_IN-1:0]    s_axis_tkeep,
    output wire                        s_axis_tlast,
    output wire                        s_axis_tvalid,
    input  wire                        s_axis_tready,

    input  wire  [OUT_W-1:0]           m_axis_tdata,
    input  wire  [OUT_W/KEEP_OUT-1:0]  m_axis_tkeep,
    input  wire                        m_axis_tlast,
    input  wire                        m_axis_tvalid,
    output wire                        m_axis_tready
);

    function automatic int gcd(input int a, input int b);
        int x, y, t;
        x = a;
        y = b;
        while (y > 0) begin
            t = x % y;
            x = y;
            y = t;
        end
        gcd = x;
    endfunction

    localparam int COMMON = IN_W / gcd(IN_W, OUT_W) * OUT_W;
    localparam int U      = ENDLESS ? COMMON : UNIT;
    localparam int U_MIN  = ENDLESS ? 1 : UNITS_MIN;
    localparam int U_MAX  = ENDLESS ? 1 + 4096 / COMMON : UNITS_MAX;
    // What a frame of mean length has on the busier side; some more frames for luck.
    localparam int NARROW = IN_W < OUT_W ? IN_W : OUT_W;
    // Twice; a frame of odd length has a beat that is half full.
    localparam int ODD    = U < NARROW ? NARROW - U : 0;
    localparam logic [63:0] MEAN = 64'(U) * 64'(U_MIN + U_MAX) + 64'(ODD);
    localparam int FRAMES = int'((64'(BEATS) + 64'(BEATS / 50)) * 64'(2 * NARROW) / MEAN) + 8;

    int   cycle, sent, got, first_in, first_out, last_in, last_out, gaps;
    wire  source_go, sink_go, source_done, ended;
    wire  done = source_done && frames == FRAMES;

    bench_traffic_control #(.LIMIT(SLOW * (6 * BEATS + 20000))) u_control (
        .aclk(aclk), .aresetn(aresetn), .shape(shape), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .done(done), .late(m_axis_tvalid), .closing(closing), .ended(ended)
    );

    bench_traffic_source #(
        .W(IN_W), .OTHER_W(OUT_W), .UNIT(U), .UNITS_MIN(U_MIN), .UNITS_MAX(U_MAX), .FRAMES(FRAMES),
        .KEEP(KEEP_IN), .OFFERED(OFFERED)
    ) u_source (
        .aclk(aclk), .aresetn(aresetn), .go(source_go), .home(1'b0), .cycle(cycle),
        .m_axis_tdata(s_axis_tdata), .m_axis_tkeep(s_axis_tkeep), .m_axis_tlast(s_axis_tlast), .m_axis_tdest(),
        .m_axis_tvalid(s_axis_tvalid), .m_axis_tready(s_axis_tready),
        .done(source_done), .beats(sent), .strays(), .first(first_in), .last(last_in)
    );

    bench_traffic_sink #(
        .W(OUT_W), .OTHER_W(IN_W), .UNIT(U), .UNITS_MIN(U_MIN), .UNITS_MAX(U_MAX), .FIX(FIX), .LAST(LAST),
        .KEEP(KEEP_OUT)
    ) u_sink (
        .aclk(aclk), .aresetn(aresetn), .go(sink_go), .cycle(cycle),
        .s_axis_tdata(m_axis_tdata), .s_axis_tkeep(m_axis_tkeep), .s_axis_tlast(m_axis_tlast), .s_axis_tid(0),
        .s_axis_tvalid(m_axis_tvalid), .s_axis_tready(m_axis_tready),
        .frames(frames), .beats(got), .first(first_out), .last(last_out), .gaps(gaps)
    );

    always @(posedge closing)
        if (STEADY && !shape[0] && gaps != 0) $fatal(1, "shape %0d: the sink waited in %0d cycles (%m)", shape, gaps);

    wire in_busier = sent > got;
    bench_traffic_report #(.SET(SET)) u_report (
        .shape(shape), .closing(closing), .ended(ended), .cycle(cycle), .compared(got),
        .beats(in_busier ? sent : got), .rated(in_busier ? sent : got), .from(in_busier ? first_in : first_out),
        .till(in_busier ? last_in : last_out), .first_in(first_in), .first_out(first_out + LATENCY)
    );

endmodule

`default_nettype wire
