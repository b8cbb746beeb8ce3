// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_told - puts through accl_frames and accl_told: of frames, without one, and such as accl_gate has filled with zeros.
//
// The source knows nothing of resets of the link and goes on. A frame of whose put no beat was taken in a reset comes out whole, with
// its number, and with a taint if its put was cut or says so; no other frame comes. What the block says of the least number that
// can follow is never too much, and right when all has come. Phases: 0 no stalls, BEATS + 3 cycles a frame; then stalls of the
// source, of the sink, of both; resets from the 4th on, with and without draining; the pin ends each.
`default_nettype none

module accl_told_case #(
    parameter int BEATS = 1, DATA_W = 64, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int PHASES = 12;
    localparam int PUTS   = 60;    // of a phase
    localparam int ROOM   = 256;   // a put is kept at its number
    localparam int PUT    = BEATS + 2;

    wire               clock = aclk && !done;
    logic              aresetn, link_aresetn, drain, s_tvalid, m_tready;
    logic [DATA_W-1:0] s_tdata;
    wire               s_tready, f_tvalid, f_tready, m_tvalid, drained, put_done, torn, frame_done, taint, mark_known;
    wire  [DATA_W-1:0] f_tdata, m_tdata;
    wire  [31:0]       number, mark;
    wire               dead = drain || !link_aresetn;

    accl_frames #(.BEATS(PUT), .DATA_W(DATA_W)) u_frames (
        .aclk(clock), .aresetn(aresetn), .link_aresetn(link_aresetn), .drain(drain), .drained(drained),
        .s_axis_tdata(s_tdata), .s_axis_tlast(1'b1), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(f_tdata), .m_axis_tvalid(f_tvalid), .m_axis_tready(f_tready), .frame_done(put_done), .torn(torn)
    );
    accl_told #(.BEATS(BEATS), .DATA_W(DATA_W)) u_dut (
        .aclk(clock), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .in_head(s_tdata[33:0]), .in_fire(s_tvalid && s_tready),
        .s_axis_tdata(f_tdata), .s_axis_tvalid(f_tvalid), .s_axis_tready(f_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done), .number(number), .taint(taint), .mark(mark), .mark_known(mark_known)
    );
    axis_checker #(.DATA_W(DATA_W + 32), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(link_aresetn), .axis_tdata({number, m_tdata}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    logic [31:0] dice;
    function automatic int pick(input int below);
        dice = dice * 32'd1664525 + 32'd1013904223;
        pick = int'(dice >> 9) % below;
    endfunction
    function automatic logic [DATA_W-1:0] word(input logic [31:0] which, input int at);
        word = {DATA_W{1'b1}} ^ DATA_W'(which * 32'h9E3779B1) ^ DATA_W'(at * 32'h85EBCA77);
    endfunction

    // Of each put that is owed, in order: its number, the beat from which on it is zeros, its taint.
    logic [31:0] number_of [0:ROOM-1];
    int          zeros_of  [0:ROOM-1];
    logic        taint_of  [0:ROOM-1];
    int   phase, cycles, first, sent, place, owed, got, out_place, pulses, seen, idle, left, resets, lost, tainted, voids;
    logic [31:0] next, least, now;        // of the source; that can follow what was taken; of the put under way
    logic [31:0] begun;                   // of the last put that began outside of a reset
    int   zeros, begun_zeros;             // beat from which on the put under way is zeros, and that one
    logic void_put, bad, touched, least_known;

    task automatic next_phase;
        phase = phase + 1;
        cycles = 0; first = -1; sent = 0; place = 0; owed = 0; got = 0; out_place = 0; pulses = 0; seen = 0; idle = 0; left = 0;
        touched = 1'b0; least_known = 1'b0; next = {8'(phase), 24'd0};
        aresetn <= 1'b0; link_aresetn <= 1'b0; drain <= 1'b0; s_tvalid <= 1'b0; m_tready <= 1'b0;
    endtask

    // A reset by CONTROL: draining, then 8 cycles of reset; or the reset alone.
    task automatic control;
        if (left > 0) begin
            left = left - 1;
            if (left == 8) link_aresetn <= 1'b0;
            if (left == 8) drain <= 1'b0;
            if (left == 0) link_aresetn <= 1'b1;
        end else if (phase >= 4 && sent < PUTS && pick(40) == 0) begin
            resets = resets + 1;
            left   = 8 + pick(3) * pick(12);
            drain  <= left > 8;
            if (left == 8) link_aresetn <= 1'b0;
        end
    endtask

    // The next put: of every 8 one has no frame, one is cut, one has a taint.
    task automatic choose;
        int kind;
        kind     = phase == 0 ? 7 : pick(8);
        void_put = kind == 0;
        next     = next + 32'(kind == 0 || (phase != 0 && pick(6) == 0) ? 1 + pick(3) : 0);
        now      = next;
        zeros    = kind == 1 ? pick(PUT) : PUT;
        bad      = kind == 2 || zeros < PUT;
        next     = next + 32'(!void_put);
    endtask
    function automatic logic [DATA_W-1:0] beat();
        beat = '0;
        if (place < zeros) begin
            if (place == 0)            beat[33:0] = {1'b1, void_put, now};
            else if (place == PUT - 1) beat[0]    = !bad;
            else if (!void_put)        beat       = word(now, place - 1);
        end
    endfunction

    task automatic taken;
        if (first < 0) first = cycles;
        if (dead) touched = 1'b1;
        if (place == 0 && !dead) begin
            begun       = now;
            begun_zeros = zeros;
        end
        if (place == PUT - 1) begin
            if (zeros > 0) least = now + 32'(!void_put);
            if (zeros > 0) least_known = 1'b1;
            if (!touched && !void_put && zeros > 0) begin
                number_of[owed % ROOM] = now;
                zeros_of[owed % ROOM]  = zeros;
                taint_of[owed % ROOM]  = bad;
                owed = owed + 1;
            end
            lost    = lost + int'(touched);
            voids   = voids + int'(void_put);
            touched = 1'b0;
            place   = 0;
            choose;
        end else place = place + 1;
    endtask

    // The last beat of a frame waits for its put's; the others may leave while the put still comes.
    task automatic leave;
        logic [DATA_W-1:0] right;
        int                until_at;
        if (out_place == 0 && mark_known && number < mark) $fatal(1, "phase %0d: frame %h below %h (%m)", phase, number, mark);
        until_at = got < owed ? zeros_of[got % ROOM] : begun_zeros;
        if (number !== (got < owed ? number_of[got % ROOM] : begun)) $fatal(1, "phase %0d: frame %h (%m)", phase, number);
        right = out_place + 1 < until_at ? word(number, out_place) : '0;
        if (m_tdata !== right) $fatal(1, "phase %0d: beat %0d of %h is %h, not %h (%m)", phase, out_place, number, m_tdata, right);
        compared  = compared + 1;
        out_place = out_place + 1;
        if (out_place == BEATS) begin
            if (got == owed) $fatal(1, "phase %0d: frame %h ends before its put (%m)", phase, number);
            if (taint !== taint_of[got % ROOM]) $fatal(1, "phase %0d: taint of frame %h is %b (%m)", phase, number, taint);
            tainted   = tainted + int'(taint);
            got       = got + 1;
            out_place = 0;
            pulses    = pulses + int'(link_aresetn);
        end
    endtask

    initial begin
        done = 1'b0; compared = 0; dice = 32'(SEED); phase = -1; resets = 0; lost = 0; tainted = 0; voids = 0; zeros = PUT; bad = 1'b0;
        void_put = 1'b0; now = '0; begun = '0; begun_zeros = PUT; least = '0; aresetn = 1'b0; link_aresetn = 1'b0; drain = 1'b0; s_tvalid = 1'b0; s_tdata = '0; m_tready = 1'b0;
    end

    always @(posedge clock) begin
        cycles = cycles + 1;
        if (phase < 0) begin
            next_phase;
            choose;
        end else if (aresetn) begin
            if (torn) $fatal(1, "torn (%m)");
            seen = seen + int'(frame_done);
            if (seen > pulses) $fatal(1, "phase %0d: a pulse too many (%m)", phase);
            if (dead && place != 0) touched = 1'b1;
            idle = idle + 1;
            if (m_tvalid && m_tready) begin
                leave;
                idle = 0;
            end
            if (s_tvalid && s_tready) begin
                taken;
                idle = 0;
            end
            // A reset drops what waits.
            if (!link_aresetn) begin
                got       = owed;
                out_place = 0;
                pulses    = seen;
            end
            control;
            if (!s_tvalid || s_tready) begin
                if (s_tvalid && place == 0) sent = sent + 1;
                s_tvalid <= 1'b0;
                if (sent < PUTS && (phase % 4 == 0 || phase % 4 == 2 || pick(3) != 0)) begin
                    s_tvalid <= 1'b1;
                    s_tdata  <= beat();
                end
            end
            m_tready <= phase % 4 == 0 || phase % 4 == 1 || pick(3) != 0;

            if (idle > 200) $fatal(1, "phase %0d: nothing moves after %0d puts (%m)", phase, sent);
            if (sent == PUTS && idle > 30 && left == 0) begin
                if (got != owed) $fatal(1, "phase %0d: %0d frames of %0d (%m)", phase, got, owed);
                if (seen != pulses) $fatal(1, "phase %0d: frame_done %0d times of %0d (%m)", phase, seen, pulses);
                if (mark_known !== least_known || (least_known && mark !== least))
                    $fatal(1, "phase %0d: %h is least, not %h (%m)", phase, mark, least);
                if (phase == 0 && cycles - idle - first > PUTS * (BEATS + 3)) $fatal(1, "%0d puts took %0d cycles (%m)", PUTS, cycles - idle - first);
                if (phase == PHASES) begin
                    done <= 1'b1;
                    if (resets < 20 || lost < 20 || tainted < 60 || voids < 40)
                        $fatal(1, "%0d resets, %0d puts lost, %0d frames with a taint, %0d voids (%m)", resets, lost, tainted, voids);
                end
                next_phase;
                choose;
            end
        end else begin
            if (cycles > 2 && (m_tvalid || s_tready || mark_known)) $fatal(1, "phase %0d: a beat in reset (%m)", phase);
            if (cycles == 4) begin
                aresetn      <= 1'b1;
                link_aresetn <= 1'b1;
            end
        end
    end
endmodule

module tb_accl_told;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    accl_told_case #(.SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    accl_told_case #(.BEATS(2), .DATA_W(34), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    accl_told_case #(.BEATS(5), .DATA_W(512), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    accl_told_case #(.BEATS(16), .DATA_W(40), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
