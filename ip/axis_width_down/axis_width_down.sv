// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width_down - engine that makes beats narrower, any ratio; part of axis_width and axis_width_framed.
//
// It counts in units of UNIT_W bits: IN_UNITS of them in an input beat, OUT_UNITS in an output beat, without a
// common divisor. The input word does not move: a window of OUT_UNITS units moves up over it and over the
// OUT_UNITS - 1 units below it, which keep what is left of the word before. A shifter of 4:1 multiplexers reads
// the window; it costs a third of a LUT per input bit, where shifting the word itself would cost a whole one.
// What is left at the end of a frame leaves with a word of zeros above it. With SLICE and an integer ratio up to
// 64 the first window of a word is read from the input while the word is stored, so that one output register is
// enough to keep m_axis_tready out of s_axis_tready; else two are taken in turns.
//
// A frame of two beats and the first beat of the next, a hexadecimal digit for each unit, the first one at the right.
// `buffer` is the word with what is left of the word before below it. The window starts start_q units above its right
// end: m_axis_tdata is three digits of it. In cycle 3 the window ends at the end of the word, and unit a, the last one
// of the frame, is still to come: it goes below a word of zeros. The next frame begins with nothing below its word.
//
//   Example: UNIT_W = 4, IN_UNITS = 5, OUT_UNITS = 3, FRAME_END = 1, END = 6, SLICE = 0
//   cycle  s_axis_tdata  s_axis_tlast  s_axis_tready  have_q  buffer   start_q  flush_q  m_axis_tdata  m_axis_tlast
//   0      54321         0             1              0       xxxxxxx  2        0        xxx           0
//   1      a9876         1             1              1       54321xx  2        0        321           0
//   2      a9876         1             0              1       a987654  0        0        654           0
//   3      fedcb         0             0              1       a9876a9  3        0        987           0
//   4      fedcb         0             1              1       00000a9  1        1        00a           1
//   5      -             -             1              1       fedcb00  2        0        dcb           0
//   6      -             -             1              0       xxxxxfe  0        0        xfe           0
//
// Throughput  one output beat per cycle, also across the end of a frame
// Latency     1 cycle from the last input beat that an output beat needs; with SLICE it is 2 unless
//             OUT_UNITS = 1 and IN_UNITS <= 64; where IN_UNITS > 64 one more
// Paths       SLICE = 1: s_axis_tready and m_axis come from flops, m_axis_tdata through one 2:1 multiplexer
//             unless OUT_UNITS = 1 and IN_UNITS <= 64; no combinational path from side to side. SLICE = 0: m_axis
//             comes from flops through the shifter; combinational from m_axis_tready to s_axis_tready
// Resources   (IN_UNITS + OUT_UNITS - 1) * UNIT_W FF; with SLICE two output beats more, one if OUT_UNITS = 1 and
//             IN_UNITS <= 64
//
// Parameters: UNIT_W     bits of a unit; whole bytes with FRAME_END 2
//             IN_UNITS   units of an input beat
//             OUT_UNITS  units of an output beat, less than IN_UNITS and without a common divisor
//             FRAME_END  how frames end. 0 (NEVER) they do not; 1 (BY_LAST) in the beat that has s_axis_tlast, at
//                        a place that END tells; 2 (BY_KEEP) in that beat, with the bytes of s_axis_tkeep, at
//                        least one
//             END        FRAME_END 1: unit at which the last output beat starts, counted from OUT_UNITS - 1 units
//                        below the last input beat of the frame
//             SLICE      1 registers the output and cuts the ready path, 0 leaves both to the user's flops
//             USER_W     bits of tuser; an output beat has that of the latest input beat in it
// Checked by: test_axis_width_engines.py
`default_nettype none

module axis_width_down #(
    parameter int UNIT_W    = 8,
    parameter int IN_UNITS  = 2,
    parameter int OUT_UNITS = 1,
    parameter int FRAME_END = 0,
    parameter int END       = 0,
    parameter bit SLICE     = 1,
    parameter int USER_W    = 1,
    localparam int BY_KEEP  = 2,
    localparam int KEEP_W   = FRAME_END == BY_KEEP ? UNIT_W / 8 : 1   // keep bits of a unit
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [IN_UNITS*UNIT_W-1:0]  s_axis_tdata,
    input  wire  [IN_UNITS*KEEP_W-1:0]  s_axis_tkeep,
    input  wire                         s_axis_tlast,
    input  wire  [USER_W-1:0]           s_axis_tuser,
    input  wire                         s_axis_tvalid,
    output logic                        s_axis_tready,

    output logic [OUT_UNITS*UNIT_W-1:0] m_axis_tdata,
    output logic [OUT_UNITS*KEEP_W-1:0] m_axis_tkeep,
    output logic                        m_axis_tlast,
    output logic [USER_W-1:0]           m_axis_tuser,
    output logic                        m_axis_tvalid,
    input  wire                         m_axis_tready
);

    localparam int NEVER   = 0;
    localparam int BY_LAST = 1;
    localparam bit ENDS    = FRAME_END == BY_LAST || FRAME_END == BY_KEEP;
    localparam bit KEEPS   = FRAME_END == BY_KEEP;
    localparam int WORD_W  = IN_UNITS * UNIT_W;
    localparam int OUT_W   = OUT_UNITS * UNIT_W;
    localparam int LEFT_W  = (OUT_UNITS - 1) * UNIT_W;
    localparam int BUF_W   = LEFT_W + WORD_W;
    localparam int STAGES  = $clog2(IN_UNITS);
    // The window starts at unit start_q of the units left over and the word above them.
    localparam logic [STAGES-1:0] HOME    = STAGES'(OUT_UNITS - 1);
    localparam logic [STAGES-1:0] LATE    = STAGES'(IN_UNITS - OUT_UNITS);
    localparam logic [STAGES-1:0] STEP    = STAGES'(OUT_UNITS);
    localparam logic [STAGES-1:0] STEP_NEXT = STAGES'(OUT_UNITS - IN_UNITS);
    // The first window of a word is read from the input. With several starts for it this takes more than it saves.
    localparam bit EARLY  = SLICE && OUT_UNITS == 1 && IN_UNITS <= 64;
    // The shifter goes by two bits of start_q at a time. Of a very long one the last stages have their own cycle.
    localparam int DIGITS = (STAGES + 1) / 2;
    localparam int ODD    = STAGES % 2;
    localparam int SPLIT  = DIGITS > 4 ? DIGITS - 4 : DIGITS == 4 ? 1 : 0;

    generate
        if (OUT_UNITS < 1 || IN_UNITS <= OUT_UNITS) begin : g_check_units
            OUT_UNITS_must_be_at_least_1_and_less_than_IN_UNITS parameter_error();
        end
        for (genvar d = 2; d <= OUT_UNITS; d++) begin : g_check_divisor
            if (IN_UNITS % d == 0 && OUT_UNITS % d == 0) begin : g_common
                IN_UNITS_and_OUT_UNITS_must_have_no_common_divisor parameter_error();
            end
        end
        if (FRAME_END < NEVER || FRAME_END > BY_KEEP) begin : g_check_frame_end
            FRAME_END_must_be_0_to_2 parameter_error();
        end
        if (KEEPS && UNIT_W % 8 != 0) begin : g_check_bytes
            UNIT_W_must_be_whole_bytes_with_FRAME_END_2 parameter_error();
        end
        if (UNIT_W < 1 || USER_W < 1) begin : g_check_bits
            UNIT_W_and_USER_W_must_be_at_least_1 parameter_error();
        end
    endgenerate

    logic [WORD_W-1:0]    word_q;
    logic [USER_W-1:0]    user_q;
    logic                 have_q, last_q, flush_q;
    logic [STAGES-1:0]    start_q;
    logic                 window_ready;
    logic                 at_end;           // this window is the last of its frame
    logic [OUT_UNITS*KEEP_W-1:0] keep;             // bytes of this window that belong to its frame

    // ---- control
    wire early     = EARLY && !have_q;
    wire valid     = have_q || (EARLY && s_axis_tvalid);
    wire step      = valid && window_ready;
    wire is_last   = ENDS && (early ? s_axis_tlast : last_q);
    wire late      = start_q >= LATE;       // the next window would reach beyond the word
    wire flush     = is_last && late && !at_end;
    wire word_done = (late || at_end) && !flush;
    wire load      = EARLY ? !have_q : s_axis_tready;
    assign s_axis_tready = !have_q || (!EARLY && step && word_done);

    always_ff @(posedge aclk) begin
        if (EARLY)     have_q <= valid && !(step && word_done);
        else if (load) have_q <= s_axis_tvalid;
        if (load)      last_q <= s_axis_tlast;
        if (load)      user_q <= s_axis_tuser;
        if (step)      start_q <= at_end ? HOME : start_q + (late ? STEP_NEXT : STEP);
        if (step)      flush_q <= flush;
        if (load)      word_q <= s_axis_tdata;
        if (step && flush) word_q <= '0;
        if (!aresetn) begin
            have_q  <= 1'b0;
            start_q <= HOME;
            flush_q <= 1'b0;
        end
    end

    // ---- the end of a frame
    generate
        if (FRAME_END == NEVER) begin : g_endless
            assign at_end = 1'b0;
            assign keep   = '1;
        end else if (FRAME_END == BY_LAST) begin : g_counted
            assign at_end = is_last && (END < IN_UNITS ? start_q == STAGES'(END) : flush_q);
            assign keep   = '1;
        end else begin : g_keep
            axis_width_down_keep #(.KEEP_W(KEEP_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .EARLY(EARLY)) u_tail (
                .aclk(aclk),
                .load(load),
                .flush(step && flush),
                .flushing(flush_q),
                .early(early),
                .is_last(is_last),
                .s_axis_tkeep(s_axis_tkeep),
                .start(start_q),
                .at_end(at_end),
                .keep(keep)
            );
        end
        if (!KEEPS) begin : g_no_keep
            wire unused = &{1'b0, s_axis_tkeep};
        end
        if (!ENDS) begin : g_no_last
            wire unused = &{1'b0, last_q, flush_q};
        end
    endgenerate

    // ---- the word and what is left below it
    wire [BUF_W-1:0] buffer;
    assign buffer[LEFT_W +: WORD_W] = word_q;
    generate
        if (OUT_UNITS > 1) begin : g_left
            logic [LEFT_W-1:0] left_q;
            always_ff @(posedge aclk) if (step) left_q <= word_q[WORD_W-1 -: LEFT_W];
            assign buffer[LEFT_W-1:0] = left_q;
        end
    endgenerate

    // ---- the window: shift right by two bits of start_q at a time, the longest distance first
    localparam int SIDE_W = OUT_UNITS * KEEP_W + 1 + USER_W;
    wire [SIDE_W-1:0] side = {early ? s_axis_tuser : user_q, at_end, keep};
    wire [SIDE_W-1:0] out_side;
    wire              out_valid, out_ready;
    // The last step is the one of a single bit, as there the fewest multiplexers are left.
    wire [2*DIGITS-1:0] start = (2*DIGITS)'(start_q) << ODD;
    wire [2*DIGITS-1:0] shift;
    generate
        for (genvar k = 0; k < DIGITS; k++) begin : g_shift
            localparam int DIGIT = DIGITS - 1 - k;
            localparam int BITS  = (UNIT_W << (2 * DIGIT)) >> ODD;
            localparam int TWICE = (UNIT_W << (2 * DIGIT + 1)) >> ODD;
            // What later steps can still reach.
            localparam int REACH = ((1 << (2 * DIGIT)) >> (DIGIT > 0 ? ODD : 0)) - 1;
            localparam int TO_W  = REACH < IN_UNITS - 1 ? (OUT_UNITS + REACH) * UNIT_W : BUF_W;
            wire [1:0] by = shift[2*DIGIT +: 2];
            wire [BUF_W-1:0] from;
            wire [TO_W-1:0] to;
            // Plainly TO_W'(from >> (by * BITS)). As a sum of products it takes 109 LUTs of 376 less from 512 to 40
            // bits and two levels less: ABC takes nested choices apart.
            // One bit is repeated as a sign, which Icarus does at once; a replication it does bit by bit.
            assign to = (TO_W'($signed(by == 2'd0)) & TO_W'(from))          | (TO_W'($signed(by == 2'd1)) & TO_W'(from >> BITS))
                      | (TO_W'($signed(by == 2'd2)) & TO_W'(from >> TWICE))
                      | (TO_W'($signed(by == 2'd3)) & TO_W'(from >> (BITS + TWICE)));
            if (k == 0) begin : g_first
                assign from = buffer;
            end else if (DIGIT == SPLIT - 1) begin : g_cut
                logic [BUF_W-1:0] from_q;
                always_ff @(posedge aclk) if (window_ready) from_q <= BUF_W'(g_shift[k-1].to);
                assign from = from_q;
            end else begin : g_next
                assign from = BUF_W'(g_shift[k-1].to);
            end
        end
        if (SPLIT > 0) begin : g_two_cycles
            logic [2*SPLIT-1:0] start_rest_q;
            logic [SIDE_W-1:0]  side_q;
            logic               valid_q;
            always_ff @(posedge aclk) begin
                if (window_ready) begin
                    start_rest_q <= start[2*SPLIT-1:0];
                    side_q       <= side;
                    valid_q      <= valid;
                end
                if (!aresetn) valid_q <= 1'b0;
            end
            assign shift = {start[2*DIGITS-1:2*SPLIT], start_rest_q};
            assign window_ready = !valid_q || out_ready;
            assign out_valid = valid_q;
            assign out_side  = side_q;
        end else begin : g_one_cycle
            assign shift = start;
            assign window_ready = out_ready;
            assign out_valid = valid;
            assign out_side  = side;
        end
    endgenerate
    wire [OUT_W-1:0] window = early ? s_axis_tdata[OUT_W-1:0] : g_shift[DIGITS-1].to;

    // ---- the output
    wire [OUT_W-1:0] out_data;
    generate
        if (KEEPS) begin : g_mask
            for (genvar b = 0; b < OUT_W / 8; b++) begin : g_byte
                assign out_data[b*8 +: 8] = out_side[b] ? window[b*8 +: 8] : 8'd0;
            end
        end else begin : g_all
            assign out_data = window;
        end
        if (EARLY) begin : g_register
            localparam int FORWARD = 1;
            axis_register #(.DATA_W(SIDE_W + OUT_W), .CUT(FORWARD)) u_register (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata({out_side, out_data}),
                .s_axis_tvalid(out_valid),
                .s_axis_tready(out_ready),
                .m_axis_tdata({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata}),
                .m_axis_tvalid(m_axis_tvalid),
                .m_axis_tready(m_axis_tready)
            );
        end else if (SLICE) begin : g_turns
            // Two registers side by side: a skid register would stand behind the shifter and make it longer.
            logic [SIDE_W+OUT_W-1:0] even_q, odd_q;
            logic ready_q, valid_q, to_odd_q, from_odd_q;
            wire  push = out_valid && ready_q;
            wire  pop  = valid_q && m_axis_tready;
            always_ff @(posedge aclk) begin
                if (push && !to_odd_q) even_q <= {out_side, out_data};
                if (push && to_odd_q)  odd_q  <= {out_side, out_data};
                to_odd_q   <= to_odd_q ^ push;
                from_odd_q <= from_odd_q ^ pop;
                valid_q    <= push || (valid_q && !(pop && ready_q));
                ready_q    <= pop || !valid_q || (ready_q && !push);
                if (!aresetn) begin
                    ready_q    <= 1'b0;
                    valid_q    <= 1'b0;
                    to_odd_q   <= 1'b0;
                    from_odd_q <= 1'b0;
                end
            end
            assign out_ready = ready_q;
            assign m_axis_tvalid = valid_q;
            assign {m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = from_odd_q ? odd_q : even_q;
        end else begin : g_no_slice
            assign {m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = {out_side, out_data};
            assign m_axis_tvalid = out_valid;
            assign out_ready = m_axis_tready;
        end
    endgenerate

endmodule

`default_nettype wire
