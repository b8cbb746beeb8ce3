// SPDX-License-Identifier: BSD-3-Clause
//
// bench_end - simulation only: ends a bench when all its cases are done, and says how much they compared.
//
// The last line is `PASS <comparisons>`; a case that compared nothing, or never ends, is fatal.
//
// Parameters: N       cases
//             CYCLES  by when they must be done
`default_nettype none

module bench_end #(
    parameter int N      = 1,
    parameter int CYCLES = 200000
) (
    input  wire             aclk,
    input  wire [N-1:0]     done,
    input  wire [N*32-1:0]  compared
);

    int cycle, total;
    initial cycle = 0;

    always @(posedge aclk) begin
        cycle <= cycle + 1;
        if (cycle > CYCLES) $fatal(1, "not done after %0d cycles: %b", CYCLES, done);
        if (&done) begin
            total = 0;
            for (int k = 0; k < N; k++) begin
                if (compared[k*32 +: 32] == 0) $fatal(1, "case %0d compared nothing", k);
                total = total + int'(compared[k*32 +: 32]);
            end
            $display("PASS %0d", total);
            $finish;
        end
    end

endmodule

`default_nettype wire
