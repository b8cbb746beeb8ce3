// SPDX-License-Identifier: BSD-3-Clause
//
// bench_noise - simulation only: other bits in each cycle, the same in every run and simulator; zeros while not loud.
//
// Parameters: SEED  any integer
`default_nettype none

module bench_noise #(
    parameter int SEED = 1
) (
    input  wire        aclk,
    input  wire        aresetn,
    input  wire        loud,
    output wire [31:0] noise
);
    logic [31:0] state_q;  // xorshift
    wire  [31:0] step_a = state_q ^ (state_q << 13);
    wire  [31:0] step_b = step_a ^ (step_a >> 17);

    assign noise = state_q;

    always_ff @(posedge aclk) begin
        state_q <= state_q == 32'd0 ? 32'h9E37_79B9 * 32'(SEED) | 32'd1 : step_b ^ (step_b << 5);
        if (!aresetn || !loud) state_q <= 32'd0;
    end
endmodule

`default_nettype wire
