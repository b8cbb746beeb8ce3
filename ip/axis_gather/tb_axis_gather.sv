// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_gather - frames of N replicas through axis_gather: order, masks, rate.
//
// Every replica sends the frames of its turns as fast as it can.
`default_nettype none

module axis_gather_case #(
    parameter int N = 2, DATA_W = 8, LENGTH = N, LONGEST = 4, CUT = 4, VARIED = 1, SEED = 1,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'(64'hFEDC_BA98_7654_3210)
) (
    input  wire         aclk,
    output wire         done,
    output logic [31:0] compared
);
    localparam int FRAMES = 100, TURNS = 400, LANE = 2048;
    wire                 clock = aclk && !done;
    wire                 aresetn, m_tlast, m_tvalid, m_tready;
    wire [N*DATA_W-1:0]  s_tdata;
    wire [N*32-1:0]      count;
    logic [N-1:0]        s_tlast, more;
    wire [N-1:0]         s_tvalid, s_tready, mask;
    wire [DATA_W-1:0]    m_tdata;
    int                  phase, open;

    // By beat of a lane: the frame it is of, whether it is the frame's last. By frame: where it begins.
    int   frame_of [0:N*LANE-1];
    logic last_of  [0:N*LANE-1];
    int   from     [0:TURNS-1], long [0:TURNS-1];
    int   beats    [0:N-1];
    int   lane;
    logic [31:0] h;

    task append(input int j, input int n, input int length);
        for (int k = 0; k < length; k++) begin
            frame_of[j*LANE+beats[j]] = n;
            last_of[j*LANE+beats[j]]  = k == length - 1;
            beats[j] = beats[j] + 1;
        end
    endtask

    initial begin
        for (int j = 0; j < N; j++) beats[j] = 0;
        #1;  // bench_turns has its sequence
        for (int n = 0; n < TURNS; n++) begin
            h    = u_bench.mix(32'(n), 32'd9);
            lane = u_turns.seq[n];
            long[n] = 1 + int'(h[31:16]) % LONGEST;
            from[n] = beats[lane];
            if (beats[lane] < LANE - 16) append(lane, n, long[n]);
        end
    end

    // Not by nets: Icarus 11 fails at one that reads an array.
    int at, begun, taken;
    always @(negedge clock) begin
        #1;
        for (int j = 0; j < N; j++) begin
            at = j * LANE + int'(count[j*32 +: 32]);
            more[j] = int'(count[j*32 +: 32]) < beats[j] && frame_of[at] < (phase > 4 ? TURNS - 64 : FRAMES)
                      && u_turns.epoch[frame_of[at]] <= open;
            s_tlast[j] = last_of[at];
        end
        // In the order of turns.
        while (taken < TURNS - 64
               && int'(count[u_turns.seq[taken]*32 +: 32]) >= from[taken] + long[taken]) taken = taken + 1;
        begun = taken + int'(int'(count[u_turns.seq[taken]*32 +: 32]) > from[taken]);
    end

    bench_lanes #(.N(N), .W(DATA_W), .RATED(VARIED != 0 ? 0 : 1), .SEED(SEED)) u_bench (
        .aclk(clock), .aresetn(aresetn), .phase(phase), .done(done), .more(more), .count(count),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .ended(ended), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
    bench_turns #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN), .VARIED(VARIED), .SEED(SEED)) u_turns (
        .aclk(clock), .aresetn(aresetn), .begun(begun), .taken(taken), .mask(mask), .open(open)
    );

    axis_gather #(
        .N(N), .DATA_W(DATA_W), .LENGTH(LENGTH), .PATTERN(PATTERN), .CUT(CUT)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn), .mask(mask),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    int  frame, beat;
    wire ended = frame == FRAMES && phase < 5;
    logic [DATA_W-1:0] data;
    task restart;
        frame = 0; beat = 0; taken = 0; begun = 0;
    endtask
    initial begin
        compared = 0;
        restart;
    end
    always @(posedge clock) begin
        if (aresetn && m_tvalid && m_tready) begin
            data = u_bench.word(u_turns.seq[frame], from[frame] + beat);
            if (m_tdata !== data) $fatal(1, "phase %0d: beat %0d of frame %0d is %h (%m)", phase, beat, frame, m_tdata);
            if (m_tlast !== (beat == long[frame] - 1)) $fatal(1, "phase %0d: tlast is wrong in frame %0d (%m)", phase, frame);
            compared = compared + 1;
            beat  = m_tlast ? 0 : beat + 1;
            frame = frame + int'(m_tlast);
        end
        if (!aresetn) restart;
    end

    axis_checker #(.DATA_W(DATA_W + 1), .NAME("m_axis")) u_check (
        .aclk(clock), .aresetn(aresetn), .axis_tdata({m_tlast, m_tdata}),
        .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );
endmodule

module tb_axis_gather;
    localparam int N = 6;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_gather_case #(.N(2), .LONGEST(1), .VARIED(0), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_gather_case #(.N(3), .LENGTH(5), .PATTERN(20'h01020), .VARIED(0), .CUT(0), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_gather_case #(.N(2), .LENGTH(3), .PATTERN(12'h010), .CUT(1), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_gather_case #(.N(4), .DATA_W(33), .LONGEST(1), .CUT(0), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_gather_case #(.N(16), .DATA_W(64), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_gather_case #(.N(3), .LENGTH(64), .PATTERN({4{64'h0121_0201_2102_0120}}), .CUT(2), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
endmodule

`default_nettype wire
