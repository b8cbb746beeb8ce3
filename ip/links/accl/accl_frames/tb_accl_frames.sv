// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_frames - frames through accl_frames, with TLAST anywhere inside, while its link is drained, held in reset, and neither.
//
// The source knows nothing of resets and goes on. A frame of which no beat was taken while the block drained or was held
// comes out whole; of one that was cut nothing comes any more, nor of one that began meanwhile. In every phase with an
// odd number some frames end without TLAST. Phases: 0 no stalls and no resets, every cycle used; then stalls of the source, of
// the sink, of both; from the 4th on resets by CONTROL, some without draining; the pin ends each.
`default_nettype none

module accl_frames_case #(
    parameter int BEATS = 1, DATA_W = 32, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int PHASES = 16;
    localparam int SENT   = 160;   // beats of a phase, at least
    localparam int ROOM   = 1024;

    wire               clock = aclk && !done;
    logic              aresetn, link_aresetn, drain, s_tlast, s_tvalid, m_tready;
    logic [DATA_W-1:0] s_tdata;
    wire               s_tready, m_tvalid, drained, frame_done, torn;
    wire  [DATA_W-1:0] m_tdata;
    wire               dead = drain || !link_aresetn;

    accl_frames #(.BEATS(BEATS), .DATA_W(DATA_W)) u_dut (
        .aclk(clock), .aresetn(aresetn), .link_aresetn(link_aresetn), .drain(drain), .drained(drained),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done), .torn(torn)
    );
    axis_checker #(.DATA_W(DATA_W), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(link_aresetn), .axis_tdata(m_tdata), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    logic [31:0] dice;
    function automatic int pick(input int below);
        dice = dice * 32'd1664525 + 32'd1013904223;
        pick = int'(dice >> 9) % below;
    endfunction

    logic [DATA_W-1:0] store [0:ROOM-1];
    int   phase, cycles, first, sent, taken, place, put, got, out_place, torns, seen_torns, ends, seen_ends;
    int   idle, left, resets, whole, cut_frames;
    logic touched;

    task automatic next_phase;
        phase = phase + 1;
        cycles = 0; first = -1; sent = 0; taken = 0; place = 0; put = 0; got = 0; out_place = 0;
        torns = 0; seen_torns = 0; ends = 0; seen_ends = 0; idle = 0; left = 0; touched = 1'b0;
        aresetn <= 1'b0; link_aresetn <= 1'b0; drain <= 1'b0; s_tvalid <= 1'b0; m_tready <= 1'b0;
    endtask

    // A reset by CONTROL: draining, then 8 cycles of reset; or the reset alone.
    task automatic control;
        if (left > 0) begin
            left = left - 1;
            if (left == 8) link_aresetn <= 1'b0;
            if (left == 8) drain <= 1'b0;
            if (left == 0) link_aresetn <= 1'b1;
        end else if (phase >= 4 && sent < SENT && pick(50) == 0) begin
            resets = resets + 1;
            left   = 8 + pick(3) * pick(12);
            drain  <= left > 8;
            if (left == 8) link_aresetn <= 1'b0;
        end
    endtask

    initial begin
        done = 1'b0; compared = 0; dice = 32'(SEED); phase = -1; resets = 0; whole = 0; cut_frames = 0;
        aresetn = 1'b0; link_aresetn = 1'b0; drain = 1'b0; s_tvalid = 1'b0; s_tlast = 1'b0; s_tdata = '0; m_tready = 1'b0;
    end

    always @(posedge clock) begin
        cycles = cycles + 1;
        if (phase < 0) next_phase;
        else if (aresetn) begin
            if (drained !== drain) $fatal(1, "phase %0d: drained is %b (%m)", phase, drained);
            if (dead && cycles > 5 && !s_tready) $fatal(1, "phase %0d: not ready in a reset (%m)", phase);
            seen_torns = seen_torns + int'(torn);
            seen_ends  = seen_ends + int'(frame_done);
            if (seen_torns > torns || seen_ends > ends) $fatal(1, "phase %0d: a pulse too many (%m)", phase);
            if (m_tvalid && m_tready) begin
                if (got == put) $fatal(1, "phase %0d: a beat that is not owed (%m)", phase);
                if (m_tdata !== store[got % ROOM]) $fatal(1, "phase %0d: beat %0d is %h, not %h (%m)", phase, got, m_tdata, store[got % ROOM]);
                got       = got + 1;
                compared  = compared + 1;
                out_place = out_place == BEATS - 1 ? 0 : out_place + 1;
                if (out_place == 0) ends = ends + int'(link_aresetn);
                idle = 0;
            end
            // What comes in; a frame is spoilt by any cycle of a reset between its first beat and its last.
            if (dead && place != 0) touched = 1'b1;
            if (s_tvalid && s_tready) begin
                if (dead) touched = 1'b1;
                if (!touched) begin
                    store[put % ROOM] = s_tdata;
                    put = put + 1;
                end
                taken = taken + 1;
                if (first < 0) first = cycles;
                if (phase == 0 && taken == SENT && cycles - first != SENT - 1) $fatal(1, "%0d beats took %0d cycles (%m)", SENT, cycles - first + 1);
                idle = 0;
                if (place == BEATS - 1) begin
                    torns      = torns + int'(!s_tlast);
                    cut_frames = cut_frames + int'(touched);
                    whole      = whole + int'(!touched);
                    touched    = 1'b0;
                    place      = 0;
                end else place = place + 1;
            end
            // A reset drops waiting beats, and frames restart at the output.
            if (!link_aresetn) begin
                got       = put;
                out_place = 0;
                ends      = seen_ends;
            end
            control;

            if (!s_tvalid || s_tready) begin
                s_tvalid <= 1'b0;
                if ((sent < SENT || sent % BEATS != 0) && (phase % 4 == 0 || phase % 4 == 2 || pick(3) != 0)) begin
                    s_tvalid <= 1'b1;
                    s_tdata <= DATA_W'(pick(1 << 20));
                    sent = sent + 1;
                    s_tlast <= sent % BEATS == 0 ? !(phase % 2 == 1 && pick(4) == 0) : pick(3) == 0;
                end
            end
            m_tready <= phase % 4 == 0 || phase % 4 == 1 || pick(3) != 0;

            idle = idle + 1;
            if (idle > 200) $fatal(1, "phase %0d: nothing moves after %0d beats (%m)", phase, taken);
            if (sent >= SENT && sent % BEATS == 0 && !s_tvalid && idle > 30 && left == 0) begin
                if (got != put || taken != sent) $fatal(1, "phase %0d: %0d beats of %0d (%m)", phase, got, put);
                if (seen_torns != torns) $fatal(1, "phase %0d: torn %0d times of %0d (%m)", phase, seen_torns, torns);
                if (seen_ends != ends) $fatal(1, "phase %0d: frame_done %0d times of %0d (%m)", phase, seen_ends, ends);
                if (out_place != 0) $fatal(1, "phase %0d: the last frame is no whole one (%m)", phase);
                if (phase % 2 == 1 && phase < 4 && torns == 0 && BEATS < 10) $fatal(1, "phase %0d: nothing torn (%m)", phase);
                if (phase == PHASES) begin
                    done <= 1'b1;
                    if (resets < 15 || cut_frames < 12 || whole < 100 / BEATS)
                        $fatal(1, "%0d resets, %0d frames cut, %0d whole mean nothing (%m)", resets, cut_frames, whole);
                end
                next_phase;
            end
        end else begin
            if (cycles > 2 && (m_tvalid || s_tready)) $fatal(1, "phase %0d: a beat in reset (%m)", phase);
            if (cycles == 4) begin
                aresetn      <= 1'b1;
                link_aresetn <= 1'b1;
            end
        end
    end
endmodule

module tb_accl_frames;
    localparam int N = 5;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    accl_frames_case #(.BEATS(1), .DATA_W(8), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    accl_frames_case #(.BEATS(2), .DATA_W(16), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    accl_frames_case #(.BEATS(5), .DATA_W(32), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    accl_frames_case #(.BEATS(16), .DATA_W(9), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    accl_frames_case #(.BEATS(33), .DATA_W(20), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
endmodule

`default_nettype wire
