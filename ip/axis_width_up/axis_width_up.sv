// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width_up - engine that makes beats wider where the ratio is not an integer; part of axis_width(_last).
//
// It counts in units of UNIT_W bits: IU of them in an input beat, OU in an output beat, without a common
// divisor. An input beat is rotated so that unit u of the frame stands on lane u mod IU, and is written into
// the lanes of the output word. What runs over stays in `carry` and opens the next word. A one-hot pointer
// tells the block of IU lanes in which a beat starts, `phase` the lane in that block. Where IU > 8, the
// rotated beat is registered before it is written.
//
// Throughput  one input beat per cycle, also across the end of a frame: what is left of it leaves while the
//             next one enters
// Latency     1 cycle from the last input beat that an output beat needs, 2 where IU > 8
// Paths       m_axis is flops; combinational from m_axis_tready to s_axis_tready
// Resources   (OU + IU) * UNIT_W FF, where IU > 8 IU * UNIT_W more; $clog2(IU) / 2 + 1 LUT per input bit, and
//             one per unit
//
// Parameters: UNIT_W   bits of a unit
//             IU, OU   units of an input and an output beat, 2 <= IU < OU, no common divisor
//             KIND     how frames end. 0 they never do; 1 with the whole beat that has s_axis_tlast; 2 with the
//                      units of that beat whose bit KEEP_BIT is set, from the first on; others must be zero
//             FLUSH    KIND 1: 1 when the last beat of every frame runs over into one more word
//             ZERO     KIND 1: 1 when the last word is not filled and must end in zeros. KIND 2: always
//             KEEP_BIT see KIND
//             USER_W   bits of tuser; a word has that of its latest beat, or of its frame's last one
// Checked by: test_axis_width.py, test_axis_width_last.py
`default_nettype none

module axis_width_up #(
    parameter int UNIT_W   = 8,
    parameter int IU       = 2,
    parameter int OU       = 3,
    parameter int KIND     = 0,
    parameter bit FLUSH    = 0,
    parameter bit ZERO     = 0,
    parameter int KEEP_BIT = 0,
    parameter int USER_W   = 1
) (
    input  wire                     aclk,
    input  wire                     aresetn,

    input  wire  [IU*UNIT_W-1:0]    s_axis_tdata,
    input  wire                     s_axis_tlast,
    input  wire  [USER_W-1:0]       s_axis_tuser,
    input  wire                     s_axis_tvalid,
    output logic                    s_axis_tready,

    output logic [OU*UNIT_W-1:0]    m_axis_tdata,
    output logic                    m_axis_tlast,
    output logic [USER_W-1:0]       m_axis_tuser,
    output logic                    m_axis_tvalid,
    input  wire                     m_axis_tready
);

    localparam bit ENDS   = KIND != 0;
    localparam bit BYTES  = KIND == 2;
    localparam bit TAILS  = ZERO || BYTES;
    localparam bit FLUSHES = FLUSH || BYTES;
    localparam int BEAT_W = IU * UNIT_W;
    // A beat starts at unit block * IU + phase of a word.
    localparam int QB     = OU / IU;
    localparam int QR     = OU % IU;
    localparam int STAGES = IU > 1 ? $clog2(IU) : 1;
    localparam logic [STAGES-1:0] PHASE_IU  = STAGES'(IU);
    localparam logic [STAGES-1:0] PHASE_END = STAGES'(QR);
    // In the cycle that flushes, the whole first beat of the next frame can land in the carry.
    localparam int CARRY_U = FLUSHES ? IU : IU - 1;
    // The rotation goes by two bits of the phase at a time; behind SPLIT steps the beat is registered, if at all.
    localparam int DIGITS = (STAGES + 1) / 2;
    localparam int SPLIT  = IU <= 8 ? 0 : DIGITS < 3 ? DIGITS : 3;

    generate
        if (IU < 2 || IU >= OU) begin : g_check_units
            IU_must_be_at_least_2_and_less_than_OU parameter_error();
        end
        if (KIND < 0 || KIND > 2) begin : g_check_kind
            KIND_must_be_0_to_2 parameter_error();
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
    wire [IU-1:0]      in_upper;
    generate
        for (genvar p = 0; p < IU; p++) begin : g_upper
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
            if (in_fills) in_phase_q <= beyond[STAGES-1:0] + (in_block_q[QB] ? PHASE_IU : '0);
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
    logic [QB:0]        block;
    logic [STAGES-1:0]  phase;
    logic [IU-1:0]      upper;
    logic               valid, fills, space;
    logic [USER_W-1:0]  user;
    wire [BEAT_W-1:0]   rotated;
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
                localparam int UNITS = (1 << (2 * k)) % IU;
                wire [1:0] by = k < SPLIT ? 2'(in_phase_q >> (2 * k)) : 2'(phase >> (2 * k));
                wire [2*BEAT_W-1:0] twice = {from, from};
                wire [BEAT_W-1:0] to;
                wire unused = &{1'b0, twice};
                // Written as a sum of products: as nested choices, ABC takes the tree apart and needs half more.
                assign to = ({BEAT_W{by == 2'd0}} & from)
                          | ({BEAT_W{by == 2'd1}} & twice[(IU - UNITS) * UNIT_W +: BEAT_W])
                          | ({BEAT_W{by == 2'd2}} & twice[(IU - UNITS * 2 % IU) * UNIT_W +: BEAT_W])
                          | ({BEAT_W{by == 2'd3}} & twice[(IU - UNITS * 3 % IU) * UNIT_W +: BEAT_W]);
            end
        end
        if (SPLIT > 0) begin : g_two_cycles
            logic [QB:0]       block_q;
            logic [STAGES-1:0] phase_q;
            logic [IU-1:0]     upper_q;
            logic [USER_W-1:0] user_q;
            logic              valid_q, beat_last_q, fills_q;
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
    wire [OU+CARRY_U-1:0] write;
    generate
        for (genvar u = 0; u < OU + CARRY_U; u++) begin : g_write
            localparam int B = u / IU;
            localparam int P = u % IU;
            wire here = B <= QB && block[B <= QB ? B : QB] && upper[P];
            wire over = B > 0 && block[B > 0 ? B - 1 : 0] && !upper[P];
            assign write[u] = fire && (here || over);
        end
        // The beat leaves something in the carry that belongs to its frame.
        if (FLUSH) begin : g_always_over
            assign over_end = 1'b1;
        end else if (BYTES) begin : g_maybe_over
            assign over_end = write[OU] && rotated[QR*UNIT_W + KEEP_BIT];
        end else begin : g_never_over
            assign over_end = 1'b0;
        end
    endgenerate

    // ---- data: the word opens with the carry, and with zeros where that can be seen
    wire [BEAT_W-1:0] carry;
    // The beat is its word's first, and the carry ends where it starts.
    wire opens = (SPLIT == 0 || valid) && !(FLUSHES && (flush_q || !block[0]));
    wire unused = &{1'b0, carry};
    generate
        for (genvar u = 0; u < OU + CARRY_U; u++) begin : g_lane
            localparam int P = u % IU;
            logic [UNIT_W-1:0] lane_q;
            if (u < CARRY_U) begin : g_open
                // Above the carry is the place of the next beat. Without a cut this holds before it is there.
                wire beat = upper[P] && opens;
                always_ff @(posedge aclk) begin
                    if (write[u] || leave)
                        lane_q <= ({UNIT_W{beat}} & rotated[P*UNIT_W +: UNIT_W])
                                | ({UNIT_W{!beat}} & carry[u*UNIT_W +: UNIT_W]);
                    if (TAILS && (!aresetn || (leave && beat && !fire))) lane_q <= '0;
                end
            end else if (u < OU) begin : g_word
                // No beat that enters while a word leaves reaches beyond the second block.
                wire clear = !aresetn || (leave && (u >= 2 * IU || !write[u]));
                always_ff @(posedge aclk) begin
                    if (write[u])       lane_q <= rotated[P*UNIT_W +: UNIT_W];
                    if (clear && TAILS) lane_q <= '0;
                end
            end else begin : g_carry
                // With a cut, a beat that opens a frame here was not turned to stand behind a word.
                localparam int I = u - OU;
                wire opening = SPLIT > 0 && flushing;
                always_ff @(posedge aclk) begin
                    if (fire) lane_q <= opening ? rotated[I*UNIT_W +: UNIT_W] : rotated[P*UNIT_W +: UNIT_W];
                    if (TAILS && fire && !write[u] && !opening) lane_q <= '0;
                end
                assign carry[I*UNIT_W +: UNIT_W] = lane_q;
            end
            if (u < OU) begin : g_out
                assign m_axis_tdata[u*UNIT_W +: UNIT_W] = lane_q;
            end
        end
        if (CARRY_U < IU) begin : g_no_carry
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
