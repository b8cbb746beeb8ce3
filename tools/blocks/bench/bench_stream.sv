// SPDX-License-Identifier: BSD-3-Clause
//
// bench_stream - simulation only: source, sink and reference model for a block that re-cuts frames.
//
// The reference is a bit string: bit b of frame f is a hash of (f, b / 32), so both sides know every bit
// without a memory and without sharing an algorithm with the block. Excess input bits of a frame are junk,
// excess output bits must be zero. Phases, each from reset:
//   0 no stalls, beats counted against cycles   1 source stalls   2 sink stalls   3 both   4 long bursts of both
//   5 to 24 both, two frames each
// After phases 0, 2 and 4 nothing more may come out; in the others reset, one cycle long, strikes in mid-stream.
//
// Parameters: IN_W, OUT_W, IN_BEATS, OUT_BEATS  of the block
//             LAST    1 when m_axis_tlast is to be compared
//             RATE    1 when the busier side of phase 0 must move a beat in every cycle
//             FRAMES  frames a phase
//             SEED    of the stalls
`default_nettype none

module bench_stream #(
    parameter int IN_W      = 8,
    parameter int OUT_W     = IN_W,
    parameter int IN_BEATS  = 1,
    parameter int OUT_BEATS = 1,
    parameter bit LAST      = 1,
    parameter bit RATE      = 1,
    parameter int FRAMES    = 20,
    parameter int SEED      = 1
) (
    input  wire                 aclk,
    output logic                aresetn,

    output logic [IN_W-1:0]     s_axis_tdata,
    output logic                s_axis_tlast,
    output logic                s_axis_tvalid,
    input  wire                 s_axis_tready,

    input  wire  [OUT_W-1:0]    m_axis_tdata,
    input  wire                 m_axis_tlast,
    input  wire                 m_axis_tvalid,
    output logic                m_axis_tready,

    output logic                done,
    output logic [31:0]         compared
);

    localparam int BITS = IN_BEATS * IN_W < OUT_BEATS * OUT_W ? IN_BEATS * IN_W : OUT_BEATS * OUT_W;
    localparam int IN_WORDS  = IN_W / 32 + 2;
    localparam int OUT_WORDS = OUT_W / 32 + 2;

    function automatic logic [31:0] mix(input logic [31:0] a, input logic [31:0] b);
        logic [31:0] h;
        h = (a * 32'h9E3779B1) ^ (b * 32'h85EBCA77) ^ 32'(SEED);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        h = (h ^ (h >> 12)) * 32'h297A2D39;
        mix = h ^ (h >> 15);
    endfunction

    // Beat i of frame f as the source sends it.
    function automatic logic [IN_W-1:0] sent(input int f, input int i);
        logic [IN_WORDS*32-1:0] words;
        logic [IN_W-1:0] keep;
        for (int n = 0; n < IN_WORDS; n++) words[n*32 +: 32] = mix(32'(f), 32'(i * IN_W / 32 + n));
        keep = '1;
        if ((i + 1) * IN_W > BITS) keep = keep >> ((i + 1) * IN_W - BITS);
        sent = IN_W'(words >> (i * IN_W % 32));
        sent = (sent & keep) | (~keep & {IN_W{1'b1}});
    endfunction

    // Beat j of frame f as it must come out.
    function automatic logic [OUT_W-1:0] expected(input int f, input int j);
        logic [OUT_WORDS*32-1:0] words;
        logic [OUT_W-1:0] keep;
        for (int n = 0; n < OUT_WORDS; n++) words[n*32 +: 32] = mix(32'(f), 32'(j * OUT_W / 32 + n));
        keep = '1;
        if ((j + 1) * OUT_W > BITS) keep = keep >> ((j + 1) * OUT_W - BITS);
        expected = OUT_W'(words >> (j * OUT_W % 32)) & keep;
    endfunction

    int          phase, pause, tail, idle, cycle;
    int          in_frame, in_beat, out_frame, out_beat;
    int          first_in, first_out, last_in, last_out;
    logic [31:0] dice;
    logic        source_go, sink_go;

    initial begin
        aresetn       = 1'b0;
        s_axis_tvalid = 1'b0;
        s_axis_tlast  = 1'b0;
        s_axis_tdata  = '0;
        m_axis_tready = 1'b0;
        done          = 1'b0;
        compared      = 0;
        phase = 0; pause = 4; tail = 0; idle = 0; cycle = 0;
        in_frame = 0; in_beat = 0; out_frame = 0; out_beat = 0;
        first_in = -1; first_out = -1; last_in = 0; last_out = 0;
        dice = 32'(SEED) * 32'h9E3779B1 + 1;
    end

    wire in_fire  = s_axis_tvalid && s_axis_tready && aresetn;
    wire out_fire = m_axis_tvalid && m_axis_tready && aresetn;
    wire ended    = out_frame >= (phase > 4 ? 2 : FRAMES);
    // A phase that reset is to strike keeps sending, so that it finds beats everywhere.
    wire struck   = phase % 2 == 1 || phase > 4;
    wire more     = in_frame < FRAMES || struck;

    always_comb begin
        source_go = phase == 0 || phase == 2 || dice[0];
        sink_go   = phase == 0 || phase == 1 || dice[9];
        if (phase == 4) begin
            source_go = cycle[4] ^ (cycle[7] && dice[0]);
            sink_go   = cycle[5] ^ (cycle[8] && dice[9]);
        end
    end

    always @(posedge aclk) begin
        dice  <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]} ^ {16'd0, dice[31:16]};
        cycle <= cycle + 1;

        // ---- source
        if (pause == 1) aresetn <= 1'b1;
        if (pause != 0) pause <= pause - 1;
        if (aresetn && (!s_axis_tvalid || s_axis_tready)) begin
            s_axis_tvalid <= source_go && more && !done;
            if (source_go && more) begin
                s_axis_tdata <= sent(in_frame, in_beat);
                s_axis_tlast <= in_beat == IN_BEATS - 1;
                if (in_beat == IN_BEATS - 1) begin
                    in_beat  <= 0;
                    in_frame <= in_frame + 1;
                end else in_beat <= in_beat + 1;
            end
        end
        if (in_fire) begin
            if (first_in < 0) first_in <= cycle;
            last_in <= cycle;
        end

        // ---- sink
        m_axis_tready <= aresetn && sink_go;
        idle <= in_fire || out_fire || !aresetn || done ? 0 : idle + 1;
        if (idle > 400) $fatal(1, "phase %0d: no beat moves, %0d frames are out (%m)", phase, out_frame);
        if (out_fire && ended && !struck)
            $fatal(1, "phase %0d: a beat after the last frame (%m)", phase);
        if (out_fire && !ended) begin
            if (m_axis_tdata !== expected(out_frame, out_beat))
                $fatal(1, "phase %0d frame %0d beat %0d: got %h, expected %h (%m)",
                       phase, out_frame, out_beat, m_axis_tdata, expected(out_frame, out_beat));
            if (LAST && m_axis_tlast !== (out_beat == OUT_BEATS - 1))
                $fatal(1, "phase %0d frame %0d beat %0d: tlast is %b (%m)",
                       phase, out_frame, out_beat, m_axis_tlast);
            compared <= compared + 1;
            if (first_out < 0) first_out <= cycle;
            last_out <= cycle;
            if (out_beat == OUT_BEATS - 1) begin
                out_beat  <= 0;
                out_frame <= out_frame + 1;
            end else out_beat <= out_beat + 1;
        end

        // ---- end of a phase
        if (ended && !done) begin
            tail <= tail + 1;
            if (tail == 0 && RATE && phase == 0) begin
                if (IN_BEATS >= OUT_BEATS && last_in - first_in != FRAMES * IN_BEATS - 1)
                    $fatal(1, "%0d input beats took %0d cycles (%m)", FRAMES * IN_BEATS, last_in - first_in + 1);
                if (OUT_BEATS >= IN_BEATS && last_out - first_out != FRAMES * OUT_BEATS - 1)
                    $fatal(1, "%0d output beats took %0d cycles (%m)", FRAMES * OUT_BEATS, last_out - first_out + 1);
            end
            if (tail >= (struck ? int'(dice[3:0]) : 30)) begin
                done <= phase == 24;
                if (phase != 24) begin
                    phase         <= phase + 1;
                    aresetn       <= 1'b0;
                    s_axis_tvalid <= 1'b0;
                    m_axis_tready <= 1'b0;
                    pause    <= 1;
                    tail     <= 0;
                    in_frame <= 0; in_beat <= 0; out_frame <= 0; out_beat <= 0;
                end
            end
        end
    end

    axis_checker #(.DATA_W(OUT_W + 1), .NAME("m_axis")) u_check (
        .aclk(aclk),
        .aresetn(aresetn),
        .axis_tdata({LAST && m_axis_tlast, m_axis_tdata}),
        .axis_tvalid(m_axis_tvalid),
        .axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
