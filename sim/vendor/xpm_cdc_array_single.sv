// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_cdc_array_single - simulation only: a model of our own of Vivado's synchroniser of single bits.
//
// Parameters, ports and behaviour after UG974, XPM_CDC_ARRAY_SINGLE.
`default_nettype none

module xpm_cdc_array_single #(
    parameter DEST_SYNC_FF = 4,
    parameter INIT_SYNC_FF = 0,
    parameter SIM_ASSERT_CHK = 0,
    parameter SRC_INPUT_REG = 1,
    parameter WIDTH = 2
) (
    input  wire src_clk,
    input  wire [WIDTH-1:0] src_in,
    input  wire dest_clk,
    output wire [WIDTH-1:0] dest_out
);
    wire [WIDTH-1:0] sent;
    generate
        if (SRC_INPUT_REG != 0) begin : g_registered
            vendor_sync #(.WIDTH(WIDTH), .STAGES(1)) u_src (.clk(src_clk), .d(src_in), .q(sent));
        end else begin : g_direct
            assign sent = src_in;
            wire unused_clk = &{1'b0, src_clk};
        end
    endgenerate
    vendor_sync #(.WIDTH(WIDTH), .STAGES(DEST_SYNC_FF)) u_dest (.clk(dest_clk), .d(sent), .q(dest_out));

    wire unused = &{1'b0, INIT_SYNC_FF != 0, SIM_ASSERT_CHK != 0};
endmodule

`default_nettype wire
