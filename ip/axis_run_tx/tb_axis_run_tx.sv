// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_run_tx - runs of axis_run_tx: TLAST at their end, filled with zeros when drained or held in reset.
//
// Phases of runs of a number of frames each; in every third neither side stalls, and no cycle is wasted. Between them the
// stream stops in mid-run, is drained or held, and goes on with the first beat of a frame.
`default_nettype none

module axis_run_tx_case #(
    parameter int DATA_W = 8, BEATS = 1, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int PHASES = 40;
    localparam int RUNS   = 8;  // of a phase
    localparam int ROOM   = 4096;

    logic              aresetn, link_aresetn, drain, s_tvalid, m_tready;
    logic [15:0]       frames;
    logic [DATA_W-1:0] s_tdata;
    wire               drained, s_tready, m_tvalid, m_tlast, frame_done;
    wire  [DATA_W-1:0] m_tdata;
    wire               clock = aclk && !done;

    axis_run_tx #(.DATA_W(DATA_W), .BEATS(BEATS)) u_dut (
        .aclk(clock), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .frames(frames), .drain(drain), .drained(drained),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done)
    );

    // By aresetn alone: what was offered is never withdrawn.
    axis_checker #(.DATA_W(DATA_W + 1), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast, m_tdata}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    int   seed, phase, cycle, stop;
    logic stalls;
    logic [DATA_W:0] wanted [0:ROOM-1];
    int   put, got, ends, seen_ends, at;  // at: beats of the run

    function automatic int draw(input int below);
        seed = seed * 32'd1664525 + 32'd1013904223;
        draw = int'((32'(seed) >> 8) % 32'(below));
    endfunction

    initial cycle = 0;
    always @(negedge clock) begin
        cycle = cycle + 1;
        m_tready = stop == 0 && (!stalls || draw(3) != 0);
        seen_ends = seen_ends + int'(frame_done);
        #1;
        if (aresetn && m_tvalid && m_tready) begin
            if (got >= put) $fatal(1, "phase %0d: a beat that nobody sent (%m)", phase);
            if ({m_tlast, m_tdata} !== wanted[got % ROOM])
                $fatal(1, "phase %0d: beat %0d is %h, expected %h (%m)", phase, got, {m_tlast, m_tdata}, wanted[got % ROOM]);
            got      = got + 1;
            compared = compared + 1;
        end
    end

    task automatic want(input logic [DATA_W-1:0] data);
        at = at + 1;
        if (at == int'(frames) * BEATS) at = 0;
        wanted[put % ROOM] = {at == 0, data};
        put = put + 1;
    endtask

    task automatic beat;
        logic taken;
        while (stalls && draw(3) == 0) @(negedge clock);
        s_tvalid = 1'b1;
        s_tdata  = DATA_W'({32'(draw(1 << 20)), 32'(draw(1 << 20))}) | DATA_W'(1);  // never zero
        taken    = 1'b0;
        while (!taken) begin
            #2;
            taken = s_tready;
            @(negedge clock);
        end
        s_tvalid = 1'b0;
        want(s_tdata);
        if (at % BEATS == 0) ends = ends + 1;
    endtask

    // What is missing of the run comes as zeros, while a beat that is offered waits.
    task automatic emptied(input bit held, input bit late);
        int left;
        left = at;
        if (late) stop = 1;
        if (held) link_aresetn = 1'b0; else drain = 1'b1;
        while (at != 0) want('0);
        s_tvalid = 1'b1;
        s_tdata  = '1;
        #2;
        if (s_tready) $fatal(1, "phase %0d: a beat is taken (%m)", phase);
        if (!held && left != 0 && drained) $fatal(1, "phase %0d: drained too early (%m)", phase);
        @(negedge clock);
        if (late && held) begin
            // The reset ends before the mover takes anything.
            repeat (5) @(negedge clock);
            s_tvalid     = 1'b0;
            link_aresetn = 1'b1;
            repeat (5) @(negedge clock);
        end
        stop = 0;
        repeat (40 + 3 * int'(frames) * BEATS) begin
            #2;
            if (s_tready && (!held || !link_aresetn)) $fatal(1, "phase %0d: a beat is taken (%m)", phase);
            if (s_tready && put - got > 3) $fatal(1, "phase %0d: the zeros do not go on after the reset (%m)", phase);
            @(negedge clock);
        end
        if (got != put) $fatal(1, "phase %0d: %0d beats of %0d (%m)", phase, got, put);
        if (!held && !drained) $fatal(1, "phase %0d: not drained (%m)", phase);
        s_tvalid     = 1'b0;
        link_aresetn = 1'b0;
        repeat (3) @(negedge clock);
        drain        = 1'b0;
        link_aresetn = 1'b1;
    endtask

    int began;
    initial begin
        done = 1'b0; compared = 0; seed = SEED; phase = 0; stalls = 1'b0; stop = 0;
        aresetn = 1'b0; link_aresetn = 1'b0; drain = 1'b0; s_tvalid = 1'b0; s_tdata = '0; frames = 16'd1;
        put = 0; got = 0; ends = 0; seen_ends = 0; at = 0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        link_aresetn = 1'b1;
        for (phase = 0; phase < PHASES; phase++) begin
            frames = 16'(1 + draw(4));
            stalls = phase % 3 != 0;
            repeat (3) @(negedge clock);
            began = cycle;
            repeat (RUNS * int'(frames) * BEATS) beat;
            if (!stalls && cycle - began > RUNS * int'(frames) * BEATS + 1)
                $fatal(1, "phase %0d: %0d cycles for %0d beats (%m)", phase, cycle - began, RUNS * int'(frames) * BEATS);
            // A partition that hands out the first words of a frame early does not fix the length of the run.
            if (BEATS > 1 && phase % 5 == 2) begin
                stalls = 1'b1;
                repeat (20) @(negedge clock);
                repeat (1 + draw(BEATS - 1)) beat;
                frames = 16'(1 + draw(4));
                repeat (2) @(negedge clock);
            end
            if (phase % 4 != 0) repeat (draw(int'(frames) * BEATS - (at < int'(frames) * BEATS ? at : 0) + 1)) beat;
            emptied(phase % 2 == 1, phase % 3 == 1);
            if (seen_ends + int'(frame_done) < ends) $fatal(1, "phase %0d: frame_done %0d times of %0d (%m)", phase, seen_ends, ends);
            if (seen_ends != ends) $fatal(1, "phase %0d: frame_done %0d times, expected %0d (%m)", phase, seen_ends, ends);
        end
        done = 1'b1;
    end
endmodule

module tb_axis_run_tx;
    localparam int N = 5;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_run_tx_case #(.DATA_W(8), .BEATS(1), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_run_tx_case #(.DATA_W(13), .BEATS(2), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_run_tx_case #(.DATA_W(32), .BEATS(5), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_run_tx_case #(.DATA_W(64), .BEATS(8), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_run_tx_case #(.DATA_W(512), .BEATS(3), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
endmodule

`default_nettype wire
