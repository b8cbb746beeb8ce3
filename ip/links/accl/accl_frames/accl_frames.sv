// SPDX-License-Identifier: BSD-3-Clause
//
// accl_frames - frame guard behind ACCL: forwards whole frames of BEATS beats, found by counting and by nothing else.
//
// TLAST ends a segment of the network. A frame has any number of them, but none goes over its end: where a frame ends,
// TLAST must be. If it is not, `torn` pulses; a beat is missing then, or there is one too many, and every later frame is
// shifted until all boards are reset by their pins. A sender that is reset by its host brings its frame to the end, so
// this does not happen then.
//
// With `drain`, and while link_aresetn is low, everything is taken and nothing forwarded, so a board in reset does not
// block the others. A frame of which a beat was taken before or during that is discarded to its end, even if the reset has
// ended long before: the count is kept. So there is nothing to wait for, and `drained` is `drain`.
//
// Throughput  one beat per cycle, no bubble between frames
// Latency     1 cycle
// Paths       m_axis, frame_done and torn are flops; combinational from m_axis_tready, drain and link_aresetn to
//             s_axis_tready
// Storage     1 beat
// Resources   that of axis_register #(DATA_W + 1, 1), a beat counter, about 10 LUT
//
// frame_done pulses when the last beat of a frame has been taken at m_axis, torn in the cycle after the beat was taken
// that should have had TLAST.
//
// Parameters: BEATS   beats of a frame, 1 or more
//             DATA_W  bits of a beat, 1 or more
// Checked by: test_accl_frames.py
`default_nettype none

module accl_frames #(
    parameter int BEATS  = 1,
    parameter int DATA_W = 512
) (
    input  wire                 aclk,
    input  wire                 aresetn,
    input  wire                 link_aresetn,  // low also while aresetn is
    input  wire                 drain,
    output logic                drained,

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire                 s_axis_tlast,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready,

    output logic                frame_done,
    output logic                torn
);

    generate
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
    endgenerate

    localparam int COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam logic [COUNT_W-1:0] COUNT_LAST = COUNT_W'(BEATS - 1);

    logic [COUNT_W-1:0] count_q;  // beats taken of the frame
    logic               last_q;   // the next one is its last
    logic               open_q;   // some were taken
    logic               cut_q;    // the rest of it is discarded
    logic               up_q;
    logic               out_ready, out_last;

    wire dead = drain || !link_aresetn;
    wire skip = dead || cut_q;
    wire fire = s_axis_tvalid && s_axis_tready;
    wire [COUNT_W-1:0] count = last_q ? '0 : count_q + 1'b1;

    assign s_axis_tready = up_q && (skip || out_ready);
    assign drained       = drain;

    always_ff @(posedge aclk) begin
        up_q <= aresetn;
        if (fire) count_q <= count;
        if (fire) last_q  <= count == COUNT_LAST;
        if (fire) open_q  <= !last_q;

        if (fire && last_q) cut_q <= 1'b0;
        else if (dead)      cut_q <= open_q || fire;

        torn       <= fire && last_q && !s_axis_tlast;
        frame_done <= m_axis_tvalid && m_axis_tready && out_last;

        if (!link_aresetn) frame_done <= 1'b0;
        if (!aresetn) begin
            count_q <= '0;
            last_q  <= BEATS == 1;
            open_q  <= 1'b0;
            cut_q   <= 1'b0;
            torn    <= 1'b0;
        end
    end

    axis_register #(.DATA_W(DATA_W + 1), .CUT(1)) u_slice (
        .aclk(aclk),
        .aresetn(link_aresetn),
        .s_axis_tdata({last_q, s_axis_tdata}),
        .s_axis_tvalid(s_axis_tvalid && !skip),
        .s_axis_tready(out_ready),
        .m_axis_tdata({out_last, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
