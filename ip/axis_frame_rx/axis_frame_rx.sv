// SPDX-License-Identifier: BSD-3-Clause
//
// axis_frame_rx - frame guard: hands on exactly BEATS beats a frame, whatever the link delivers.
//
//   TLAST too early          the missing beats are inserted as zero, error_short
//   no TLAST on beat BEATS   the surplus is swallowed up to and including the beat with TLAST, error_long
//   TKEEP not as expected    the beat is handed on as it is, error_keep
// A beat without TLAST must have all TKEEP bits set, the beat with TLAST exactly the lowest LAST_BYTES.
// The surplus of a long frame is not checked. So a fault costs one frame and never shifts the next.
//
// Throughput  one beat per cycle, no bubble between good frames
// Latency     1 cycle
// Paths       all of m_axis, s_axis_tready (from flops) and the pulses are registered
// Resources   that of axis_register #(DATA_W + 1), a beat counter, the TKEEP comparison
//
// frame_done pulses when the last beat of a frame has been taken at m_axis, error_* when the fault is seen;
// each at most once a frame but error_keep, which pulses for every bad beat.
//
// Parameters: DATA_W      TDATA in bits, a multiple of 8
//             BEATS       beats of a frame, 1 or more
//             LAST_BYTES  valid bytes of the last beat, 1 to DATA_W / 8
// Checked by: test_axis_frame_rx.py
`default_nettype none

module axis_frame_rx #(
    parameter int DATA_W     = 8,
    parameter int BEATS      = 1,
    parameter int LAST_BYTES = DATA_W / 8
) (
    input  wire                     aclk,
    input  wire                     aresetn,

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

    localparam int KEEP_W  = DATA_W / 8;
    localparam int COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam logic [COUNT_W-1:0] COUNT_LAST = COUNT_W'(BEATS - 1);
    localparam logic [KEEP_W-1:0]  KEEP_ALL   = '1;
    localparam logic [KEEP_W-1:0]  KEEP_LAST  = KEEP_ALL >> (KEEP_W - LAST_BYTES);

    logic [COUNT_W-1:0] count_q;
    logic               fill_q, swallow_q;
    logic               out_ready, out_last;

    wire s_fire     = s_axis_tvalid && s_axis_tready;
    wire guarded    = s_fire && !swallow_q;
    wire last_beat  = count_q == COUNT_LAST;
    wire push_valid = fill_q || (s_axis_tvalid && !swallow_q);
    wire push       = push_valid && out_ready;

    assign s_axis_tready = swallow_q || (out_ready && !fill_q);

    always_ff @(posedge aclk) begin
        if (push) count_q <= last_beat ? '0 : count_q + 1'b1;

        if (fill_q) fill_q <= !(push && last_beat);
        else        fill_q <= guarded && s_axis_tlast && !last_beat;

        if (swallow_q) swallow_q <= !(s_fire && s_axis_tlast);
        else           swallow_q <= guarded && !s_axis_tlast && last_beat;

        error_short <= guarded && s_axis_tlast && !last_beat;
        error_long  <= guarded && !s_axis_tlast && last_beat;
        error_keep  <= guarded && s_axis_tkeep != (s_axis_tlast ? KEEP_LAST : KEEP_ALL);
        frame_done  <= m_axis_tvalid && m_axis_tready && out_last;

        if (!aresetn) begin
            count_q     <= '0;
            fill_q      <= 1'b0;
            swallow_q   <= 1'b0;
            error_short <= 1'b0;
            error_long  <= 1'b0;
            error_keep  <= 1'b0;
            frame_done  <= 1'b0;
        end
    end

    axis_register #(.DATA_W(DATA_W + 1)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({last_beat, fill_q ? {DATA_W{1'b0}} : s_axis_tdata}),
        .s_axis_tvalid(push_valid),
        .s_axis_tready(out_ready),
        .m_axis_tdata({out_last, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
