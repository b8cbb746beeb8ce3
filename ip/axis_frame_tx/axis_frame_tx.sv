// SPDX-License-Identifier: BSD-3-Clause
//
// axis_frame_tx - makes transfers of frames, with the TKEEP and TLAST that a link expects.
//
// Each frame begins at byte 0 of a beat of s_axis and ends with TLAST, in a beat of which LAST_BYTES are valid. A
// transfer carries `frames` frames without gaps: a frame may begin in the middle of a beat. TLAST is on its last beat,
// where TKEEP marks the remaining bytes; on all others TKEEP is all ones.
//
// `frames` applies to the transfer whose first frame has not ended at s_axis: a partition that hands out the first
// words of a frame early begins a transfer, but does not fix its length.
//
// With `drain` nothing is taken at s_axis. The part of a transfer that is already built is forwarded and, if that does not
// include its end, so is one beat of zeros with TLAST, within the missing bytes; `drained` says that this is done. Bytes
// that wait for the rest of their beat must then be discarded by reset.
//
// Throughput  one beat per cycle; one beat more for a transfer whose bytes do not fit into the beats of its frames
// Latency     1 cycle
// Paths       registered both ways (axis_register); s_axis_tready is one LUT behind flops
// Resources   that of axis_register #(DATA_W + 1), a counter of 16 bits and, where LAST_BYTES is not DATA_W / 8, one beat
//             and a multiplexer that moves it by multiples of gcd(DATA_W / 8, LAST_BYTES) bytes
//
// frame_done pulses in the cycle after the last beat of a frame was taken at s_axis.
//
// Parameters: DATA_W      TDATA in bits, a multiple of 8
//             LAST_BYTES  valid bytes of the last beat of a frame, 1 to DATA_W / 8
// Checked by: test_axis_frame_tx.py
`default_nettype none

module axis_frame_tx #(
    parameter int DATA_W     = 8,
    parameter int LAST_BYTES = DATA_W / 8
) (
    input  wire                     aclk,
    input  wire                     aresetn,

    input  wire  [15:0]             frames,  // of a transfer, 1 or more
    input  wire                     drain,
    output logic                    drained,

    input  wire  [DATA_W-1:0]       s_axis_tdata,
    input  wire                     s_axis_tlast,
    input  wire                     s_axis_tvalid,
    output logic                    s_axis_tready,

    output logic [DATA_W-1:0]       m_axis_tdata,
    output logic [DATA_W/8-1:0]     m_axis_tkeep,
    output logic                    m_axis_tlast,
    output logic                    m_axis_tvalid,
    input  wire                     m_axis_tready,

    output logic                    frame_done
);

    generate
        if (DATA_W < 8 || DATA_W % 8 != 0) begin : g_check_data_w
            DATA_W_must_be_a_positive_multiple_of_8 parameter_error();
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

    localparam int KEEP_W = DATA_W / 8;
    // A frame begins at a multiple of UNIT bytes, whatever came before it.
    localparam int UNIT   = gcd(KEEP_W, LAST_BYTES);
    localparam int UNITS  = KEEP_W > UNIT ? KEEP_W / UNIT : 1;
    localparam int SIDE_W = UNITS > 1 ? $clog2(UNITS) : 1;
    localparam int SLICE_W = DATA_W + 1 + (UNITS > 1 ? SIDE_W : 0);

    logic [15:0]       left_q;          // frames that are left, the one in hand included
    logic              begun_q;         // a frame of the transfer has ended
    logic              final_q;         // the frame in hand is the last
    logic              open_q;          // a transfer has begun at the slice and not ended
    logic              slice_ready, slice_valid, slice_last;
    logic [DATA_W-1:0] slice_data;
    logic [SIDE_W-1:0] slice_side, side;  // units of the last beat, less one
    logic              flush;           // units are left that the transfer's last frame did not find room for
    logic              full;            // with the beat at s_axis a whole one is there
    logic [DATA_W-1:0] made;

    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire ending = s_fire && s_axis_tlast;
    wire push   = slice_valid && slice_ready;
    wire abort  = drain && !flush;
    wire [15:0] left = left_q - 16'd1;

    assign s_axis_tready = slice_ready && !flush && !drain;
    assign drained       = drain && !flush && !open_q && !m_axis_tvalid;

    always_ff @(posedge aclk) begin
        if (ending) begun_q <= !final_q;
        if (ending ? final_q : !begun_q) begin
            left_q  <= frames;
            final_q <= frames == 16'd1;
        end else if (ending) begin
            left_q  <= left;
            final_q <= left_q == 16'd2;
        end
        if (push) open_q <= !slice_last;
        frame_done <= ending;
        if (!aresetn) begin
            begun_q    <= 1'b0;
            left_q     <= frames;
            final_q    <= frames == 16'd1;
            open_q     <= 1'b0;
            frame_done <= 1'b0;
        end
    end

    generate
        if (UNITS == 1) begin : g_whole
            wire unused = &{1'b0, side};
            assign flush       = 1'b0;
            assign full        = 1'b1;
            assign made        = s_axis_tdata;
            assign slice_side  = '0;
            assign slice_last  = abort || (s_axis_tlast && final_q);
            assign m_axis_tkeep = '1;
        end else begin : g_parts
            localparam int PART_W     = UNIT * 8;
            localparam int AT_W       = $clog2(UNITS);
            localparam int LAST_UNITS = LAST_BYTES / UNIT;

            // The first at_q units are of a beat that is not full yet.
            logic [DATA_W-1:0] held_q, turned, both;
            logic [AT_W-1:0]   at_q;
            logic              flush_q;
            wire  [AT_W:0]     next  = (AT_W+1)'(at_q) + (AT_W+1)'(LAST_UNITS);
            wire               over  = next >= (AT_W+1)'(UNITS);
            wire               spare = next > (AT_W+1)'(UNITS);
            wire               last  = s_axis_tlast && final_q;
            // How many they will be.
            wire  [AT_W-1:0]   ends  = !s_axis_tlast ? at_q : AT_W'(over ? next - (AT_W+1)'(UNITS) : next);

            assign flush      = flush_q;
            assign full       = !s_axis_tlast || over || final_q;
            assign made       = flush_q ? held_q : both;
            assign slice_last = abort || flush_q || (last && !spare);
            assign slice_side = abort ? '0 : flush_q ? SIDE_W'(at_q - 1'b1) : SIDE_W'(next - 1'b1);

            always_comb begin
                // What comes, turned to where it belongs; its upper part goes round into the next beat.
                turned = s_axis_tdata;
                for (int b = 0; b < AT_W; b++)
                    if (at_q[b]) turned = DATA_W'({turned, turned} >> ((UNITS - (1 << b)) * PART_W));
                both = turned;
                for (int k = 0; k < UNITS; k++)
                    if (AT_W'(k) < at_q) both[k*PART_W +: PART_W] = held_q[k*PART_W +: PART_W];
                m_axis_tkeep = '1;
                for (int k = 1; k < UNITS; k++)
                    if (m_axis_tlast && SIDE_W'(k) > side) m_axis_tkeep[k*UNIT +: UNIT] = '0;
            end

            always_ff @(posedge aclk) begin
                if (s_fire) begin
                    held_q  <= full ? turned : both;
                    at_q    <= last && !spare ? '0 : ends;
                    flush_q <= last && spare;
                end
                if (flush_q && push) begin
                    at_q    <= '0;
                    flush_q <= 1'b0;
                end
                if (!aresetn) begin
                    at_q    <= '0;
                    flush_q <= 1'b0;
                end
            end
        end
    endgenerate

    assign slice_valid = flush || (drain ? open_q : s_axis_tvalid && full);
    assign slice_data  = abort ? '0 : made;

    wire [SLICE_W-1:0] slice_in = SLICE_W'({slice_side, slice_last, slice_data});
    wire [SLICE_W-1:0] slice_out;
    assign {side, m_axis_tlast, m_axis_tdata} = (DATA_W + 1 + SIDE_W)'(slice_out);

    axis_register #(.DATA_W(SLICE_W)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata(slice_in),
        .s_axis_tvalid(slice_valid),
        .s_axis_tready(slice_ready),
        .m_axis_tdata(slice_out),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
