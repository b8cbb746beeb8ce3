// SPDX-License-Identifier: BSD-3-Clause
//
// tb_accl_number - frames with numbers, some of which are left out, into puts that the bench takes as accl_gate does.
//
// Every frame leaves in a put of its own, with its number and its taint; a put without a frame comes only where the number has
// changed and the count is not 0, and it comes even if no frame follows. Phases: 0 no stalls, BEATS + 3 cycles a frame; 1 stalls of
// the source, 2 of the sink, 3 of both and frames left out; the reset between them may cut a put.
`default_nettype none

module accl_number_case #(
    parameter int BEATS = 1, DATA_W = 64, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int FRAMES = 120;   // of a phase
    localparam int PHASES = 4;

    logic              aresetn, known, taint, s_tvalid, m_tready, put_done;
    logic [31:0]       number;
    logic [DATA_W-1:0] s_tdata;
    wire               s_tready, m_tvalid, m_tlast, frame_done;
    wire  [DATA_W-1:0] m_tdata;
    wire               clock = aclk && !done;

    int   phase, frame, place, cycles, out_place, told, frames_out, frames_done, voids, skipped, quiet, began;
    logic told_known, void_put, over;
    logic [31:0] put_number, next, dice;   // next: number, a cycle ahead

    function automatic logic bad(input logic [31:0] which);
        bad = which % 5 == 3;
    endfunction
    function automatic logic [DATA_W-1:0] word(input logic [31:0] which, input int at);
        word = {DATA_W{1'b1}} ^ DATA_W'(which * 32'h9E3779B1) ^ DATA_W'(at * 32'h85EBCA77);
    endfunction
    function automatic int pick(input int below);
        dice = dice * 32'd1664525 + 32'd1013904223;
        pick = int'(dice >> 9) % below;
    endfunction

    wire fire = m_tvalid && m_tready;

    accl_number #(.BEATS(BEATS), .DATA_W(DATA_W)) u_dut (
        .aclk(clock), .aresetn(aresetn), .number(number), .number_known(known), .taint(taint),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .out_fire(fire), .out_void(m_tdata[32]), .out_last(m_tlast), .put_done(put_done), .frame_done(frame_done)
    );
    axis_checker #(.DATA_W(DATA_W + 1), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast, m_tdata}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    task automatic leave;
        logic [DATA_W-1:0] right;
        right = '0;
        if (m_tlast !== (out_place == BEATS + 1)) $fatal(1, "phase %0d: TLAST at beat %0d (%m)", phase, out_place);
        if (out_place == 0) begin
            void_put   = m_tdata[32];
            put_number = m_tdata[31:0];
            right      = DATA_W'({1'b1, void_put, put_number});
            if (void_put && (put_number[23:0] == '0 || (told_known && put_number == 32'(told))))
                $fatal(1, "phase %0d: a put without a frame tells nothing new (%m)", phase);
            if (!void_put && put_number !== number) $fatal(1, "phase %0d: %h in front of frame %h (%m)", phase, put_number, number);
            voids = voids + int'(void_put);
        end else if (out_place <= BEATS) begin
            if (!void_put) right = word(put_number, out_place - 1);
            if (s_tready !== !void_put) $fatal(1, "phase %0d: frame %h is not taken as it leaves (%m)", phase, number);
        end else begin
            right[0]   = void_put || !bad(put_number);
            told       = void_put ? int'(put_number) : int'(put_number) + 1;
            told_known = 1'b1;
            frames_out = frames_out + int'(!void_put);
        end
        if (m_tdata !== right) $fatal(1, "phase %0d: beat %0d is %h, not %h (%m)", phase, out_place, m_tdata, right);
        compared  = compared + 1;
        out_place = out_place == BEATS + 1 ? 0 : out_place + 1;
    endtask

    task automatic next_phase;
        phase = phase + 1;
        frame = 0; place = 0; cycles = 0; out_place = 0; told_known = 1'b0; frames_out = 0; frames_done = 0; quiet = 0; began = 0;
        aresetn <= 1'b0; known <= 1'b0; s_tvalid <= 1'b0; put_done <= 1'b0; m_tready <= 1'b0;
        number  <= {8'(phase), 24'(phase == 1 ? 7 : 0)};
    endtask

    initial begin
        done = 1'b0; compared = '0; dice = 32'(SEED); phase = -1; over = 1'b0; next = '0; voids = 0; skipped = 0; aresetn = 1'b0;
        known = 1'b0; taint = 1'b0; s_tvalid = 1'b0; m_tready = 1'b0; put_done = 1'b0; number = '0; s_tdata = '0;
    end
    always @(posedge clock) begin
        cycles = cycles + 1;
        if (phase < 0) next_phase;
        else if (aresetn) begin
            if (fire) leave;
            if (frame_done) frames_done = frames_done + 1;
            if (frames_done > frames_out) $fatal(1, "phase %0d: frame_done before a frame has left (%m)", phase);
            put_done <= fire && m_tlast;
            m_tready <= phase < 2 || pick(3) != 0;
            known    <= known || cycles > 12;
            if (began == 0 && m_tvalid) began = cycles;
            if (!fire) quiet = quiet + 1; else quiet = 0;

            next = number;
            if (s_tvalid && s_tready) begin
                s_tvalid <= 1'b0;
                place = place + 1;
                if (place == BEATS) begin
                    place = 0;
                    frame = frame + 1;
                    next  = number + 1;
                end
            end else if (!s_tvalid && place == 0 && known && phase == 3 && (frame < FRAMES ? pick(2) == 0 : quiet == 20 && !over)) begin
                over    = frame == FRAMES;
                next    = number + 32'(1 + pick(3));
                skipped = skipped + 1;
            end
            // The first frame comes with known, so that its put is the first; in phase 1 much later.
            if ((!s_tvalid || s_tready) && frame < FRAMES && known && (phase != 1 || cycles > 40)
                && (phase % 2 == 0 || pick(3) != 0)) begin
                s_tvalid <= 1'b1;
                s_tdata  <= word(next, place);
                taint    <= place == BEATS - 1 && bad(next);
            end
            number <= next;
            if (frame == FRAMES && quiet > 3 * BEATS + 40) begin
                if (frames_out != FRAMES || frames_done != FRAMES) $fatal(1, "phase %0d: %0d frames, %0d done (%m)", phase, frames_out, frames_done);
                if (32'(told) !== number) $fatal(1, "phase %0d: %h was told, and %h is next (%m)", phase, told, number);
                if (phase == 0 && cycles - quiet - began > FRAMES * (BEATS + 3)) $fatal(1, "%0d cycles for %0d frames (%m)", cycles - quiet - began, FRAMES);
                if (phase == PHASES - 1) begin
                    done <= 1'b1;
                    if (voids < 5 || skipped < 10) $fatal(1, "%0d puts without a frame, %0d gaps (%m)", voids, skipped);
                end
                next_phase;
            end
            if (quiet > 3000) $fatal(1, "phase %0d: nothing moves after %0d frames (%m)", phase, frames_out);
            // In the last phase a reset cuts a put.
            if (phase == 3 && cycles == 500 && m_tvalid) begin
                aresetn <= 1'b0;
                s_tvalid <= 1'b0; put_done <= 1'b0; known <= 1'b0;
                number <= number + 1;
                place = 0; out_place = 0; told_known = 1'b0; frame = 0; frames_out = 0; frames_done = 0;
            end
        end else begin
            if (cycles > 2 && cycles < 500 && (m_tvalid || s_tready)) $fatal(1, "phase %0d: a beat in reset (%m)", phase);
            aresetn <= cycles > 5;
        end
    end
endmodule

module tb_accl_number;
    localparam int N = 4;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    accl_number_case #(.SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    accl_number_case #(.BEATS(2), .DATA_W(34), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    accl_number_case #(.BEATS(5), .DATA_W(512), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    accl_number_case #(.BEATS(16), .DATA_W(40), .SEED(4)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
endmodule

`default_nettype wire
