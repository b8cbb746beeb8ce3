// SPDX-License-Identifier: BSD-3-Clause
//
// shell_sync - levels from flops of another clock, each by itself, into this one.
//
// Each bit goes through SYNC_STAGES flops for metastability to settle in and one that reset holds at INIT. Bits that change
// together may arrive in different cycles, so what is sent must mean the same in either order; a level must stand for
// SYNC_STAGES + 1 cycles of aclk to be sure to arrive. shell_sync.tcl holds the timing constraints.
//
// Throughput  a change in SYNC_STAGES + 1 cycles
// Latency     SYNC_STAGES + 1 cycles, one less or more
// Paths       the output is a flop
// Resources   FF: W*(SYNC_STAGES + 1)
//
// Parameters: W            bits
//             INIT         what the output is after configuration and in reset
//             SYNC_STAGES  2, 3 or 4 flops for metastability to settle in
// Checked by: test_shell_sync.py
`default_nettype none

module shell_sync #(
    parameter int           W           = 1,
    parameter logic [W-1:0] INIT        = '0,
    parameter int           SYNC_STAGES = 2
) (
    input  wire          aclk,
    input  wire          aresetn,

    input  wire  [W-1:0] levels,  // of another clock
    output logic [W-1:0] levels_here
);

    generate
        if (W < 1) begin : g_check_w
            W_must_be_at_least_1 parameter_error();
        end
        if (SYNC_STAGES < 2 || SYNC_STAGES > 4) begin : g_check_sync_stages
            SYNC_STAGES_must_be_2_to_4 parameter_error();
        end
    endgenerate

    localparam int REST_W = (SYNC_STAGES > 1 ? SYNC_STAGES - 1 : 1) * W;

    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic [W-1:0]      meta_q;
    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic [REST_W-1:0] sync_q;

    // Plain `always`: these have initial values.
    initial meta_q      = INIT;
    initial sync_q      = {REST_W/W{INIT}};
    initial levels_here = INIT;

    always @(posedge aclk) begin
        meta_q      <= levels;
        sync_q      <= REST_W'({sync_q, meta_q});
        levels_here <= aresetn ? sync_q[REST_W-1 -: W] : INIT;
    end

endmodule

`default_nettype wire
