// SPDX-License-Identifier: BSD-3-Clause
//
// tb_shell_reset - shell_reset against what its header promises, with links that take their time to drain.
`default_nettype none

module shell_reset_case #(
    parameter int N = 1, CYCLES = 64, OPEN = 16, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    wire         clock = aclk && !done;
    logic        aresetn, start, hold;
    wire         busy, drain, inner_aresetn, shut;
    wire [N-1:0] drained;
    logic [32*N-1:0] wait_for;  // cycles that a link needs
    int          drains, resets, lows, shuts;
    logic [31:0] dice;

    shell_reset #(.N(N), .CYCLES(CYCLES), .OPEN(OPEN)) u_dut (
        .aclk(clock), .aresetn(aresetn), .start(start), .hold(hold), .busy(busy),
        .drain(drain), .drained(drained), .inner_aresetn(inner_aresetn), .shut(shut)
    );

    for (genvar k = 0; k < N; k++) begin : g_link
        logic [31:0] age_q;
        always @(posedge clock) age_q <= drain ? age_q + 1 : 0;
        assign drained[k] = drain && age_q >= wait_for[k*32 +: 32];
    end

    // In each cycle: nobody is in reset who is not shut, nothing happens that busy does not tell a cycle later.
    logic was_q, drained_q;
    always @(posedge clock) begin
        was_q <= aresetn && (drain || shut || start || hold);
        if (aresetn) begin
            drains = drains + int'(drain);
            lows   = lows + int'(!inner_aresetn);
            shuts  = shuts + int'(shut);
            if (busy !== was_q) $fatal(1, "busy is %b (%m)", busy);
            if (!inner_aresetn && was_q && !shut) $fatal(1, "reset while a port is open (%m)");
            if (drain && !inner_aresetn) $fatal(1, "drained in reset (%m)");
            if (drained_q && !drain && inner_aresetn) $fatal(1, "a cycle in which a link may begin anew (%m)");
            drained_q <= drain;
            compared = compared + 1;
        end
    end

    task pulse;
        @(negedge clock);
        start = 1'b1;
        @(negedge clock);
        start = 1'b0;
    endtask
    task run(input int longest);
        drains = 0; lows = 0; shuts = 0;
        pulse;
        while (busy || drain || shut) @(negedge clock);
        if (lows != CYCLES) $fatal(1, "%0d cycles of reset, not %0d (%m)", lows, CYCLES);
        if (shuts != CYCLES + OPEN) $fatal(1, "%0d cycles shut (%m)", shuts);
        if (drains != longest + 2) $fatal(1, "%0d cycles of draining, not %0d (%m)", drains, longest + 2);
    endtask

    int longest;
    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; start = 1'b0; hold = 1'b0; dice = 32'(SEED); was_q = 1'b0; drained_q = 1'b0;
        wait_for = '0;
        repeat (4) @(negedge clock);
        if (inner_aresetn !== 1'b0 || busy !== 1'b0) $fatal(1, "not in reset (%m)");
        aresetn = 1'b1;
        repeat (2) @(negedge clock);
        if (inner_aresetn !== 1'b1) $fatal(1, "does not come out of reset (%m)");
        for (int round = 0; round < 20; round++) begin
            longest = 0;
            for (int k = 0; k < N; k++) begin
                dice = dice * 32'd1664525 + 32'd1013904223;
                wait_for[k*32 +: 32] = 32'(dice[31:26]);
                if (int'(dice[31:26]) > longest) longest = int'(dice[31:26]);
            end
            run(longest);
        end
        // A link that never drains: hold ends that, stays as long as it is up, and then as long as any reset.
        wait_for[31:0] = 32'd1 << 30;
        pulse;
        repeat (500) @(negedge clock);
        if (!drain || !busy || !inner_aresetn) $fatal(1, "did not wait (%m)");
        hold = 1'b1;
        repeat (3) @(negedge clock);
        if (drain || inner_aresetn || !shut) $fatal(1, "hold does not reset (%m)");
        repeat (300) @(negedge clock);
        if (inner_aresetn || !shut || !busy) $fatal(1, "hold does not hold (%m)");
        pulse;  // ignored in a reset
        hold = 1'b0;
        lows = 0;
        while (busy) @(negedge clock);
        if (lows < CYCLES || lows > CYCLES + 3 || drain) $fatal(1, "%0d cycles of reset after hold (%m)", lows);
        // Hold again while the ports are still shut after a reset.
        wait_for = '0;
        pulse;
        while (inner_aresetn) @(negedge clock);
        while (!inner_aresetn) @(negedge clock);
        hold = 1'b1;
        repeat (3) @(negedge clock);
        if (inner_aresetn) $fatal(1, "hold is not heard at the end of a reset (%m)");
        hold = 1'b0;
        while (busy) @(negedge clock);
        run(0);
        done = 1'b1;
    end
endmodule

module tb_shell_reset;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    shell_reset_case #(.N(1), .SEED(1)) u_0 (.aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    shell_reset_case #(.N(5), .CYCLES(2), .OPEN(9), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
    shell_reset_case #(.N(2), .CYCLES(33), .OPEN(2), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[95:64]));
endmodule

`default_nettype wire
