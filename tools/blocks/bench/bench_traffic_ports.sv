// SPDX-License-Identifier: BSD-3-Clause
//
// bench_traffic_ports - simulation only: all of a traffic bench for a block with N streams in and M out.
//
// Every source and every sink stalls on its own (PAIR: all sinks together). What source i sends to sink j is a
// sequence of its own, so that lost, exchanged and misrouted packets are all seen.
//
// Parameters: SET                   see bench_traffic_report
//             N, M, W               sources, sinks, bits of a beat
//             BEATS                 at the sinks in each shape (COPY, PAIR: at each of them), at least
//             UNITS_MIN, UNITS_MAX  beats of a packet
//             DESTS  tdest is drawn from so many, of which M exist; 1: there is no tdest
//             COPY   1: every sink gets all that the source sends
//             PAIR   1: sink i gets what source i sends; all sinks are one stream, tready of sink 0 is the one that
//                    counts. Packets must be of one length
//             HOME   1: without stalls source i sends to sink i modulo M, so that the outputs can be busy all the time
//             LAST   1 when tlast is to be compared
`default_nettype none

module bench_traffic_ports #(
    parameter int SET       = 0,
    parameter int N         = 1,
    parameter int M         = 1,
    parameter int W         = 8,
    parameter int BEATS     = 1000,
    parameter int UNITS_MIN = 1,
    parameter int UNITS_MAX = 8,
    parameter int DESTS     = 1,
    parameter bit COPY      = 0,
    parameter bit PAIR      = 0,
    parameter bit HOME      = 0,
    parameter bit LAST      = 1
) (
    output wire              aclk,
    output wire              aresetn,
    output wire  [1:0]       shape,
    output wire              closing,
    output wire  [N-1:0]     sent,           // sources that have sent all
    output int               strays,         // packets sent to where there is no sink

    output wire  [N*W-1:0]   s_axis_tdata,
    output wire  [N*32-1:0]  s_axis_tdest,
    output wire  [N-1:0]     s_axis_tlast,
    output wire  [N-1:0]     s_axis_tvalid,
    input  wire  [N-1:0]     s_axis_tready,

    input  wire  [M*W-1:0]   m_axis_tdata,
    input  wire  [M*32-1:0]  m_axis_tid,
    input  wire  [M-1:0]     m_axis_tlast,
    input  wire  [M-1:0]     m_axis_tvalid,
    output wire  [M-1:0]     m_axis_tready
);

    localparam bit SPREAD = DESTS > 1;
    localparam bit GATHER = N > 1 && !PAIR;
    localparam int SHARES = PAIR ? 1 : N;
    localparam int FRAMES = BEATS / SHARES * 2 / (UNITS_MIN + UNITS_MAX) * 51 / 50 + 8;

    int                cycle, frames, beats, rated, from, till, first_in, first_out, expected;
    wire  [N-1:0]      source_go;
    wire  [M-1:0]      sink_go;
    wire               ended;
    wire  [N*32-1:0]   source_strays, source_first, source_beats, source_last;
    wire  [M*32-1:0]   sink_frames, sink_beats, sink_first, sink_last;
    wire               done = &sent && frames == expected;

    bench_traffic_control #(.N(N), .M(M), .LIMIT(6 * BEATS + 20000)) u_control (
        .aclk(aclk), .aresetn(aresetn), .shape(shape), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .done(done), .late(|m_axis_tvalid), .closing(closing), .ended(ended)
    );

    generate
        for (genvar i = 0; i < N; i++) begin : g_source
            // A chain of concatenations: Icarus resolves a net that is driven in parts bit by bit.
            wire [W-1:0]         data;
            wire [(i+1)*W-1:0]   upto;
            if (i == 0) begin : g_first
                assign upto = data;
            end else begin : g_next
                assign upto = {data, g_source[i-1].upto};
            end
            bench_traffic_source #(
                .W(W), .UNITS_MIN(UNITS_MIN), .UNITS_MAX(UNITS_MAX), .FRAMES(FRAMES),
                .STREAMS(DESTS), .REAL(SPREAD ? M : 1), .ID(i)
            ) u_source (
                .aclk(aclk), .aresetn(aresetn), .go(source_go[i]), .home(HOME && shape == 2'd0), .cycle(cycle),
                .m_axis_tdata(data), .m_axis_tkeep(), .m_axis_tlast(s_axis_tlast[i]),
                .m_axis_tdest(s_axis_tdest[i*32 +: 32]), .m_axis_tvalid(s_axis_tvalid[i]),
                .m_axis_tready(s_axis_tready[i]),
                .done(sent[i]), .beats(source_beats[i*32 +: 32]), .strays(source_strays[i*32 +: 32]),
                .first(source_first[i*32 +: 32]), .last(source_last[i*32 +: 32])
            );
        end
        assign s_axis_tdata = g_source[N-1].upto;
        for (genvar j = 0; j < M; j++) begin : g_sink
            bench_traffic_sink #(
                .W(W), .UNITS_MIN(UNITS_MIN), .UNITS_MAX(UNITS_MAX),
                .STREAMS(GATHER ? N : 1), .ID(PAIR ? 64 * j : SPREAD ? j : 0), .LAST(LAST ? 1 : 0)
            ) u_sink (
                .aclk(aclk), .aresetn(aresetn), .go(PAIR ? sink_go[0] : sink_go[j]), .cycle(cycle),
                .s_axis_tdata(m_axis_tdata[j*W +: W]), .s_axis_tkeep(1'b1), .s_axis_tlast(m_axis_tlast[j]),
                .s_axis_tid(m_axis_tid[j*32 +: 32]), .s_axis_tvalid(m_axis_tvalid[j]),
                .s_axis_tready(m_axis_tready[j]),
                .frames(sink_frames[j*32 +: 32]), .beats(sink_beats[j*32 +: 32]),
                .first(sink_first[j*32 +: 32]), .last(sink_last[j*32 +: 32]), .gaps()
            );
        end
    endgenerate

    // Sums change once a packet.
    always_comb begin
        strays = 0;
        for (int i = 0; i < N; i++) strays = strays + source_strays[i*32 +: 32];
        expected = N * FRAMES * (COPY ? M : 1) - strays;
    end
    always_comb begin
        frames = 0;
        for (int j = 0; j < M; j++) frames = frames + sink_frames[j*32 +: 32];
    end

    // Ahead of `closing`, which the report looks at. A single source is the busier side: some of what it sends may be
    // for nobody. Of several sinks the slowest counts.
    always @(posedge done) begin
        first_in = source_first[31:0];
        for (int i = 1; i < N; i++)
            if ($signed(source_first[i*32 +: 32]) < first_in) first_in = source_first[i*32 +: 32];
        beats     = 0;
        rated     = source_beats[31:0];
        from      = source_first[31:0];
        till      = source_last[31:0];
        first_out = 32'h7FFFFFFF;
        for (int j = 0; j < M; j++) begin
            if (sink_frames[j*32 +: 32] != 0) begin
                beats = beats + sink_beats[j*32 +: 32];
                if ($signed(sink_first[j*32 +: 32]) < first_out) first_out = sink_first[j*32 +: 32];
                if (N > 1 && (j == 0 || 64'(sink_beats[j*32 +: 32]) * 64'(till - from)
                                        < 64'(rated) * 64'(sink_last[j*32 +: 32] - sink_first[j*32 +: 32]))) begin
                    rated = sink_beats[j*32 +: 32];
                    from  = sink_first[j*32 +: 32];
                    till  = sink_last[j*32 +: 32];
                end
            end else if (!HOME || shape != 2'd0) $fatal(1, "shape %0d: sink %0d got nothing (%m)", shape, j);
        end
    end

    bench_traffic_report #(.SET(SET)) u_report (
        .shape(shape), .closing(closing), .ended(ended), .cycle(cycle), .compared(beats),
        .beats(COPY || PAIR ? beats / M : beats), .rated(rated), .from(from), .till(till),
        .first_in(first_in), .first_out(first_out)
    );

endmodule

`default_nettype wire
