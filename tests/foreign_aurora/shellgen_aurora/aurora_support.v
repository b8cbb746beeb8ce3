// SPDX-License-Identifier: BSD-3-Clause
//
// aurora_support - reset sequence and native flow control for an Aurora 64B/66B core (PG074). Verilog-2001, since Vivado
// refers to it from a block design.
//
// On init_clk: pma_init and reset_pb are high after configuration and while aresetn is low; pma_init falls after 256
// cycles, reset_pb after 512. On user_clk: a change of `full` tells the far end to stop (XOFF) or to go on (XON).
`default_nettype none

module aurora_support (
    (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 init_clk CLK" *)
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_RESET aresetn" *)
    input  wire        init_clk,
    (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST" *)
    (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
    input  wire        aresetn,
    output wire        pma_init,
    output wire        reset_pb,
    (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 user_clk CLK" *)
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_RESET rx_aresetn" *)
    input  wire        user_clk,
    input  wire        sys_reset,
    (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 rx_aresetn RST" *)
    (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
    output wire        rx_aresetn,
    input  wire        full,
    output wire        nfc_request,
    output wire [15:0] nfc_word,
    input  wire        nfc_accept
);
    localparam [15:0] XOFF = 16'h0100, XON = 16'h0000;

    // aresetn may be of a clock that follows init_clk: two flops take it over
    (* ASYNC_REG = "TRUE" *) reg [1:0] resetn_q = 2'b00;
    reg [9:0] count_q = 10'd0;
    always @(posedge init_clk) begin
        resetn_q <= {resetn_q[0], aresetn};
        if (!resetn_q[1]) count_q <= 10'd0;
        else if (!count_q[9]) count_q <= count_q + 10'd1;
    end
    assign pma_init = !(count_q[9] || count_q[8]);
    assign reset_pb = !count_q[9];

    reg told_q = 1'b0, said_q = 1'b0, valid_q = 1'b0;
    always @(posedge user_clk) begin
        if (valid_q && nfc_accept) begin
            valid_q <= 1'b0;
            told_q  <= said_q;
        end else if (!valid_q && full != told_q) begin
            valid_q <= 1'b1;
            said_q  <= full;
        end
        if (sys_reset) begin
            valid_q <= 1'b0;
            told_q  <= 1'b0;
        end
    end
    assign rx_aresetn = !sys_reset;
    assign nfc_request = valid_q;
    assign nfc_word    = said_q ? XOFF : XON;
endmodule

`default_nettype wire
