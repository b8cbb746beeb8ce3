// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width - dense AXI4-Stream width converter for counted frames, any width to any width.
//
// IN_BEATS input beats form one frame that leaves as OUT_BEATS output beats. The frame is one
// little-endian bit string: input beat i is bits [i*IN_W +: IN_W], output beat j is bits
// [j*OUT_W +: OUT_W]. Two kinds of frame are legal, and anything else fails elaboration:
//   pack    OUT_BEATS == ceil(IN_BEATS*IN_W / OUT_W)   the tail of the last output beat is zero
//   unpack  IN_BEATS == ceil(OUT_BEATS*OUT_W / IN_W)   the excess bits of the last input beat are dropped
//
// Throughput  one beat per cycle on the side with more beats a frame; no bubble inside a frame, at its
//             end, or between frames: the next frame enters while the tail of the last one leaves
// Latency     2 cycles from the last input beat that an output beat needs (1 when the widths are equal)
// Paths       s_axis_tready comes from flops only; m_axis is a register
// Resources   IN_W < OUT_W: OUT_W + 3*IN_W FF; IN_W > OUT_W: IN_W + 3*OUT_W FF; control aside
//
// The work is done in units of gcd(IN_W, OUT_W) bits; IU and OU are the widths in units.
//   Up    An input word is rotated so that unit u of the frame stands on lane u mod IU, and written into
//         the lanes of the output word. What runs over stays in `carry` and opens the next word.
//   Down  The input word is shifted out to the right. What is left over (fewer than OU units) is kept
//         right below the place of the next word; a multiplexer at the narrow side aligns the output.
//
// Parameters: IN_W, OUT_W          widths in bits, 1 to 2048
//             IN_BEATS, OUT_BEATS  beats of a frame, see above
// Checked by: test_axis_width.py
`default_nettype none

module axis_width #(
    parameter int IN_W      = 8,
    parameter int OUT_W     = 8,
    parameter int IN_BEATS  = 1,
    parameter int OUT_BEATS = 1
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
    localparam logic [63:0] IN_BITS  = 64'(IN_BEATS) * 64'(IN_W);
    localparam logic [63:0] OUT_BITS = 64'(OUT_BEATS) * 64'(OUT_W);
    localparam bit PACK   = OUT_BITS >= IN_BITS && OUT_BITS < IN_BITS + 64'(OUT_W);
    localparam bit UNPACK = IN_BITS >= OUT_BITS && IN_BITS < OUT_BITS + 64'(IN_W);

    localparam int UNIT = gcd(IN_W, OUT_W);
    localparam int IU   = IN_W / UNIT;
    localparam int OU   = OUT_W / UNIT;

    localparam int COUNT_W = IN_BEATS > 1 ? $clog2(IN_BEATS) : 1;
    localparam logic [COUNT_W-1:0] COUNT_LAST = COUNT_W'(IN_BEATS - 1);
    // Units of the frame before its last input beat.
    localparam logic [63:0] BEFORE_LAST = 64'(IN_BEATS - 1) * 64'(IU);

    generate
        if (IN_W < 1 || IN_W > 2048) begin : g_check_in_w
            IN_W_must_be_1_to_2048 parameter_error();
        end
        if (OUT_W < 1 || OUT_W > 2048) begin : g_check_out_w
            OUT_W_must_be_1_to_2048 parameter_error();
        end
        if (IN_BEATS < 1 || OUT_BEATS < 1) begin : g_check_beats
            IN_BEATS_and_OUT_BEATS_must_be_at_least_1 parameter_error();
        end
        if (!PACK && !UNPACK) begin : g_check_frame
            the_larger_side_of_a_frame_must_be_the_other_rounded_up_to_whole_beats parameter_error();
        end

        if (IN_W == OUT_W) begin : g_same
            logic [COUNT_W-1:0] count_q;
            axis_register #(.DATA_W(IN_W)) u_slice (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(s_axis_tdata),
                .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(s_axis_tready),
                .m_axis_tdata(m_axis_tdata),
                .m_axis_tvalid(m_axis_tvalid),
                .m_axis_tready(m_axis_tready)
            );
            assign m_axis_tlast = count_q == COUNT_LAST;
            always_ff @(posedge aclk) begin
                if (m_axis_tvalid && m_axis_tready) count_q <= m_axis_tlast ? '0 : count_q + 1'b1;
                if (!aresetn) count_q <= '0;
            end
        end

        else if (IN_W < OUT_W) begin : g_up
            // The next input unit goes to unit block*IU + phase of the word being built.
            localparam int QB = OU / IU;
            localparam int QR = OU % IU;
            localparam int STAGES  = IU > 1 ? $clog2(IU) : 0;
            localparam int PHASE_W = IU > 1 ? STAGES : 1;
            localparam int BLOCK_W = $clog2(QB + 2);
            localparam logic [PHASE_W-1:0] PHASE_IU  = PHASE_W'(IU);
            localparam logic [PHASE_W-1:0] PHASE_END = PHASE_W'(QR);
            localparam logic [BLOCK_W-1:0] BLOCK_END = BLOCK_W'(QB);
            // The last input beat of a packed frame may run over into one more output word. What runs over of an
            // unpacked frame is overwritten by the next: the carry covers only lanes that its first beat fills.
            localparam bit FLUSH = PACK && (BEFORE_LAST % 64'(OU)) + 64'(IU) > 64'(OU);
            // Words that the frame does not fill must end in zeros.
            localparam bit ZERO_TAIL = PACK && IN_BITS != OUT_BITS;
            // In the cycle that flushes, the whole first beat of the next frame can land in the carry.
            localparam int CARRY_U = FLUSH ? IU : IU - 1;

            logic [IN_W-1:0]    in_data;
            logic               in_valid;
            logic [COUNT_W-1:0] count_q;
            logic [BLOCK_W-1:0] block_q;
            logic [PHASE_W-1:0] phase_q;
            logic               full_q, last_q, flush_q;
            logic [OUT_W-1:0]   word_q;

            wire space   = !full_q || m_axis_tready;
            wire fire    = in_valid && space;
            wire leave   = full_q && m_axis_tready;
            wire in_last = count_q == COUNT_LAST;
            // Negative when this beat, in the last whole block, does not reach the end of the word.
            wire [PHASE_W:0] beyond = {1'b0, phase_q} - {1'b0, PHASE_END};
            wire fills   = block_q == BLOCK_END || (block_q + 1'b1 == BLOCK_END && !beyond[PHASE_W]);

            // Cuts the path from m_axis_tready to s_axis_tready at the narrow side.
            axis_register #(.DATA_W(IN_W)) u_slice (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata(s_axis_tdata),
                .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(s_axis_tready),
                .m_axis_tdata(in_data),
                .m_axis_tvalid(in_valid),
                .m_axis_tready(space)
            );

            always_ff @(posedge aclk) begin
                if (fire) count_q <= in_last ? '0 : count_q + 1'b1;

                if (flush_q && leave) begin
                    // The carry is the last word of its frame; a beat that enters now is the next frame's first.
                    full_q  <= 1'b1;
                    last_q  <= 1'b1;
                    flush_q <= 1'b0;
                    block_q <= BLOCK_W'(fire);
                    phase_q <= '0;
                end else if (fire) begin
                    full_q <= in_last || fills;
                    last_q <= in_last && !FLUSH;
                    if (in_last) begin
                        flush_q <= FLUSH;
                        block_q <= FLUSH ? BLOCK_END : '0;
                        phase_q <= FLUSH ? PHASE_END : '0;
                    end else if (fills) begin
                        block_q <= '0;
                        phase_q <= beyond[PHASE_W-1:0] + (block_q == BLOCK_END ? PHASE_IU : '0);
                    end else begin
                        block_q <= block_q + 1'b1;
                    end
                end else if (leave) begin
                    full_q <= 1'b0;
                end

                if (!aresetn) begin
                    count_q <= '0;
                    block_q <= '0;
                    phase_q <= '0;
                    full_q  <= 1'b0;
                    flush_q <= 1'b0;
                end
            end

            if (IU == 1 && !ZERO_TAIL) begin : g_shift
                // Whole words of whole beats: a shift register needs no decoder.
                always_ff @(posedge aclk) if (fire) word_q <= {in_data, word_q[OUT_W-1:IN_W]};
            end else begin : g_lanes
                wire [IN_W-1:0] carry;

                // Rotate left by phase_q units, one stage for each bit of it.
                wire [(STAGES+1)*IN_W-1:0] stage;
                assign stage[IN_W-1:0] = in_data;
                for (genvar k = 0; k < STAGES; k++) begin : g_rotate
                    localparam int BITS = UNIT << k;
                    wire [IN_W-1:0] from = stage[k*IN_W +: IN_W];
                    assign stage[(k+1)*IN_W +: IN_W] =
                        phase_q[k] ? {from[IN_W-BITS-1:0], from[IN_W-1:IN_W-BITS]} : from;
                end
                wire [IN_W-1:0] rotated = stage[STAGES*IN_W +: IN_W];

                // Which block of lanes the beat starts in, and which lanes of a block it reaches in that block.
                wire [QB+1:0] in_block;
                wire [IU-1:0] upper;
                for (genvar b = 0; b <= QB + 1; b++) begin : g_block
                    assign in_block[b] = fire && block_q == BLOCK_W'(b);
                end
                for (genvar p = 0; p < IU; p++) begin : g_upper
                    if (p == (1 << PHASE_W) - 1) begin : g_always
                        assign upper[p] = 1'b1;
                    end else begin : g_from_phase
                        assign upper[p] = PHASE_W'(p) >= phase_q;
                    end
                end

                for (genvar u = 0; u < OU + CARRY_U; u++) begin : g_lane
                    localparam int B = u / IU;
                    localparam int P = u % IU;
                    wire write;
                    if (B == 0) begin : g_first
                        assign write = in_block[0] && upper[P];
                    end else begin : g_next
                        assign write = (in_block[B] && upper[P]) || (in_block[B-1] && !upper[P]);
                    end
                    if (u < IU && CARRY_U > 0) begin : g_open
                        // A word opens with the carry.
                        logic [UNIT-1:0] lane_q;
                        always_ff @(posedge aclk) begin
                            if (!aresetn)   lane_q <= '0;
                            else if (write) lane_q <= rotated[P*UNIT +: UNIT];
                            else if (leave) lane_q <= carry[u*UNIT +: UNIT];
                        end
                        assign word_q[u*UNIT +: UNIT] = lane_q;
                    end else if (u < OU) begin : g_word
                        // The rest opens with zeros, for the tail of a frame; no need where every word is filled.
                        logic [UNIT-1:0] lane_q;
                        wire clear = !aresetn || (leave && !write);
                        always_ff @(posedge aclk) begin
                            if (clear && ZERO_TAIL) lane_q <= '0;
                            else if (write)         lane_q <= rotated[P*UNIT +: UNIT];
                        end
                        assign word_q[u*UNIT +: UNIT] = lane_q;
                    end else begin : g_carry
                        logic [UNIT-1:0] lane_q;
                        always_ff @(posedge aclk) if (fire) lane_q <= write ? rotated[P*UNIT +: UNIT] : '0;
                        assign carry[(u-OU)*UNIT +: UNIT] = lane_q;
                    end
                end
                if (CARRY_U < IU) begin : g_no_carry
                    assign carry[IN_W-1:CARRY_U*UNIT] = '0;
                end
                if (CARRY_U == 0) begin : g_unused
                    wire unused = &{1'b0, carry};
                end
            end

            assign m_axis_tdata  = word_q;
            assign m_axis_tvalid = full_q;
            assign m_axis_tlast  = last_q;
        end

        else begin : g_down
            // The word lies above OU-1 lanes that keep what is left of the one before; its stream begins
            // at lane start_q. A word lasts FEW steps, or FEW + 1 when enough was left over.
            localparam int FEW  = IU / OU;
            localparam int R    = IU % OU;
            // Steps of the last word of a frame.
            localparam logic [63:0] TAIL = 64'(OUT_BEATS) - BEFORE_LAST / 64'(OU);
            localparam int STEP_W  = $clog2(FEW + 3);
            localparam int START_W = OU > 1 ? $clog2(OU) : 1;
            localparam int STAGES  = OU > 1 ? $clog2(OU) : 0;
            localparam logic [STEP_W-1:0]  STEP_TAIL  = STEP_W'(TAIL - 1);
            localparam logic [STEP_W-1:0]  STEP_FEW   = STEP_W'(FEW - 1);
            localparam logic [START_W-1:0] START_HOME = START_W'(OU - 1);
            localparam logic [START_W-1:0] START_R    = START_W'(R);
            localparam logic [START_W-1:0] START_OU   = START_W'(OU);
            localparam int KEEP_W = (OU - 1) * UNIT;
            localparam int BUF_W  = KEEP_W + IN_W;

            logic [BUF_W-1:0]   buf_q;
            logic               have_q;
            logic [COUNT_W-1:0] count_q;
            logic [STEP_W-1:0]  step_q;
            logic [START_W-1:0] start_q;
            logic               out_ready;

            wire in_last  = count_q == COUNT_LAST;
            wire [START_W:0] past = {1'b0, start_q} - {1'b0, START_R};
            wire one_more = past[START_W];
            wire ends     = step_q == (in_last ? STEP_TAIL : STEP_FEW + STEP_W'(one_more));
            wire step     = have_q && out_ready;
            wire load     = s_axis_tvalid && s_axis_tready;

            assign s_axis_tready = !have_q || (out_ready && ends);

            always_ff @(posedge aclk) begin
                if (!have_q || step)
                    buf_q[KEEP_W +: IN_W] <= (!have_q || ends) ? s_axis_tdata
                                                               : {{OUT_W{1'b0}}, buf_q[BUF_W-1:KEEP_W+OUT_W]};
                if (step) begin
                    step_q <= ends ? '0 : step_q + 1'b1;
                    if (ends) begin
                        count_q <= in_last ? '0 : count_q + 1'b1;
                        start_q <= in_last ? START_HOME : past[START_W-1:0] + (one_more ? START_OU : '0);
                    end
                end
                if (!have_q || (step && ends)) have_q <= load;

                if (!aresetn) begin
                    have_q  <= 1'b0;
                    count_q <= '0;
                    step_q  <= '0;
                    start_q <= START_HOME;
                end
            end

            if (KEEP_W > 0) begin : g_keep
                // What is left over ends at one of two places, by the number of steps the word lasted.
                always_ff @(posedge aclk) begin
                    if (step) buf_q[KEEP_W-1:0] <= !ends    ? buf_q[OUT_W +: KEEP_W] :
                                                   one_more ? buf_q[R*UNIT +: KEEP_W] :
                                                              buf_q[R*UNIT+OUT_W +: KEEP_W];
                end
            end

            // Shift right by start_q units, one stage for each bit of it, the largest first.
            localparam int WINDOW_W = KEEP_W + OUT_W;
            wire [(STAGES+1)*WINDOW_W-1:0] stage;
            assign stage[WINDOW_W-1:0] = buf_q[WINDOW_W-1:0];
            for (genvar k = 0; k < STAGES; k++) begin : g_align
                localparam int BITS = UNIT << (STAGES - 1 - k);
                wire [WINDOW_W-1:0] from = stage[k*WINDOW_W +: WINDOW_W];
                assign stage[(k+1)*WINDOW_W +: WINDOW_W] = start_q[STAGES-1-k] ? from >> BITS : from;
            end
            if (KEEP_W > 0) begin : g_unused
                wire unused = &{1'b0, stage[STAGES*WINDOW_W+OUT_W +: KEEP_W]};
            end

            // Registers the output and cuts the path from m_axis_tready to s_axis_tready.
            axis_register #(.DATA_W(OUT_W + 1)) u_slice (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata({in_last && ends, stage[STAGES*WINDOW_W +: OUT_W]}),
                .s_axis_tvalid(have_q),
                .s_axis_tready(out_ready),
                .m_axis_tdata({m_axis_tlast, m_axis_tdata}),
                .m_axis_tvalid(m_axis_tvalid),
                .m_axis_tready(m_axis_tready)
            );
        end
    endgenerate

endmodule

`default_nettype wire
