// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_deal - frames of one source through axis_deal: the replica of each, masks, numbers that jump, rate.
//
// Frame i is `length[i]` beats from `from[i]` on. With FAULTS some numbers are missing and some come again.
`default_nettype none

module axis_deal_case #(
    parameter int N = 2, DATA_W = 8, LENGTH = N, NUM_W = 0, LONGEST = 4, REG_EN = 1, VARIED = 1, FAULTS = 0, SEED = 1,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'(64'hFEDC_BA98_7654_3210)
) (
    input  wire         aclk,
    output wire         done,
    output logic [31:0] compared
);
    localparam int FRAMES = 120, MOST = 2048, USER_W = NUM_W + 1;
    wire                clock = aclk && !done;
    wire                aresetn, s_tvalid, s_tready, lost, stray, error_number;
    wire [DATA_W-1:0]   s_tdata;
    wire [31:0]         count;
    wire [N*DATA_W-1:0] m_tdata;
    wire [N*USER_W-1:0] m_tuser;
    wire [N-1:0]        m_tlast, m_tvalid, m_tready, mask;
    int                 phase, open;

    int   from [0:MOST], number [0:MOST-1];
    logic again [0:MOST-1];
    int   frame_of [0:MOST*8-1];  // of a beat
    int   n, b;
    logic [31:0] h;
    initial begin
        n = 0; b = 0;
        for (int i = 0; i < MOST; i++) begin
            h = u_bench.mix(32'(i), 32'd9);
            again[i]  = FAULTS != 0 && n > 3 && h[2:0] == 3'd0;
            if (FAULTS != 0 && h[2:0] == 3'd1) n = n + 1 + int'(h[4]);
            number[i] = again[i] ? n - 1 - int'(h[4]) : n;
            if (!again[i]) n = n + 1;
            from[i] = b;
            for (int k = 0; k <= int'(h[31:16]) % LONGEST; k++) begin
                frame_of[b] = i;
                b = b + 1;
            end
        end
        from[MOST] = b;
    end

    logic [31:0]       frame;
    logic [USER_W-1:0] s_tuser;
    logic              s_tlast, more;
    int                begun, taken;
    int                out, lost_seen, stray_seen, lost_due, stray_due, rest;

    // Not by nets: Icarus 11 fails at one that reads an array.
    initial frame = 0;
    always @(negedge clock) begin
        #1;
        frame   = frame_of[count];
        taken   = number[frame];
        s_tlast = int'(count) + 1 == from[frame+1];
        s_tuser = USER_W'({taken, u_bench.mix(frame, 32'd3) % 5 == 0});
        begun   = count == 0 ? 0 : number[frame_of[count-1]] + 1;
        more    = (phase > 4 ? frame < MOST - 2 : frame < FRAMES) && u_turns.epoch[taken] <= open;
    end
    wire ended = phase < 5 && frame == FRAMES && out >= FRAMES - stray_due;

    bench_lanes #(.N(1), .W(DATA_W), .M(N), .RATED(VARIED != 0 || FAULTS != 0 ? 0 : 1), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn), .phase(phase), .done(done), .more(more), .count(count),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .ended(ended), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
    bench_turns #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN), .VARIED(VARIED), .SEED(SEED)) u_turns (
        .aclk(clock), .aresetn(aresetn), .begun(begun), .taken(taken), .mask(mask), .open(open)
    );

    axis_deal #(
        .N(N), .DATA_W(DATA_W), .LENGTH(LENGTH), .PATTERN(PATTERN), .NUM_W(NUM_W), .REG_EN(REG_EN)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn), .mask(mask),
        .s_axis_tdata(s_tdata), .s_axis_tuser(s_tuser), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid),
        .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tuser(m_tuser), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid),
        .m_axis_tready(m_tready), .lost(lost), .stray(stray), .error_number(error_number)
    );

    int next [0:N-1], beat [0:N-1], f;
    task restart;
        out = 0; lost_seen = 0; stray_seen = 0; rest = 0;
        for (int j = 0; j < N; j++) begin
            next[j] = -1; beat[j] = 0;
        end
    endtask
    initial begin
        compared = 0;
        restart;
        #1;
        stray_due = 0;
        for (int i = 0; i < FRAMES; i++) stray_due = stray_due + int'(again[i]);
        lost_due = 0;
        for (int i = 0; i < FRAMES; i++) if (!again[i]) lost_due = number[i] + 1 - (FRAMES - stray_due);
    end
    always @(posedge clock) begin
        for (int j = 0; j < N; j++) if (aresetn && m_tvalid[j] && m_tready[j]) begin
            if (beat[j] == 0) begin
                next[j] = next[j] + 1;
                while (next[j] < MOST - 2 && (again[next[j]] || u_turns.seq[number[next[j]]] != j)) next[j] = next[j] + 1;
            end
            f = next[j];
            if (m_tdata[j*DATA_W +: DATA_W] !== u_bench.word(0, from[f] + beat[j]))
                $fatal(1, "phase %0d: replica %0d has not beat %0d of frame %0d (%m)", phase, j, beat[j], f);
            if (m_tlast[j] !== (from[f] + beat[j] + 1 == from[f+1]))
                $fatal(1, "phase %0d: tlast is wrong in frame %0d (%m)", phase, f);
            if (m_tuser[j*USER_W +: USER_W] !== USER_W'({number[f], u_bench.mix(f, 32'd3) % 5 == 0}))
                $fatal(1, "phase %0d: tuser of frame %0d is %h (%m)", phase, f, m_tuser[j*USER_W +: USER_W]);
            compared = compared + 1;
            beat[j]  = m_tlast[j] ? 0 : beat[j] + 1;
            out      = out + int'(m_tlast[j]);
        end
        if (aresetn) begin
            lost_seen  = lost_seen + int'(lost);
            stray_seen = stray_seen + int'(stray);
            if (ended) rest = rest + 1;
            if (rest == 30 && (lost_seen != lost_due || stray_seen != stray_due))
                $fatal(1, "phase %0d: %0d lost of %0d, %0d stray of %0d (%m)", phase, lost_seen, lost_due, stray_seen, stray_due);
            if (rest == 30 && error_number != (FAULTS != 0)) $fatal(1, "error_number is %b (%m)", error_number);
            if ((lost || stray) && !error_number) $fatal(1, "no error_number (%m)");
        end else restart;
    end

    for (genvar j = 0; j < N; j++) begin : g_check
        axis_checker #(.DATA_W(DATA_W + 1 + USER_W), .NAME("m_axis")) u_check (
            .aclk(clock), .aresetn(aresetn),
            .axis_tdata({m_tuser[j*USER_W +: USER_W], m_tlast[j], m_tdata[j*DATA_W +: DATA_W]}),
            .axis_tvalid(m_tvalid[j]), .axis_tready(m_tready[j])
        );
    end
endmodule

module tb_axis_deal;
    localparam int N = 9;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_deal_case #(.N(2), .LONGEST(1), .VARIED(0), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_deal_case #(.N(3), .LENGTH(5), .PATTERN(20'h01020), .VARIED(0), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_deal_case #(.N(2), .LENGTH(3), .PATTERN(12'h010), .REG_EN(0), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_deal_case #(.N(4), .DATA_W(33), .LONGEST(1), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_deal_case #(.N(16), .DATA_W(64), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_deal_case #(.N(3), .LENGTH(64), .PATTERN({4{64'h0121_0201_2102_0120}}), .REG_EN(0), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    axis_deal_case #(.N(2), .NUM_W(8), .VARIED(0), .LONGEST(1), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    axis_deal_case #(.N(3), .LENGTH(4), .PATTERN(16'h2010), .NUM_W(3), .VARIED(0), .FAULTS(1), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[255:224]));
    axis_deal_case #(.N(4), .NUM_W(16), .VARIED(0), .FAULTS(1), .REG_EN(0), .LONGEST(1), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[287:256]));
endmodule

`default_nettype wire
