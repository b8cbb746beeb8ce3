// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_out - the sending side of a node over ACCL as a core has it, of one end and of several, against accl_engine.
//
// Bits of a beat say whose it is, of which frame, and where in it. Each source sends FRAMES frames in a number of phases;
// at the end of a phase the node is drained and reset, or only reset, at any moment. Then a frame may end with zeros, from
// any beat on, and is whole all the same; the source restarts with the next frame. Beats have 128 of the 512 bits.
`default_nettype none

module accl_source #(
    parameter int END = 0, BEATS = 1, SEED = 1
) (
    input  wire          aclk,
    input  wire          aresetn,
    input  wire          stall,
    input  wire          run,
    output logic [127:0] tdata,
    output logic         tlast,
    output logic         tvalid,
    input  wire          tready,
    output int           frame
);
    int   seed, at;
    logic rest;

    function automatic int draw(input int below);
        seed = seed * 32'd1664525 + 32'd1013904223;
        draw = int'((32'(seed) >> 8) % 32'(below));
    endfunction

    initial begin
        seed = SEED; at = 0; frame = 0; tvalid = 1'b0; tdata = '0; tlast = 1'b0; rest = 1'b0;
    end
    always @(negedge aclk) begin
        if (!aresetn) begin
            if (at != 0 || tvalid) frame = frame + 1;
            at     = 0;
            tvalid = 1'b0;
        end else if (!tvalid) begin
            rest = stall && rest ^ (draw(40) == 0);
            if ((run || at != 0) && !rest && (!stall || draw(3) != 0)) begin
                tvalid = 1'b1;
                tlast  = at == BEATS - 1;
                tdata  = {32'd1, 32'(END), 32'(frame), 32'(at)};
            end
        end
    end
    // What was taken is gone before the next falling edge.
    always @(posedge aclk) if (aresetn && tvalid && tready) begin
        #1 tvalid = 1'b0;
        at = at + 1;
        if (at == BEATS) begin
            at    = 0;
            frame = frame + 1;
        end
        if (!stall && (run || at != 0)) begin
            tvalid = 1'b1;
            tlast  = at == BEATS - 1;
            tdata  = {32'd1, 32'(END), 32'(frame), 32'(at)};
        end
    end
endmodule

module accl_out_case #(
    parameter int N = 1, BUFFERED = 1, BEATS = 3, PHASES = 12, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int MOST = BEATS + 2 * N;  // beats of the longest frame: end k has BEATS + 2*k
    localparam int DEPTH = MOST <= 4 ? 4 : 1 << $clog2(MOST);
    localparam int ID_W  = N > 1 ? $clog2(N) : 1;

    wire         clock = aclk && !done;
    logic        aresetn, inner_aresetn, drain, stall, silent, enable;
    logic [N-1:0]       run;
    wire  [N-1:0]       request, chosen, grant, drained, frame_done, g_tlast, g_tvalid, g_tready;
    wire  [N*128-1:0]   g_tdata;
    wire  [N*32-1:0]    frames;
    wire  [32*N-1:0]    count;
    wire  [16*N-1:0]    rank;
    wire  [8*N-1:0]     stream;
    wire                idle, done_put, late, stray, refused;
    wire  [1:0]         stage;
    wire  [3:0]         which;
    wire  [31:0]        status, c_tdata, t_tdata;
    wire  [3:0]         c_tkeep;
    wire                c_tlast, c_tvalid, c_tready, t_tvalid, t_tready;
    wire  [127:0]       m_tdata, beat_data;
    wire                m_tlast, m_tvalid, m_tready, beat, beat_last;
    wire  [15:0]        beat_rank;
    wire  [7:0]         beat_stream;
    int                 refusals, strays, puts;
    wire                dead = drain || !inner_aresetn;

    generate
        for (genvar k = 0; k < N; k++) begin : g_end
            localparam int LONG = BEATS + 2 * k;
            wire [127:0] s_tdata, f_tdata;
            wire         s_tlast, s_tvalid, s_tready, f_tvalid, f_tready;
            int          frame;
            assign frames[32*k +: 32] = frame;
            assign count[32*k +: 32]  = 32'(16 * LONG);
            assign rank[16*k +: 16]   = 16'(40 + k);
            assign stream[8*k +: 8]   = 8'(246 - k);
            accl_source #(.END(k), .BEATS(LONG), .SEED(SEED * 100 + k)) u_source (
                .aclk(clock), .aresetn(inner_aresetn), .stall(stall), .run(run[k]), .tdata(s_tdata), .tlast(s_tlast),
                .tvalid(s_tvalid), .tready(s_tready), .frame(frame)
            );
            if (BUFFERED != 0) begin : g_store
                axis_frame_fifo #(.DATA_W(128), .DEPTH(DEPTH), .OUT_REG(1), .ON_FULL(0)) u_store (
                    .aclk(clock), .aresetn(inner_aresetn),
                    .s_axis_tdata(s_tdata), .s_axis_tkeep('1), .s_axis_tlast(s_tlast), .s_axis_tuser(1'b0),
                    .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
                    .m_axis_tdata(f_tdata), .m_axis_tkeep(), .m_axis_tlast(), .m_axis_tuser(),
                    .m_axis_tvalid(f_tvalid), .m_axis_tready(f_tready),
                    .good_frame(), .bad_frame(), .overflow(), .level(), .level_whole()
                );
            end else begin : g_direct
                assign f_tdata  = s_tdata;
                assign f_tvalid = s_tvalid;
                assign s_tready = f_tready;
            end
            accl_gate #(.DATA_W(128), .BEATS(LONG)) u_gate (
                .aclk(clock), .aresetn(aresetn), .link_aresetn(inner_aresetn), .drain(drain), .drained(drained[k]),
                .request(request[k]), .chosen(chosen[k]), .grant(grant[k]),
                .s_axis_tdata(f_tdata), .s_axis_tvalid(f_tvalid), .s_axis_tready(f_tready),
                .m_axis_tdata(g_tdata[128*k +: 128]), .m_axis_tlast(g_tlast[k]), .m_axis_tvalid(g_tvalid[k]),
                .m_axis_tready(g_tready[k]), .frame_done(frame_done[k])
            );
        end
        if (N == 1) begin : g_one
            assign m_tdata  = g_tdata;
            assign m_tlast  = g_tlast;
            assign m_tvalid = g_tvalid;
            assign g_tready = m_tready;
        end else begin : g_several
            wire [ID_W-1:0] way;
            axis_arbiter #(.N(N), .DATA_W(128)) u_arbiter (
                .aclk(clock), .aresetn(aresetn),
                .s_axis_tdata(g_tdata), .s_axis_tlast(g_tlast), .s_axis_tvalid(g_tvalid), .s_axis_tready(g_tready),
                .m_axis_tdata(m_tdata), .m_axis_tid(way), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid),
                .m_axis_tready(m_tready)
            );
        end
    endgenerate

    localparam logic [31:0] COMMUNICATOR = 32'h0000_01C8;
    localparam logic [31:0] ARITHMETIC   = 32'h0000_0290;
    accl_command #(.N(N)) u_command (
        .aclk(clock), .aresetn(aresetn), .enable(enable), .hold(dead), .idle(idle),
        .communicator(COMMUNICATOR), .arithmetic(ARITHMETIC), .watchdog(32'd2000),
        .count(count), .rank(rank), .stream(stream), .request(request), .chosen(chosen), .grant(grant),
        .sent(m_tvalid && m_tready && m_tlast),
        .m_axis_tdata(c_tdata), .m_axis_tkeep(c_tkeep), .m_axis_tlast(c_tlast), .m_axis_tvalid(c_tvalid),
        .m_axis_tready(c_tready),
        .s_axis_tdata(t_tdata), .s_axis_tvalid(t_tvalid), .s_axis_tready(t_tready),
        .stage(stage), .which(which), .done(done_put), .late(late), .stray(stray), .refused(refused), .status(status)
    );
    accl_engine #(.SEED(SEED)) u_engine (
        .aclk(clock), .aresetn(aresetn), .stall(stall), .silent(silent),
        .communicator(COMMUNICATOR), .arithmetic(ARITHMETIC),
        .s_command_tdata(c_tdata), .s_command_tkeep(c_tkeep), .s_command_tlast(c_tlast), .s_command_tvalid(c_tvalid),
        .s_command_tready(c_tready),
        .s_data_tdata(m_tdata), .s_data_tlast(m_tlast), .s_data_tvalid(m_tvalid), .s_data_tready(m_tready),
        .m_status_tdata(t_tdata), .m_status_tvalid(t_tvalid), .m_status_tready(t_tready),
        .beat_data(beat_data), .beat_last(beat_last), .beat_rank(beat_rank), .beat_stream(beat_stream), .beat(beat),
        .refused(refusals), .strays(strays), .puts(puts)
    );

    // By aresetn alone: what was offered is never withdrawn.
    axis_checker #(.DATA_W(37), .NAME("command")) u_check_command (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({c_tlast, c_tkeep, c_tdata}), .axis_tvalid(c_tvalid),
        .axis_tready(c_tready)
    );
    axis_checker #(.DATA_W(129), .NAME("data")) u_check_data (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast, m_tdata}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    // ---- what comes to the engine is a frame after another of each end; `next` is the first that may come
    int   seed, at, own, number, seen_done, seen_late, seen_stray, seen_refused, whole, cut, wait_cycles;
    int   next [0:N-1];
    logic zeros;

    function automatic int draw(input int below);
        seed = seed * 32'd1664525 + 32'd1013904223;
        draw = int'((32'(seed) >> 8) % 32'(below));
    endfunction

    initial begin
        at = 0; zeros = 1'b0; whole = 0; cut = 0; seen_done = 0; seen_late = 0; seen_stray = 0; seen_refused = 0;
        number = 0;
        for (int k = 0; k < N; k++) next[k] = 0;
    end
    always @(posedge clock) begin
        seen_done    = seen_done + int'(done_put);
        seen_late    = seen_late + int'(late);
        seen_stray   = seen_stray + int'(stray);
        seen_refused = seen_refused + int'(refused);
        if (refused && status[31] !== 1'b1) $fatal(1, "refused, and the status is %h (%m)", status);
        if (aresetn && c_tvalid && stage !== 2'd1) $fatal(1, "a command goes out in stage %0d (%m)", stage);
        if (beat) begin
            own = 246 - int'(beat_stream);
            if (own < 0 || own >= N || int'(beat_rank) != 40 + own)
                $fatal(1, "a command for stream %0d of rank %0d (%m)", beat_stream, beat_rank);
            if (beat_data == '0) begin
                zeros = 1'b1;
            end else begin
                if (zeros) $fatal(1, "end %0d: a beat behind the zeros (%m)", own);
                if (int'(beat_data[95:64]) != own) $fatal(1, "end %0d: a beat of end %0d (%m)", own, beat_data[95:64]);
                if (at == 0) begin
                    number = int'(beat_data[63:32]);
                    if (number < next[own]) $fatal(1, "end %0d: frame %0d twice (%m)", own, number);
                    if (run_exact && number != next[own])
                        $fatal(1, "end %0d: frame %0d, expected %0d (%m)", own, number, next[own]);
                    next[own] = number + 1;
                end
                if (beat_data !== {32'd1, 32'(own), 32'(number), 32'(at)})
                    $fatal(1, "end %0d: beat %0d of frame %0d is %h (%m)", own, at, number, beat_data);
            end
            at = at + 1;
            if (beat_last !== (at == BEATS + 2 * own)) $fatal(1, "end %0d: tlast is %b on beat %0d (%m)", own, beat_last, at);
            if (beat_last) begin
                compared = compared + 32'(at);
                at = 0;
                if (zeros) cut = cut + 1;
                else whole = whole + 1;
                zeros = 1'b0;
            end
        end
    end

    logic run_exact;  // since the last reset no frame was given up
    int   least, from;
    initial begin
        done = 1'b0; compared = 0; seed = SEED; aresetn = 1'b0; inner_aresetn = 1'b0; drain = 1'b0; stall = 1'b0;
        silent = 1'b0; run = '0; enable = 1'b0; run_exact = 1'b1;
        repeat (4) @(negedge clock);
        aresetn       = 1'b1;
        inner_aresetn = 1'b1;
        run           = '1;
        repeat (60) @(negedge clock);
        if (puts != 0 || c_tvalid || m_tvalid) $fatal(1, "something goes out before it is enabled (%m)");
        enable = 1'b1;
        for (int phase = 0; phase < PHASES; phase++) begin
            stall = phase % 3 != 0;
            run   = '1;
            from  = whole;
            wait_cycles = 0;
            while (whole - from < 12 * N) begin
                @(negedge clock);
                wait_cycles = wait_cycles + 1;
                if (wait_cycles > 30000) $fatal(1, "phase %0d stands still in stage %0d (%m)", phase, stage);
            end
            run_exact = 1'b0;
            repeat (draw(60)) @(negedge clock);
            case (phase % 4)
                // Nobody resets: all that was sent comes.
                0: begin
                    run = '0;
                    repeat (2000) @(negedge clock);
                    for (int k = 0; k < N; k++)
                        if (next[k] != int'(frames[32*k +: 32])) $fatal(1, "end %0d: %0d frames of %0d (%m)", k, next[k], frames[32*k +: 32]);
                    if (!idle) $fatal(1, "phase %0d: a put stays (%m)", phase);
                    run_exact = 1'b1;
                end
                // A status is withheld: the watchdog barks once, and everything waits.
                1: begin
                    least  = seen_late;
                    silent = 1'b1;
                    repeat (5000) @(negedge clock);
                    if (seen_late != least + 1) $fatal(1, "the watchdog has barked %0d times (%m)", seen_late - least);
                    if (stage == 2'd0) $fatal(1, "nothing waits for the status (%m)");
                    drain = 1'b1;
                    repeat (50) @(negedge clock);
                    if (idle) $fatal(1, "drained without a status (%m)");
                    silent = 1'b0;
                end
                2: drain = 1'b1;
                default: ;
            endcase
            if (phase % 4 == 1 || phase % 4 == 2) begin
                wait_cycles = 0;
                while (!(idle && drained == '1)) begin
                    @(negedge clock);
                    wait_cycles = wait_cycles + 1;
                    if (wait_cycles > 5000) $fatal(1, "phase %0d: not drained in stage %0d (%m)", phase, stage);
                end
            end
            if (phase % 4 != 0) begin
                inner_aresetn = 1'b0;
                repeat (1 + draw(40)) @(negedge clock);
                drain         = 1'b0;
                inner_aresetn = 1'b1;
            end
        end
        if (seen_done != puts && seen_done != puts - 1) $fatal(1, "%0d puts and %0d statuses (%m)", puts, seen_done);
        if (seen_refused != refusals || refusals == 0) $fatal(1, "%0d of %0d refusals (%m)", seen_refused, refusals);
        if (seen_stray != strays || strays == 0) $fatal(1, "%0d of %0d stray statuses (%m)", seen_stray, strays);
        if (cut == 0) $fatal(1, "no frame was cut by a reset (%m)");
        done = 1'b1;
    end
endmodule

module tb_accl_out;
    localparam int N = 5;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(400000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    accl_out_case #(.N(1), .BUFFERED(0), .BEATS(1), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    accl_out_case #(.N(1), .BUFFERED(0), .BEATS(9), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    accl_out_case #(.N(1), .BUFFERED(1), .BEATS(6), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    accl_out_case #(.N(2), .BUFFERED(1), .BEATS(2), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    accl_out_case #(.N(5), .BUFFERED(1), .BEATS(1), .SEED(5)) u_4 (.aclk(aclk), .done(done[4]), .compared(compared[159:128]));
endmodule

`default_nettype wire
