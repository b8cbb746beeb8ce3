// SPDX-License-Identifier: BSD-3-Clause
//
// bench_stall - simulation only: decides in each cycle, by chance, whether its owner stalls.
//
// A 32-bit xorshift generator; each instance has its own sequence, the same in every run and simulator.
// It rests while chance is 0, which costs nothing then.
//
// Parameters: SEED  any integer; the owners derive theirs from their own SEED
`default_nettype none

module bench_stall #(
    parameter int SEED = 1
) (
    input  wire       aclk,
    input  wire       aresetn,
    input  wire [7:0] chance,  // in 1/256; 255 is always
    output wire       stall
);
    // Spread small seeds over the word and keep away from zero, where xorshift stays.
    localparam logic [31:0] START = (32'h9E37_79B9 * (32'(SEED) + 32'd1)) | 32'd1;

    logic [31:0] state_q;
    wire  [31:0] step_a = state_q ^ (state_q << 13);
    wire  [31:0] step_b = step_a ^ (step_a >> 17);

    assign stall = chance == 8'd255 || state_q[31:24] < chance;

    always_ff @(posedge aclk) begin
        if (chance != 8'd0) state_q <= step_b ^ (step_b << 5);
        if (!aresetn) state_q <= START;
    end
endmodule

`default_nettype wire
