// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_frame_rx - axis_frame_rx under the four shapes of bench_traffic.
//
// With FAULTS the frames are of 1 to BEATS + SURPLUS beats at random and some beats have a wrong TKEEP; the block must
// forward BEATS of each, and its pulses are counted. Without FAULTS all are good, and latency and rate mean something.
`default_nettype none

module traffic_axis_frame_rx #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 8, BEATS = 1, LAST_BYTES = DATA_W / 8,
    parameter bit MANY_EN = 1,
    parameter bit FAULTS = 0
);
    localparam int KEEP_W  = DATA_W / 8;
    localparam int SURPLUS = 4;
    // No end is seen of a frame that is longer than the run.
    localparam bit LONG    = BEATS > 2 * TRAFFIC;
    localparam int MOST    = LONG ? 8 : BEATS + SURPLUS;
    localparam int LEAST   = LONG ? 8 : BEATS;
    wire              aclk, aresetn, s_tvalid, s_tready, m_tvalid, m_tready, closing;
    wire              frame_done, error_short, error_long, error_keep;
    wire [DATA_W-1:0] s_tdata, m_tdata;
    wire              tlast;
    wire              s_tlast = tlast && !LONG;
    int               frames;

    bench_traffic #(
        .SET(SET), .BEATS(FAULTS ? TRAFFIC * 2 * BEATS / MOST : TRAFFIC), .IN_W(DATA_W), .UNIT(DATA_W),
        .UNITS_MIN(FAULTS ? 1 : LEAST), .UNITS_MAX(FAULTS ? MOST : LEAST), .FIX(LONG ? 0 : BEATS), .LAST(0), .SLOW(2)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .frames(frames),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(1'b0),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // A function of the beat's number, so it holds while the beat waits.
    int  number, beat;
    logic              spoil;
    logic [KEEP_W-1:0] wrong;
    wire [KEEP_W-1:0] good = s_tlast ? {KEEP_W{1'b1}} >> (KEEP_W - LAST_BYTES) : {KEEP_W{1'b1}};
    wire [KEEP_W-1:0] keep = spoil ? good ^ wrong : good;

    axis_frame_rx #(.DATA_W(DATA_W), .BEATS(BEATS), .LAST_BYTES(LAST_BYTES), .MANY_EN(MANY_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .frames(16'd1), .drain(1'b0), .drained(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(keep), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done), .error_short(error_short), .error_long(error_long), .error_keep(error_keep)
    );

    // Expected less seen.
    int done, short, long, bad, shorts, longs;
    initial begin
        number = 0; beat = 0; spoil = 1'b0; wrong = '0; done = 0; short = 0; long = 0; bad = 0; shorts = 0; longs = 0;
    end
    always @(posedge aclk) begin
        if (s_tvalid && s_tready) begin
            beat = beat + 1;
            // Where TLAST is too early, TKEEP is not looked at.
            if (spoil && beat <= BEATS && !(s_tlast && beat < BEATS)) bad = bad + 1;
            number = number + 1;
            spoil <= FAULTS && number[3:0] == 4'd5;
            if (number[3:0] == 4'd5) wrong <= KEEP_W'(1) << number / 16 % KEEP_W;
            if (s_tlast) begin
                if (beat < BEATS) short = short + 1;
                if (beat < BEATS) shorts = shorts + 1;
                if (beat > BEATS) long = long + 1;
                if (beat > BEATS) longs = longs + 1;
                beat = 0;
            end
        end
        if (frame_done) done = done + 1;
        if (error_short) short = short - 1;
        if (error_long) long = long - 1;
        if (error_keep) bad = bad - 1;
    end
    always @(negedge closing) begin
        if (done != (LONG ? 0 : frames)) $fatal(1, "frame_done for %0d of %0d frames (%m)", done, frames);
        if (short != 0 || long != 0 || bad != 0)
            $fatal(1, "pulses missing: %0d short, %0d long, %0d keep (%m)", short, long, bad);
        if (FAULTS && (longs < frames / 100 || (BEATS > 1 && shorts < frames / 100)))
            $fatal(1, "only %0d frames were short and %0d long (%m)", shorts, longs);
        done = 0; shorts = 0; longs = 0;
    end
endmodule

`default_nettype wire
