// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width_up_rational - engine that makes beats wider where the ratio is not an integer; part of
// axis_width(_framed).
//
// It counts in units of UNIT_W bits: IN_UNITS of them in an input beat, OUT_UNITS in an output beat, without a
// common divisor. An input beat is rotated so that unit u of the frame stands on lane u mod IN_UNITS, and is
// written into the lanes of the output word. What runs over stays in `carry` and opens the next word. A one-hot
// pointer tells the block of IN_UNITS lanes in which a beat starts, the phase tells the lane in that block. Where
// IN_UNITS > 8, the rotated beat is registered before it is written.
//
// Two frames of two beats, a hexadecimal digit for each unit, the first one at the right. in_block_q and in_phase_q
// tell where the beat at the input goes: 1 and 0 to lane 0, 2 and 0 to lane 3, 2 and 2 to lane 5, which is the first
// of the carry. `write` has a bit for each lane of the word and of the carry above it. Units 4 and 5 fill the word,
// 6 stays in the carry (flush_q) and leaves in cycle 3 as a word of its own; in the cycle in which it moves up, the
// next frame begins in the carry behind it.
//
//   Example: UNIT_W = 4, IN_UNITS = 3, OUT_UNITS = 5, FRAME_END = 1, FLUSH = 1, ZERO = 1
//   cycle  s_axis_tdata  s_axis_tlast  in_block_q  in_phase_q  write  m_axis_tdata  carry  full_q  last_q  flush_q
//   0      321           0             1           0           07     00000         xxx    0       x       0
//   1      654           1             2           0           38     00321         000    0       0       0
//   2      987           0             2           2           e0     54321         006    1       0       1
//   3      cba           1             2           0           38     00006         987    1       1       0
//   4      -             -             2           2           00     ba987         00c    1       0       1
//   5      -             -             1           0           00     0000c         00c    1       1       0
//   6      -             -             1           0           00     00000         00c    0       0       0
//
// Throughput  one input beat per cycle, also across the end of a frame: what is left of it leaves while the
//             next one enters
// Latency     1 cycle from the last input beat that an output beat needs, 2 where IN_UNITS > 8
// Paths       m_axis is flops; combinational from m_axis_tready to s_axis_tready
// Resources   (OUT_UNITS + IN_UNITS) * UNIT_W FF, where IN_UNITS > 8 IN_UNITS * UNIT_W more;
//             $clog2(IN_UNITS) / 2 + 1 LUT per input bit, and one per unit
//
// Parameters: UNIT_W     bits of a unit
//             IN_UNITS   units of an input beat, at least 2
//             OUT_UNITS  units of an output beat, more than IN_UNITS and without a common divisor
//             FRAME_END  how frames end. 0 (NEVER) they do not; 1 (BY_LAST) with the whole beat that has
//                        s_axis_tlast; 2 (BY_KEEP) with the units of that beat whose bit KEEP_BIT is set, from
//                        the first on; the others must be zero
//             FLUSH      FRAME_END 1: 1 when the last beat of every frame runs over into one more word; with 0
//                        what runs over is dropped
//             ZERO       FRAME_END 1: 1 when the last word is not filled and must end in zeros. FRAME_END 2:
//                        words always end in zeros
//             KEEP_BIT   see FRAME_END
//             USER_W     bits of tuser; a word has that of its latest beat, or of its frame's last one
// Checked by: test_axis_width_engines.py
`default_nettype none

module axis_width_up_rational #(
    parameter int UNIT_W    = 8,
    parameter int IN_UNITS  = 2,
    parameter int OUT_UNITS = 3,
    parameter int FRAME_END = 0,
    parameter bit FLUSH     = 0,
    parameter bit ZERO      = 0,
    parameter int KEEP_BIT  = 0,
    parameter int USER_W    = 1
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [IN_UNITS*UNIT_W-1:0]  s_axis_tdata,
    input  wire                         s_axis_tlast,
    input  wire  [USER_W-1:0]           s_axis_tuser,
    input  wire                         s_axis_tvalid,
    output logic                        s_axis_tready,

    output logic [OUT_UNITS*UNIT_W-1:0] m_axis_tdata,
    output logic                        m_axis_tlast,
    output logic [USER_W-1:0]           m_axis_tuser,
    output logic                        m_axis_tvalid,
    input  wire                         m_axis_tready
);

    localparam int NEVER   = 0;
    localparam int BY_LAST = 1;
    localparam int BY_KEEP = 2;
    localparam bit ENDS    = FRAME_END == BY_LAST || FRAME_END == BY_KEEP;
    localparam bit KEEPS   = FRAME_END == BY_KEEP;
    localparam bit TAILS   = ZERO || KEEPS;
    localparam bit FLUSHES = FLUSH || KEEPS;
    localparam int BEAT_W  = IN_UNITS * UNIT_W;
    // A beat starts at unit block * IN_UNITS + phase of a word.
    localparam int QB      = OUT_UNITS / IN_UNITS;
    localparam int QR      = OUT_UNITS % IN_UNITS;
    localparam int STAGES  = IN_UNITS > 1 ? $clog2(IN_UNITS) : 1;
    localparam logic [STAGES-1:0] PHASE_IN  = STAGES'(IN_UNITS);
    localparam logic [STAGES-1:0] PHASE_END = STAGES'(QR);
    // In the cycle that flushes, the whole first beat of the next frame can land in the carry.
    localparam int CARRY_U = FLUSHES ? IN_UNITS : IN_UNITS - 1;
    // The rotation goes by two bits of the phase at a time; behind SPLIT steps the beat is registered, if at all.
    localparam int DIGITS  = (STAGES + 1) / 2;
    localparam int SPLIT   = IN_UNITS <= 8 ? 0 : DIGITS < 3 ? DIGITS : 3;

    generate
        if (IN_UNITS < 2 || IN_UNITS >= OUT_UNITS) begin : g_check_units
            IN_UNITS_must_be_at_least_2_and_less_than_OUT_UNITS parameter_error();
        end
        for (genvar d = 2; d <= IN_UNITS; d++) begin : g_check_divisor
            if (IN_UNITS % d == 0 && OUT_UNITS % d == 0) begin : g_common
                IN_UNITS_and_OUT_UNITS_must_have_no_common_divisor parameter_error();
            end
        end
        if (FRAME_END < NEVER || FRAME_END > BY_KEEP) begin : g_check_frame_end
            FRAME_END_must_be_0_to_2 parameter_error();
        end
        if (UNIT_W < 1 || USER_W < 1) begin : g_check_bits
            UNIT_W_and_USER_W_must_be_at_least_1 parameter_error();
        end
        if (KEEP_BIT < 0 || KEEP_BIT >= UNIT_W) begin : g_check_keep_bit
            KEEP_BIT_must_be_a_bit_of_a_unit parameter_error();
        end
    endgenerate

    // ---- where the beat at the input starts
    logic full_q, last_q, flush_q;
    wire  leave, fire, over_end, last;
    logic [QB:0]       in_block_q;
    logic [STAGES-1:0] in_phase_q;
    wire               in_last = ENDS && s_axis_tlast;
    // Negative when the beat, in the last whole block, does not reach the end of the word.
    wire [STAGES:0]    beyond   = {1'b0, in_phase_q} - {1'b0, PHASE_END};
    wire               in_fills = in_block_q[QB] || (in_block_q[QB-1] && !beyond[STAGES]);
    // Lanes in which the beat is in the block where it starts, not in the next one.
    wire [IN_UNITS-1:0] in_upper;
    generate
        for (genvar p = 0; p < IN_UNITS; p++) begin : g_upper
            if (p == (1 << STAGES) - 1) begin : g_always
                assign in_upper[p] = 1'b1;
            end else begin : g_from_phase
                assign in_upper[p] = STAGES'(p) >= in_phase_q;
            end
        end
    endgenerate

    always_ff @(posedge aclk) begin
        if (s_axis_tvalid && s_axis_tready) begin
            in_block_q <= in_last || in_fills ? (QB+1)'(1) : in_block_q << 1;
            if (in_fills) in_phase_q <= beyond[STAGES-1:0] + (in_block_q[QB] ? PHASE_IN : '0);
            if (in_last)  in_phase_q <= '0;
        end
        // Without a cut a beat that opens a frame in the carry is turned as if it stood behind the word.
        if (FLUSHES && SPLIT == 0) begin
            if (flush_q && leave) begin
                in_block_q <= fire && last ? in_block_q : fire ? (QB+1)'(2) : (QB+1)'(1);
                in_phase_q <= fire && last ? in_phase_q : '0;
            end else if (fire && last && over_end) begin
                in_block_q <= (QB+1)'(1) << QB;
                in_phase_q <= PHASE_END;
            end
        end
        if (!aresetn) begin
            in_block_q <= (QB+1)'(1);
            in_phase_q <= '0;
        end
    end

    // ---- the beat as it is written: rotated left by its phase, two bits of that at a time
    logic [QB:0]         block;
    logic [STAGES-1:0]   phase;
    logic [IN_UNITS-1:0] upper;
    logic                valid, fills, space;
    logic [USER_W-1:0]   user;
    wire  [BEAT_W-1:0]   rotated;
    generate
        for (genvar k = 0; k <= DIGITS; k++) begin : g_rotate
            wire [BEAT_W-1:0] from;
            if (k == 0) begin : g_first
                assign from = s_axis_tdata;
            end else if (k == SPLIT) begin : g_cut
                logic [BEAT_W-1:0] from_q;
                always_ff @(posedge aclk) if (s_axis_tready) from_q <= g_rotate[k-1].g_turn.to;
                assign from = from_q;
            end else begin : g_next
                assign from = g_rotate[k-1].g_turn.to;
            end
            if (k < DIGITS) begin : g_turn
                localparam int UNITS = (1 << (2 * k)) % IN_UNITS;
                wire [1:0] by = k < SPLIT ? 2'(in_phase_q >> (2 * k)) : 2'(phase >> (2 * k));
                wire [2*BEAT_W-1:0] twice = {from, from};
                wire [BEAT_W-1:0] to;
                wire unused = &{1'b0, twice};
                assign to = by == 2'd0 ? from
                          : by == 2'd1 ? twice[(IN_UNITS - UNITS) * UNIT_W +: BEAT_W]
                          : by == 2'd2 ? twice[(IN_UNITS - UNITS * 2 % IN_UNITS) * UNIT_W +: BEAT_W]
                          :              twice[(IN_UNITS - UNITS * 3 % IN_UNITS) * UNIT_W +: BEAT_W];
            end
        end
        if (SPLIT > 0) begin : g_two_cycles
            logic [QB:0]         block_q;
            logic [STAGES-1:0]   phase_q;
            logic [IN_UNITS-1:0] upper_q;
            logic [USER_W-1:0]   user_q;
            logic                valid_q, beat_last_q, fills_q;
            always_ff @(posedge aclk) begin
                if (s_axis_tready) begin
                    block_q     <= in_block_q;
                    phase_q     <= in_phase_q;
                    upper_q     <= in_upper;
                    fills_q     <= in_fills;
                    user_q      <= s_axis_tuser;
                    beat_last_q <= in_last;
                    valid_q     <= s_axis_tvalid;
                end
                if (!aresetn) valid_q <= 1'b0;
            end
            assign block = block_q;
            assign phase = phase_q;
            assign upper = upper_q;
            assign fills = fills_q;
            assign user  = user_q;
            assign last  = beat_last_q;
            assign valid = valid_q;
            assign s_axis_tready = !valid_q || space;
        end else begin : g_one_cycle
            assign block = in_block_q;
            assign phase = in_phase_q;
            assign upper = in_upper;
            assign fills = in_fills;
            assign user  = s_axis_tuser;
            assign last  = in_last;
            assign valid = s_axis_tvalid;
            assign s_axis_tready = space;
        end
    endgenerate
    assign rotated = g_rotate[DIGITS].from;

    // ---- control
    assign leave = full_q && m_axis_tready;
    assign fire  = valid && space;
    assign space = !full_q || m_axis_tready;
    // The carry is the last word of its frame. A beat that enters as it moves up opens the next frame in the
    // carry; when that is all of the frame, the carry is once more a last word.
    wire flushing = FLUSHES && flush_q;
    always_ff @(posedge aclk) begin
        if (flushing) begin
            if (leave) flush_q <= fire && last;
        end else if (fire) begin
            flush_q <= last && over_end;
        end
        if (fire || leave) full_q <= flushing || (fire && (last || fills));
        if (fire || leave) last_q <= flushing || (last && !over_end);
        if (!aresetn) begin
            full_q  <= 1'b0;
            flush_q <= 1'b0;
        end
    end
    assign m_axis_tvalid = full_q;
    assign m_axis_tlast  = ENDS && last_q;

    // ---- which lanes the beat is written to
    wire [OUT_UNITS+CARRY_U-1:0] write;
    generate
        for (genvar u = 0; u < OUT_UNITS + CARRY_U; u++) begin : g_write
            localparam int B = u / IN_UNITS;
            localparam int P = u % IN_UNITS;
            wire here = B <= QB && block[B <= QB ? B : QB] && upper[P];
            wire over = B > 0 && block[B > 0 ? B - 1 : 0] && !upper[P];
            assign write[u] = fire && (here || over);
        end
        // The beat leaves something in the carry that belongs to its frame.
        if (FLUSH) begin : g_always_over
            assign over_end = 1'b1;
        end else if (KEEPS) begin : g_maybe_over
            assign over_end = write[OUT_UNITS] && rotated[QR*UNIT_W + KEEP_BIT];
        end else begin : g_never_over
            assign over_end = 1'b0;
        end
    endgenerate

    // ---- data: the word opens with the carry, and with zeros where that can be seen
    wire [BEAT_W-1:0] carry;
    // The beat is its word's first, and the carry ends where it starts. Plainly `valid && ...`; but without a cut
    // the lanes above the carry may show a beat that is not there yet, which saves 18 LUTs of 70 at 24 to 32 bits.
    wire opens = (SPLIT == 0 || valid) && !(FLUSHES && (flush_q || !block[0]));
    wire unused = &{1'b0, carry};
    generate
        for (genvar u = 0; u < OUT_UNITS + CARRY_U; u++) begin : g_lane
            localparam int P = u % IN_UNITS;
            logic [UNIT_W-1:0] lane_q;
            if (u < CARRY_U) begin : g_open
                // Above the carry is the place of the next beat. Without a cut this holds before it is there.
                wire beat = upper[P] && opens;
                always_ff @(posedge aclk) begin
                    if (write[u] || leave)
                        lane_q <= beat ? rotated[P*UNIT_W +: UNIT_W] : carry[u*UNIT_W +: UNIT_W];
                    // Plainly nothing: the next beat fills these lanes. It saves 32 LUTs of 403 at 40 to 512 bits with
                    // tkeep, as Yosys then finds a reset for the flops.
                    if (TAILS && (!aresetn || (leave && beat && !fire))) lane_q <= '0;
                end
            end else if (u < OUT_UNITS) begin : g_word
                wire clear = !aresetn || (leave && !write[u]);
                always_ff @(posedge aclk) begin
                    if (write[u])       lane_q <= rotated[P*UNIT_W +: UNIT_W];
                    if (clear && TAILS) lane_q <= '0;
                end
            end else begin : g_carry
                // With a cut, a beat that opens a frame here was not turned to stand behind a word.
                localparam int I = u - OUT_UNITS;
                wire opening = SPLIT > 0 && flushing;
                always_ff @(posedge aclk) begin
                    if (fire) lane_q <= opening ? rotated[I*UNIT_W +: UNIT_W] : rotated[P*UNIT_W +: UNIT_W];
                    if (TAILS && fire && !write[u] && !opening) lane_q <= '0;
                end
                assign carry[I*UNIT_W +: UNIT_W] = lane_q;
            end
            if (u < OUT_UNITS) begin : g_out
                assign m_axis_tdata[u*UNIT_W +: UNIT_W] = lane_q;
            end
        end
        if (CARRY_U < IN_UNITS) begin : g_no_carry
            assign carry[BEAT_W-1:CARRY_U*UNIT_W] = '0;
        end
    endgenerate

    // ---- sideband
    logic [USER_W-1:0] word_user_q, latest_user_q;
    always_ff @(posedge aclk) begin
        if (fire) latest_user_q <= user;
        if (fire && !flushing) word_user_q <= user;
        else if (leave)        word_user_q <= latest_user_q;
    end
    assign m_axis_tuser = word_user_q;

endmodule

`default_nettype wire
