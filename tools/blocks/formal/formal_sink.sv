// SPDX-License-Identifier: BSD-3-Clause
//
// formal_sink - what a proof assumes of the tready it drives, and asserts of the stream it takes.
//
// Asserted: while tvalid waits, tvalid stays and no bit of tdata changes (one arbitrary bit stands for all).
// Fairness: STALL >= 0 assumes that tready is low for at most STALL cycles in a row while tvalid is high.
// WITHIN >= 0 asserts progress: after at most WITHIN cycles with `pending`, a beat leaves. QUIET = 1 asserts
// that tvalid is low in reset, from its second cycle on.
//
// Parameters: DATA_W  bits of a beat, sidebands included
//             STALL   see above, -1 assumes nothing
//             WITHIN  see above, -1 does not check
//             QUIET   see above
`default_nettype none

module formal_sink #(
    parameter int DATA_W = 1,
    parameter int STALL  = -1,
    parameter int WITHIN = -1,
    parameter int QUIET  = 1
) (
    input wire              aclk,
    input wire              aresetn,

    input wire              pending,
    input wire [DATA_W-1:0] tdata,
    input wire              tvalid,
    input wire              tready
);

    localparam int INDEX_W = DATA_W > 1 ? $clog2(DATA_W) : 1;

    (* anyconst *) logic [INDEX_W-1:0] index;
    logic waiting_q, bit_q;

    always_comb assume (32'(index) < DATA_W);
    always_ff @(posedge aclk) begin
        waiting_q <= aresetn && tvalid && !tready;
        bit_q     <= tdata[index];
    end
    always_comb if (aresetn && waiting_q) begin
        stable_valid: assert (tvalid);
        stable_data:  assert (tdata[index] == bit_q);
    end

    generate
        if (STALL >= 0) begin : g_fair
            localparam int COUNT_W = $clog2(STALL + 2);

            logic [COUNT_W-1:0] stalled_q;

            always_ff @(posedge aclk) begin
                if (!aresetn || !tvalid || tready) stalled_q <= '0;
                else                               stalled_q <= stalled_q + 1'b1;
            end
            always_comb if (aresetn && tvalid && stalled_q == COUNT_W'(STALL)) assume (tready);
        end
        if (WITHIN >= 0) begin : g_progress
            localparam int COUNT_W = $clog2(WITHIN + 2);

            logic [COUNT_W-1:0] waited_q;

            always_ff @(posedge aclk) begin
                if (!aresetn || !pending || (tvalid && tready)) waited_q <= '0;
                else                                            waited_q <= waited_q + 1'b1;
            end
            always_comb if (aresetn && pending && !(tvalid && tready)) begin
                progress_out: assert (waited_q != COUNT_W'(WITHIN));
            end
        end
        if (QUIET != 0) begin : g_quiet
            logic down_q;

            initial down_q = 1'b0;
            always_ff @(posedge aclk) down_q <= !aresetn;
            always_comb if (down_q && !aresetn) quiet_out: assert (!tvalid);
        end
    endgenerate

endmodule

`default_nettype wire
