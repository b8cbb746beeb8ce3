// SPDX-License-Identifier: BSD-3-Clause
//
// axis_run_tx - counts the beats of frames into runs for a data mover that waits for a number of beats.
//
// A run is what one start of a mover takes: `frames` frames of BEATS whole beats. VNx's mover counts beats and looks at
// nothing else, so TLAST, on the last beat of a run, is for other readers. What was begun is always brought to its end: with
// `drain`, or once link_aresetn has been low, the rest of the run is zeros, so the mover completes, and the next beat is
// the first of a frame. No beat that was offered is withdrawn, in no reset but aresetn.
//
// `frames` applies to the run whose first frame has not ended: a partition that hands out the first words of a frame early
// begins a run, but does not fix its length.
//
// Throughput  one beat per cycle, no bubble between runs; one cycle where the zeros begin
// Latency     1 cycle
// Paths       registered both ways (axis_register); s_axis_tready is one LUT behind flops, drain and link_aresetn
// Resources   that of axis_register #(DATA_W + 1), a beat counter, a counter of 16 bits
//
// frame_done pulses in the cycle after the last beat of a frame was taken at s_axis.
//
// Parameters: DATA_W  bits of a beat, 1 or more
//             BEATS   beats of a frame, 1 or more
// Checked by: test_axis_run_tx.py
`default_nettype none

module axis_run_tx #(
    parameter int DATA_W = 512,
    parameter int BEATS  = 1
) (
    input  wire                 aclk,
    input  wire                 aresetn,
    input  wire                 link_aresetn,  // low also while aresetn is

    input  wire  [15:0]         frames,  // of a run, 1 or more
    input  wire                 drain,
    output logic                drained,

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic                m_axis_tlast,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready,

    output logic                frame_done
);

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end
    endgenerate

    localparam int COUNT_W = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam logic [COUNT_W-1:0] COUNT_LAST = COUNT_W'(BEATS - 1);

    logic [COUNT_W-1:0] count_q;           // beats of the frame
    logic               last_q;            // the next one is its last
    logic [15:0]        left_q;            // frames that are left, the one in hand included
    logic               begun_q, final_q;  // a frame of the run has ended; the one in hand is the last
    logic               open_q, fill_q;    // the run is under way; its rest is zeros
    logic               out_ready;

    wire dead       = drain || !link_aresetn;
    wire ends       = last_q && final_q;
    wire push_valid = fill_q || (s_axis_tvalid && !dead);
    wire push       = push_valid && out_ready;
    wire [COUNT_W-1:0] count = last_q ? '0 : count_q + 1'b1;
    wire        [15:0] left  = left_q - 16'd1;

    assign s_axis_tready = out_ready && !fill_q && !dead;
    assign drained       = drain && !open_q && !m_axis_tvalid;

    always_ff @(posedge aclk) begin
        if (push) count_q <= count;
        if (push) last_q  <= count == COUNT_LAST;
        if (push && last_q) begun_q <= !final_q;
        if (push && last_q ? final_q : !begun_q) begin
            left_q  <= frames;
            final_q <= frames == 16'd1;
        end else if (push && last_q) begin
            left_q  <= left;
            final_q <= left_q == 16'd2;
        end

        if (push) open_q <= !ends;
        fill_q     <= (fill_q || (dead && open_q)) && !(push && ends);
        frame_done <= s_axis_tvalid && s_axis_tready && last_q;

        if (!aresetn) begin
            count_q    <= '0;
            last_q     <= BEATS == 1;
            left_q     <= frames;
            begun_q    <= 1'b0;
            final_q    <= frames == 16'd1;
            open_q     <= 1'b0;
            fill_q     <= 1'b0;
            frame_done <= 1'b0;
        end
    end

    axis_register #(.DATA_W(DATA_W + 1)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({ends, fill_q ? {DATA_W{1'b0}} : s_axis_tdata}),
        .s_axis_tvalid(push_valid),
        .s_axis_tready(out_ready),
        .m_axis_tdata({m_axis_tlast, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
