// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width - dense AXI4-Stream width converter for endless streams and counted frames, any width to any width.
//
// The stream is one little-endian bit string: input beat i is bits [i*IN_W +: IN_W], output beat j is bits
// [j*OUT_W +: OUT_W]. With IN_BEATS = OUT_BEATS = 0 it never ends: m_axis_tlast is 0, and bits that do not
// fill an output beat wait for more. Otherwise every IN_BEATS input beats form a frame, which leaves as
// OUT_BEATS output beats. Two kinds of frame are legal, and anything else fails elaboration:
//   pack    OUT_BEATS == ceil(IN_BEATS*IN_W / OUT_W)   the tail of the last output beat is zero
//   unpack  IN_BEATS == ceil(OUT_BEATS*OUT_W / IN_W)   the excess bits of the last input beat are dropped
// Frames that end by tlast and tkeep: axis_width_framed. Wide words that stay upstream: axis_width_narrow.
//
// Throughput  one beat per cycle on the side with more beats; no bubble inside a frame, at its end, or
//             between frames: the next frame enters while the tail of the last one leaves
// Latency     1 cycle from the last input beat that an output beat needs (0 when the widths are equal and
//             SLICE is 0); with SLICE 2 where the ratio is not an integer, or IN_W > 64 * OUT_W; one more
//             where IN_W is over 64 times gcd(IN_W, OUT_W)
// Paths       SLICE = 1: s_axis_tready and m_axis come from flops, m_axis_tdata through one 2:1 multiplexer
//             where IN_W > OUT_W and the ratio is not an integer up to 64; no combinational path from side
//             to side. SLICE = 0: combinational from m_axis_tready to s_axis_tready; m_axis is flops where
//             IN_W < OUT_W, and comes from flops through a shifter where IN_W > OUT_W; equal widths are wires
// Resources   up:   OUT_W FF at an integer ratio, else OUT_W + IN_W FF, $clog2(IN_W / gcd) / 2 + 1 LUT per
//                   input bit and one per gcd(IN_W, OUT_W) output bits; down: IN_W + OUT_W FF, IN_W / 3 LUT
//                   and $clog2(IN_W / gcd) / 2 per output bit; SLICE: one or two beats of the narrow side
//
// Parameters: IN_W, OUT_W          widths in bits, 1 to 2048
//             IN_BEATS, OUT_BEATS  beats of a frame, see above; both 0 for a stream that never ends
//             SLICE                1 cuts the ready path, see Paths; 0 leaves that to flops of the user's
// Checked by: test_axis_width.py
`default_nettype none

module axis_width #(
    parameter int IN_W      = 8,
    parameter int OUT_W     = 8,
    parameter int IN_BEATS  = 1,
    parameter int OUT_BEATS = 1,
    parameter bit SLICE     = 1
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [IN_W-1:0]     s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [OUT_W-1:0]    m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready,
    output logic                m_axis_tlast
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
        gcd = x > 0 ? x : 1;
    endfunction

    // Frames can exceed 2^32 bits although neither count does.
    localparam bit ENDLESS = IN_BEATS == 0 && OUT_BEATS == 0;
    localparam logic [63:0] IN_BITS  = 64'(IN_BEATS) * 64'(IN_W);
    localparam logic [63:0] OUT_BITS = 64'(OUT_BEATS) * 64'(OUT_W);
    localparam bit PACK   = OUT_BITS >= IN_BITS && OUT_BITS < IN_BITS + 64'(OUT_W);
    localparam bit UNPACK = IN_BITS >= OUT_BITS && IN_BITS < OUT_BITS + 64'(IN_W);

    localparam int UNIT      = gcd(IN_W, OUT_W);
    localparam int IN_UNITS  = IN_W / UNIT;
    localparam int OUT_UNITS = OUT_W / UNIT;
    // Units of the frame before its last input beat and before its last output beat.
    localparam logic [63:0] IN_BEFORE  = ENDLESS ? '0 : 64'(IN_BEATS - 1) * 64'(IN_UNITS);
    localparam logic [63:0] OUT_BEFORE = ENDLESS ? '0 : 64'(OUT_BEATS - 1) * 64'(OUT_UNITS);

    generate
        if (IN_W < 1 || IN_W > 2048) begin : g_check_in_w
            IN_W_must_be_1_to_2048 parameter_error();
        end
        if (OUT_W < 1 || OUT_W > 2048) begin : g_check_out_w
            OUT_W_must_be_1_to_2048 parameter_error();
        end
        if (!ENDLESS && (IN_BEATS < 1 || OUT_BEATS < 1)) begin : g_check_beats
            IN_BEATS_and_OUT_BEATS_must_be_at_least_1_or_both_0 parameter_error();
        end
        if (!ENDLESS && !PACK && !UNPACK) begin : g_check_frame
            the_larger_side_of_a_frame_must_be_the_other_rounded_up_to_whole_beats parameter_error();
        end
    endgenerate

    // ---- input: the slice stands at the narrow side
    localparam bit FRONT = SLICE && IN_W <= OUT_W;
    wire [IN_W-1:0] in_data;
    wire            in_valid, in_ready;
    generate
        if (FRONT) begin : g_slice
            // At an integer ratio the path of the data is short enough to be left open.
            localparam int FULL = 0, REVERSE = 2;
            axis_register #(.DATA_W(IN_W), .CUT(IN_UNITS == 1 && OUT_UNITS > 1 ? REVERSE : FULL)) u_slice (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(s_axis_tdata),
                .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(s_axis_tready),
                .m_axis_tdata(in_data),
                .m_axis_tvalid(in_valid),
                .m_axis_tready(in_ready)
            );
        end else begin : g_no_slice
            assign in_data = s_axis_tdata;
            assign in_valid = s_axis_tvalid;
            assign s_axis_tready = in_ready;
        end
    endgenerate

    // ---- the frame is counted in input beats
    wire in_last;
    generate
        if (ENDLESS || IN_BEATS == 1) begin : g_no_count
            assign in_last = !ENDLESS;
        end else begin : g_count
            localparam int COUNT_W = $clog2(IN_BEATS);
            logic [COUNT_W-1:0] count_q;
            assign in_last = count_q == COUNT_W'(IN_BEATS - 1);
            always_ff @(posedge aclk) begin
                if (in_valid && in_ready) count_q <= in_last ? '0 : count_q + 1'b1;
                if (!aresetn) count_q <= '0;
            end
        end
    endgenerate

    // ---- conversion
    localparam int NEVER = 0, BY_LAST = 1;
    localparam int FRAME_END = ENDLESS ? NEVER : BY_LAST;
    generate
        if (IN_W == OUT_W) begin : g_same
            assign m_axis_tdata  = in_data;
            assign m_axis_tvalid = in_valid;
            assign m_axis_tlast  = in_last;
            assign in_ready = m_axis_tready;
            wire unused = &{1'b0, aclk, aresetn};
        end else if (IN_W > OUT_W) begin : g_down
            localparam logic [63:0] END = OUT_BEFORE + 64'(OUT_UNITS - 1) - IN_BEFORE;
            wire                 user_unused;
            wire [OUT_UNITS-1:0] keep_unused;
            wire unused = &{1'b0, keep_unused, user_unused};
            axis_width_down #(
                .UNIT_W(UNIT), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(FRAME_END),
                .END(ENDLESS ? 0 : END[31:0]), .SLICE(SLICE)
            ) u_down (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(in_data),
                .s_axis_tkeep({IN_UNITS{1'b1}}),
                .s_axis_tlast(in_last),
                .s_axis_tuser(1'b0),
                .s_axis_tvalid(in_valid),
                .s_axis_tready(in_ready),
                .m_axis_tdata(m_axis_tdata),
                .m_axis_tkeep(keep_unused),
                .m_axis_tlast(m_axis_tlast),
                .m_axis_tuser(user_unused),
                .m_axis_tvalid(m_axis_tvalid),
                .m_axis_tready(m_axis_tready)
            );
        end else begin : g_up
            // Words that the frame does not fill must end in zeros.
            localparam bit ZERO  = !ENDLESS && PACK && IN_BITS != OUT_BITS;
            // The last input beat of a packed frame may run over into one more output word. What runs over of an
            // unpacked frame is overwritten by the next: the carry covers only lanes that its first beat fills.
            localparam bit FLUSH = !ENDLESS && PACK && (IN_BEFORE % 64'(OUT_UNITS)) + 64'(IN_UNITS) > 64'(OUT_UNITS);
            wire user_unused;
            if (IN_UNITS == 1) begin : g_integer
                axis_width_up_integer #(
                    .BEAT_W(IN_W), .RATIO(OUT_UNITS), .FRAME_END(FRAME_END), .ZERO(ZERO)
                ) u_up (
                    .aclk(aclk),
                    .aresetn(aresetn),
                    .s_axis_tdata(in_data),
                    .s_axis_tlast(in_last),
                    .s_axis_tuser(1'b0),
                    .s_axis_tvalid(in_valid),
                    .s_axis_tready(in_ready),
                    .m_axis_tdata(m_axis_tdata),
                    .m_axis_tlast(m_axis_tlast),
                    .m_axis_tuser(user_unused),
                    .m_axis_tvalid(m_axis_tvalid),
                    .m_axis_tready(m_axis_tready)
                );
            end else begin : g_rational
                axis_width_up_rational #(
                    .UNIT_W(UNIT), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .FRAME_END(FRAME_END),
                    .FLUSH(FLUSH), .ZERO(ZERO)
                ) u_up (
                    .aclk(aclk),
                    .aresetn(aresetn),
                    .s_axis_tdata(in_data),
                    .s_axis_tlast(in_last),
                    .s_axis_tuser(1'b0),
                    .s_axis_tvalid(in_valid),
                    .s_axis_tready(in_ready),
                    .m_axis_tdata(m_axis_tdata),
                    .m_axis_tlast(m_axis_tlast),
                    .m_axis_tuser(user_unused),
                    .m_axis_tvalid(m_axis_tvalid),
                    .m_axis_tready(m_axis_tready)
                );
            end
            wire unused = &{1'b0, user_unused};
        end
    endgenerate

endmodule

`default_nettype wire
