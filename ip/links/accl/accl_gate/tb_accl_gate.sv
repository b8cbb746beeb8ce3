// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_gate - accl_gate passes whole frames, each with a grant of its own, whatever drain and reset do meanwhile.
//
// The bench grants as accl_command does: it chooses when there is a request, grants some cycles later and takes both back
// when the last beat has been taken, or some cycles later. A drain, or a reset of the link, strikes before the grant, in the frame, behind it, or between two puts; in
// every third phase nothing does, neither side stalls, and no cycle is wasted inside a frame.
`default_nettype none

module accl_gate_case #(
    parameter int DATA_W = 8, BEATS = 1, PUTS = 300, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    logic              aresetn, link_aresetn, drain, chosen, grant, s_tvalid, m_tready;
    logic [DATA_W-1:0] s_tdata;
    wire               request, drained, s_tready, m_tlast, m_tvalid, frame_done;
    wire  [DATA_W-1:0] m_tdata;
    wire               clock = aclk && !done;
    wire               dead  = drain || !link_aresetn;

    accl_gate #(.DATA_W(DATA_W), .BEATS(BEATS)) u_dut (
        .aclk(clock), .aresetn(aresetn), .link_aresetn(link_aresetn), .drain(drain), .drained(drained),
        .request(request), .chosen(chosen), .grant(grant),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done)
    );

    // By aresetn alone: what was offered is never withdrawn.
    axis_checker #(.DATA_W(DATA_W + 1), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast, m_tdata}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    int   seed, cycle;
    logic stalls;

    function automatic int draw(input int below);
        seed = seed * 32'd1664525 + 32'd1013904223;
        draw = int'((32'(seed) >> 8) % 32'(below));
    endfunction

    // ---- a source that is never zero; dead, it restarts with the next frame
    int in_at, frames, taken;
    function automatic logic [DATA_W-1:0] beat_of(input int frame, input int at);
        beat_of = DATA_W'(32'(frame) * 32'h9E3779B1 + 32'(at) * 32'h85EBCA6B) | DATA_W'(1);
    endfunction
    logic ended;  // the beat that was taken was the last of a frame
    initial begin
        in_at = 0; frames = 0; taken = 0; s_tvalid = 1'b0; s_tdata = '0; ended = 1'b0;
    end
    always @(posedge clock) begin
        if (frame_done !== ended && aresetn) $fatal(1, "frame_done is %b (%m)", frame_done);
        ended = s_tvalid && s_tready && in_at == BEATS - 1;
        if (s_tvalid && s_tready) begin
            if (dead) $fatal(1, "a beat is taken in a drain or reset (%m)");
            if (!grant) $fatal(1, "a beat is taken without a grant (%m)");
            taken = taken + 1;
            in_at = in_at == BEATS - 1 ? 0 : in_at + 1;
            frames = frames + int'(in_at == 0);
            #1 s_tvalid = 1'b0;
        end
    end
    always @(negedge clock) begin
        if (dead) begin
            if (in_at != 0) frames = frames + 1;
            in_at = 0;
        end
        if (!link_aresetn) s_tvalid = 1'b0;
        else if (!s_tvalid && (!stalls || draw(3) != 0)) s_tvalid = 1'b1;
        s_tdata = beat_of(frames, in_at);
    end

    // ---- what leaves: frames of BEATS beats, zeros only behind a drain or reset that found the frame chosen
    int   out_at, given, real_beats, filled, frame, came;
    logic struck, zeros;
    initial begin
        cycle = 0; out_at = 0; given = 0; real_beats = 0; filled = 0; frame = -1; came = 0; struck = 1'b0; zeros = 1'b0;
        m_tready = 1'b0; compared = 0;
    end
    always @(negedge clock) begin
        cycle = cycle + 1;
        m_tready = !stalls || draw(3) != 0;
    end
    always @(posedge clock) begin
        if (chosen && dead) struck = 1'b1;
        if (aresetn && m_tvalid && !chosen) $fatal(1, "a beat without a put (%m)");
        if (m_tvalid && m_tready) begin
            if (m_tlast !== (out_at == BEATS - 1)) $fatal(1, "tlast is %b on beat %0d (%m)", m_tlast, out_at);
            if (m_tdata == '0) begin
                if (!struck) $fatal(1, "zeros, and nothing has happened (%m)");
                zeros = 1'b1;
            end else begin
                if (zeros) $fatal(1, "a beat behind the zeros (%m)");
                if (out_at == 0) begin
                    frame = frame + 1;
                    while (frame < frames && m_tdata !== beat_of(frame, 0)) frame = frame + 1;
                end
                if (m_tdata !== beat_of(frame, out_at))
                    $fatal(1, "beat %0d of frame %0d is %h, expected %h (%m)", out_at, frame, m_tdata, beat_of(frame, out_at));
                real_beats = real_beats + 1;
            end
            compared = compared + 1;
            out_at   = out_at + 1;
            if (out_at == BEATS) begin
                out_at = 0;
                filled = filled + int'(zeros);
                zeros  = 1'b0;
                came   = came + 1;
            end
        end
    end

    task automatic reset_link(input int cycles);
        link_aresetn = 1'b0;
        repeat (cycles) @(negedge clock);
        link_aresetn = 1'b1;
    endtask

    // One put; `when`: 0 nothing, 1 strike before the grant, 2 in the frame, 3 behind it. `late` ends before the grant.
    int wait_cycles, began, had;
    task automatic put(input int when, input bit held);
        wait_cycles = 0;
        while (!request) begin
            if (wait_cycles > 50) $fatal(1, "no request (%m)");
            wait_cycles = wait_cycles + 1;
            @(negedge clock);
            #1;
        end
        @(negedge clock);
        struck = 1'b0;
        chosen = 1'b1;
        had    = real_beats;
        repeat (draw(5)) @(negedge clock);
        if (when == 1) begin
            if (held) reset_link(1 + draw(3));
            else drain = 1'b1;
        end
        repeat (draw(4)) @(negedge clock);
        grant = 1'b1;
        given = given + 1;
        began = cycle;
        if (when == 2) begin
            repeat (draw(BEATS + 2)) @(negedge clock);
            // Also when the frame has just gone.
            if (held) reset_link(1 + draw(3));
            else drain = 1'b1;
        end
        wait_cycles = 0;
        while (came != given) begin
            if (wait_cycles > 20 * BEATS + 50) $fatal(1, "the frame does not go (%m)");
            if (drained) $fatal(1, "drained in a put (%m)");
            wait_cycles = wait_cycles + 1;
            @(negedge clock);
        end
        if (when == 0 && !stalls && cycle - began > BEATS + 2)
            $fatal(1, "%0d cycles for %0d beats (%m)", cycle - began, BEATS);
        if (when == 1 && real_beats != had) $fatal(1, "beats of another frame than that of the command (%m)");
        // Behind an arbiter the last beat is taken later.
        if (stalls) repeat (draw(3)) @(negedge clock);
        grant  = 1'b0;
        chosen = 1'b0;
        if (came != given) $fatal(1, "%0d frames for %0d grants (%m)", came, given);
        if (when == 3 && held) reset_link(1);
        if (when == 3 && !held) drain = 1'b1;
        if (drain) begin
            #1;
            repeat (3) begin
                if (!drained || request) $fatal(1, "not drained (%m)");
                @(negedge clock);
                #1;
            end
            link_aresetn = 1'b0;
            repeat (2) @(negedge clock);
            drain        = 1'b0;
            link_aresetn = 1'b1;
        end
    endtask

    initial begin
        done = 1'b0; seed = SEED; stalls = 1'b0; aresetn = 1'b0; link_aresetn = 1'b0; drain = 1'b0;
        chosen = 1'b0; grant = 1'b0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        link_aresetn = 1'b1;
        repeat (8) @(negedge clock);
        if (s_tready || m_tvalid || taken != 0) $fatal(1, "something passes without a grant (%m)");
        for (int k = 0; k < PUTS; k++) begin
            stalls = k % 3 != 0;
            put(k % 3 == 0 ? 0 : draw(4), draw(2) == 1);
            if (draw(2) == 1) repeat (draw(6)) @(negedge clock);
        end
        if (real_beats != taken) $fatal(1, "%0d of %0d beats have come (%m)", real_beats, taken);
        if (filled < PUTS / 16) $fatal(1, "only %0d frames were filled (%m)", filled);
        done = 1'b1;
    end
endmodule

module tb_accl_gate;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    accl_gate_case #(.DATA_W(32), .BEATS(1), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    accl_gate_case #(.DATA_W(32), .BEATS(2), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    accl_gate_case #(.DATA_W(40), .BEATS(5), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    accl_gate_case #(.DATA_W(512), .BEATS(9), .PUTS(90), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
