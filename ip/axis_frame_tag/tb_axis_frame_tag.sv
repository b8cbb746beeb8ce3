// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_frame_tag - frames through axis_frame_tag, a FIFO beside a FIFO of their tags, and axis_frame_label: numbers and
// taints come out as they went in, whatever stalls; what is said of the next frame holds. ORIGIN: each reset begins an epoch.
`default_nettype none

module axis_frame_tag_case #(
    parameter int BEATS = 3, ORIGIN = 0, GAP = 6, STALL = 6, DEPTH = 8, FRAMES = 200, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    logic        aresetn, s_tvalid, taint, m_tready, mark_known;
    logic [31:0] number, mark, s_data, dice;
    wire  [31:0] now, m_number, f_data, m_data;
    wire         s_tready, t_tvalid, t_tready, f_tvalid, f_tready, m_tvalid, known, m_taint, passed, marked;
    wire         a_tvalid, a_tready, b_tvalid, b_tready;
    wire  [34:0] a_tdata, b_tdata;

    axis_frame_tag #(.BEATS(BEATS), .ORIGIN(ORIGIN != 0)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .number(number), .taint(taint), .mark(mark), .mark_known(mark_known),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready), .m_axis_tvalid(t_tvalid), .m_axis_tready(t_tready), .now(now),
        .m_tag_tdata(a_tdata), .m_tag_tvalid(a_tvalid), .m_tag_tready(a_tready)
    );
    axis_fifo #(.DATA_W(35), .DEPTH(4)) u_tags (
        .aclk(aclk), .aresetn(aresetn), .s_axis_tdata(a_tdata), .s_axis_tvalid(a_tvalid), .s_axis_tready(a_tready),
        .m_axis_tdata(b_tdata), .m_axis_tvalid(b_tvalid), .m_axis_tready(b_tready), .level()
    );
    axis_fifo #(.DATA_W(32), .DEPTH(DEPTH)) u_beats (
        .aclk(aclk), .aresetn(aresetn), .s_axis_tdata(s_data), .s_axis_tvalid(t_tvalid), .s_axis_tready(t_tready),
        .m_axis_tdata(f_data), .m_axis_tvalid(f_tvalid), .m_axis_tready(f_tready), .level()
    );
    axis_frame_label #(.BEATS(BEATS)) u_label (
        .aclk(aclk), .aresetn(aresetn), .epoch(8'd0),
        .s_tag_tdata(b_tdata), .s_tag_tvalid(b_tvalid), .s_tag_tready(b_tready),
        .s_axis_tvalid(f_tvalid), .s_axis_tready(f_tready), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .number(m_number), .number_known(known), .taint(m_taint), .passed(passed), .marked(marked)
    );
    axis_checker #(.DATA_W(35), .NAME("m_tag")) u_check (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata(a_tdata), .axis_tvalid(a_tvalid), .axis_tready(a_tready)
    );
    axis_checker #(.DATA_W(66), .NAME("m_axis")) u_check_m (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({m_taint, known, m_number, f_data}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );
    assign m_data = f_data;

    // Frame k has the number {3, 7 + 2k}, or of an origin {epoch, k}; its taint follows from k.
    function automatic logic [31:0] numbered(input int k, input int epoch);
        numbered = ORIGIN != 0 ? {8'(epoch), 24'(k)} : {8'd3, 24'(24'hFFFFF7 + 2 * k)};
    endfunction
    function automatic logic bad(input int k);
        bad = (k * 37 + SEED) % 5 == 0;
    endfunction
    int  in_frame, in_beat, out_frame, out_beat, resets, cycles, told, past;
    logic fire;

    always @(posedge aclk) begin
        dice   = {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]};
        cycles = cycles + 1;
        fire   = s_tvalid && s_tready;
        m_tready <= int'(dice[27:24]) >= STALL;
        aresetn  <= cycles > 4;
        if (!aresetn) begin
            in_frame = 0; in_beat = 0; out_frame = 0; out_beat = 0; past = 0;
            s_tvalid <= 1'b0; taint <= 1'b0; mark_known <= 1'b0;
            if (cycles == 3) resets = resets + 1;
        end else begin
            if (fire) begin
                in_beat = in_beat + 1;
                if (in_beat == BEATS) begin in_beat = 0; in_frame = in_frame + 1; end
            end
            if (!s_tvalid || fire) begin
                // A pause now and then is long enough for a tag of its own.
                if (dice[9:0] == 10'd5 && in_beat == 0) past = 40;
                else if (past > 0) past = past - 1;
                s_tvalid <= in_frame < FRAMES && int'(dice[3:0]) >= GAP && past == 0;
                number   <= numbered(in_frame, resets);
                s_data   <= 32'(in_frame * BEATS + in_beat);
                taint    <= in_frame < FRAMES && int'(dice[3:0]) >= GAP && past == 0 && bad(in_frame)
                            && in_beat == (ORIGIN != 0 ? 0 : BEATS - 1);
                mark       <= numbered(in_frame, resets);
                mark_known <= dice[12];
            end else taint <= taint && ORIGIN == 0;  // once

            if (ORIGIN == 0 && now !== '0) $fatal(1, "now is %h (%m)", now);
            if (known && out_beat == 0 && !m_tvalid && m_number !== 'x)
                if (24'(numbered(out_frame, resets) - m_number) >= 24'h800000)
                    $fatal(1, "the next frame is said to be %h, and it is %h (%m)", m_number, numbered(out_frame, resets));
            if (known && out_frame == FRAMES && m_number == numbered(FRAMES, resets)) told = 1;
            if (m_tvalid && m_tready) begin
                if (m_data !== 32'(out_frame * BEATS + out_beat)) $fatal(1, "beat %0d of frame %0d (%m)", out_beat, out_frame);
                if (!known || m_number !== numbered(out_frame, resets)) $fatal(1, "frame %0d has %h (%m)", out_frame, m_number);
                if (m_taint !== (out_beat == BEATS - 1 && bad(out_frame)))
                    $fatal(1, "beat %0d of frame %0d: taint %b (%m)", out_beat, out_frame, m_taint);
                compared = compared + 1;
                out_beat = out_beat + 1;
            end
            if (passed !== (m_tvalid && m_tready && out_beat == BEATS) || marked !== (passed && m_taint))
                $fatal(1, "passed is %b, marked %b (%m)", passed, marked);
            if (out_beat == BEATS) begin out_beat = 0; out_frame = out_frame + 1; end
            // Twice, with a reset in mid-frame between.
            if (resets == 1 && out_frame == FRAMES / 2) begin cycles = 0; aresetn <= 1'b0; end
            if (resets == 2 && out_frame == FRAMES && told == 1) done <= 1'b1;
            if (cycles > 400 * FRAMES) $fatal(1, "stuck in frame %0d of %0d, told %0d (%m)", out_frame, FRAMES, told);
        end
    end

    initial begin
        done = 1'b0; compared = '0; aresetn = 1'b0; s_tvalid = 1'b0; taint = 1'b0; m_tready = 1'b0; mark_known = 1'b0;
        number = '0; mark = '0; s_data = '0; dice = 32'(SEED) * 32'h9E3779B1 | 32'd1;
        in_frame = 0; in_beat = 0; out_frame = 0; out_beat = 0; resets = 0; cycles = 0; told = 0; past = 0;
    end
endmodule

module tb_axis_frame_tag;
    localparam int N = 5;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_frame_tag_case #(.SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_frame_tag_case #(.BEATS(1), .GAP(0), .STALL(3), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_frame_tag_case #(.BEATS(2), .ORIGIN(1), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_frame_tag_case #(.BEATS(1), .ORIGIN(1), .GAP(3), .STALL(0), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_frame_tag_case #(.BEATS(7), .GAP(0), .STALL(0), .DEPTH(2), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
endmodule

`default_nettype wire
