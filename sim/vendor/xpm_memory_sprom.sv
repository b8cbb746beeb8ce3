// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_memory_sprom - simulation only: a model of our own of Vivado's
// ROM with one port.
//
// Parameters, ports and behaviour after UG974, XPM_MEMORY_SPROM. Not modelled: error correction, sleep,
// widths that differ between the sides, initial values as a parameter, reset values.
`default_nettype none

module xpm_memory_sprom #(
    parameter ADDR_WIDTH_A = 6,
    parameter AUTO_SLEEP_TIME = 0,
    parameter CASCADE_HEIGHT = 0,
    parameter ECC_BIT_RANGE = "7:0",
    parameter ECC_MODE = "no_ecc",
    parameter ECC_TYPE = "none",
    parameter MEMORY_INIT_FILE = "none",
    parameter MEMORY_INIT_PARAM = "0",
    parameter MEMORY_OPTIMIZATION = "true",
    parameter MEMORY_PRIMITIVE = "auto",
    parameter MEMORY_SIZE = 2048,
    parameter MESSAGE_CONTROL = 0,
    parameter RAM_DECOMP = "auto",
    parameter READ_DATA_WIDTH_A = 32,
    parameter READ_LATENCY_A = 2,
    parameter READ_RESET_VALUE_A = "0",
    parameter RST_MODE_A = "SYNC",
    parameter SIM_ASSERT_CHK = 0,
    parameter USE_MEM_INIT = 1,
    parameter USE_MEM_INIT_MMI = 0,
    parameter WAKEUP_TIME = "disable_sleep"
) (
    input  wire sleep,
    input  wire clka,
    input  wire rsta,
    input  wire ena,
    input  wire regcea,
    input  wire [ADDR_WIDTH_A-1:0] addra,
    input  wire injectsbiterra,
    input  wire injectdbiterra,
    output wire [READ_DATA_WIDTH_A-1:0] douta,
    output wire sbiterra,
    output wire dbiterra
);
    // verilator lint_off WIDTHEXPAND
    localparam int MODE_A = 0;
    localparam int MODE_B = 0;
    localparam bit FILLED = MEMORY_INIT_PARAM != "0" && MEMORY_INIT_PARAM != "";
    // verilator lint_on WIDTHEXPAND
    initial begin
        if (FILLED) $fatal(1, "%m: MEMORY_INIT_PARAM is not modelled; use Vivado's XPM sources (--xpm)");
    end
    wire [READ_DATA_WIDTH_A-1:0] idle_b;
    vendor_memory #(
        .WIDTH(READ_DATA_WIDTH_A),
        .DEPTH(MEMORY_SIZE / READ_DATA_WIDTH_A),
        .ADDR_A(ADDR_WIDTH_A),
        .ADDR_B(1),
        .LANE_A(READ_DATA_WIDTH_A),
        .LANE_B(READ_DATA_WIDTH_A),
        .LATENCY_A(READ_LATENCY_A),
        .LATENCY_B(1),
        .MODE_A(MODE_A),
        .MODE_B(MODE_B),
        .INIT_FILE(MEMORY_INIT_FILE)
    ) u_memory (
        .clka(clka),
        .rsta(rsta),
        .ena(ena),
        .regcea(regcea),
        .wea(1'b0),
        .addra(addra),
        .dina({READ_DATA_WIDTH_A{1'b0}}),
        .douta(douta),
        .clkb(clka),
        .rstb(1'b0),
        .enb(1'b0),
        .regceb(1'b0),
        .web(1'b0),
        .addrb(1'b0),
        .dinb({READ_DATA_WIDTH_A{1'b0}}),
        .doutb(idle_b)
    );
    assign sbiterra = 1'b0;
    assign dbiterra = 1'b0;

    wire unused = &{1'b0, AUTO_SLEEP_TIME != 0, CASCADE_HEIGHT != 0, ECC_BIT_RANGE == 0, ECC_MODE ==
                    0, ECC_TYPE == 0, MEMORY_OPTIMIZATION == 0, MEMORY_PRIMITIVE == 0,
                    MESSAGE_CONTROL != 0, RAM_DECOMP == 0, READ_RESET_VALUE_A == 0, RST_MODE_A == 0,
                    SIM_ASSERT_CHK != 0, USE_MEM_INIT != 0, USE_MEM_INIT_MMI != 0, WAKEUP_TIME == 0,
                    sleep, injectsbiterra, injectdbiterra, idle_b};
endmodule

`default_nettype wire
