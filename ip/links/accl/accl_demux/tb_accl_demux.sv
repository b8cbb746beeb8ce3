// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_demux - beats of many streams through accl_demux: whose they are, their order, those of nobody, rate, enable, reset.
//
// Every beat says of which id it is and its number among those of this id. An output gets all beats of its id, or of the
// one that it shares with another, in order; beats of other ids are counted. TLAST is random for each beat.
// Phases: 0 no stalls, every cycle used; then, in turns, source stalls, sink stalls, both, one sink that rests for long, enable on and off.
// Each ends drained, or by a reset in the middle, and the next has other ids.
`default_nettype none

module accl_demux_case #(
    parameter int N = 2, DATA_W = 32, SEED = 1, BEATS = 100
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int PHASES = 14;
    localparam int COPIES = (DATA_W + 31) / 32;

    wire                 clock = aclk && !done;
    logic                aresetn, enable, s_tlast, s_tvalid;
    logic [8*N-1:0]      ids;
    logic [DATA_W-1:0]   s_tdata;
    logic [7:0]          s_tdest;
    logic [N-1:0]        m_tready;
    wire                 s_tready, unknown;
    wire  [N*DATA_W-1:0] m_tdata;
    wire  [N-1:0]        m_tlast, m_tvalid;

    accl_demux #(.N(N), .DATA_W(DATA_W)) u_dut (
        .aclk(clock), .aresetn(aresetn), .enable(enable), .ids(ids),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .unknown(unknown)
    );
    for (genvar i = 0; i < N; i++) begin : g_check
        axis_checker #(.DATA_W(DATA_W + 1), .NAME("m_axis")) u_check (
            .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast[i], m_tdata[i*DATA_W +: DATA_W]}),
            .axis_tvalid(m_tvalid[i]), .axis_tready(m_tready[i])
        );
    end

    logic [31:0] dice;
    function automatic int pick(input int below);
        dice = dice * 32'd1664525 + 32'd1013904223;
        pick = int'(dice >> 9) % below;
    endfunction

    // The whole of a beat follows from its id, its number and the phase.
    function automatic logic [DATA_W:0] beat_of(input logic [7:0] id, input int number);
        logic [31:0] h;
        logic [COPIES*32-1:0] words;
        for (int k = 0; k < COPIES; k++) begin
            h = (32'(id) + 32'd1) * 32'h9E3779B1 ^ (32'(number) * 32'h85EBCA77) ^ (32'(phase * 64 + k) * 32'hC2B2AE3D);
            h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
            words[32*k +: 32] = h ^ (h >> 13);
        end
        beat_of = {words[0] ^ words[5], words[DATA_W-1:0]};
    endfunction

    int   phase, sent, taken, nobody, seen_nobody, idle, rest, resting, cycles, first, shared;
    int   number [0:255];          // of the next beat of an id
    int   wanted [0:N-1];          // at an output
    logic strike, enabled;
    logic [7:0] id;

    task automatic next_phase;
        phase = phase + 1;
        sent = 0; taken = 0; nobody = 0; seen_nobody = 0; idle = 0; rest = 0; cycles = 0; first = -1;
        for (int k = 0; k < 256; k++) number[k] = 0;
        for (int i = 0; i < N; i++) wanted[i] = 0;
        strike = phase % 4 == 3;
        // Ids that differ in one bit, and now and then two outputs with one id.
        for (int i = 0; i < N; i++) ids[8*i +: 8] = 8'(i * 37 + phase * 11);
        shared = N > 1 && phase % 5 == 4 ? 1 : 0;
        if (shared == 1) ids[8*(N-1) +: 8] = ids[7:0];
        aresetn <= 1'b0; s_tvalid <= 1'b0; enable <= phase % 6 != 5;
    endtask

    task automatic offer;
        case (pick(phase == 0 ? 3 : 5))
            3: id = 8'(pick(256));
            4: id = ids[7:0] ^ (8'd1 << pick(8));
            default: id = ids[8*pick(N) +: 8];
        endcase
        {s_tlast, s_tdata} <= beat_of(id, number[int'(id)]);
        s_tdest  <= id;
        s_tvalid <= 1'b1;
        number[int'(id)] = number[int'(id)] + 1;
        sent = sent + 1;
    endtask

    function automatic logic has(input logic [7:0] which);
        has = 1'b0;
        for (int i = 0; i < N; i++) if (ids[8*i +: 8] == which) has = 1'b1;
    endfunction

    initial begin
        done = 1'b0; compared = 0; dice = 32'(SEED); phase = -1; m_tready = '0; s_tdata = '0; s_tdest = '0; s_tlast = 1'b0;
        ids = '0; aresetn = 1'b0; s_tvalid = 1'b0; enable = 1'b0; enabled = 1'b0; resting = 0;
    end

    always @(posedge clock) begin
        cycles = cycles + 1;
        if (phase < 0) next_phase;
        else if (aresetn) begin
            for (int i = 0; i < N; i++)
                if (m_tvalid[i] && m_tready[i]) begin
                    if ({m_tlast[i], m_tdata[i*DATA_W +: DATA_W]} !== beat_of(ids[8*i +: 8], wanted[i]))
                        $fatal(1, "phase %0d: output %0d, beat %0d is %h (%m)", phase, i, wanted[i], m_tdata[i*DATA_W +: DATA_W]);
                    wanted[i] = wanted[i] + 1;
                    compared  = compared + 1;
                    idle      = 0;
                end
            seen_nobody = seen_nobody + int'(unknown);
            if (s_tvalid && s_tready) begin
                taken = taken + 1;
                if (!has(s_tdest)) nobody = nobody + 1;
                if (first < 0) first = cycles;
                if (phase == 0 && taken == BEATS && cycles - first != BEATS - 1)
                    $fatal(1, "%0d beats took %0d cycles (%m)", BEATS, cycles - first + 1);
                idle = 0;
            end
            if (seen_nobody > nobody) $fatal(1, "phase %0d: unknown pulses for a beat that has an output (%m)", phase);

            if (!s_tvalid || s_tready) begin
                s_tvalid <= 1'b0;
                if (sent < BEATS && (phase == 0 || phase % 3 == 1 || pick(3) != 0)) offer;
            end
            // One sink may rest for long; then all stall behind it.
            if (resting == 0 && phase % 7 == 6 && pick(40) == 0) begin
                resting = 30;
                rest    = pick(N);
            end
            if (resting > 0) resting = resting - 1;
            for (int i = 0; i < N; i++)
                m_tready[i] <= phase == 0 || phase % 3 == 2 || (pick(3) != 0 && !(resting > 0 && i == rest));
            if (s_tready && !enabled) $fatal(1, "phase %0d: ready while not enabled (%m)", phase);
            if (phase % 6 == 5 && pick(12) == 0) enable <= !enable;

            idle = idle + 1;
            if (idle > 400) $fatal(1, "phase %0d: nothing moves after %0d beats (%m)", phase, taken);
            if ((strike && taken > BEATS / 3) || (taken == BEATS && idle > 60)) begin
                if (!strike) begin
                    if (seen_nobody != nobody) $fatal(1, "phase %0d: unknown %0d times of %0d (%m)", phase, seen_nobody, nobody);
                    for (int i = 0; i < N; i++)
                        if (wanted[i] != number[int'(ids[8*i +: 8])])
                            $fatal(1, "phase %0d: output %0d got %0d beats of %0d (%m)", phase, i, wanted[i], number[int'(ids[8*i +: 8])]);
                    if (phase > 0 && nobody < 3) $fatal(1, "phase %0d: too few strays to mean anything (%m)", phase);
                end
                if (phase == PHASES) done <= 1'b1;
                next_phase;
            end
        end else begin
            if (m_tvalid !== '0 && cycles > 1) $fatal(1, "phase %0d: a beat in reset (%m)", phase);
            if (cycles == 3) aresetn <= 1'b1;
        end
        enabled = enable;
    end
endmodule

module tb_accl_demux;
    localparam int N = 6;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    accl_demux_case #(.N(1), .DATA_W(32), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    accl_demux_case #(.N(2), .DATA_W(32), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    accl_demux_case #(.N(3), .DATA_W(9), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    accl_demux_case #(.N(7), .DATA_W(64), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    accl_demux_case #(.N(32), .DATA_W(12), .SEED(5), .BEATS(60)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    accl_demux_case #(.N(2), .DATA_W(100), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
endmodule

`default_nettype wire
