// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_frame_rx - good, short, long and badly kept frames in random order, with and without stalls.
//
// What frame f is, and every bit of it, is a hash of f: source and sink need no queue between them.
// Phase 0: good frames without stalls, beats counted against cycles. 1: all kinds, no stalls.
// 2: all kinds, stalls on both sides. 3: the same with stalls of the sink only. 4 to 23: as 2, until reset strikes,
// one cycle long.
`default_nettype none

module axis_frame_rx_case #(
    parameter int DATA_W = 8, BEATS = 1, LAST_BYTES = 1, FRAMES = 200, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int KEEP_W = DATA_W / 8;
    localparam int GOOD = 0, SHORT = 1, LONG = 2, KEEP = 3;

    wire               clock = aclk && !done;
    logic              aresetn, s_tvalid, s_tlast, m_tready;
    logic [DATA_W-1:0] s_tdata;
    logic [KEEP_W-1:0] s_tkeep;
    wire  [DATA_W-1:0] m_tdata;
    wire               s_tready, m_tvalid, frame_done, error_short, error_long, error_keep;

    function automatic logic [31:0] mix(input logic [31:0] a, input logic [31:0] b);
        logic [31:0] h;
        h = (a * 32'h9E3779B1) ^ (b * 32'h85EBCA77) ^ 32'(SEED);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        h = (h ^ (h >> 12)) * 32'h297A2D39;
        mix = h ^ (h >> 15);
    endfunction

    function automatic logic [DATA_W-1:0] data(input int f, input int i);
        logic [DATA_W+31:0] words;
        for (int n = 0; n <= DATA_W / 32; n++) words[n*32 +: 32] = mix(32'(f), 32'(i * 64 + n + 1));
        data = DATA_W'(words);
    endfunction

    // A third of the frames have a fault; a frame of one beat cannot be short.
    function automatic int kind(input int p, input int f);
        kind = int'(mix(32'(f), 32'd0) % 9);
        if (kind > KEEP || (kind == SHORT && BEATS == 1) || p == 0) kind = GOOD;
    endfunction

    // Beats that the link sends of frame f.
    function automatic int beats(input int p, input int f);
        beats = BEATS;
        if (kind(p, f) == SHORT) beats = 1 + int'(mix(32'(f), 32'd1) % (BEATS > 1 ? BEATS - 1 : 1));
        if (kind(p, f) == LONG)  beats = BEATS + 1 + int'(mix(32'(f), 32'd1) % 6);
    endfunction

    function automatic logic [KEEP_W-1:0] keep(input int p, input int f, input int i);
        keep = '1;
        if (i == beats(p, f) - 1) keep = keep >> (KEEP_W - LAST_BYTES);
        if (kind(p, f) == KEEP && i == int'(mix(32'(f), 32'd2) % BEATS))
            keep = keep ^ (KEEP_W'(1) << mix(32'(f), 32'd3) % KEEP_W);
        // The surplus is not looked at.
        if (i >= BEATS) keep = KEEP_W'(mix(32'(f), 32'(i)));
    endfunction

    axis_frame_rx #(.DATA_W(DATA_W), .BEATS(BEATS), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(clock), .aresetn(aresetn), .frames(16'd1), .drain(1'b0), .drained(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done), .error_short(error_short), .error_long(error_long), .error_keep(error_keep)
    );

    axis_checker #(.DATA_W(DATA_W), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata(m_tdata), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    int          phase, pause, age, idle, tail, cycle, first_in, last_in, first_out, last_out;
    int          in_frame, in_beat, out_frame, out_beat;
    int          sent [0:3];
    int          seen [0:3];
    logic [31:0] dice;

    initial begin
        aresetn = 1'b0; s_tvalid = 1'b0; s_tlast = 1'b0; s_tdata = '0; s_tkeep = '0; m_tready = 1'b0;
        done = 1'b0; compared = 0;
        phase = 0; age = 0; pause = 4; idle = 0; tail = 0; cycle = 0;
        first_in = -1; first_out = -1; last_in = 0; last_out = 0;
        in_frame = 0; in_beat = 0; out_frame = 0; out_beat = 0;
        for (int i = 0; i < 4; i++) begin
            sent[i] = 0;
            seen[i] = 0;
        end
        dice = 32'(SEED) * 32'h9E3779B1 + 1;
    end

    wire in_fire   = s_tvalid && s_tready && aresetn;
    wire out_fire  = m_tvalid && m_tready && aresetn;
    wire source_go = phase == 1 || phase == 0 || phase == 3 || dice[0];
    wire sink_go   = phase < 2 || dice[9];
    wire ended     = out_frame == FRAMES && in_frame == FRAMES && !s_tvalid;

    always @(posedge clock) begin
        dice  <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]} ^ {16'd0, dice[31:16]};
        cycle <= cycle + 1;
        if (pause == 1) aresetn <= 1'b1;
        if (pause != 0) pause <= pause - 1;

        if (aresetn && (!s_tvalid || s_tready)) begin
            s_tvalid <= source_go && in_frame < FRAMES;
            if (source_go && in_frame < FRAMES) begin
                s_tdata <= data(in_frame, in_beat);
                s_tkeep <= keep(phase, in_frame, in_beat);
                s_tlast <= in_beat == beats(phase, in_frame) - 1;
                if (in_beat == beats(phase, in_frame) - 1) begin
                    sent[kind(phase, in_frame)] <= sent[kind(phase, in_frame)] + 1;
                    in_beat  <= 0;
                    in_frame <= in_frame + 1;
                end else in_beat <= in_beat + 1;
            end
        end
        if (in_fire) begin
            if (first_in < 0) first_in <= cycle;
            last_in <= cycle;
        end

        m_tready <= aresetn && sink_go;
        idle <= in_fire || out_fire || !aresetn ? 0 : idle + 1;
        if (idle > 200) $fatal(1, "phase %0d: no beat moves, %0d frames are out (%m)", phase, out_frame);
        if (out_fire) begin
            if (out_frame == FRAMES) $fatal(1, "phase %0d: a beat after the last frame (%m)", phase);
            if (m_tdata !== (out_beat < beats(phase, out_frame) ? data(out_frame, out_beat) : '0))
                $fatal(1, "phase %0d frame %0d (kind %0d) beat %0d: got %h (%m)",
                       phase, out_frame, kind(phase, out_frame), out_beat, m_tdata);
            compared <= compared + 1;
            if (first_out < 0) first_out <= cycle;
            last_out <= cycle;
            if (out_beat == BEATS - 1) begin
                out_beat  <= 0;
                out_frame <= out_frame + 1;
            end else out_beat <= out_beat + 1;
        end
        if (frame_done)  seen[GOOD]  <= seen[GOOD] + 1;
        if (error_short) seen[SHORT] <= seen[SHORT] + 1;
        if (error_long)  seen[LONG]  <= seen[LONG] + 1;
        if (error_keep)  seen[KEEP]  <= seen[KEEP] + 1;

        age <= aresetn ? age + 1 : 0;
        if (ended && !done) tail <= tail + 1;
        if (phase > 3 ? age == 5 + 3 * (phase % 13) : tail == 10) begin
            if (phase == 0 && (last_in - first_in != FRAMES * BEATS - 1
                               || last_out - first_out != FRAMES * BEATS - 1))
                $fatal(1, "%0d beats took %0d and %0d cycles (%m)",
                       FRAMES * BEATS, last_in - first_in + 1, last_out - first_out + 1);
            if (phase < 4 && (seen[GOOD] != FRAMES || seen[SHORT] != sent[SHORT] || seen[LONG] != sent[LONG]
                || seen[KEEP] != sent[KEEP]))
                $fatal(1, "phase %0d: done %0d of %0d, short %0d of %0d, long %0d of %0d, keep %0d of %0d (%m)",
                       phase, seen[GOOD], FRAMES, seen[SHORT], sent[SHORT], seen[LONG], sent[LONG],
                       seen[KEEP], sent[KEEP]);
            if (phase != 0 && phase < 4 && (sent[LONG] < 5 || sent[KEEP] < 5 || (BEATS > 1 && sent[SHORT] < 5)))
                $fatal(1, "phase %0d sent too few faults to mean anything (%m)", phase);
            done  <= phase == 23;
            phase <= phase + 1;
            aresetn  <= 1'b0;
            s_tvalid <= 1'b0;
            m_tready <= 1'b0;
            pause <= 1;
            tail  <= 0;
            // A struck phase sees only a few frames: each begins at others.
            in_frame <= phase < 3 ? 0 : 6 * phase; in_beat <= 0;
            out_frame <= phase < 3 ? 0 : 6 * phase; out_beat <= 0;
            for (int i = 0; i < 4; i++) begin
                sent[i] <= 0;
                seen[i] <= 0;
            end
        end
    end
endmodule

module tb_axis_frame_rx;
    localparam int N = 5;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_frame_rx_case #(.DATA_W(8), .BEATS(4), .LAST_BYTES(1), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_frame_rx_case #(.DATA_W(64), .BEATS(1), .LAST_BYTES(3), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_frame_rx_case #(.DATA_W(32), .BEATS(7), .LAST_BYTES(4), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_frame_rx_case #(.DATA_W(512), .BEATS(3), .LAST_BYTES(61), .FRAMES(150), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_frame_rx_case #(.DATA_W(16), .BEATS(2), .LAST_BYTES(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
endmodule

`default_nettype wire
