// SPDX-License-Identifier: BSD-3-Clause
//
// bench_switch - simulation only: N packet sources, M packet sinks and all that a packet switch promises.
//
// Packet p of source s is a hash of (s, p): length, destination and every bit, so that no queue is needed. A sink tells
// by m_axis_tid which source a packet is of, and expects that source's next packet for this sink. tdest is junk after a
// packet's first beat. Fatal besides: packets mixed, a packet nobody sent, a packet left behind, error_dest not one pulse
// for each packet to nowhere, an input that waits while more than N - 1 packets of other inputs begin, and without stalls:
// without ROUTE a cycle without a beat at the output, with N == 1 one without a beat at the input.
// Phases, each from reset: 0 no stalls   1 source stalls   2 sink stalls   3 both   4 long bursts of both
//   5 to 24 both, until reset strikes, one cycle long
//
// Parameters: N, M, DATA_W, DEST_W  of the block
//             ROUTE   0: there is no tdest, all goes to sink 0
//             FRAMES  packets a source and phase
//             LONGEST packet, beats
//             SEED    of all
`default_nettype none

module bench_switch #(
    parameter int N       = 1,
    parameter int M       = 1,
    parameter int DATA_W  = 8,
    parameter int DEST_W  = 1,
    parameter bit ROUTE   = 1,
    parameter int FRAMES  = 30,
    parameter int LONGEST = 5,
    parameter int SEED    = 1,
    localparam int ID_W   = N > 1 ? $clog2(N) : 1
) (
    input  wire                   aclk,
    output logic                  aresetn,

    output logic [N*DATA_W-1:0]   s_axis_tdata,
    output logic [N*DEST_W-1:0]   s_axis_tdest,
    output logic [N-1:0]          s_axis_tlast,
    output logic [N-1:0]          s_axis_tvalid,
    input  wire  [N-1:0]          s_axis_tready,

    input  wire  [M*DATA_W-1:0]   m_axis_tdata,
    input  wire  [M*ID_W-1:0]     m_axis_tid,
    input  wire  [M-1:0]          m_axis_tlast,
    input  wire  [M-1:0]          m_axis_tvalid,
    output logic [M-1:0]          m_axis_tready,

    input  wire  [N-1:0]          error_dest,

    output logic                  done,
    output logic [31:0]           compared
);

    localparam int WORDS = DATA_W / 32 + 1;

    function automatic logic [31:0] mix(input logic [31:0] a, input logic [31:0] b);
        logic [31:0] h;
        h = (a * 32'h9E3779B1) ^ (b * 32'h85EBCA77) ^ (32'(SEED) * 32'hC2B2AE3D);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        h = (h ^ (h >> 12)) * 32'h297A2D39;
        mix = h ^ (h >> 15);
    endfunction

    function automatic int beats(input int s, input int p);
        beats = 1 + int'(mix(32'(s * 4096 + p), 32'd1) % LONGEST);
    endfunction

    // In every fourth packet where some number is not a sink's, one to nowhere.
    function automatic int dest(input int s, input int p);
        logic [31:0] h;
        h = mix(32'(s * 4096 + p), 32'd2);
        dest = int'({16'd0, h[15:0]} % M);
        if ((1 << DEST_W) > M && h[17:16] == 2'd0) dest = M + int'({16'd0, h[15:0]} % ((1 << DEST_W) - M));
        if (!ROUTE) dest = 0;
    endfunction

    function automatic logic [DATA_W-1:0] data(input int s, input int p, input int b);
        logic [WORDS*32-1:0] words;
        for (int n = 0; n < WORDS; n++) words[n*32 +: 32] = mix(32'(s * 4096 + p), 32'(b * 128 + n + 3));
        data = DATA_W'(words);
    endfunction

    int          phase, pause, tail, idle, cycle, out_beats, in_beats;
    int          first_in, last_in, first_out, last_out, longest_wait;
    int          in_packet [0:N-1];
    int          in_beat   [0:N-1];
    int          in_dest   [0:N-1];    // of the packet that is being sent
    int          nowhere   [0:N-1];
    int          errors    [0:N-1];
    int          waited    [0:N-1];
    int          source    [0:M-1];
    int          out_beat  [0:M-1];
    int          expected  [0:N*M-1];  // next packet of source s for sink m: s * M + m
    logic [N-1:0] waiting, opening;
    logic [63:0] dice;
    logic        struck, over, source_burst, sink_burst;
    int          s_now, p_now;

    task restart;
        tail = 0; idle = 0; out_beats = 0; in_beats = 0;
        first_in = -1; last_in = 0; first_out = -1; last_out = 0;
        waiting = '0; opening = '1;
        s_axis_tvalid = '0; m_axis_tready = '0; aresetn = 1'b0;
        for (int s = 0; s < N; s++) begin
            in_packet[s] = 0; in_beat[s] = 0; in_dest[s] = dest(s, 0); nowhere[s] = 0; errors[s] = 0; waited[s] = 0;
            for (int m = 0; m < M; m++) begin
                expected[s*M+m] = 0;
                while (expected[s*M+m] < 4000 && dest(s, expected[s*M+m]) != m) expected[s*M+m] = expected[s*M+m] + 1;
            end
        end
        for (int m = 0; m < M; m++) begin
            source[m] = -1; out_beat[m] = 0;
        end
    endtask

    initial begin
        done = 1'b0; compared = 0; phase = 0; cycle = 0; pause = 4; longest_wait = 0;
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15;
        s_axis_tdata = '0; s_axis_tdest = '0; s_axis_tlast = '0;
        restart;
    end

    // Everything changes at the falling edge, so nothing races with the block.
    always @(negedge aclk) if (!done) begin
        s_axis_tvalid = s_axis_tvalid & ~taken;
        struck = phase > 4;
        over   = 1'b1;
        cycle  = cycle + 1;
        source_burst = cycle[4] ^ (cycle[7] && dice[0]);
        sink_burst   = cycle[5] ^ (cycle[8] && dice[1]);
        if (pause != 0) begin
            pause = pause - 1;
            if (pause == 0) aresetn = 1'b1;
        end
        for (int s = 0; s < N; s++) begin
            dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
            if (in_packet[s] < FRAMES || struck) begin
                over = 1'b0;
                if (aresetn && !s_axis_tvalid[s] && (phase == 4 ? source_burst : phase == 0 || phase == 2 || dice[0])) begin
                    s_axis_tvalid[s] = 1'b1;
                    s_axis_tlast[s]  = in_beat[s] == beats(s, in_packet[s]) - 1;
                    s_axis_tdata[s*DATA_W +: DATA_W] = data(s, in_packet[s], in_beat[s]);
                    s_axis_tdest[s*DEST_W +: DEST_W] =
                        in_beat[s] == 0 ? DEST_W'(in_dest[s]) : DEST_W'(dice >> 20);
                end
            end
        end
        for (int m = 0; m < M; m++) begin
            dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
            m_axis_tready[m] = aresetn && (phase == 4 ? sink_burst : phase < 2 || dice[0]);
        end
        if (over) tail = tail + 1;
        if (struck ? dice[40:36] == 0 : tail > 60) begin
            if (!struck) finish_phase;
            phase = phase + 1;
            if (phase == 25) begin
                if (M == 1 && N > 1 && longest_wait != N - 1) $fatal(1, "no input ever waited N - 1 packets (%m)");
                done = 1'b1;
            end
            restart;
            pause = 1;
        end
    end

    task finish_phase;
        for (int s = 0; s < N; s++) begin
            if (errors[s] != nowhere[s])
                $fatal(1, "phase %0d: %0d packets of source %0d went nowhere, %0d errors (%m)", phase, nowhere[s], s, errors[s]);
            for (int m = 0; m < M; m++)
                if (expected[s*M+m] < FRAMES)
                    $fatal(1, "phase %0d: packet %0d of source %0d never came to sink %0d (%m)", phase, expected[s*M+m], s, m);
        end
        if (phase == 0 && M == 1 && !ROUTE && last_out - first_out + 1 != out_beats)
            $fatal(1, "%0d beats came out in %0d cycles (%m)", out_beats, last_out - first_out + 1);
        if (phase == 0 && N == 1 && last_in - first_in + 1 != in_beats)
            $fatal(1, "%0d beats went in in %0d cycles (%m)", in_beats, last_in - first_in + 1);
    endtask

    wire [N-1:0] s_fire = s_axis_tvalid & s_axis_tready;
    wire [M-1:0] m_fire = m_axis_tvalid & m_axis_tready;

    always @(posedge aclk) if (aresetn && !done) begin
        idle = s_fire != '0 || m_fire != '0 || s_axis_tvalid == '0 ? 0 : idle + 1;
        if (idle > 300) $fatal(1, "phase %0d: no beat moves (%m)", phase);
        for (int s = 0; s < N; s++) if (error_dest[s]) errors[s] = errors[s] + 1;

        // Who begins now, seen by who has waited since the last cycle or longer.
        for (int s = 0; s < N; s++)
            if (s_fire[s] && opening[s] && in_dest[s] < M)
                for (int o = 0; o < N; o++)
                    if (o != s && waiting[o] && in_dest[o] == in_dest[s]) begin
                        waited[o] = waited[o] + 1;
                        if (waited[o] > longest_wait) longest_wait = waited[o];
                        if (waited[o] > N - 1) $fatal(1, "phase %0d: source %0d waits for %0d packets (%m)", phase, o, waited[o]);
                    end
        waiting = s_axis_tvalid & ~s_axis_tready & opening;

        for (int s = 0; s < N; s++) if (s_fire[s]) begin
            in_beats = in_beats + 1;
            if (first_in < 0) first_in = cycle;
            last_in   = cycle;
            waited[s] = 0;
            if (opening[s] && in_dest[s] >= M) nowhere[s] = nowhere[s] + 1;
            opening[s] = s_axis_tlast[s];
            in_beat[s] = in_beat[s] + 1;
            if (s_axis_tlast[s]) begin
                in_beat[s]   = 0;
                in_packet[s] = in_packet[s] + 1;
                in_dest[s]   = dest(s, in_packet[s]);
            end
        end

        for (int m = 0; m < M; m++) if (m_fire[m]) begin
            out_beats = out_beats + 1;
            if (first_out < 0) first_out = cycle;
            last_out = cycle;
            s_now = int'(m_axis_tid[m*ID_W +: ID_W]);
            if (s_now >= N) $fatal(1, "phase %0d: sink %0d has a beat of source %0d (%m)", phase, m, s_now);
            if (source[m] >= 0 && source[m] != s_now)
                $fatal(1, "phase %0d: sink %0d has source %0d inside a packet of %0d (%m)", phase, m, s_now, source[m]);
            source[m] = s_now;
            p_now     = expected[s_now*M+m];
            if (!struck && p_now >= FRAMES) $fatal(1, "phase %0d: sink %0d has a packet too many (%m)", phase, m);
            if (m_axis_tdata[m*DATA_W +: DATA_W] !== data(s_now, p_now, out_beat[m]))
                $fatal(1, "phase %0d sink %0d: packet %0d of source %0d beat %0d is %h (%m)",
                       phase, m, p_now, s_now, out_beat[m], m_axis_tdata[m*DATA_W +: DATA_W]);
            if (m_axis_tlast[m] !== (out_beat[m] == beats(s_now, p_now) - 1))
                $fatal(1, "phase %0d sink %0d: packet %0d of source %0d beat %0d has tlast %b (%m)",
                       phase, m, p_now, s_now, out_beat[m], m_axis_tlast[m]);
            compared    = compared + 1;
            out_beat[m] = out_beat[m] + 1;
            if (m_axis_tlast[m]) begin
                source[m]   = -1;
                out_beat[m] = 0;
                p_now = p_now + 1;
                while (p_now < 4000 && dest(s_now, p_now) != m) p_now = p_now + 1;
                expected[s_now*M+m] = p_now;
            end
        end
    end

    logic [N-1:0] taken;
    initial taken = '0;
    always @(posedge aclk) taken <= s_fire & {N{aresetn}};

    generate
        for (genvar m = 0; m < M; m++) begin : g_check
            axis_checker #(.DATA_W(DATA_W + 1 + ID_W), .NAME("m_axis")) u_check (
                .aclk(aclk), .aresetn(aresetn),
                .axis_tdata({m_axis_tid[m*ID_W +: ID_W], m_axis_tlast[m], m_axis_tdata[m*DATA_W +: DATA_W]}),
                .axis_tvalid(m_axis_tvalid[m]), .axis_tready(m_axis_tready[m])
            );
        end
    endgenerate

endmodule

`default_nettype wire
