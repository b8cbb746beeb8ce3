// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width_narrow_fast - AXI4-Stream converter to narrower beats for high clock rates, integer ratios.
//
// A part is one of the IN_W / OUT_W output beats that an input beat holds, the low bits first. One multiplexer
// over all of them would need many levels and signals that reach the whole beat. Here a place has GROUP parts, a
// multiplexer of its own, and a register; the registers of all places are a chain that moves on by one place in
// each cycle and ends at the output. Part i enters the chain at place p = i / GROUP in cycle i - p, so that it
// arrives in cycle i. Each place is thus one cycle behind its neighbour, and every signal is local to a place.
// The input beat stays upstream until its last part is in the chain.
//
// With frames, IN_BEATS input beats leave as OUT_BEATS output beats, of which the last has m_axis_tlast; parts of
// the last input beat that are too many are dropped. With IN_BEATS = OUT_BEATS = 0 the stream never ends.
//
// Eight parts a to h, a digit for each, in two places of four. `pick` is what the multiplexer of a place has chosen,
// `chain` its place of the chain, with IN_W = 32, OUT_W = 4, GROUP = 4.
//
//   cycle  part_q  s_axis_tready  pick 1, 0  chain 1, 0
//   0      0       0              x, x       x, x
//   1      1       0              x, a       x, x
//   2      2       0              x, b       x, a
//   3      3       0              x, c       x, b
//   4      4       0              e, d       x, c
//   5      5       0              f, x       e, d
//   6      6       1              g, x       f, e
//   7      7       0              h, x       g, f
//
// Throughput  one output beat per cycle, also between beats and frames
// Latency     3 cycles from an input beat to its first output beat
// Paths       m_axis is flops, s_axis_tready comes from two flops; no combinational path from side to side
// Resources   a LUT per two bits of the input; with PLACES = IN_W / OUT_W / GROUP, GROUP = 8 for up to 8 bits:
//             (2 * PLACES + 2) * OUT_W FF and some 30
//
// Parameters: IN_W, OUT_W          widths in bits, 1 to 2048; IN_W a multiple of OUT_W, at least twice
//             IN_BEATS, OUT_BEATS  beats of a frame, both 0 for a stream that never ends
//             GROUP                parts of a place: 2, 4 or 8
// Checked by: test_axis_width_narrow_fast.py
`default_nettype none

module axis_width_narrow_fast #(
    parameter int IN_W      = 32,
    parameter int OUT_W     = 4,
    parameter int IN_BEATS  = 0,
    parameter int OUT_BEATS = 0,
    parameter int GROUP     = OUT_W <= 8 ? 8 : OUT_W <= 32 ? 4 : 2
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [IN_W-1:0]     s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [OUT_W-1:0]    m_axis_tdata,
    output logic                m_axis_tlast,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    localparam bit ENDLESS = IN_BEATS == 0 && OUT_BEATS == 0;
    localparam int RATIO   = OUT_W > 0 ? IN_W / OUT_W : 1;
    localparam int PART_W  = RATIO > 1 ? $clog2(RATIO) : 1;
    localparam int PICK_W  = GROUP > 2 ? $clog2(GROUP) : 1;
    localparam int PLACES  = (RATIO + GROUP - 1) / GROUP;
    // Parts of the last beat of a frame.
    localparam int TAIL    = ENDLESS ? RATIO : OUT_BEATS - (IN_BEATS - 1) * RATIO;
    // The part that ends a beat, and the one in whose cycle the last part enters the chain.
    localparam int END     = RATIO - 1;
    localparam int TAKEN   = END - END / GROUP;
    localparam int END_T   = TAIL - 1;
    localparam int TAKEN_T = END_T - END_T / GROUP;

    generate
        if (IN_W < 1 || IN_W > 2048) begin : g_check_in_w
            IN_W_must_be_1_to_2048 parameter_error();
        end
        if (OUT_W < 1 || RATIO < 2 || IN_W % OUT_W != 0) begin : g_check_ratio
            IN_W_must_be_a_multiple_of_OUT_W_and_at_least_twice parameter_error();
        end
        if (GROUP != 2 && GROUP != 4 && GROUP != 8) begin : g_check_group
            GROUP_must_be_2_or_4_or_8 parameter_error();
        end
        if (!ENDLESS && (IN_BEATS < 1 || TAIL < 1 || TAIL > RATIO)) begin : g_check_frame
            OUT_BEATS_must_end_in_the_last_of_IN_BEATS parameter_error();
        end
    endgenerate

    // ---- the part, and what is known of it a cycle ahead
    logic [PART_W-1:0] part_q;
    logic              first_q, end_q, taken_q;
    logic              last_q;      // of the beats of a frame
    wire               out_ready;
    wire  step = out_ready && (!first_q || s_axis_tvalid);
    wire  next_last;
    assign s_axis_tready = out_ready && taken_q;

    always_ff @(posedge aclk) begin
        if (step) begin
            part_q  <= end_q ? '0 : part_q + 1'b1;
            first_q <= end_q;
            end_q   <= end_q ? next_last && END_T == 0 : part_q == PART_W'((last_q ? END_T : END) - 1);
            taken_q <= end_q ? next_last && TAKEN_T == 0 : part_q == PART_W'((last_q ? TAKEN_T : TAKEN) - 1);
        end
        if (!aresetn) begin
            part_q  <= '0;
            first_q <= 1'b1;
            end_q   <= IN_BEATS == 1 && END_T == 0;
            taken_q <= IN_BEATS == 1 && TAKEN_T == 0;
        end
    end

    // ---- the beats of a frame
    generate
        if (ENDLESS || IN_BEATS == 1) begin : g_no_count
            assign last_q    = !ENDLESS;
            assign next_last = !ENDLESS;
        end else begin : g_count
            localparam int COUNT_W = $clog2(IN_BEATS);
            localparam int BEFORE  = IN_BEATS > 2 ? IN_BEATS - 3 : 1;
            logic [COUNT_W-1:0] count_q;
            logic               near_q;  // the next beat is the last of its frame
            assign next_last = end_q ? near_q : last_q;
            always_ff @(posedge aclk) begin
                if (step && end_q) begin
                    count_q <= last_q ? '0 : count_q + 1'b1;
                    near_q  <= count_q == COUNT_W'(BEFORE);
                    last_q  <= near_q;
                end
                if (!aresetn) begin
                    count_q <= '0;
                    near_q  <= IN_BEATS == 2;
                    last_q  <= 1'b0;
                end
            end
        end
    endgenerate

    // ---- the places
    // Those above the first one have no part in the cycle of the first part, which waits for s_axis_tvalid: that signal
    // does not reach them. In groups of two the second place has to know.
    wire move = GROUP > 2 ? out_ready && !first_q : step;
    logic [PLACES*OUT_W-1:0] chain_q;
    wire  [PLACES-1:0]       active;  // above place p: it has a part
    assign active[0] = 1'b0;
    wire unused = &{1'b0, active};
    generate
        for (genvar p = 0; p < PLACES; p++) begin : g_place
            localparam int PARTS  = p < PLACES - 1 ? GROUP : RATIO - p * GROUP;
            localparam int BEGIN  = p > 0 && GROUP > 2 ? p + 1 : p;
            wire                    go = p > 0 ? move : step;
            logic [PICK_W-1:0]      pick_q;
            logic [OUT_W-1:0]       data_q;
            wire  [GROUP*OUT_W-1:0] parts = (GROUP*OUT_W)'(s_axis_tdata[p*GROUP*OUT_W +: PARTS*OUT_W]);
            always_ff @(posedge aclk) begin
                if (go) pick_q <= end_q ? PICK_W'(BEGIN) : pick_q + 1'b1;
                if (out_ready) data_q <= parts[pick_q*OUT_W +: OUT_W];
                if (!aresetn) pick_q <= PICK_W'(BEGIN);
            end
            if (p == PLACES - 1) begin : g_top
                always_ff @(posedge aclk) if (out_ready) chain_q[p*OUT_W +: OUT_W] <= data_q;
            end else begin : g_enter
                // The cycles of this place's parts: they begin and end when pick_q starts again.
                logic active_q, enter_q;
                assign active[p+1] = active_q;
                always_ff @(posedge aclk) begin
                    if (go && &pick_q) active_q <= active[p];
                    if (go && end_q)   active_q <= p == 0;
                    if (out_ready) enter_q <= active_q;
                    if (out_ready) chain_q[p*OUT_W +: OUT_W] <= enter_q ? data_q : chain_q[(p+1)*OUT_W +: OUT_W];
                    if (!aresetn) active_q <= p == 0;
                end
            end
        end
    endgenerate

    // ---- the output, two cycles behind the part
    logic [1:0] valid_q, frame_end_q;
    always_ff @(posedge aclk) begin
        if (out_ready) valid_q     <= {valid_q[0], !first_q || s_axis_tvalid};
        if (out_ready) frame_end_q <= {frame_end_q[0], end_q && last_q};
        if (!aresetn)  valid_q     <= '0;
    end

    axis_register #(.DATA_W(OUT_W + 1)) u_out (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({frame_end_q[1], chain_q[OUT_W-1:0]}),
        .s_axis_tvalid(valid_q[1]),
        .s_axis_tready(out_ready),
        .m_axis_tdata({m_axis_tlast, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
