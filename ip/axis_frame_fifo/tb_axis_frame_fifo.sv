// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_frame_fifo - every mode and memory of axis_frame_fifo: all outputs in every cycle against a model.
//
// Frames of one beat to twice the memory, good and bad, from sources and into sinks that are fast, slow and at random,
// and a reset in mid-stream. What leaves is judged a second time without the model: every frame is one that was sent,
// later than the last one, from its first beat to its last, without a pause once it has begun.
`default_nettype none

module axis_frame_fifo_case #(
    parameter int DATA_W = 32, USER_W = 1, DEPTH = 8, STORE = 0, ON_FULL = 2, SEED = 1, EPOCHS = 3,
    parameter bit OUT_REG = 0, DROP_BAD = 0,
    parameter logic [USER_W-1:0] BAD_VALUE = '1, BAD_MASK = '1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int PASS    = 0;
    localparam int DROP    = 2;
    localparam int CUT     = 3;
    localparam bit TWO     = STORE == 4 || ((STORE == 3 || (STORE == 0 && DEPTH > 64)) && OUT_REG);
    localparam int LEVEL_W = $clog2(DEPTH + 3);
    localparam int BEAT_W  = DATA_W + DATA_W / 8 + 1 + USER_W;
    localparam int EPOCH   = 40 * DEPTH + 1500;
    localparam int PAST    = 4096;

    // All about frame `n` is a function of `n`. Long ones are rare enough to let others in.
    function automatic logic [31:0] hash(input logic [31:0] a, input logic [31:0] b);
        logic [31:0] h;
        h = (a * 32'h9E3779B1) ^ (b * 32'h85EBCA77) ^ (32'(SEED) * 32'hC2B2AE3D);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        hash = h ^ (h >> 13);
    endfunction
    function automatic int length(input logic [31:0] n);
        logic [31:0] h;
        h = hash(n, 32'hFFFF);
        if (h[3:0] == 0)      length = 1 + int'((h >> 4) % 32'(2 * DEPTH));
        else if (h[3:0] == 1) length = DEPTH + int'((h >> 4) % 32'd3) - 1;
        else if (h[3:2] == 1) length = 1;
        else                  length = 1 + int'((h >> 4) % 32'(DEPTH / 2));
    endfunction
    function automatic logic [BEAT_W-1:0] beat(input logic [31:0] n, input logic [31:0] k);
        logic [USER_W-1:0] user;
        logic              last, bad;
        last = k + 1 == 32'(length(n));
        // A mark before the last beat means nothing.
        user = USER_W'(hash(n, k + 77));
        bad  = hash(n, 5) % 4 == 0;
        if (last) user = bad ? (user & ~BAD_MASK) | (BAD_VALUE & BAD_MASK) : user ^ (user & BAD_MASK) ^ (~BAD_VALUE & BAD_MASK);
        beat = {user, last, (DATA_W/8)'(hash(n, k + 99)), DATA_W'({{(DATA_W/32+1){hash(n, k)}}, DATA_W < 32 ? hash(k, n) : {n[15:0], k[15:0]}})};
    endfunction

    logic              aresetn, up, s_tvalid, m_tready;
    logic [BEAT_W-1:0] s_beat;
    wire  [BEAT_W-1:0] m_beat;
    wire               s_tready, m_tvalid, good, bad, overflow;
    wire [LEVEL_W-1:0] level, whole;
    wire               clock = aclk && !done;

    axis_frame_fifo #(
        .DATA_W(DATA_W), .USER_W(USER_W), .DEPTH(DEPTH), .STORE(STORE), .OUT_REG(OUT_REG), .ON_FULL(ON_FULL),
        .DROP_BAD(DROP_BAD), .BAD_VALUE(BAD_VALUE), .BAD_MASK(BAD_MASK)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn),
        .s_axis_tdata(s_beat[DATA_W-1:0]), .s_axis_tkeep(s_beat[DATA_W +: DATA_W/8]),
        .s_axis_tlast(s_beat[BEAT_W-USER_W-1]), .s_axis_tuser(s_beat[BEAT_W-1 -: USER_W]),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_beat[DATA_W-1:0]), .m_axis_tkeep(m_beat[DATA_W +: DATA_W/8]),
        .m_axis_tlast(m_beat[BEAT_W-USER_W-1]), .m_axis_tuser(m_beat[BEAT_W-1 -: USER_W]),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .good_frame(good), .bad_frame(bad), .overflow(overflow), .level(level), .level_whole(whole)
    );

    // The model: beats of the memory in the order of their coming. Those before `taken` are away, those before `stored`
    // may leave, those before `put` are there.
    logic [BEAT_W-1:0] kept [0:PAST-1];
    logic [31:0]       frame, index;
    logic [31:0]       dice;
    int                cycle, step, put, stored, read, taken, used;
    logic              first, second, swallow, through, over, spoilt, cut, last;
    logic              good_d, bad_d, overflow_d;
    int                goods, bads, overflows, flown;
    wire               s_fire = s_tvalid && s_tready;
    wire               m_fire = m_tvalid && m_tready;
    wire               free_2 = !second || m_tready;
    wire               free_1 = TWO ? !first || free_2 : free_2;
    wire               pop    = stored != read && free_1;

    // Who is fast: each for a quarter of the time, all at random in the last.
    wire [1:0] part = 2'(step * 4 / EPOCH);
    wire go_s = part == 0 || (part == 1 ? dice[2:0] == 0 : part == 2 || dice[0]);
    wire go_m = part == 0 ? dice[5:3] == 0 : part == 1 || (part == 2 ? dice[7:3] != 0 : dice[3] || dice[4]);

    initial begin
        done = 1'b0; compared = 0; cycle = 0; dice = 32'h2545F491 ^ 32'(SEED * 40503); aresetn = 1'b0; up = 1'b0;
        s_tvalid = 1'b0; m_tready = 1'b0; s_beat = '0; frame = 0; index = 0;
        goods = 0; bads = 0; overflows = 0; flown = 0;
    end

    always @(posedge clock) begin
        dice    <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]} ^ {16'd0, dice[31:16]};
        cycle   <= cycle + 1;
        step    = cycle % EPOCH;
        up      <= aresetn;
        aresetn <= step > 1 && step != EPOCH / 2 + 7 * SEED;
        if (cycle > EPOCHS * EPOCH) begin
            if (goods == 0 || (overflows == 0) != (ON_FULL == PASS) || (bads == 0) == DROP_BAD || flown < 2 * DEPTH)
                $fatal(1, "%0d good, %0d bad, %0d without room, %0d in a row (%m)", goods, bads, overflows, flown);
            done <= 1'b1;
        end

        if (!aresetn) begin
            s_tvalid <= 1'b0;
            m_tready <= 1'b0;
            // A frame that a reset cuts is not finished after it.
            if (index != 0) frame = frame + 1;
            index = 0;
            put = 0; stored = 0; read = 0; taken = 0;
            first = 1'b0; second = 1'b0; swallow = 1'b0; through = 1'b0;
            good_d = 1'b0; bad_d = 1'b0; overflow_d = 1'b0;
        end else begin
            used = put - read;
            if (s_tready !== (up && (ON_FULL >= DROP || used < DEPTH))) $fatal(1, "tready is %b, %0d are stored (%m)", s_tready, used);
            if (m_tvalid !== second) $fatal(1, "tvalid is %b (%m)", m_tvalid);
            if (second && m_beat !== kept[taken % PAST]) $fatal(1, "%h leaves, not %h (%m)", m_beat, kept[taken % PAST]);
            if ({good, bad, overflow} !== {good_d, bad_d, overflow_d})
                $fatal(1, "good, bad, overflow are %b, not %b (%m)", {good, bad, overflow}, {good_d, bad_d, overflow_d});
            if (int'(level) != put - taken) $fatal(1, "level is %0d, %0d are inside (%m)", level, put - taken);
            if (int'(whole) != stored - taken) $fatal(1, "level_whole is %0d, %0d may leave (%m)", whole, stored - taken);
            if (good) goods = goods + 1;
            if (bad) bads = bads + 1;
            if (overflow) overflows = overflows + 1;

            good_d = 1'b0; bad_d = 1'b0; overflow_d = 1'b0;
            cut = 1'b0;
            if (pop) read = read + 1;
            if (s_fire) begin
                last   = s_beat[BEAT_W-USER_W-1];
                spoilt = DROP_BAD && last && (s_beat[BEAT_W-1 -: USER_W] & BAD_MASK) == (BAD_VALUE & BAD_MASK);
                // `used` is from before the pop: a place that frees is free one cycle later.
                case (ON_FULL)
                    PASS:    over = 1'b0;
                    DROP:    over = used == DEPTH;
                    CUT:     over = used == DEPTH || (used == DEPTH - 1 && !last);
                    default: over = put - stored == DEPTH - 1 && used == DEPTH - 1 && !last;
                endcase
                if (!swallow) begin
                    good_d     = last && !over && !spoilt;
                    bad_d      = spoilt && !over;
                    overflow_d = over;
                    if (ON_FULL == CUT ? used == DEPTH : over || spoilt) begin
                        put = stored;
                    end else begin
                        cut = over;
                        kept[put % PAST] = cut ? {(s_beat[BEAT_W-1 -: USER_W] & ~BAD_MASK) | (BAD_VALUE & BAD_MASK), 1'b1,
                                                  s_beat[BEAT_W-USER_W-2:0]} : s_beat;
                        put = put + 1;
                        if (ON_FULL == PASS && put - stored == DEPTH && used == DEPTH - 1) through = 1'b1;
                        if (last || through || ON_FULL == CUT) stored = put;
                        if (last) through = 1'b0;
                    end
                    swallow = over;
                end
                if (last) swallow = 1'b0;
                index = last ? 0 : index + 1;
                if (last) frame = frame + 1;
                flown = flown + 1;
            end else if (s_tvalid) begin
                flown = flown < 2 * DEPTH ? 0 : flown;
            end
            if (m_fire) taken = taken + 1;
            if (m_fire) compared <= compared + 1;
            if (free_2) second = TWO ? first : pop;
            if (TWO && free_1) first = pop;

            if (s_fire || !s_tvalid) begin
                s_tvalid <= go_s;
                s_beat   <= go_s ? beat(frame, index) : 'x;
            end
            m_tready <= go_m;
        end
    end

    // Without the model: frame, index and end of what leaves; of narrow data the frame is not to be seen.
    generate
        if (DATA_W >= 32) begin : g_whole
            logic [15:0] at, current, latest;
            logic        under_way, m_last;
            wire [15:0]  number = m_beat[31:16];
            int          sent;

            initial latest = 16'hFFFF;
            always @(posedge clock) begin
                if (!aresetn) begin
                    under_way = 1'b0;
                end else begin
                    if (under_way && ON_FULL != PASS && ON_FULL != CUT && !m_tvalid) $fatal(1, "frame %0d pauses (%m)", current);
                    if (m_fire) begin
                        m_last = m_beat[BEAT_W-USER_W-1];
                        if (!under_way) begin
                            if (latest != 16'hFFFF && number <= latest) $fatal(1, "frame %0d comes after %0d (%m)", number, latest);
                            current = number;
                            latest  = number;
                            at      = 0;
                        end
                        sent = length(32'(current));
                        if (number != current || m_beat[15:0] != at) $fatal(1, "beat %0d of frame %0d is torn (%m)", at, current);
                        if (m_last && int'(at) + 1 != sent
                            && (ON_FULL != CUT || (m_beat[BEAT_W-1 -: USER_W] & BAD_MASK) != (BAD_VALUE & BAD_MASK)))
                            $fatal(1, "frame %0d is torn after beat %0d (%m)", current, at);
                        if (!m_last && int'(at) + 1 >= sent) $fatal(1, "frame %0d has no end (%m)", current);
                        at     = at + 1;
                        under_way = !m_last;
                    end
                end
            end
        end
    endgenerate
endmodule

module tb_axis_frame_fifo;
    localparam int N = 14;
    logic           aclk;
    wire [N-1:0]    done;
    wire [N*32-1:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    generate
        // Modes 0 to 3 and the two with DROP_BAD, in LUTRAM, block RAM and with two registers.
        for (genvar k = 0; k < 12; k++) begin : g_mode
            localparam int MODE = k % 6;
            axis_frame_fifo_case #(
                .DEPTH(4 << (k % 4)), .STORE(k < 6 ? 2 : k % 2 == 0 ? 3 : 4), .OUT_REG(k == 8 || k == 10),
                .ON_FULL(MODE < 4 ? MODE : MODE - 3), .DROP_BAD(MODE > 3), .SEED(k + 1)
            ) u_case (.aclk(aclk), .done(done[k]), .compared(compared[32*k +: 32]));
        end
    endgenerate
    // The depths at which STORE 0 changes its memory; wide; tuser with more than the mark.
    axis_frame_fifo_case #(.DATA_W(512), .USER_W(9), .DEPTH(64), .ON_FULL(2), .DROP_BAD(1), .BAD_VALUE(9'h104),
                           .BAD_MASK(9'h11C), .SEED(13), .EPOCHS(2)) u_wide (
        .aclk(aclk), .done(done[12]), .compared(compared[32*12 +: 32]));
    axis_frame_fifo_case #(.DATA_W(8), .USER_W(3), .DEPTH(128), .ON_FULL(3), .BAD_VALUE(3'd2), .BAD_MASK(3'd6),
                           .SEED(14), .EPOCHS(2)) u_narrow (
        .aclk(aclk), .done(done[13]), .compared(compared[32*13 +: 32]));
endmodule

`default_nettype wire
