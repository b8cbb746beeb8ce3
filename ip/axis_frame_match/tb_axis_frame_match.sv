// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_frame_match - N streams of numbered frames, of which any may be missing or tainted, through axis_frame_tag, FIFOs of
// tags and axis_frame_match: what meets has one number, nothing is left out, what is made up is zero and tainted.
//
// Each input goes on to a second epoch at a frame of its own. Frames of the first one that others still have may then be
// discarded; all that every input had reached, and all of the second, must come.
//
// ANY: each frame is at one input, by turns with exceptions, and none is made up. OUT: input 0 is silent, and the mask says so.
`default_nettype none

module axis_frame_match_case #(
    parameter int N = 2, LOSS = 4, GAP = 4, STALL = 4, FRAMES = 120, SEED = 1, ANY = 0, OUT = 0,
    parameter logic [N*32-1:0] WORDS = {N{32'd3}}
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    logic           aresetn;
    logic [31:0]    dice;
    logic [N-1:0]   s_tvalid, t_taint, mark_known, m_tready;
    logic [N*32-1:0] number, mark;
    logic [N*32-1:0] offered;             // word of the frame
    wire  [N-1:0]   s_tready, t_tvalid, t_tready, m_tvalid, m_tlast, zero;
    wire  [N-1:0]   a_tvalid, a_tready, b_tvalid, b_tready;
    wire  [N*35-1:0] a_tdata, b_tdata;
    wire  [34:0]    tag;
    wire            tag_valid;
    logic           tag_ready;

    // Places of the list of all frames: FRAMES of the first epoch, then FRAMES of the second.
    function automatic logic [31:0] mix(input logic [31:0] a, input logic [31:0] b);
        mix = (a * 32'h9E3779B1) ^ (b * 32'h85EBCA77) ^ (32'(SEED) * 32'hC2B2AE3D);
        mix = (mix ^ mix >> 15) * 32'h2C1B3C6D;
        mix = mix ^ mix >> 13;
    endfunction
    function automatic int owner(input int place);   // ANY: the input that has a frame
        owner = OUT + int'((mix(32'(place), 32'd55) % 8 == 0 ? mix(32'(place), 32'd56) : 32'(place)) % 32'(N - OUT));
    endfunction
    function automatic int until_(input int i);   // frames of the first epoch that an input has
        until_ = FRAMES - 20 + int'(mix(32'(i), 32'd77) % 20);
    endfunction
    function automatic logic has(input int i, input int place);
        has = (LOSS == 0 || int'(mix(32'(place), 32'(i)) % 32) >= LOSS)
              && (LOSS == 0 || int'(mix(32'(place / 4), 32'(i + 50)) % 16) != 0)   // four in a row
              && (place >= FRAMES || place < until_(i)) && (ANY == 0 || i == owner(place)) && i >= OUT;
    endfunction
    function automatic logic bad(input int i, input int place);
        bad = mix(32'(place), 32'(i + 100)) % 8 == 0;
    endfunction
    function automatic logic [31:0] numbered(input int place);
        numbered = place < FRAMES ? {8'd254, 24'(place + 24'hFFFFC0)} : {8'd255, 24'(place - FRAMES)};
    endfunction
    function automatic int place_of(input logic [31:0] value);
        place_of = value[31:24] == 8'd254 ? int'(24'(value[23:0] - 24'hFFFFC0)) : FRAMES + int'(value[23:0]);
    endfunction

    int least;
    initial begin
        least = FRAMES;
        for (int i = OUT; i < N; i++) if (until_(i) < least) least = until_(i);
    end

    generate
        for (genvar i = 0; i < N; i++) begin : g_lane
            int place, word;      // next frame, next word of it
            localparam int LONG = int'(WORDS[32*i +: 32]);
            axis_frame_tag #(.BEATS(LONG)) u_tag (
                .aclk(aclk), .aresetn(aresetn), .number(number[32*i +: 32]), .taint(t_taint[i]),
                .mark(mark[32*i +: 32]), .mark_known(mark_known[i]),
                .s_axis_tvalid(s_tvalid[i]), .s_axis_tready(s_tready[i]),
                .m_axis_tvalid(t_tvalid[i]), .m_axis_tready(t_tready[i]), .now(),
                .m_tag_tdata(a_tdata[35*i +: 35]), .m_tag_tvalid(a_tvalid[i]), .m_tag_tready(a_tready[i])
            );
            axis_fifo #(.DATA_W(35), .DEPTH(8)) u_tags (
                .aclk(aclk), .aresetn(aresetn),
                .s_axis_tdata(a_tdata[35*i +: 35]), .s_axis_tvalid(a_tvalid[i]), .s_axis_tready(a_tready[i]),
                .m_axis_tdata(b_tdata[35*i +: 35]), .m_axis_tvalid(b_tvalid[i]), .m_axis_tready(b_tready[i]), .level()
            );
            wire [31:0] luck = mix(dice, 32'(i + 1000));
            always @(posedge aclk) begin
                if (!aresetn) begin
                    place = 0; word = 0;
                    s_tvalid[i] <= 1'b0; mark_known[i] <= 1'b0; t_taint[i] <= 1'b0;
                end else begin
                    if (s_tvalid[i] && s_tready[i]) begin
                        word = word + 1;
                        if (word == LONG) begin word = 0; place = place + 1; end
                    end
                    while (place < 2 * FRAMES && !has(i, place)) place = place + 1;
                    if (!s_tvalid[i] || s_tready[i]) begin
                        s_tvalid[i] <= place < 2 * FRAMES && int'(luck[3:0]) >= GAP;
                        number[32*i +: 32] <= numbered(place);
                        offered[32*i +: 32] <= 32'(word);
                        t_taint[i] <= place < 2 * FRAMES && word == LONG - 1 && bad(i, place) && int'(luck[3:0]) >= GAP;
                    end
                    if (word == 0 && luck[9:4] == 6'd0 && i >= OUT) begin
                        mark[32*i +: 32] <= numbered(place);
                        mark_known[i]    <= 1'b1;
                    end
                end
            end

            // What leaves, by the frame that the block says is under way.
            int at, now;
            always @(posedge aclk)
                if (!aresetn) at = 0;
                else if (m_tvalid[i] && m_tready[i]) begin
                    now = place_of(u_dut.number_run_q);
                    if (m_tlast[i] !== (at == LONG - 1)) $fatal(1, "input %0d: tlast at word %0d (%m)", i, at);
                    if (zero[i] === has(i, now)) $fatal(1, "input %0d: frame %0d, made up is %b (%m)", i, now, zero[i]);
                    if (!zero[i] && (place_of(number[32*i +: 32]) != now || int'(offered[32*i +: 32]) != at || !s_tready[i]))
                        $fatal(1, "input %0d: word %0d of frame %0d, and it is in frame %0d (%m)", i,
                               offered[32*i +: 32], now, place_of(number[32*i +: 32]));
                    compared = compared + 1;
                    at = at == LONG - 1 ? 0 : at + 1;
                end
        end
    endgenerate

    axis_frame_match #(.N(N), .WORDS(WORDS), .ANY(ANY != 0)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .mask({N{1'b1}} << OUT),
        .s_tag_tdata(b_tdata), .s_tag_tvalid(b_tvalid), .s_tag_tready(b_tready),
        .s_axis_tvalid(t_tvalid), .s_axis_tready(t_tready),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .m_axis_tlast(m_tlast), .zero(zero),
        .m_tag_tdata(tag), .m_tag_tvalid(tag_valid), .m_tag_tready(tag_ready)
    );
    axis_checker #(.DATA_W(35), .NAME("m_tag")) u_check (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata(tag), .axis_tvalid(tag_valid), .axis_tready(tag_ready)
    );
    generate
        for (genvar i = 0; i < N; i++) begin : g_check
            axis_checker #(.DATA_W(2), .NAME("m_axis")) u_check (
                .aclk(aclk), .aresetn(aresetn), .axis_tdata({m_tlast[i], zero[i]}), .axis_tvalid(m_tvalid[i]), .axis_tready(m_tready[i])
            );
        end
    endgenerate

    // ---- tags: every frame that must come, in order; taints; what is said of the next one holds
    int   next, place, cycles, told, whole, phase, marks;
    logic open, any, wrong;
    task begun(input int here);
        if (open || here < next) $fatal(1, "frame %0d begins after %0d (%m)", here, next - 1);
        for (int p = next; p < here; p++)
            for (int i = 0; i < N; i++)
                if (has(i, p) && (p < least || p >= FRAMES)) $fatal(1, "frame %0d is left out before %0d (%m)", p, here);
        any = 1'b0;
        wrong = 1'b0;
        for (int i = 0; i < N; i++) begin
            any   = any || has(i, here);
            wrong = wrong || (has(i, here) ? bad(i, here) : ANY == 0);
        end
        if (!any) $fatal(1, "frame %0d was never sent (%m)", here);
        open = 1'b1;
        next = here + 1;
    endtask
    always @(posedge aclk) begin
        dice   = dice * 32'd1664525 + 32'd1013904223;
        cycles = cycles + 1;
        for (int i = 0; i < N; i++) m_tready[i] <= int'(mix(dice, 32'(i + 2000)) % 16) >= STALL;
        tag_ready <= int'(mix(dice, 32'd3000) % 16) >= STALL;
        if (aresetn && tag_valid && tag_ready) begin
            case (tag[33:32])
                2'd0: begun(place_of(tag[31:0]));
                2'd1: begin
                    if (!open || tag[34] !== wrong) $fatal(1, "frame %0d ends, taint %b (%m)", next - 1, tag[34]);
                    open  = 1'b0;
                    whole = whole + 1;
                    compared = compared + 1;
                end
                2'd2: begin
                    for (int p = next; p < place_of(tag[31:0]); p++)
                        for (int i = 0; i < N; i++)
                            if (has(i, p) && (p < least || p >= FRAMES)) $fatal(1, "frame %0d is said not to come (%m)", p);
                    marks = marks + 1;
                    if (place_of(tag[31:0]) == 2 * FRAMES) told = 1;
                end
                default: $fatal(1, "a tag of kind 3 (%m)");
            endcase
        end
        // A reset in the middle, then all again.
        aresetn <= !(cycles < 4 || (phase == 0 && whole == FRAMES / 3));
        if (phase == 0 && whole == FRAMES / 3) begin
            phase = 1; whole = 0; next = 0; open = 1'b0; cycles = 0;
        end
        if (told == 1 && !done) begin
            done <= 1'b1;
        end
        if (cycles > 300 * FRAMES) $fatal(1, "stuck after frame %0d (%m)", next - 1);
    end

    initial begin
        done = 1'b0; compared = '0; aresetn = 1'b0; dice = 32'(SEED); s_tvalid = '0; t_taint = '0; mark_known = '0; m_tready = '0;
        number = '0; mark = '0; offered = '0; tag_ready = 1'b0; next = 0; cycles = 0; told = 0; whole = 0; phase = 0; marks = 0;
        open = 1'b0; any = 1'b0; wrong = 1'b0; place = 0;
    end
endmodule

module tb_axis_frame_match;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_frame_match_case #(.SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_frame_match_case #(.WORDS({32'd1, 32'd1}), .GAP(0), .STALL(0), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_frame_match_case #(.N(3), .WORDS({32'd2, 32'd7, 32'd1}), .LOSS(8), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_frame_match_case #(.N(4), .WORDS({32'd5, 32'd4, 32'd4, 32'd9}), .LOSS(20), .GAP(9), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_frame_match_case #(.N(2), .WORDS({32'd2, 32'd3}), .LOSS(0), .STALL(10), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_frame_match_case #(.ANY(1), .SEED(6)) u_5 (.aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_frame_match_case #(.N(4), .ANY(1), .WORDS({4{32'd5}}), .LOSS(8), .GAP(9), .FRAMES(200), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_frame_match_case #(.N(3), .ANY(1), .WORDS({3{32'd1}}), .LOSS(0), .GAP(0), .STALL(0), .OUT(1), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
    axis_frame_match_case #(.N(3), .OUT(1), .SEED(9)) u_8 (.aclk(aclk), .done(done[8]), .compared(compared[287:256]));
endmodule

`default_nettype wire
