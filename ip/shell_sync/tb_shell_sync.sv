// SPDX-License-Identifier: BSD-3-Clause
//
// tb_shell_sync - levels that change at any time arrive after SYNC_STAGES + 1 cycles at the latest, and not earlier than
// they can; reset holds the output at INIT.
`default_nettype none

module shell_sync_case #(
    parameter int SYNC_STAGES = 2, HALF = 500, SEED = 1,
    parameter logic [2:0] INIT = 3'd0
) (
    output logic        done,
    output logic [31:0] compared
);
    logic        aclk, aresetn;
    logic [2:0]  levels;
    wire  [2:0]  levels_here;
    logic [31:0] dice;

    initial begin
        aclk = 1'b0;
        #1;
        while (!done) #HALF aclk = !aclk;
    end
    shell_sync #(.W(3), .INIT(INIT), .SYNC_STAGES(SYNC_STAGES)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .levels(levels), .levels_here(levels_here)
    );

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b1; levels = INIT; dice = 32'(SEED);
        #2;
        if (levels_here !== INIT) $fatal(1, "%b before the first edge (%m)", levels_here);
        for (int n = 0; n < 200; n++) begin
            dice   = dice * 32'd1664525 + 32'd1013904223;
            repeat (1 + int'(dice[22:16])) #7;
            levels = dice[31:29];
            repeat (SYNC_STAGES + 1) @(posedge aclk);
            @(negedge aclk);
            if (levels_here !== levels) $fatal(1, "%b arrives as %b (%m)", levels, levels_here);
            levels = ~levels;
            repeat (SYNC_STAGES) @(posedge aclk);
            @(negedge aclk);
            if (levels_here !== ~levels) $fatal(1, "%b is there too early (%m)", levels_here);
            aresetn = 1'b0;
            @(posedge aclk);
            @(negedge aclk);
            if (levels_here !== INIT) $fatal(1, "%b in reset (%m)", levels_here);
            aresetn = 1'b1;
            compared = compared + 3;
        end
        done = 1'b1;
    end
endmodule

module tb_shell_sync;
    localparam int N = 2;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #500 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    shell_sync_case #(.SEED(1)) u_two (.done(done[0]), .compared(compared[31:0]));
    shell_sync_case #(.SYNC_STAGES(4), .HALF(809), .INIT(3'd5), .SEED(2)) u_four (
        .done(done[1]), .compared(compared[63:32])
    );
endmodule

`default_nettype wire
