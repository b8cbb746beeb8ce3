// SPDX-License-Identifier: BSD-3-Clause
//
// formal_source - what a proof assumes of the stream it drives, and asserts of its tready.
//
// The stream is free. With POLITE = 1 it obeys AXI4-Stream: while tvalid waits, tvalid stays and tdata does
// not change. A proof that closes without POLITE holds for rude sources too. WITHIN >= 0 asserts progress: a
// beat is accepted after at most WITHIN cycles of waiting; while `fair` is low the count stands. QUIET = 1
// asserts that tready is low in reset, from its second cycle on.
//
// Parameters: DATA_W  bits of a beat
//             POLITE  1: assume that a waiting beat stays
//             WITHIN  see above, -1 does not check
//             QUIET   see above
`default_nettype none

module formal_source #(
    parameter int DATA_W = 1,
    parameter int POLITE = 0,
    parameter int WITHIN = -1,
    parameter int QUIET  = 1
) (
    input wire              aclk,
    input wire              aresetn,

    input wire              fair,
    input wire [DATA_W-1:0] tdata,
    input wire              tvalid,
    input wire              tready
);

    generate
        if (POLITE != 0) begin : g_polite
            logic              waiting_q;
            logic [DATA_W-1:0] data_q;

            always_ff @(posedge aclk) begin
                waiting_q <= aresetn && tvalid && !tready;
                data_q    <= tdata;
            end
            always_comb if (aresetn && waiting_q) assume (tvalid && tdata == data_q);
        end
        if (WITHIN >= 0) begin : g_progress
            localparam int COUNT_W = $clog2(WITHIN + 2);

            logic [COUNT_W-1:0] waited_q;

            always_ff @(posedge aclk) begin
                if (!aresetn || !tvalid || tready) waited_q <= '0;
                else if (fair)                     waited_q <= waited_q + 1'b1;
            end
            always_comb if (aresetn && fair && tvalid && !tready) progress_in: assert (waited_q != COUNT_W'(WITHIN));
        end
        if (QUIET != 0) begin : g_quiet
            logic down_q;

            initial down_q = 1'b0;
            always_ff @(posedge aclk) down_q <= !aresetn;
            always_comb if (down_q && !aresetn) quiet_in: assert (!tready);
        end
    endgenerate

endmodule

`default_nettype wire
