// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_rx - the proof of axis_frame_rx, whatever the link delivers, `frames` changing at any time.
//
// The expected stream, in units of gcd(DATA_W / 8, LAST_BYTES) bytes: a beat enters as itself, as far as the transfer
// goes; an early last one together with the zeros that fill all its frames; the surplus not at all. formal_track then
// compares the output. A fault must be flagged after the beat that shows it and before its transfer is out.
`default_nettype none

module formal_axis_frame_rx #(
    parameter int DATA_W     = 8,
    parameter int BEATS      = 3,
    parameter int LAST_BYTES = DATA_W / 8,
    parameter bit MANY_EN    = 1,
    parameter int MOST       = 2,  // frames of a transfer
    parameter int UNIT       = 1,  // bytes
    parameter int STALL      = 1
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [15:0]         frames,
    input wire [DATA_W-1:0]   s_axis_tdata,
    input wire [DATA_W/8-1:0] s_axis_tkeep,
    input wire                s_axis_tlast,
    input wire                s_axis_tvalid,
    input wire                m_axis_tready
);

    localparam int KEEP_W     = DATA_W / 8;
    localparam int UNITS      = KEEP_W / UNIT;
    localparam int LAST_UNITS = (LAST_BYTES + UNIT - 1) / UNIT;
    localparam int FRAME      = (BEATS - 1) * UNITS + LAST_UNITS;
    localparam int IN_U       = MOST * FRAME > UNITS ? MOST * FRAME : UNITS;
    localparam int CAPACITY   = IN_U + 3 * UNITS;
    localparam int LEFT_W     = $clog2(IN_U + 1);
    localparam int OUT_W      = $clog2(UNITS + 1);
    localparam int COUNT_W    = $clog2(BEATS + 1);
    localparam int HELD_W     = $clog2(CAPACITY + IN_U + 1);
    localparam logic [KEEP_W-1:0] KEEP_ALL = '1;

    wire               s_axis_tready, m_axis_tvalid, frame_done, error_short, error_long, error_keep, drained;
    wire [DATA_W-1:0]  m_axis_tdata;
    wire [HELD_W-1:0]  held;

    axis_frame_rx #(.DATA_W(DATA_W), .BEATS(BEATS), .LAST_BYTES(LAST_BYTES), .MANY_EN(MANY_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .frames(frames), .drain(1'b0), .drained(drained),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .frame_done(frame_done), .error_short(error_short), .error_long(error_long), .error_keep(error_keep)
    );

    always_comb assume (frames != '0 && frames <= 16'(MOST));

    logic [15:0]        frames_q;
    logic [LEFT_W-1:0]  left_q;
    logic [COUNT_W-1:0] out_q;
    logic               within_q, surplus_q, short_q, long_q, keep_q, bad_q, done_q;

    wire s_fire   = s_axis_tvalid && s_axis_tready;
    wire m_fire   = m_axis_tvalid && m_axis_tready;
    wire taken    = s_fire && !surplus_q;
    // Units of the transfer that have not come; the count is that of the cycle before its first beat.
    wire [LEFT_W-1:0] left = within_q ? left_q : MANY_EN ? LEFT_W'(frames_q * FRAME) : LEFT_W'(FRAME);
    wire ends     = left <= LEFT_W'(UNITS);
    wire out_last = out_q == COUNT_W'(BEATS - 1);
    wire [LEFT_W-1:0] units = surplus_q ? '0 : s_axis_tlast || ends ? left : LEFT_W'(UNITS);
    wire [OUT_W-1:0] m_units = out_last ? OUT_W'(LAST_UNITS) : OUT_W'(UNITS);

    logic [KEEP_W-1:0] keep;
    always_comb begin
        keep = '0;
        for (int i = 0; i < KEEP_W; i++) if (i < int'(left) * UNIT && i < (LAST_BYTES % UNIT != 0 ? LAST_BYTES : KEEP_W)) keep[i] = 1'b1;
    end

    always_ff @(posedge aclk) begin
        frames_q <= frames;
        if (taken) begin
            within_q <= !s_axis_tlast && !ends;
            left_q   <= left - LEFT_W'(UNITS);
        end
        if (s_fire) surplus_q <= !s_axis_tlast && (surplus_q || ends);
        if (m_fire) out_q <= out_last ? '0 : out_q + 1'b1;
        short_q <= (short_q && !error_short) || (taken && s_axis_tlast && !ends);
        long_q  <= (long_q && !error_long) || (taken && !s_axis_tlast && ends);
        keep_q  <= (keep_q && (!error_keep || bad_q)) || (taken && s_axis_tlast && ends && s_axis_tkeep != keep);
        bad_q   <= taken && !s_axis_tlast && s_axis_tkeep != KEEP_ALL;
        done_q  <= m_fire && out_last;
        if (!aresetn) begin
            within_q  <= 1'b0;
            out_q     <= '0;
            surplus_q <= 1'b0;
            short_q   <= 1'b0;
            long_q    <= 1'b0;
            keep_q    <= 1'b0;
            bad_q     <= 1'b0;
            done_q    <= 1'b0;
        end
    end

    formal_stream #(
        .UNIT(UNIT * 8), .IN_U(IN_U), .OUT_U(UNITS), .TAIL_W((UNIT - (LAST_BYTES - 1) % UNIT - 1) * 8),
        .CAPACITY(CAPACITY), .STALL(STALL),
        .IN_WITHIN((MOST * BEATS + 2) * (STALL + 1)), .OUT_WITHIN(STALL + 1)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data((IN_U * UNIT * 8)'(s_axis_tdata)), .s_units(units), .s_valid(s_axis_tvalid),
        .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_axis_tdata), .m_units(m_units), .m_side(1'b0), .m_valid(m_axis_tvalid), .m_ready(m_axis_tready),
        .pending(held >= HELD_W'(m_units)), .held(held)
    );

    always_comb if (aresetn) begin
        pulse_done:  assert (frame_done == done_q);
        pulse_short: assert (!error_short || short_q);
        pulse_long:  assert (!error_long || long_q);
        pulse_keep:  assert (bad_q ? error_keep : !error_keep || keep_q);
        told:        assert (held != '0 || !(short_q && !error_short || long_q && !error_long || keep_q && !error_keep));
        not_drained: assert (!drained);
    end

    always_comb if (aresetn) begin
        several: cover (MANY_EN ? frame_done && within_q && frames_q > 16'd1 : frame_done);
        early:   cover (error_short || BEATS == 1 && (!MANY_EN || FRAME * MOST <= UNITS));
        late:    cover (error_long);
    end

endmodule

`default_nettype wire
