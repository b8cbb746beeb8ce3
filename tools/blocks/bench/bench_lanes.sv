// SPDX-License-Identifier: BSD-3-Clause
//
// bench_lanes - simulation only: N sources and M sinks that stall at random, for a block that joins or deals streams.
//
// Beat n of lane i is `word(i, n)`, so the bench around it needs no memory to know what must come out; it says by `more`
// which lanes have another beat, and by `ended` when everything has come out. Fatal: nothing moves for 400 cycles,
// a beat after the end, a stall-free phase in which the busier side is idle for a cycle.
// Phases, each from reset: 0 no stalls   1 source stalls   2 sink stalls   3 both   4 long bursts of both
//   5 to 20 both, until reset strikes, one cycle long
//
// Parameters: N, W   lanes, bits of a beat of each
//             M      sinks
//             RATED  cycles at most between beats of phase 0 at the single side, of N or M; 0: not checked
//             SEED   of all
`default_nettype none

module bench_lanes #(
    parameter int N     = 1,
    parameter int W     = 8,
    parameter int M     = 1,
    parameter int RATED = 1,
    parameter int SEED  = 1
) (
    input  wire              aclk,
    output logic             aresetn,
    output int               phase,
    output logic             done,

    input  wire  [N-1:0]     more,
    output logic [N*32-1:0]  count,          // beats that the lane has handed over
    output logic [N*W-1:0]   s_axis_tdata,
    output logic [N-1:0]     s_axis_tvalid,
    input  wire  [N-1:0]     s_axis_tready,

    input  wire              ended,
    input  wire  [M-1:0]     m_axis_tvalid,
    output logic [M-1:0]     m_axis_tready
);

    localparam int PHASES = 21;
    localparam int WORDS  = W / 32 + 1;

    function automatic logic [31:0] mix(input logic [31:0] a, input logic [31:0] b);
        logic [31:0] h;
        h = (a * 32'h9E3779B1) ^ (b * 32'h85EBCA77) ^ (32'(SEED) * 32'hC2B2AE3D);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        h = (h ^ (h >> 12)) * 32'h297A2D39;
        mix = h ^ (h >> 15);
    endfunction

    function automatic logic [W-1:0] word(input int lane, input int n);
        logic [WORDS*32-1:0] words;
        for (int k = 0; k < WORDS; k++) words[k*32 +: 32] = mix(32'(lane * 65536 + n), 32'(k));
        word = W'(words);
    endfunction

    int          cycle, pause, tail, idle, latest, gap;
    logic [63:0] dice;
    logic        struck, source_burst, sink_burst;
    logic [N-1:0] taken;

    wire [N-1:0] s_fire = s_axis_tvalid & s_axis_tready & {N{aresetn}};
    wire [M-1:0] m_fire = m_axis_tvalid & m_axis_tready & {M{aresetn}};
    wire         rated  = N == 1 ? s_fire[0] : m_fire[0];

    task restart;
        tail = 0; idle = 0; latest = -1; gap = 0;
        s_axis_tvalid = '0; m_axis_tready = '0; aresetn = 1'b0; count = '0;
    endtask

    initial begin
        done = 1'b0; phase = 0; cycle = 0; pause = 4; taken = '0;
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15;
        s_axis_tdata = '0;
        restart;
    end

    always @(posedge aclk) taken <= s_fire;

    // Everything changes at the falling edge, so nothing races with the block.
    always @(negedge aclk) if (!done) begin
        cycle  = cycle + 1;
        struck = phase > 4;
        source_burst = cycle[4] ^ (cycle[7] && dice[0]);
        sink_burst   = cycle[5] ^ (cycle[8] && dice[1]);
        for (int i = 0; i < N; i++) if (taken[i]) begin
            s_axis_tvalid[i] = 1'b0;
            count[i*32 +: 32] = count[i*32 +: 32] + 1;
        end
        #2;  // `more` follows count
        if (pause != 0) begin
            pause = pause - 1;
            if (pause == 0) aresetn = 1'b1;
        end
        for (int i = 0; i < N; i++) begin
            dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
            if (aresetn && !s_axis_tvalid[i] && more[i]
                && (phase == 4 ? source_burst : phase == 0 || phase == 2 || dice[0])) begin
                s_axis_tvalid[i] = 1'b1;
                s_axis_tdata[i*W +: W] = word(i, int'(count[i*32 +: 32]));
            end
        end
        for (int j = 0; j < M; j++) begin
            dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
            m_axis_tready[j] = aresetn && (phase == 4 ? sink_burst : phase < 2 || dice[0]);
        end
        if (ended) tail = tail + 1;
        if (struck ? dice[40:35] == 0 : tail > 60) begin
            if (RATED > 0 && phase == 0 && gap > RATED) $fatal(1, "a beat takes %0d cycles (%m)", gap);
            phase = phase + 1;
            done  = phase == PHASES;
            restart;
            pause = 1;
        end
    end

    always @(posedge aclk) if (aresetn && !done) begin
        idle = s_fire != '0 || m_fire != '0 || ended ? 0 : idle + 1;
        if (idle > 400) $fatal(1, "phase %0d: no beat moves (%m)", phase);
        if (rated) begin
            if (latest >= 0 && cycle - latest > gap) gap = cycle - latest;
            latest = cycle;
        end
        if (tail > 0 && m_fire != '0) $fatal(1, "phase %0d: a beat after the end (%m)", phase);
    end

endmodule

`default_nettype wire
