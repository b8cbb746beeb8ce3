// SPDX-License-Identifier: BSD-3-Clause
//
// axis_run_rx - run guard: forwards exactly the frames of a run, whatever a data mover delivers.
//
// A run is what one start of a mover sends: `frames` frames of BEATS whole beats. Its TLAST says nothing (VNx's mover sets
// it every 1408 bytes), so beats are counted. What tells runs apart is the low bits of TDEST, the number of the run: 0 says
// nothing either, another number is that of one run, and the next one has another.
//
//   TDEST changes too early         the missing beats of all frames are zeros, error_short; the beat begins the next run
//   TDEST does not change in time   the surplus is discarded until it does, error_long; not with TDEST 0
// So a fault costs frames of one run and never shifts the next. With TDEST 0 it does, and nobody sees it.
//
// `frames` takes effect with the next run; it is read until the first frame of one has ended.
//
// With `drain`, and while link_aresetn is low, nothing is forwarded: the rest of the run under way and its surplus are
// discarded, no other run begins, and `drained` says that this is done. When link_aresetn rises, all is forgotten, so a
// run that has not ended by then must not go on.
//
// Throughput  one beat per cycle, no bubble between good runs; one cycle where a run ends early
// Latency     1 cycle
// Paths       all of m_axis and the pulses are registered; s_axis_tready is a comparison of TDEST behind flops, drain and
//             link_aresetn
// Resources   that of axis_register #(DATA_W + 1), a beat counter, a counter of 16 bits, the number of the run
//
// frame_done pulses when the last beat of a frame has been taken at m_axis, error_* when the fault is seen, at most once
// a run.
//
// Parameters: DATA_W  bits of a beat, 1 or more
//             DEST_W  bits of TDEST that are looked at, 2 to 4
//             BEATS   beats of a frame, 1 or more
// Checked by: test_axis_run_rx.py
`default_nettype none

module axis_run_rx #(
    parameter int DATA_W = 512,
    parameter int DEST_W = 4,
    parameter int BEATS  = 1
) (
    input  wire                 aclk,
    input  wire                 aresetn,
    input  wire                 link_aresetn,  // low also while aresetn is

    input  wire  [15:0]         frames,  // of a run, 1 or more
    input  wire                 drain,
    output logic                drained,

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire  [DEST_W-1:0]   s_axis_tdest,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready,

    output logic                frame_done,
    output logic                error_short,
    output logic                error_long
);

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (DEST_W < 2 || DEST_W > 4) begin : g_check_dest_w
            DEST_W_must_be_2_to_4 parameter_error();
        end
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end
    endgenerate

    localparam int COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam logic [COUNT_W-1:0] COUNT_LAST = COUNT_W'(BEATS - 1);

    logic [COUNT_W-1:0] count_q;          // beats of the frame
    logic               last_q;           // the next one is its last
    logic [15:0]        left_q;           // frames that are left, the one in hand included
    logic               begun_q, final_q; // a frame of the run has ended; the one in hand is the last
    logic               open_q;           // the run is under way
    logic [DEST_W-1:0]  number_q;         // of this run or of the one before
    logic               named_q;          // which is not 0
    logic               cut_q, long_q;    // the run is filled with zeros; its surplus has been flagged
    logic               down_q;
    logic               out_ready, out_last;

    wire dead    = drain || !link_aresetn || down_q;
    wire same    = s_axis_tdest == number_q;
    wire surplus = !open_q && same && named_q;
    wire s_fire  = s_axis_tvalid && s_axis_tready;
    wire ends    = last_q && final_q;

    wire push_valid = !dead && (cut_q || (s_axis_tvalid && (open_q ? same : !surplus)));
    wire push       = push_valid && out_ready;
    wire step       = push || (dead && open_q && s_fire);
    wire cut        = !dead && open_q && s_axis_tvalid && !same && !cut_q;
    wire [COUNT_W-1:0] count = last_q ? '0 : count_q + 1'b1;
    wire        [15:0] left  = left_q - 16'd1;

    assign s_axis_tready = surplus || (dead ? open_q && same : out_ready && !cut_q && (!open_q || same));
    assign drained       = drain && !open_q;

    always_ff @(posedge aclk) begin
        down_q <= !link_aresetn;

        if (step) count_q <= count;
        if (step) last_q  <= count == COUNT_LAST;
        if (step && last_q) begun_q <= !final_q;
        if (step && last_q ? final_q : !begun_q) begin
            left_q  <= frames;
            final_q <= frames == 16'd1;
        end else if (step && last_q) begin
            left_q  <= left;
            final_q <= left_q == 16'd2;
        end

        if (step) open_q <= !ends;
        // A dead run that its mover did not finish.
        else if (dead && s_axis_tvalid && !same) open_q <= 1'b0;
        if (push && !open_q) begin
            number_q <= s_axis_tdest;
            named_q  <= s_axis_tdest != '0;
            long_q   <= 1'b0;
        end else if (s_fire && surplus) begin
            long_q   <= 1'b1;
        end
        if (cut || (push && ends)) cut_q <= cut;

        error_short <= cut;
        error_long  <= !dead && s_fire && surplus && !long_q;
        frame_done  <= m_axis_tvalid && m_axis_tready && out_last;

        if (!link_aresetn) begin
            cut_q       <= 1'b0;
            error_short <= 1'b0;
            error_long  <= 1'b0;
            frame_done  <= 1'b0;
        end
        if (!aresetn || (link_aresetn && down_q)) begin
            count_q  <= '0;
            last_q   <= BEATS == 1;
            left_q   <= frames;
            begun_q  <= 1'b0;
            final_q  <= frames == 16'd1;
            open_q   <= 1'b0;
            number_q <= '0;
            named_q  <= 1'b0;
            long_q   <= 1'b0;
        end
    end

    axis_register #(.DATA_W(DATA_W + 1)) u_slice (
        .aclk(aclk),
        .aresetn(link_aresetn),
        .s_axis_tdata({last_q, cut_q ? {DATA_W{1'b0}} : s_axis_tdata}),
        .s_axis_tvalid(push_valid),
        .s_axis_tready(out_ready),
        .m_axis_tdata({out_last, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
