// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_cdc_handshake - simulation only: a model of our own of Vivado's bus synchroniser with a full handshake.
//
// Parameters, ports and behaviour after UG974, XPM_CDC_HANDSHAKE.
`default_nettype none

module xpm_cdc_handshake #(
    parameter DEST_EXT_HSK = 1,
    parameter DEST_SYNC_FF = 4,
    parameter INIT_SYNC_FF = 0,
    parameter SIM_ASSERT_CHK = 0,
    parameter SRC_SYNC_FF = 4,
    parameter WIDTH = 1
) (
    input  wire src_clk,
    input  wire [WIDTH-1:0] src_in,
    input  wire src_send,
    output wire src_rcv,
    input  wire dest_clk,
    output reg  [WIDTH-1:0] dest_out,
    output reg  dest_req,
    input  wire dest_ack
);
    reg [WIDTH-1:0] held;
    reg send, took;
    wire asked;
    initial {held, send, took, dest_out, dest_req} = 0;
    always @(posedge src_clk) begin
        send <= src_send;
        if (src_send && !send) held <= src_in;
    end
    vendor_sync #(.STAGES(DEST_SYNC_FF)) u_dest (.clk(dest_clk), .d(send), .q(asked));
    always @(posedge dest_clk) begin
        took <= asked;
        if (asked && !took) dest_out <= held;
        dest_req <= DEST_EXT_HSK != 0 ? asked : asked && !took;
    end
    vendor_sync #(.STAGES(SRC_SYNC_FF)) u_src (
        .clk(src_clk), .d(DEST_EXT_HSK != 0 ? dest_ack : took), .q(src_rcv)
    );

    wire unused = &{1'b0, INIT_SYNC_FF != 0, SIM_ASSERT_CHK != 0};
endmodule

`default_nettype wire
