// SPDX-License-Identifier: BSD-3-Clause
//
// layer_turns - whose turn it is among N that take fixed numbers of beats one after another.
//
// Throughput  a step per cycle
// Latency     the turn changes in the cycle after the step that ends it
// Paths       turn is flops
// Resources   N + the bits of the largest number FF
//
// Parameters: N      how many take turns, 1 to 32
//             BEATS  beats of each, 32 bits each and 1 or more, the first lowest
// Checked by: test_layers.py
`default_nettype none

module layer_turns #(
    parameter int N = 2,
    parameter bit [N*32-1:0] BEATS = {N{32'd1}}
) (
    input  wire           aclk,
    input  wire           aresetn,

    input  wire           step,
    output wire  [N-1:0]  turn   // one bit is set
);

    function automatic int most(input int least);
        int found;
        found = least;
        for (int i = 0; i < N; i++) if (BEATS[i*32 +: 32] > 32'(found)) found = 32'(BEATS[i*32 +: 32]);
        most = found;
    endfunction
    localparam int COUNT_W = $clog2(most(0) + 1);

    generate
        if (N < 1 || N > 32) begin : g_check_n
            N_must_be_1_to_32 parameter_error();
        end
        for (genvar i = 0; i < N; i++) begin : g_check
            if (BEATS[i*32 +: 32] == 32'd0) begin : g_beats
                BEATS_must_be_at_least_1 parameter_error();
            end
        end
    endgenerate

    logic [N-1:0]       turn_q;
    logic [COUNT_W-1:0] count_q;
    logic [N-1:0]       ends;

    generate
        for (genvar i = 0; i < N; i++) begin : g_end
            localparam bit [31:0] LAST = BEATS[i*32 +: 32] - 32'd1;
            assign ends[i] = turn_q[i] && count_q == LAST[COUNT_W-1:0];
        end

        if (N > 1) begin : g_several
            always_ff @(posedge aclk) begin
                if (step && ends != '0) turn_q <= {turn_q[N-2:0], turn_q[N-1]};
                if (!aresetn) turn_q <= N'(1);
            end
        end else begin : g_one
            assign turn_q = 1'b1;
        end
    endgenerate

    always_ff @(posedge aclk) begin
        if (step) count_q <= ends != '0 ? '0 : count_q + 1'b1;
        if (!aresetn) count_q <= '0;
    end

    assign turn = turn_q;

endmodule

`default_nettype wire
