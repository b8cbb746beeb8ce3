// SPDX-License-Identifier: BSD-3-Clause
//
// tb_split_counter - split_counter in every cycle against a plain sum, across every carry between its parts.
//
// The sum is kept in 64 bits and cut to COUNT_W. Every 200 cycles the kind of traffic changes: events in every cycle,
// random ones, few. Every second round begins at a count just below a carry, forced into block and sum for
// two cycles, as wide counts would take years to get there; in a third of the rounds clear comes at random.
`default_nettype none

module split_counter_case #(
    parameter int COUNT_W = 8, PART_W = 4, SEED = 1,
    parameter bit STOP_EN = 0
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int ROUNDS = 120;
    // The bits below the highest part: an event that finds them all set carries through every part.
    localparam logic [63:0] BELOW_TOP = (64'd1 << ((COUNT_W - 1) / PART_W * PART_W)) - 64'd1;
    localparam logic [63:0] ALL = 64'hFFFFFFFFFFFFFFFF >> (64 - COUNT_W);

    wire                clock = aclk && !done;
    logic               aresetn, inc, clear;
    wire  [COUNT_W-1:0] count;
    logic [63:0]        sum, dice, preset;
    int                 carries, stops, clears;

    split_counter #(.COUNT_W(COUNT_W), .PART_W(PART_W), .STOP_EN(STOP_EN)) u_dut (
        .aclk(clock), .aresetn(aresetn), .inc(inc), .clear(clear), .count(count)
    );

    always @(posedge clock) begin
        if (!aresetn)    sum <= '0;
        else if (clear)  sum <= 64'(inc);
        else if (!(STOP_EN && sum == ALL)) sum <= (sum + 64'(inc)) & ALL;
    end

    task compare;
        if (count !== COUNT_W'(sum)) $fatal(1, "count is %h, sum is %h (%m)", count, COUNT_W'(sum));
        compared = compared + 1;
    endtask

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; inc = 1'b1; clear = 1'b0;
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15; sum = '0; preset = '0; carries = 0; stops = 0; clears = 0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        for (int r = 0; r < ROUNDS; r++) begin
            if (r % 2 == 1) begin
                // All bits below a random one are set, but a few of the lowest.
                preset = (dice & ~((64'd2 << (r % COUNT_W)) - 1)) | ((64'd2 << (r % COUNT_W)) - 1);
                preset = (preset & ~64'h1F) | (dice >> 40 & 64'h1F);
                if (r % 8 == 7) preset = ALL - (dice >> 40 & 64'hF);
                preset = preset & ALL;
                inc = 1'b0; clear = 1'b0;
                force u_dut.count_q = COUNT_W'(preset);
                repeat (2) @(negedge clock);
                release u_dut.count_q;
                sum = preset;
            end
            for (int n = 0; n < 200; n++) begin
                dice  = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {32'd0, dice[63:32]};
                inc   = r % 3 == 0 || (r % 3 == 1 ? dice[0] : dice[4:0] == 0);
                clear = r % 3 != 2 && r % 5 == 4 && dice[12:7] == 0;
                @(posedge clock);
                if (inc && !clear && (sum & BELOW_TOP) == BELOW_TOP) carries = carries + 1;
                if (inc && !clear && STOP_EN && sum == ALL) stops = stops + 1;
                if (inc && clear) clears = clears + 1;
                @(negedge clock);
                compare;
            end
        end
        if (carries < 10 || clears < 5 || (STOP_EN && stops < 50))
            $fatal(1, "%0d carries into the highest part, %0d clears, %0d stops mean little (%m)", carries, clears, stops);
        aresetn = 1'b0;
        @(negedge clock);
        compare;
        if (count != 0) $fatal(1, "count is %h after reset (%m)", count);
        done = 1'b1;
    end
endmodule

module tb_split_counter;
    localparam int N = 8;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    split_counter_case #(.COUNT_W(64), .PART_W(16), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    split_counter_case #(.COUNT_W(12), .PART_W(2), .SEED(2)) u_1 (.aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    split_counter_case #(.COUNT_W(10), .PART_W(3), .SEED(3)) u_2 (.aclk(aclk), .done(done[2]), .compared(compared[95:64]));
    split_counter_case #(.COUNT_W(32), .PART_W(16), .SEED(4), .STOP_EN(1)) u_3 (.aclk(aclk), .done(done[3]), .compared(compared[127:96]));
    split_counter_case #(.COUNT_W(7), .PART_W(2), .SEED(5), .STOP_EN(1)) u_4 (.aclk(aclk), .done(done[4]), .compared(compared[159:128]));
    split_counter_case #(.COUNT_W(5), .PART_W(8), .SEED(6)) u_5 (.aclk(aclk), .done(done[5]), .compared(compared[191:160]));
    split_counter_case #(.COUNT_W(1), .PART_W(4), .SEED(7)) u_6 (.aclk(aclk), .done(done[6]), .compared(compared[223:192]));
    split_counter_case #(.COUNT_W(61), .PART_W(7), .SEED(8)) u_7 (.aclk(aclk), .done(done[7]), .compared(compared[255:224]));
endmodule

`default_nettype wire
