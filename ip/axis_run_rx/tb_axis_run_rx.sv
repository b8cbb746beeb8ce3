// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_run_rx - runs of axis_run_rx: exact, short and long, numbered and not, drained, and held in reset.
//
// What must come out is known by runs: a run of `frames` frames is their beats, cut off or filled with zeros. The source
// stalls, the sink stalls, and neither in every third phase, in which no cycle of a good run is wasted.
`default_nettype none

module axis_run_rx_case #(
    parameter int DATA_W = 8, DEST_W = 4, BEATS = 1, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int PHASES = 40;
    localparam int RUNS   = 12;  // of a phase
    localparam int ROOM   = 4096;

    logic              aresetn, link_aresetn, drain, s_tvalid, m_tready;
    logic [15:0]       frames;
    logic [DATA_W-1:0] s_tdata;
    logic [DEST_W-1:0] s_tdest;
    wire               drained, s_tready, m_tvalid, frame_done, error_short, error_long;
    wire  [DATA_W-1:0] m_tdata;
    wire               clock = aclk && !done;

    axis_run_rx #(.DATA_W(DATA_W), .DEST_W(DEST_W), .BEATS(BEATS)) u_dut (
        .aclk(clock), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .frames(frames), .drain(drain), .drained(drained),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done), .error_short(error_short), .error_long(error_long)
    );

    axis_checker #(.DATA_W(DATA_W), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(link_aresetn), .axis_tdata(m_tdata), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    int   seed, phase, cycle;
    logic stalls, silent;
    logic [DATA_W-1:0] wanted [0:ROOM-1];
    int   put, got, shorts, longs, ends;       // of this phase: wanted
    int   seen_shorts, seen_longs, seen_ends;  // seen

    function automatic int draw(input int below);
        seed = seed * 32'd1664525 + 32'd1013904223;
        draw = int'((32'(seed) >> 8) % 32'(below));
    endfunction

    initial cycle = 0;
    always @(negedge clock) begin
        cycle = cycle + 1;
        m_tready = !stalls || draw(3) != 0;
        seen_shorts = seen_shorts + int'(error_short);
        seen_longs  = seen_longs + int'(error_long);
        seen_ends   = seen_ends + int'(frame_done);
        #1;
        if (silent && m_tvalid && drain) $fatal(1, "phase %0d: a beat is begun while draining (%m)", phase);
        if (link_aresetn && m_tvalid && m_tready) begin
            if (!drain && got >= put) $fatal(1, "phase %0d: a beat that nobody sent (%m)", phase);
            if (!drain && m_tdata !== wanted[got % ROOM])
                $fatal(1, "phase %0d: beat %0d is %h, expected %h (%m)", phase, got, m_tdata, wanted[got % ROOM]);
            got      = got + 1;
            compared = compared + 1;
        end
    end

    task automatic want(input logic [DATA_W-1:0] data);
        wanted[put % ROOM] = data;
        put = put + 1;
    endtask

    // One beat; what is offered stays.
    task automatic beat(input logic [DEST_W-1:0] dest);
        logic taken;
        while (stalls && draw(3) == 0) @(negedge clock);
        s_tvalid = 1'b1;
        s_tdest  = dest;
        s_tdata  = DATA_W'({32'(draw(1 << 20)), 32'(draw(1 << 20))}) | DATA_W'(1);  // never zero
        taken    = 1'b0;
        while (!taken) begin
            #2;
            taken = s_tready;
            @(negedge clock);
        end
        s_tvalid = 1'b0;
    endtask

    // A run of so many beats, of which those within its frames come out.
    task automatic run(input logic [DEST_W-1:0] dest, input int length);
        for (int k = 0; k < length; k++) begin
            beat(dest);
            if (k < int'(frames) * BEATS) want(s_tdata);
        end
        for (int k = length; k < int'(frames) * BEATS; k++) want('0);
        shorts = shorts + int'(length < int'(frames) * BEATS);
        longs  = longs + int'(length > int'(frames) * BEATS);
        ends   = ends + int'(frames);
    endtask

    task automatic settle;
        repeat (60) @(negedge clock);
        if (got != put) $fatal(1, "phase %0d: %0d beats of %0d (%m)", phase, got, put);
        if (seen_shorts != shorts) $fatal(1, "phase %0d: error_short %0d times, expected %0d (%m)", phase, seen_shorts, shorts);
        if (seen_longs != longs) $fatal(1, "phase %0d: error_long %0d times, expected %0d (%m)", phase, seen_longs, longs);
        if (seen_ends != ends) $fatal(1, "phase %0d: frame_done %0d times, expected %0d (%m)", phase, seen_ends, ends);
    endtask

    task automatic anew;
        put = 0; got = 0; shorts = 0; longs = 0; ends = 0;
        seen_shorts = 0; seen_longs = 0; seen_ends = 0;
    endtask

    // The rest of a run that was begun is discarded, and its surplus; a run that follows waits. A run that ends early has
    // ended when the next one begins.
    task automatic emptied(input logic [DEST_W-1:0] dest, input int rest, input int more, input bit held, input bit early);
        if (held) link_aresetn = 1'b0; else drain = 1'b1;
        if (!held) begin
            #2;
            if (drained != (rest == 0)) $fatal(1, "phase %0d: drained is %b (%m)", phase, drained);
            @(negedge clock);
        end
        for (int k = 0; k < (early ? rest - 1 : rest + more); k++) beat(dest);
        #2;
        if (!held && drained == early) $fatal(1, "phase %0d: drained is %b (%m)", phase, drained);
        // What is in the register goes on; then nothing more comes.
        stalls = 1'b0;
        repeat (4) @(negedge clock);
        silent   = 1'b1;
        s_tvalid = 1'b1;
        s_tdest  = dest ^ DEST_W'(3);
        s_tdata  = '1;
        repeat (5) begin
            #2;
            if (s_tready) $fatal(1, "phase %0d: a run begins while draining (%m)", phase);
            @(negedge clock);
        end
        if (!held && !drained) $fatal(1, "phase %0d: not drained by the next run (%m)", phase);
        s_tvalid     = 1'b0;
        link_aresetn = 1'b0;
        repeat (3) @(negedge clock);
        drain  = 1'b0;
        silent = 1'b0;
        repeat (3) @(negedge clock);
        link_aresetn = 1'b1;
        anew;
    endtask

    int length, began, number, taken_beats;
    initial begin
        done = 1'b0; compared = 0; seed = SEED; phase = 0; stalls = 1'b0; silent = 1'b0;
        aresetn = 1'b0; link_aresetn = 1'b0; drain = 1'b0; s_tvalid = 1'b0; s_tdata = '0; s_tdest = '0; frames = 16'd1;
        anew;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        link_aresetn = 1'b1;
        for (phase = 0; phase < PHASES; phase++) begin
            frames = 16'(1 + draw(4));
            stalls = phase % 3 != 0;
            repeat (3) @(negedge clock);
            if (phase % 3 == 0) begin
                // Nothing is wasted, whatever the number says.
                began = cycle;
                for (int k = 0; k < RUNS; k++) run(phase % 2 == 0 ? DEST_W'(0) : DEST_W'(1 + k % 2), int'(frames) * BEATS);
                if (cycle - began > RUNS * int'(frames) * BEATS + 1)
                    $fatal(1, "phase %0d: %0d cycles for %0d beats (%m)", phase, cycle - began, RUNS * int'(frames) * BEATS);
            end else begin
                for (int k = 0; k < RUNS; k++) begin
                    length = int'(frames) * BEATS;
                    number = 1 + k % 2;
                    case (draw(4))
                        0: if (length > 1 && k < RUNS - 1) length = 1 + draw(length - 1);
                        1: length = length + 1 + draw(2 * BEATS);
                        2: if (k < RUNS - 1) number = 0;
                        default: ;
                    endcase
                    run(DEST_W'(number), length);
                end
                run(DEST_W'(1 + RUNS % 2), int'(frames) * BEATS);
            end
            settle;
            // Then some beats of a run that is emptied, by draining or in reset; none in every fourth phase.
            length = int'(frames) * BEATS;
            taken_beats = phase % 4 == 0 ? 0 : draw(length);
            for (int k = 0; k < taken_beats; k++) begin
                beat(DEST_W'(3));
                want(s_tdata);
            end
            emptied(DEST_W'(3), taken_beats == 0 ? 0 : length - taken_beats,
                    taken_beats == 0 ? 0 : draw(3), phase % 8 == 5 && taken_beats != 0, taken_beats != 0 && phase % 5 == 2);
        end
        done = 1'b1;
    end
endmodule

module tb_axis_run_rx;
    localparam int N = 5;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_run_rx_case #(.DATA_W(8), .DEST_W(4), .BEATS(1), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_run_rx_case #(.DATA_W(13), .DEST_W(2), .BEATS(2), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_run_rx_case #(.DATA_W(32), .DEST_W(4), .BEATS(5), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_run_rx_case #(.DATA_W(64), .DEST_W(3), .BEATS(8), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_run_rx_case #(.DATA_W(512), .DEST_W(4), .BEATS(3), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
endmodule

`default_nettype wire
