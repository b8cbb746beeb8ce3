// SPDX-License-Identifier: BSD-3-Clause
//
// bench_stall - simulation only: decides in each cycle, by chance, whether its owner stalls.
//
// A 32-bit xorshift generator; each instance has its own sequence, the same in every run and simulator.
// It rests while chance is 0, which costs nothing then. chance may come from another clock.
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

    logic [7:0]  chance_q;

    assign stall = chance_q == 8'd255 || state_q[31:24] < chance_q;

    always_ff @(posedge aclk) begin
        chance_q <= chance;
        if (chance_q != 8'd0) state_q <= step_b ^ (step_b << 5);
        if (!aresetn) begin
            state_q  <= START;
            chance_q <= 8'd0;
        end
    end
endmodule

`default_nettype wire
