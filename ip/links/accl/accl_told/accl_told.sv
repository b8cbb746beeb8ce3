// SPDX-License-Identifier: BSD-3-Clause
//
// accl_told - takes the numbers of frames out of puts as accl_number makes them, behind accl_frames.
//
// m_axis has the beats of frames alone, and frame_done pulses when the last of one has been taken. number is held from a
// frame's first beat to its last, and taint comes with the last, which waits for the beat behind it. Puts without a frame are
// dropped, and so is one whose first beat is not accl_number's: accl_gate has filled all of it with zeros.
//
// mark is the least number that can follow, but for the frame at m_axis; mark_known is high as soon as a put has come. They are
// taken from the beats in front of accl_frames, so they count what is discarded in a reset of the link as well.
//
// Throughput  one beat per cycle, 3 cycles more for each frame
// Latency     1 cycle; of the last beat of a frame 2, since it waits for the beat behind it
// Paths       m_axis_tdata, number, taint and mark are flops; from m_axis_tready to s_axis_tready
// Storage     1 beat
// Resources   about 56 LUT and 156 FF, and a flop for each bit of a beat
//
// Parameters: BEATS   beats of a frame, 1 or more
//             DATA_W  bits of a beat, 34 or more
// Checked by: test_accl_told.py
`default_nettype none

module accl_told #(
    parameter int BEATS  = 1,
    parameter int DATA_W = 512
) (
    input  wire               aclk,
    input  wire               aresetn,
    input  wire               link_aresetn,   // low also while aresetn is

    input  wire  [33:0]       in_head,        // of each beat that accl_frames takes
    input  wire               in_fire,

    input  wire  [DATA_W-1:0] s_axis_tdata,
    input  wire               s_axis_tvalid,
    output logic              s_axis_tready,

    output logic [DATA_W-1:0] m_axis_tdata,
    output logic              m_axis_tvalid,
    input  wire               m_axis_tready,

    output logic              frame_done,
    output logic [31:0]       number,
    output logic              taint,
    output logic [31:0]       mark,
    output logic              mark_known
);

    localparam int PUT     = BEATS + 2;
    localparam int COUNT_W = $clog2(PUT);
    localparam logic [COUNT_W-1:0] TAIL = COUNT_W'(PUT - 1), LAST = COUNT_W'(PUT - 2);

    generate
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end
        if (DATA_W < 34) begin : g_check_data_w
            DATA_W_must_be_at_least_34 parameter_error();
        end
    endgenerate

    // ---- what comes, whether it is discarded or not ---------------------------------------------------------------

    logic [COUNT_W-1:0] in_q;
    logic [31:0]        in_number_q;
    logic               in_good_q, in_void_q;
    logic [31:0]        next_q;               // the least number that can follow
    logic               next_known_q;

    always_ff @(posedge aclk) begin
        if (in_fire) begin
            in_q <= in_q == TAIL ? '0 : in_q + 1'b1;
            if (in_q == '0) {in_good_q, in_void_q, in_number_q} <= in_head;
            if (in_q == TAIL && in_good_q) begin
                next_q       <= {in_number_q[31:24], in_void_q ? in_number_q[23:0] : in_number_q[23:0] + 1'b1};
                next_known_q <= 1'b1;
            end
        end
        if (!aresetn) begin
            in_q         <= '0;
            in_good_q    <= 1'b0;
            next_known_q <= 1'b0;
        end
    end

    // ---- what goes on -----------------------------------------------------------------------------------------------

    logic [COUNT_W-1:0] count_q;
    logic               head_q, tail_q;       // the next beat is the first, or the last, of a put
    logic               skip_q;               // it has no frame
    logic               full_q, last_q;       // a beat waits, the last of its frame
    logic               end_q;                // the beat behind the frame has come

    wire take = s_axis_tvalid && s_axis_tready;
    wire fire = m_axis_tvalid && m_axis_tready;

    assign m_axis_tvalid = full_q && (!last_q || end_q);
    assign s_axis_tready = head_q ? !full_q : tail_q || skip_q || !full_q || fire;

    always_ff @(posedge aclk) begin
        if (take) begin
            count_q <= tail_q ? '0 : count_q + 1'b1;
            head_q  <= tail_q;
            tail_q  <= count_q == LAST;
            if (head_q) begin
                skip_q <= !s_axis_tdata[33] || s_axis_tdata[32];
                number <= s_axis_tdata[31:0];
            end
            if (tail_q) taint <= !s_axis_tdata[0];
        end

        frame_done <= fire && last_q;
        if (fire) full_q <= 1'b0;
        if (take && !head_q && !tail_q && !skip_q) begin
            full_q       <= 1'b1;
            last_q       <= count_q == LAST;
            m_axis_tdata <= s_axis_tdata;
        end
        if (take && tail_q && !skip_q) end_q <= 1'b1;
        else if (fire && last_q)       end_q <= 1'b0;

        if (head_q && !full_q && !s_axis_tvalid) begin
            mark       <= next_q;
            mark_known <= next_known_q;
        end

        if (!link_aresetn) begin
            count_q    <= '0;
            head_q     <= 1'b1;
            tail_q     <= 1'b0;
            full_q     <= 1'b0;
            end_q      <= 1'b0;
            frame_done <= 1'b0;
        end
        if (!aresetn) mark_known <= 1'b0;
    end

endmodule

`default_nettype wire
