// SPDX-License-Identifier: BSD-3-Clause
//
// formal_reset - a reset that is low in the first cycle and may fall again at any time.
`default_nettype none

module formal_reset (
    input wire aclk,
    input wire aresetn
);

    logic started_q;

    initial started_q = 1'b0;
    always_ff @(posedge aclk) started_q <= 1'b1;
    always_comb if (!started_q) assume (!aresetn);

endmodule

`default_nettype wire
