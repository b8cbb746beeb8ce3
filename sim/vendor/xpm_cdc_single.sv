// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_cdc_single - simulation only: a model of our own of Vivado's single-bit synchroniser.
//
// Parameters, ports and behaviour after UG974, XPM_CDC_SINGLE.
`default_nettype none

module xpm_cdc_single #(
    parameter DEST_SYNC_FF = 4,
    parameter INIT_SYNC_FF = 0,
    parameter SIM_ASSERT_CHK = 0,
    parameter SRC_INPUT_REG = 1
) (
    input  wire src_clk,
    input  wire src_in,
    input  wire dest_clk,
    output wire dest_out
);
    xpm_cdc_array_single #(
        .DEST_SYNC_FF(DEST_SYNC_FF), .SRC_INPUT_REG(SRC_INPUT_REG), .WIDTH(1)
    ) u_array (
        .src_clk(src_clk), .src_in(src_in), .dest_clk(dest_clk), .dest_out(dest_out)
    );

    wire unused = &{1'b0, INIT_SYNC_FF != 0, SIM_ASSERT_CHK != 0};
endmodule

`default_nettype wire
