// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_cdc_pulse - simulation only: a model of our own of Vivado's pulse synchroniser.
//
// Parameters, ports and behaviour after UG974, XPM_CDC_PULSE.
`default_nettype none

module xpm_cdc_pulse #(
    parameter DEST_SYNC_FF = 4,
    parameter INIT_SYNC_FF = 0,
    parameter REG_OUTPUT = 0,
    parameter RST_USED = 1,
    parameter SIM_ASSERT_CHK = 0
) (
    input  wire src_clk,
    input  wire src_rst,
    input  wire src_pulse,
    input  wire dest_clk,
    input  wire dest_rst,
    output wire dest_pulse
);
    reg level, earlier, seen, pulse;
    wire there;
    initial {level, earlier, seen, pulse} = 4'b0000;
    always @(posedge src_clk) begin
        earlier <= src_pulse;
        if (src_pulse && !earlier) level <= !level;
        if (RST_USED != 0 && src_rst) {level, earlier} <= 2'b00;
    end
    vendor_sync #(.STAGES(DEST_SYNC_FF)) u_dest (.clk(dest_clk), .d(level), .q(there));
    always @(posedge dest_clk) begin
        seen <= there;
        pulse <= there != seen;
        if (RST_USED != 0 && dest_rst) {seen, pulse} <= 2'b00;
    end
    assign dest_pulse = REG_OUTPUT != 0 ? pulse : there != seen;

    wire unused = &{1'b0, INIT_SYNC_FF != 0, SIM_ASSERT_CHK != 0};
endmodule

`default_nettype wire
