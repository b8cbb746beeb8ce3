// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_cdc_gray - simulation only: a model of our own of Vivado's synchroniser of a counter by Gray code.
//
// Parameters, ports and behaviour after UG974, XPM_CDC_GRAY.
`default_nettype none

module xpm_cdc_gray #(
    parameter DEST_SYNC_FF = 4,
    parameter INIT_SYNC_FF = 0,
    parameter REG_OUTPUT = 0,
    parameter SIM_ASSERT_CHK = 0,
    parameter SIM_LOSSLESS_GRAY_CHK = 0,
    parameter WIDTH = 2
) (
    input  wire src_clk,
    input  wire [WIDTH-1:0] src_in_bin,
    input  wire dest_clk,
    output wire [WIDTH-1:0] dest_out_bin
);
    wire [WIDTH-1:0] sent;
    vendor_sync #(.WIDTH(WIDTH), .STAGES(1)) u_src (.clk(src_clk), .d(src_in_bin), .q(sent));
    vendor_sync #(.WIDTH(WIDTH), .STAGES(DEST_SYNC_FF + (REG_OUTPUT != 0 ? 1 : 0))) u_dest (
        .clk(dest_clk), .d(sent), .q(dest_out_bin)
    );

    wire unused = &{1'b0, INIT_SYNC_FF != 0, SIM_ASSERT_CHK != 0, SIM_LOSSLESS_GRAY_CHK != 0};
endmodule

`default_nettype wire
