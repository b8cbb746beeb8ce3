// SPDX-License-Identifier: BSD-3-Clause
//
// clock_edges - for tests/test_bench_clocks.py: writes the time of each edge of clocks whose inputs follow a list.
//
// Each line of steps.txt is a time in picoseconds, then run, ppm, drift and phase from there on; edges.txt has a line
// for each edge, but those of the time 0. A flop of each clock takes what one of another clock holds, as edges that
// meet must find it.
`default_nettype none

module clock_edges (
    output wire aclk,
    output reg  done
);
    timeunit 1ps; timeprecision 1ps;

    reg               run;
    reg signed [15:0] ppm;
    reg        [15:0] drift;
    reg        [7:0]  phase;
    wire       [5:0]  clk, clk2x;
    reg        [7:0]  count, seen;
    integer           steps, edges, got, at, now, run_i, ppm_i, drift_i, phase_i;

    node_clock #(.PERIOD_FS(10000000)) u_plain (
        .run(run), .ppm(ppm), .drift(drift), .phase(phase), .clk(clk[0]), .clk2x(clk2x[0])
    );
    node_clock #(.PERIOD_FS(10000000), .DOUBLED(1)) u_doubled (
        .run(run), .ppm(ppm), .drift(drift), .phase(phase), .clk(clk[1]), .clk2x(clk2x[1])
    );
    node_clock #(.PERIOD_FS(3333333)) u_third (
        .run(run), .ppm(ppm), .drift(drift), .phase(8'd0), .clk(clk[2]), .clk2x(clk2x[2])
    );
    node_clock #(.PERIOD_FS(7407407), .DOUBLED(1)) u_odd (
        .run(run), .ppm(-ppm), .drift(drift), .phase(phase), .clk(clk[3]), .clk2x(clk2x[3])
    );
    node_clock #(.PERIOD_FS(640000)) u_fast (
        .run(run && ppm == 16'sd0), .ppm(16'sd0), .drift(16'd0), .phase(8'd0), .clk(clk[4]), .clk2x(clk2x[4])
    );
    bench_clock #(.HALF_PS(5000)) u_bench (.clk(clk[5]));
    assign clk2x[5] = clk[5] && run;
    assign aclk     = clk[5];

    initial begin
        run   = 1'b0;
        ppm   = 16'sd0;
        drift = 16'd0;
        phase = 8'd0;
        done  = 1'b0;
        now   = 0;
        count = 8'd0;
        seen  = 8'd0;
        edges = $fopen("edges.txt", "w");
        steps = $fopen("steps.txt", "r");
        got   = $fscanf(steps, "%d %d %d %d %d\n", at, run_i, ppm_i, drift_i, phase_i);
        while (got == 5) begin
            #(at - now);
            now   = at;
            ppm   = ppm_i[15:0];
            drift = drift_i[15:0];
            phase = phase_i[7:0];
            run   = run_i[0];
            got   = $fscanf(steps, "%d %d %d %d %d\n", at, run_i, ppm_i, drift_i, phase_i);
        end
        $fclose(edges);
        edges = 0;
        done  = 1'b1;
    end

    always @(posedge clk[0]) count <= count + 8'd1;
    always @(posedge clk[1]) seen <= count;
    always @(seen) if (edges != 0 && $time > 0) $fdisplay(edges, "%0d seen %0d", $time, seen);

    generate
        for (genvar i = 0; i < 6; i = i + 1) begin : g_clock
            always @(clk[i]) if (edges != 0 && $time > 0) $fdisplay(edges, "%0d clk %0d %b", $time, i, clk[i]);
            always @(clk2x[i]) if (edges != 0 && $time > 0) $fdisplay(edges, "%0d clk2x %0d %b", $time, i, clk2x[i]);
        end
    endgenerate
endmodule

`default_nettype wire
