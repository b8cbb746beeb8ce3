// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_cdc_async_rst - simulation only: a model of our own of Vivado's reset bridge, asserted at once and released with the clock.
//
// Parameters, ports and behaviour after UG974, XPM_CDC_ASYNC_RST.
`default_nettype none

module xpm_cdc_async_rst #(
    parameter DEST_SYNC_FF = 4,
    parameter INIT_SYNC_FF = 0,
    parameter RST_ACTIVE_HIGH = 0
) (
    input  wire src_arst,
    input  wire dest_clk,
    output wire dest_arst
);
    wire active = RST_ACTIVE_HIGH != 0 ? src_arst : !src_arst;
    reg [DEST_SYNC_FF-1:0] row;
    initial row = {DEST_SYNC_FF{1'b0}};
    always @(posedge dest_clk or posedge active)
        if (active) row <= {DEST_SYNC_FF{1'b1}};
        else row <= row << 1;
    assign dest_arst = RST_ACTIVE_HIGH != 0 ? row[DEST_SYNC_FF-1] : !row[DEST_SYNC_FF-1];

    wire unused = &{1'b0, INIT_SYNC_FF != 0};
endmodule

`default_nettype wire
