// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_deal - frames of one source through axis_deal: the replica of each, masks, rate.
//
// Frame i begins at beat `from[i]`.
`default_nettype none

module axis_deal_case #(
    parameter int N = 2, DATA_W = 8, LENGTH = N, LONGEST = 4, REG_EN = 1, VARIED = 1, SEED = 1,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'(64'hFEDC_BA98_7654_3210)
) (
    input  wire         aclk,
    output wire         done,
    output logic [31:0] compared
);
    localparam int FRAMES = 120, MOST = 2048;
    wire                clock = aclk && !done;
    wire                aresetn, s_tvalid, s_tready;
    wire [DATA_W-1:0]   s_tdata;
    wire [31:0]         count;
    wire [N*DATA_W-1:0] m_tdata;
    wire [N-1:0]        m_tlast, m_tvalid, m_tready, mask;
    int                 phase, open;

    int   from [0:MOST];
    int   frame_of [0:MOST*8-1];  // of a beat
    int   b;
    logic [31:0] h;
    initial begin
        b = 0;
        for (int i = 0; i < MOST; i++) begin
            h = u_bench.mix(32'(i), 32'd9);
            from[i] = b;
            for (int k = 0; k <= int'(h[31:16]) % LONGEST; k++) begin
                frame_of[b] = i;
                b = b + 1;
            end
        end
        from[MOST] = b;
    end

    logic [31:0]       frame;
    logic              s_tlast, more;
    int                begun, taken;
    int                out;

    // Not by nets: Icarus 11 fails at one that reads an array.
    initial frame = 0;
    always @(negedge clock) begin
        #1;
        frame   = frame_of[count];
        taken   = int'(frame);
        s_tlast = int'(count) + 1 == from[frame+1];
        begun   = count == 0 ? 0 : frame_of[count-1] + 1;
        more    = (phase > 4 ? frame < MOST - 2 : frame < FRAMES) && u_turns.epoch[taken] <= open;
    end
    wire ended = phase < 5 && frame == FRAMES && out >= FRAMES;

    bench_lanes #(.N(1), .W(DATA_W), .M(N), .RATED(VARIED != 0 ? 0 : 1), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn), .phase(phase), .done(done), .more(more), .count(count),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .ended(ended), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
    bench_turns #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN), .VARIED(VARIED), .SEED(SEED)) u_turns (
        .aclk(clock), .aresetn(aresetn), .begun(begun), .taken(taken), .mask(mask), .open(open)
    );

    axis_deal #(
        .N(N), .DATA_W(DATA_W), .LENGTH(LENGTH), .PATTERN(PATTERN), .REG_EN(REG_EN)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn), .mask(mask),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    int next [0:N-1], beat [0:N-1], f;
    task restart;
        out = 0;
        for (int j = 0; j < N; j++) begin
            next[j] = -1; beat[j] = 0;
        end
    endtask
    initial begin
        compared = 0;
        restart;
    end
    always @(posedge clock) begin
        for (int j = 0; j < N; j++) if (aresetn && m_tvalid[j] && m_tready[j]) begin
            if (beat[j] == 0) begin
                next[j] = next[j] + 1;
                while (next[j] < MOST - 2 && u_turns.seq[next[j]] != j) next[j] = next[j] + 1;
            end
            f = next[j];
            if (m_tdata[j*DATA_W +: DATA_W] !== u_bench.word(0, from[f] + beat[j]))
                $fatal(1, "phase %0d: replica %0d has not beat %0d of frame %0d (%m)", phase, j, beat[j], f);
            if (m_tlast[j] !== (from[f] + beat[j] + 1 == from[f+1]))
                $fatal(1, "phase %0d: tlast is wrong in frame %0d (%m)", phase, f);
            compared = compared + 1;
            beat[j]  = m_tlast[j] ? 0 : beat[j] + 1;
            out      = out + int'(m_tlast[j]);
        end
        if (!aresetn) restart;
    end

    for (genvar j = 0; j < N; j++) begin : g_check
        axis_checker #(.DATA_W(DATA_W + 1), .NAME("m_axis")) u_check (
            .aclk(clock), .aresetn(aresetn),
            .axis_tdata({m_tlast[j], m_tdata[j*DATA_W +: DATA_W]}),
            .axis_tvalid(m_tvalid[j]), .axis_tready(m_tready[j])
        );
    end
endmodule

module tb_axis_deal;
    localparam int N = 6;
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
endmodule

`default_nettype wire
