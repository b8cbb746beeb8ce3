// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axis_counters - axis_counters against counts kept by the bench, snapshots and clears at random.
//
// What a snapshot shows is what the bench had counted then, all five at once; with a clear in the same cycle the next one
// shows all that came since. Rounds begin below a carry through all parts, forced into block and bench.
`default_nettype none

module axis_counters_case #(
    parameter int COUNT_W = 64, PART_W = 16, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    wire               clock = aclk && !done;
    logic              aresetn, tvalid, tready, tlast, snapshot, clear;
    wire [COUNT_W-1:0] beats, frames, stalled, starved, cycles;
    logic [63:0]       count [0:4];
    logic [63:0]       shown [0:4];
    logic [63:0]       dice, preset;
    logic [4:0]        events, events_q;
    int                both, tops;
    localparam logic [63:0] ALL = 64'hFFFFFFFFFFFFFFFF >> (64 - COUNT_W);
    localparam logic [63:0] BELOW_TOP = (64'd1 << ((COUNT_W - 1) / PART_W * PART_W)) - 64'd1;

    axis_counters #(.COUNT_W(COUNT_W), .PART_W(PART_W)) u_dut (
        .aclk(clock), .aresetn(aresetn), .axis_tvalid(tvalid), .axis_tready(tready), .axis_tlast(tlast),
        .snapshot(snapshot), .clear(clear),
        .beats(beats), .frames(frames), .stalled(stalled), .starved(starved), .cycles(cycles)
    );

    always_comb events = {1'b1, tready && !tvalid, tvalid && !tready, tvalid && tready && tlast, tvalid && tready};

    // The block counts an event one cycle after it was tapped.
    always @(posedge clock) begin
        events_q <= aresetn ? events : 5'd0;
        for (int k = 0; k < 5; k++) begin
            if (aresetn && snapshot) shown[k] <= count[k];
            if (!aresetn) shown[k] <= '0;
            if (aresetn && events_q[k] && !clear && count[k] != ALL && (count[k] & BELOW_TOP) == BELOW_TOP) tops = tops + 1;
            count[k] <= (((aresetn && !clear) ? count[k] : 64'd0) + 64'(aresetn && events_q[k])) & ALL;
        end
        if (aresetn && snapshot && clear) both = both + 1;
    end

    task compare;
        if (beats !== COUNT_W'(shown[0]) || frames !== COUNT_W'(shown[1]) || stalled !== COUNT_W'(shown[2])
            || starved !== COUNT_W'(shown[3]) || cycles !== COUNT_W'(shown[4]))
            $fatal(1, "shows %h %h %h %h %h, expected %h %h %h %h %h (%m)", beats, frames, stalled, starved, cycles,
                   COUNT_W'(shown[0]), COUNT_W'(shown[1]), COUNT_W'(shown[2]), COUNT_W'(shown[3]), COUNT_W'(shown[4]));
        compared = compared + 1;
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; tvalid = 1'b1; tready = 1'b1; tlast = 1'b1; snapshot = 1'b1; clear = 1'b0;
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15; both = 0; tops = 0; preset = '0; events_q = '0;
        for (int k = 0; k < 5; k++) begin
            count[k] = '0; shown[k] = '0;
        end
        repeat (3) @(negedge clock);
        compare;
        aresetn = 1'b1;
        for (int round = 0; round < 40; round++) begin
            if (round % 2 == 1) begin
                preset = (dice & ~BELOW_TOP & ALL) | (BELOW_TOP - 64'd4) & ALL;
                force u_dut.g_counter[0].u_count.count_q = COUNT_W'(preset);
                force u_dut.g_counter[1].u_count.count_q = COUNT_W'(preset);
                force u_dut.g_counter[2].u_count.count_q = COUNT_W'(preset);
                force u_dut.g_counter[3].u_count.count_q = COUNT_W'(preset);
                force u_dut.g_counter[4].u_count.count_q = COUNT_W'(preset);
                snapshot = 1'b0; clear = 1'b0;
                repeat (2) @(negedge clock);
                release u_dut.g_counter[0].u_count.count_q;
                release u_dut.g_counter[1].u_count.count_q;
                release u_dut.g_counter[2].u_count.count_q;
                release u_dut.g_counter[3].u_count.count_q;
                release u_dut.g_counter[4].u_count.count_q;
                for (int k = 0; k < 5; k++) count[k] = preset;
            end
            for (int n = 0; n < 100; n++) begin
                dice = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
                tvalid   = round % 3 == 0 ? dice[1:0] != 0 : dice[0];
                tready   = round % 3 == 1 ? dice[3:2] != 0 : dice[2];
                tlast    = dice[4];
                snapshot = round % 5 == 0 ? dice[8] : dice[11:8] == 0;
                clear    = n > 30 && dice[17:12] == 0;
                if (clear && dice[18]) snapshot = 1'b1;
                @(negedge clock);
                compare;
            end
        end
        if (both < 10 || (COUNT_W > 3 && tops < 40)) $fatal(1, "%0d clears with snapshot, %0d carries mean little (%m)", both, tops);
        aresetn = 1'b0;
        @(negedge clock);
        if ({beats, frames, stalled, starved, cycles} != '0) $fatal(1, "not zero after reset (%m)");
        done = 1'b1;
    end
endmodule

module tb_axis_counters;
    localparam int N = 6;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axis_counters_case #(.COUNT_W(64), .PART_W(16), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axis_counters_case #(.COUNT_W(12), .PART_W(2), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    axis_counters_case #(.COUNT_W(32), .PART_W(16), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    axis_counters_case #(.COUNT_W(1), .PART_W(16), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    axis_counters_case #(.COUNT_W(9), .PART_W(3), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    axis_counters_case #(.COUNT_W(48), .PART_W(24), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[191:160]));
endmodule

`default_nettype wire
