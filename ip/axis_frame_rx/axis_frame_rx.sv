// SPDX-License-Identifier: BSD-3-Clause
//
// axis_frame_rx - frame guard: forwards exactly the frames of a transfer, whatever the link delivers.
//
// A transfer ends with TLAST and carries `frames` frames of (BEATS - 1) * DATA_W / 8 + LAST_BYTES bytes without gaps: a
// frame may begin in the middle of a beat. At m_axis each begins at byte 0 of a beat and takes BEATS beats.
//
//   TLAST too early               the missing bytes of all frames are filled with zeros, error_short
//   no TLAST with the last byte   the surplus is discarded up to and including the beat with TLAST, error_long
//   TKEEP not as expected         the beat is forwarded unchanged, error_keep
// A beat without TLAST must have all TKEEP bits set, the beat with TLAST exactly those of the bytes that are left. Where
// TLAST is too early and in the surplus of a long transfer TKEEP is not looked at. So a fault costs frames of one
// transfer and never shifts the next.
//
// `frames` takes effect with the next transfer; it is read until the first beat of one is accepted.
//
// With `drain` the rest of the transfer under way is discarded and no other one begins; `drained` says that this is
// done. What the block still holds must then be discarded by reset.
//
// Throughput  one beat per cycle at m_axis, no bubble between good frames
// Latency     1 cycle
// Paths       all of m_axis and the pulses are registered, s_axis_tready is a few LUTs behind flops and drain
// Resources   that of axis_register #(DATA_W + 1), a beat counter, the TKEEP comparison, with MANY_EN a counter of 16 bits
//             and, where LAST_BYTES is not DATA_W / 8, one beat and a multiplexer that moves it by multiples of
//             gcd(DATA_W / 8, LAST_BYTES) bytes
//
// frame_done pulses when the last beat of a frame has been taken at m_axis, error_* when the fault is seen;
// error_short and error_long at most once a transfer, error_keep for every bad beat.
//
// Parameters: DATA_W      TDATA in bits, a multiple of 8
//             BEATS       beats of a frame, 1 or more
//             LAST_BYTES  valid bytes of its last beat, 1 to DATA_W / 8
//             MANY_EN     0: a transfer is one frame, and `frames` is not looked at
// Checked by: test_axis_frame_rx.py
`default_nettype none

module axis_frame_rx #(
    parameter int DATA_W     = 8,
    parameter int BEATS      = 1,
    parameter int LAST_BYTES = DATA_W / 8,
    parameter bit MANY_EN    = 1
) (
    input  wire                     aclk,
    input  wire                     aresetn,

    input  wire  [15:0]             frames,  // of a transfer, 1 or more
    input  wire                     drain,
    output logic                    drained,

    input  wire  [DATA_W-1:0]       s_axis_tdata,
    input  wire  [DATA_W/8-1:0]     s_axis_tkeep,
    input  wire                     s_axis_tlast,
    input  wire                     s_axis_tvalid,
    output logic                    s_axis_tready,

    output logic [DATA_W-1:0]       m_axis_tdata,
    output logic                    m_axis_tvalid,
    input  wire                     m_axis_tready,

    output logic                    frame_done,
    output logic                    error_short,
    output logic                    error_long,
    output logic                    error_keep
);

    generate
        if (DATA_W < 8 || DATA_W % 8 != 0) begin : g_check_data_w
            DATA_W_must_be_a_positive_multiple_of_8 parameter_error();
        end
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end
        if (LAST_BYTES < 1 || LAST_BYTES > DATA_W / 8) begin : g_check_last_bytes
            LAST_BYTES_must_be_1_to_DATA_W_over_8 parameter_error();
        end
    endgenerate

    function automatic int gcd(input int a, input int b);
        int left, right, rest;
        left  = a;
        right = b;
        for (int i = 0; i < 16; i++)
            if (right > 0) begin
                rest  = left % right;
                left  = right;
                right = rest;
            end
        gcd = left > 0 ? left : 1;
    endfunction

    localparam int KEEP_W  = DATA_W / 8;
    localparam int COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam logic [COUNT_W-1:0] COUNT_LAST = COUNT_W'(BEATS - 1);
    localparam logic [KEEP_W-1:0]  KEEP_ALL   = '1;
    // A frame begins at a multiple of UNIT bytes, whatever came before it.
    localparam int UNIT    = MANY_EN ? gcd(KEEP_W, LAST_BYTES) : KEEP_W;
    localparam int UNITS   = KEEP_W > UNIT ? KEEP_W / UNIT : 1;

    logic [COUNT_W-1:0] count_q;                // forwarded beats of the frame
    logic               last_q;                 // the next one is its last
    logic               open_q;                 // the link is within a transfer
    logic               ended_q;                // TLAST was there, frames are missing
    logic               swallow_q, short_q;
    logic               out_ready, out_last;
    logic               need;                   // the next beat cannot be made without the link
    logic [KEEP_W-1:0]  keep_last, keep_seen;   // of the beat with the transfer's last byte: wanted, found
    logic [DATA_W-1:0]  made;
    wire                final_frame;

    wire s_fire     = s_axis_tvalid && s_axis_tready;
    wire taken      = s_fire && !swallow_q && !drain;
    wire final_beat = last_q && final_frame;
    wire fill       = need && ended_q;
    wire push_valid = !swallow_q && !drain && (!need || ended_q || s_axis_tvalid);
    wire push       = push_valid && out_ready;
    // One for each beat that is pushed.
    wire [COUNT_W-1:0] count = last_q ? '0 : count_q + 1'b1;
    wire closed     = ended_q || (need && s_axis_tlast);  // at the final beat
    wire [DATA_W-1:0] come = ended_q ? '0 : s_axis_tdata;

    assign s_axis_tready = drain ? open_q : swallow_q || (out_ready && need && !ended_q);
    assign drained       = drain && !open_q;

    always_ff @(posedge aclk) begin
        if (push) count_q <= count;
        if (push) last_q  <= count == COUNT_LAST;
        if (s_fire) open_q <= !s_axis_tlast;

        if (push && final_beat)                       ended_q <= 1'b0;
        else if (taken && s_axis_tlast)               ended_q <= 1'b1;

        if (swallow_q) swallow_q <= !(s_fire && s_axis_tlast);
        else           swallow_q <= push && final_beat && !closed;

        if (push) short_q <= (fill || short_q) && !final_beat;

        error_short <= push && fill && !short_q;
        error_long  <= push && final_beat && !closed;
        error_keep  <= (taken && !s_axis_tlast && s_axis_tkeep != KEEP_ALL)
                       || (push && final_beat && closed && !fill && !short_q && keep_seen != keep_last);
        frame_done  <= m_axis_tvalid && m_axis_tready && out_last;

        if (!aresetn) begin
            count_q     <= '0;
            last_q      <= BEATS == 1;
            open_q      <= 1'b0;
            ended_q     <= 1'b0;
            swallow_q   <= 1'b0;
            short_q     <= 1'b0;
            error_short <= 1'b0;
            error_long  <= 1'b0;
            error_keep  <= 1'b0;
            frame_done  <= 1'b0;
        end
    end

    generate
        if (MANY_EN) begin : g_many
            // Frames that are left, the one in hand included; as long as a transfer has not begun, those of the next.
            logic [15:0] left_q;
            logic        begun_q, final_q;
            wire  [15:0] left = left_q - 16'd1;

            always_ff @(posedge aclk) begin
                if (push) begun_q <= !final_beat;
                if (push ? final_beat : !begun_q) begin
                    left_q  <= frames;
                    final_q <= frames == 16'd1;
                end else if (push && last_q) begin
                    left_q  <= left;
                    final_q <= left_q == 16'd2;
                end
                if (!aresetn) begin
                    begun_q <= 1'b0;
                    left_q  <= frames;
                    final_q <= frames == 16'd1;
                end
            end
            assign final_frame = final_q;
        end else begin : g_one
            wire unused = &{1'b0, frames};
            assign final_frame = 1'b1;
        end

        if (UNITS == 1) begin : g_whole
            assign need      = 1'b1;
            assign made      = come;
            assign keep_seen = s_axis_tkeep;
            assign keep_last = KEEP_ALL >> (KEEP_W - LAST_BYTES);
        end else begin : g_parts
            localparam int PART_W     = UNIT * 8;
            localparam int AT_W       = $clog2(UNITS);
            localparam int LAST_UNITS = LAST_BYTES / UNIT;

            // The last beat that was taken, of which at_q units have been forwarded; of all its units if 0.
            logic [DATA_W-1:0] held_q, both, turned;
            logic [KEEP_W-1:0] held_keep_q;
            logic [AT_W-1:0]   at_q;
            wire  [AT_W:0]     next = (AT_W+1)'(at_q) + (AT_W+1)'(LAST_UNITS);
            wire               over = next >= (AT_W+1)'(UNITS);
            wire  [AT_W-1:0]   ends = !last_q ? at_q : AT_W'(over ? next - (AT_W+1)'(UNITS) : next);

            assign need      = !last_q || at_q == '0 || next > (AT_W+1)'(UNITS);
            assign keep_seen = need ? s_axis_tkeep : held_keep_q;
            assign made      = turned;

            // What is left of the beat held and what is needed of the new one, turned to where it belongs.
            always_comb begin
                both = held_q;
                for (int k = 0; k < UNITS; k++)
                    if (AT_W'(k) < at_q || at_q == '0) both[k*PART_W +: PART_W] = come[k*PART_W +: PART_W];
                turned = both;
                for (int b = 0; b < AT_W; b++)
                    if (at_q[b]) turned = DATA_W'({turned, turned} >> ((1 << b) * PART_W));
                keep_last = '0;
                for (int k = 0; k < UNITS; k++)
                    if (AT_W'(k) < ends || ends == '0) keep_last[k*UNIT +: UNIT] = '1;
            end

            always_ff @(posedge aclk) begin
                if (push && need) held_q      <= come;
                if (push && need) held_keep_q <= s_axis_tkeep;
                if (push) at_q <= final_beat ? '0 : ends;
                if (!aresetn) at_q <= '0;
            end
        end
    endgenerate

    axis_register #(.DATA_W(DATA_W + 1)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({last_q, made}),
        .s_axis_tvalid(push_valid),
        .s_axis_tready(out_ready),
        .m_axis_tdata({out_last, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
