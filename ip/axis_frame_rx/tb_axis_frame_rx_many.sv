// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_frame_rx_many - transfers of several frames, another number in each, good ones and faulty ones, byte by byte.
//
// The model sees the beats at s_axis and `frames`, nothing else. It knows no beats of a frame: it queues the expected
// bytes when a beat is taken, and removes them when they leave.
// Phase 0: good transfers without stalls, every cycle of m_axis used. 1 to STRUCK: stalls on both sides, ended by a
// reset in the middle, before which every other phase is drained. Then, to the end of all transfers: faults without
// stalls; stalls on both sides; of the sink only; of the source only; with HUGE and +huge a transfer of
// 65,535 frames.
`default_nettype none

module axis_frame_rx_many #(
    parameter int DATA_W = 8, BEATS = 1, LAST_BYTES = 1, SEED = 1,
    parameter bit MANY_EN = 1, HUGE = 0
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int KEEP_W    = DATA_W / 8;
    localparam int BYTES     = (BEATS - 1) * KEEP_W + LAST_BYTES;
    localparam int TRANSFERS = 40;  // of a phase that is not struck
    localparam int STRUCK    = 24;
    localparam int ROOM      = 8192;  // more bytes than are ever owed
    localparam logic [KEEP_W-1:0] KEEP_ALL = '1;

    wire               clock = aclk && !done;
    logic              aresetn, drain, s_tvalid, s_tlast, m_tready;
    logic [DATA_W-1:0] s_tdata;
    logic [KEEP_W-1:0] s_tkeep;
    wire  [DATA_W-1:0] m_tdata;
    wire               drained, s_tready, m_tvalid, frame_done, error_short, error_long, error_keep;
    wire               s_fire = s_tvalid && s_tready && aresetn;
    wire               m_fire = m_tvalid && m_tready && aresetn;

    // The count of the transfer that is offered, of the one after it, and nonsense for the time between.
    logic [15:0] count_now, count_next, nonsense;
    logic        begun;
    wire  [15:0] frames = !begun && !s_fire ? count_now : s_fire && s_tlast ? count_next : nonsense;

    axis_frame_rx #(.DATA_W(DATA_W), .BEATS(BEATS), .LAST_BYTES(LAST_BYTES), .MANY_EN(MANY_EN)) u_dut (
        .aclk(clock), .aresetn(aresetn), .frames(frames), .drain(drain), .drained(drained),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done), .error_short(error_short), .error_long(error_long), .error_keep(error_keep)
    );

    axis_checker #(.DATA_W(DATA_W), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata(m_tdata), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    int phase, age, strike, idle, tail, cycle, first_out, last_out, beats_out, changed, several, counted;

    // ---- the model -------------------------------------------------------------------------------------
    logic [7:0]        store [0:ROOM-1];
    int                written, struck;        // bytes owed since the phase began, and those of them that have left
    int                left;                   // bytes of the transfer that have not come
    logic              going, surplus, ended;
    logic [15:0]       shown;                  // `frames` in the cycle before
    logic [KEEP_W-1:0] wanted;
    int                out_beat;
    int                want [0:2];
    int                seen [0:2];
    int                sums [0:2];

    task automatic owe(input logic [7:0] value);
        store[written % ROOM] = value;
        written = written + 1;
        left = left - 1;
        if (written - struck > ROOM) $fatal(1, "phase %0d: the model has no room (%m)", phase);
    endtask

    task automatic take;
        if (!going) left = BYTES * (MANY_EN ? int'(shown) : 1);
        for (int i = 0; i < KEEP_W; i++) wanted[i] = i < left;
        if (!surplus) begin
            for (int i = 0; i < KEEP_W; i++) if (left > 0) owe(s_tdata[i*8 +: 8]);
            if (!s_tlast && left == 0) want[1] = want[1] + 1;
            if (s_tlast && left > 0)   want[0] = want[0] + 1;
            else if (s_tkeep != (s_tlast ? wanted : KEEP_ALL)) want[2] = want[2] + 1;
            while (s_tlast && left > 0) owe(8'd0);
        end
        surplus = !s_tlast && left == 0;
        going  = !s_tlast;
    endtask

    task automatic give;
        for (int i = 0; i < (out_beat == BEATS - 1 ? LAST_BYTES : KEEP_W); i++) begin
            if (struck == written) $fatal(1, "phase %0d: a byte leaves that is not owed (%m)", phase);
            if (m_tdata[i*8 +: 8] !== store[struck % ROOM])
                $fatal(1, "phase %0d: byte %0d of %h should be %h (%m)", phase, i, m_tdata, store[struck % ROOM]);
            struck = struck + 1;
            compared = compared + 1;
        end
        out_beat = out_beat == BEATS - 1 ? 0 : out_beat + 1;
    endtask

    // An error is flagged once for each time that it was seen, and before the last byte of its transfer leaves.
    task automatic pulses;
        seen[0] = seen[0] + int'(error_short);
        seen[1] = seen[1] + int'(error_long);
        seen[2] = seen[2] + int'(error_keep);
        for (int e = 0; e < 3; e++)
            if (seen[e] > want[e] || (struck == written && !drain && seen[e] != want[e]))
                $fatal(1, "phase %0d: error %0d told %0d times of %0d (%m)", phase, e, seen[e], want[e]);
        if (frame_done !== ended) $fatal(1, "phase %0d: frame_done is %b (%m)", phase, frame_done);
        if (drained !== (drain && !going)) $fatal(1, "phase %0d: drained is %b (%m)", phase, drained);
        if (drain && s_tready !== going) $fatal(1, "phase %0d: tready is %b while draining (%m)", phase, s_tready);
    endtask

    // ---- what is sent ----------------------------------------------------------------------------------
    logic [31:0]       dice;
    logic [DATA_W-1:0] drawn;
    int                now, next, bytes, beats, good_beats, spoilt, beat, sent;

    function automatic logic [31:0] draw(input logic [31:0] from);
        draw = from * 32'd1664525 + 32'd1013904223;
    endfunction

    function automatic int pick(input int below);
        dice = draw(dice);
        pick = int'(dice >> 9) % below;
    endfunction

    // Mostly few frames, sometimes many; twice the same more often than by chance.
    task automatic plan;
        now    = phase == STRUCK + 5 ? 65535 : next;
        if (pick(3) != 0) next = 1 + pick(pick(5) == 0 ? 40 : 5);
        bytes  = BYTES * (MANY_EN ? now : 1);
        good_beats = (bytes + KEEP_W - 1) / KEEP_W;
        spoilt = -1;
        beat   = 0;
        if (phase != 0 && phase != STRUCK + 5)
            case (pick(8))
                0: bytes = bytes - pick(bytes < KEEP_W ? bytes : KEEP_W);
                1: bytes = 1 + pick(bytes);
                2: bytes = bytes + 1 + pick(KEEP_W);
                3: bytes = bytes + 1 + pick(6 * KEEP_W);
                4: bytes = BYTES * (1 + pick(6));
                5: spoilt = pick(good_beats);
                default: ;
            endcase
        beats = (bytes + KEEP_W - 1) / KEEP_W;
    endtask

    task automatic offer;
        for (int i = 0; i < KEEP_W; i++) drawn[i*8 +: 8] = 8'(pick(256));
        s_tvalid <= 1'b1;
        s_tdata <= drawn;
        s_tlast <= beat == beats - 1;
        for (int i = 0; i < KEEP_W; i++) drawn[i] = beat * KEEP_W + i < bytes;
        if (beat == spoilt) drawn[KEEP_W-1:0] = drawn[KEEP_W-1:0] ^ (KEEP_W'(1) << pick(KEEP_W));
        // The surplus is not looked at, nor the end of what is too short.
        if (beat >= good_beats || (beat == beats - 1 && beat < good_beats - 1)) drawn[KEEP_W-1:0] = KEEP_W'(pick(65536));
        s_tkeep <= drawn[KEEP_W-1:0];
    endtask

    // ---- phases ----------------------------------------------------------------------------------------
    wire  struck_phase = phase > 0 && phase <= STRUCK;

    task automatic restart;
        written = 0; struck = 0; going = 1'b0; surplus = 1'b0; ended = 1'b0; out_beat = 0;
        sent = 0; age = 0; idle = 0; tail = 0;
        strike = 5 + pick(80);
        for (int e = 0; e < 3; e++) begin
            sums[e] = sums[e] + want[e];
            want[e] = 0;
            seen[e] = 0;
        end
        plan();
    endtask

    initial begin
        aresetn = 1'b0; s_tvalid = 1'b0; drain = 1'b0; m_tready = 1'b0;
        done = 1'b0; compared = 0; dice = 32'(SEED); phase = 0; next = 3; cycle = 0; s_tdata = '0; s_tkeep = '0;
        s_tlast = 1'b0; first_out = -1; last_out = 0; beats_out = 0; changed = 0; several = 0; counted = 0;
        begun = 1'b0; count_now = 16'd1; count_next = 16'd1; nonsense = 16'd1; shown = 16'd1;
        for (int e = 0; e < 3; e++) begin
            want[e] = 0;
            sums[e] = 0;
        end
        restart();
    end

    always @(posedge clock) begin
        cycle = cycle + 1;
        if (aresetn) begin
            pulses();
            ended = m_fire && out_beat == BEATS - 1;
            if (m_fire) begin
                if (phase == 0 && first_out < 0) first_out = cycle;
                if (phase == 0) last_out = cycle;
                if (phase == 0) beats_out = beats_out + 1;
                give();
            end
            if (s_fire && !going) begin
                if (counted != int'(shown)) changed = changed + 1;
                if (shown > 16'd1) several = several + 1;
                counted = int'(shown);
            end
            if (s_fire && !drain) take();
            else if (s_fire) going = !s_tlast;

            // The next beat, and the counts that go with it.
            if (s_fire) beat = beat + 1;
            if (s_fire && s_tlast) begin
                sent = sent + 1;
                plan();
            end
            if (!s_tvalid || s_tready) begin
                s_tvalid <= 1'b0;
                if ((phase == 0 || phase == STRUCK + 1 || phase == STRUCK + 3 || pick(3) != 0)
                    && sent < (phase == STRUCK + 5 ? 1 : TRANSFERS)) offer();
            end
            m_tready <= phase == 0 || phase == STRUCK + 1 || phase >= STRUCK + 4 || pick(3) != 0;

            idle = s_fire || m_fire || drain ? 0 : idle + 1;
            if (idle > 200) $fatal(1, "phase %0d: nothing moves, %0d transfers are in (%m)", phase, sent);
            age = age + 1;
            if (struck_phase && age == strike && phase % 2 == 0) drain <= 1'b1;
            if (age > strike + 3000 && struck_phase) $fatal(1, "phase %0d is not drained (%m)", phase);
            tail = (struck_phase ? age >= strike && (drained || phase % 2 == 1)
                                 : sent > 0 && struck == written && !s_tvalid) ? tail + 1 : 0;
        end else aresetn <= 1'b1;
        shown      <= frames;
        begun      <= aresetn && (s_fire ? !s_tlast : begun);
        count_now  <= 16'(now);
        count_next <= 16'(next);
        nonsense   <= pick(2) == 0 ? 16'(next) : 16'(1 + pick(40));

        if (tail == (struck_phase ? 4 : 20)) begin
            if (phase == 0 && (beats_out < TRANSFERS || last_out - first_out != beats_out - 1))
                $fatal(1, "%0d beats took %0d cycles (%m)", beats_out, last_out - first_out + 1);
            if (!struck_phase && sent != (phase == STRUCK + 5 ? 1 : TRANSFERS))
                $fatal(1, "phase %0d ends after %0d transfers (%m)", phase, sent);
            phase = phase + 1;
            begun <= 1'b0;
            restart();
            aresetn  <= 1'b0;
            s_tvalid <= 1'b0;
            drain    <= 1'b0;
            m_tready <= 1'b0;
            count_now  <= 16'(now);
            count_next <= 16'(next);
            if (phase > (HUGE && $test$plusargs("huge") ? STRUCK + 5 : STRUCK + 4)) begin
                done <= 1'b1;
                if (sums[1] < 10 || sums[2] < 10 || (sums[0] < 5 && (MANY_EN || BEATS > 1)))
                    $fatal(1, "too few faults to mean anything: %0d %0d %0d (%m)", sums[0], sums[1], sums[2]);
                if (changed < 50 || several < 50)
                    $fatal(1, "too few counts to mean anything: %0d %0d (%m)", changed, several);
            end
        end
    end
endmodule

module tb_axis_frame_rx_many;
    localparam int N = 11;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_frame_rx_many #(.DATA_W(8), .BEATS(1), .LAST_BYTES(1), .HUGE(1), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[0*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(8), .BEATS(3), .LAST_BYTES(1), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[1*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(24), .BEATS(2), .LAST_BYTES(2), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[2*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(32), .BEATS(1), .LAST_BYTES(3), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[3*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(32), .BEATS(2), .LAST_BYTES(1), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[4*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(64), .BEATS(3), .LAST_BYTES(8), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[5*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(64), .BEATS(2), .LAST_BYTES(6), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[6*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(64), .BEATS(1), .LAST_BYTES(3), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[7*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(128), .BEATS(4), .LAST_BYTES(5), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[8*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(128), .BEATS(1), .LAST_BYTES(1), .SEED(10)) u_9 (
        .aclk(aclk), .done(done[9]), .compared(compared[9*32 +: 32]));
    axis_frame_rx_many #(.DATA_W(32), .BEATS(2), .LAST_BYTES(3), .MANY_EN(0), .SEED(11)) u_10 (
        .aclk(aclk), .done(done[10]), .compared(compared[10*32 +: 32]));
endmodule

`default_nettype wire
