// SPDX-License-Identifier: BSD-3-Clause
//
// frame_mark - simulation only: TLAST for a stream that has none, for partitions in the monolith that take it.
//
// Watches a stream and marks every WORDS-th word, the last of a frame.
`default_nettype none

module frame_mark #(
    parameter int WORDS = 1
) (
    input  wire aclk,
    input  wire aresetn,
    input  wire tvalid,
    input  wire tready,
    output wire tlast
);
    integer count_q;

    assign tlast = count_q == WORDS - 1;

    always @(posedge aclk) begin
        if (tvalid && tready) count_q <= tlast ? 0 : count_q + 1;
        if (!aresetn) count_q <= 0;
    end
endmodule

`default_nettype wire
