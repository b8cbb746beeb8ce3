// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width_up_integer - engine that makes beats wider by an integer ratio; part of axis_width(_framed).
//
// Where every word is filled, the word is a shift register and a counter tells when it is full. Where frames
// may end inside a word, each beat is written to its place and the rest is zero; the place follows from the
// KEEP_BITs that the word holds already, which need no pointer, or by a one-hot pointer.
//
// Throughput  one input beat per cycle, also across the end of a frame
// Latency     1 cycle from the last input beat that an output beat needs
// Paths       m_axis is flops; combinational from m_axis_tready to s_axis_tready
// Resources   RATIO * BEAT_W FF; for the place $clog2(RATIO) where all words are filled, none with
//             FRAME_END 2, else RATIO
//
// Parameters: BEAT_W     bits of an input beat
//             RATIO      input beats in an output beat, 2 or more
//             FRAME_END  how frames end. 0 (NEVER) they do not; 1 (BY_LAST) with the beat that has s_axis_tlast;
//                        2 (BY_KEEP) likewise, and bit KEEP_BIT of every beat is 1
//             ZERO       FRAME_END 1: 1 when the last word is not filled and must end in zeros, 0 when all
//                        words are filled. FRAME_END 2: words always end in zeros
//             KEEP_BIT   see FRAME_END
//             USER_W     bits of tuser; a word has that of its latest beat
// Checked by: test_axis_width_engines.py
`default_nettype none

module axis_width_up_integer #(
    parameter int BEAT_W    = 8,
    parameter int RATIO     = 2,
    parameter int FRAME_END = 0,
    parameter bit ZERO      = 0,
    parameter int KEEP_BIT  = 0,
    parameter int USER_W    = 1
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [BEAT_W-1:0]           s_axis_tdata,
    input  wire                         s_axis_tlast,
    input  wire  [USER_W-1:0]           s_axis_tuser,
    input  wire                         s_axis_tvalid,
    output logic                        s_axis_tready,

    output logic [RATIO*BEAT_W-1:0]     m_axis_tdata,
    output logic                        m_axis_tlast,
    output logic [USER_W-1:0]           m_axis_tuser,
    output logic                        m_axis_tvalid,
    input  wire                         m_axis_tready
);

    localparam int NEVER   = 0;
    localparam int BY_LAST = 1;
    localparam int BY_KEEP = 2;
    // Every word leaves full.
    localparam bit FILLED  = FRAME_END == NEVER || (FRAME_END == BY_LAST && !ZERO);

    generate
        if (BEAT_W < 1 || USER_W < 1) begin : g_check_bits
            BEAT_W_and_USER_W_must_be_at_least_1 parameter_error();
        end
        if (RATIO < 2) begin : g_check_ratio
            RATIO_must_be_at_least_2 parameter_error();
        end
        if (FRAME_END < NEVER || FRAME_END > BY_KEEP) begin : g_check_frame_end
            FRAME_END_must_be_0_to_2 parameter_error();
        end
        if (KEEP_BIT < 0 || KEEP_BIT >= BEAT_W) begin : g_check_keep_bit
            KEEP_BIT_must_be_a_bit_of_a_beat parameter_error();
        end
    endgenerate

    logic                     full_q, last_q;
    logic [RATIO*BEAT_W-1:0]  word_q;
    logic [USER_W-1:0]        user_q;
    wire  last  = FRAME_END != NEVER && s_axis_tlast;
    wire  space = !full_q || m_axis_tready;
    wire  leave = full_q && m_axis_tready;
    wire  fire  = s_axis_tvalid && space;
    wire  fills;                            // the beat takes the last place of the word
    wire  unused = &{1'b0, leave};

    always_ff @(posedge aclk) begin
        if (fire) begin
            last_q <= last;
            user_q <= s_axis_tuser;
        end
        if (space) full_q <= fire && (fills || last);
        if (!aresetn) full_q <= 1'b0;
    end

    generate
        if (FILLED) begin : g_shift
            localparam int COUNT_W = RATIO > 1 ? $clog2(RATIO) : 1;
            localparam logic [COUNT_W-1:0] COUNT_LAST = COUNT_W'(RATIO - 1);
            logic [COUNT_W-1:0] count_q;
            assign fills = count_q == COUNT_LAST;
            always_ff @(posedge aclk) begin
                if (fire) word_q  <= {s_axis_tdata, word_q[RATIO*BEAT_W-1:BEAT_W]};
                if (fire) count_q <= fills ? '0 : count_q + 1'b1;
                if (!aresetn) count_q <= '0;
            end
        end else begin : g_place
            wire [RATIO-1:0] place;         // one-hot: where the beat goes
            if (FRAME_END == BY_KEEP) begin : g_keep
                wire [RATIO-1:0] taken;
                for (genvar b = 0; b < RATIO; b++) begin : g_taken
                    assign taken[b] = word_q[b*BEAT_W + KEEP_BIT];
                end
                // In the cycle in which the old word leaves, its marks still stand.
                assign place[0] = leave || !taken[0];
                assign place[RATIO-1:1] = ~taken[RATIO-1:1] & taken[RATIO-2:0];
                assign fills = !leave && taken[RATIO-2];
            end else begin : g_pointer
                logic [RATIO-1:0] place_q;
                assign place = place_q;
                assign fills = place_q[RATIO-1];
                always_ff @(posedge aclk) begin
                    if (fire) place_q <= last || fills ? RATIO'(1) : place_q << 1;
                    if (!aresetn) place_q <= RATIO'(1);
                end
            end
            for (genvar b = 0; b < RATIO; b++) begin : g_beat
                wire write = fire && place[b];
                // A beat that enters while a word leaves goes to the first place, so that the others need not
                // look at write. Plainly `leave && !write`, which takes up to one LUT a place more.
                wire clear = !aresetn || (leave && (b > 0 || !write));
                always_ff @(posedge aclk) begin
                    if (write) word_q[b*BEAT_W +: BEAT_W] <= s_axis_tdata;
                    if (clear) word_q[b*BEAT_W +: BEAT_W] <= '0;
                end
            end
        end
    endgenerate

    assign s_axis_tready = space;
    assign m_axis_tdata  = word_q;
    assign m_axis_tvalid = full_q;
    assign m_axis_tlast  = FRAME_END != NEVER && last_q;
    assign m_axis_tuser  = user_q;

endmodule

`default_nettype wire
