// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_cdc_sync_rst - simulation only: a model of our own of Vivado's reset synchroniser.
//
// Parameters, ports and behaviour after UG974, XPM_CDC_SYNC_RST.
`default_nettype none

module xpm_cdc_sync_rst #(
    parameter DEST_SYNC_FF = 4,
    parameter INIT = 1,
    parameter INIT_SYNC_FF = 0,
    parameter SIM_ASSERT_CHK = 0
) (
    input  wire src_rst,
    input  wire dest_clk,
    output wire dest_rst
);
    vendor_sync #(.STAGES(DEST_SYNC_FF), .INIT(1'(INIT & INIT_SYNC_FF))) u_dest (
        .clk(dest_clk), .d(src_rst), .q(dest_rst)
    );

    wire unused = &{1'b0, SIM_ASSERT_CHK != 0};
endmodule

`default_nettype wire
