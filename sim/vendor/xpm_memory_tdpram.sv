// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_memory_tdpram - simulation only: a model of our own of Vivado's
// memory with two ports.
//
// Parameters, ports and behaviour after UG974, XPM_MEMORY_TDPRAM. Not modelled: error correction, sleep,
// widths that differ between the sides, initial values as a parameter, reset values.
`default_nettype none

module xpm_memory_tdpram #(
    parameter ADDR_WIDTH_A = 6,
    parameter ADDR_WIDTH_B = 6,
    parameter AUTO_SLEEP_TIME = 0,
    parameter BYTE_WRITE_WIDTH_A = 32,
    parameter BYTE_WRITE_WIDTH_B = 32,
    parameter CASCADE_HEIGHT = 0,
    parameter CLOCKING_MODE = "common_clock",
    parameter ECC_BIT_RANGE = "7:0",
    parameter ECC_MODE = "no_ecc",
    parameter ECC_TYPE = "none",
    parameter IGNORE_INIT_SYNTH = 0,
    parameter MEMORY_INIT_FILE = "none",
    parameter MEMORY_INIT_PARAM = "0",
    parameter MEMORY_OPTIMIZATION = "true",
    parameter MEMORY_PRIMITIVE = "auto",
    parameter MEMORY_SIZE = 2048,
    parameter MESSAGE_CONTROL = 0,
    parameter RAM_DECOMP = "auto",
    parameter READ_DATA_WIDTH_A = 32,
    parameter READ_DATA_WIDTH_B = 32,
    parameter READ_LATENCY_A = 2,
    parameter READ_LATENCY_B = 2,
    parameter READ_RESET_VALUE_A = "0",
    parameter READ_RESET_VALUE_B = "0",
    parameter RST_MODE_A = "SYNC",
    parameter RST_MODE_B = "SYNC",
    parameter SIM_ASSERT_CHK = 0,
    parameter USE_EMBEDDED_CONSTRAINT = 0,
    parameter USE_MEM_INIT = 1,
    parameter USE_MEM_INIT_MMI = 0,
    parameter WAKEUP_TIME = "disable_sleep",
    parameter WRITE_DATA_WIDTH_A = 32,
    parameter WRITE_DATA_WIDTH_B = 32,
    parameter WRITE_MODE_A = "no_change",
    parameter WRITE_MODE_B = "no_change",
    parameter WRITE_PROTECT = 1
) (
    input  wire sleep,
    input  wire clka,
    input  wire rsta,
    input  wire ena,
    input  wire regcea,
    input  wire [WRITE_DATA_WIDTH_A/BYTE_WRITE_WIDTH_A-1:0] wea,
    input  wire [ADDR_WIDTH_A-1:0] addra,
    input  wire [WRITE_DATA_WIDTH_A-1:0] dina,
    input  wire injectsbiterra,
    input  wire injectdbiterra,
    output wire [READ_DATA_WIDTH_A-1:0] douta,
    output wire sbiterra,
    output wire dbiterra,
    input  wire clkb,
    input  wire rstb,
    input  wire enb,
    input  wire regceb,
    input  wire [WRITE_DATA_WIDTH_B/BYTE_WRITE_WIDTH_B-1:0] web,
    input  wire [ADDR_WIDTH_B-1:0] addrb,
    input  wire [WRITE_DATA_WIDTH_B-1:0] dinb,
    input  wire injectsbiterrb,
    input  wire injectdbiterrb,
    output wire [READ_DATA_WIDTH_B-1:0] doutb,
    output wire sbiterrb,
    output wire dbiterrb
);
    // verilator lint_off WIDTHEXPAND
    localparam int MODE_A = WRITE_MODE_A == "write_first" ? 1 : WRITE_MODE_A == "no_change" ? 2 : 0;
    localparam int MODE_B = WRITE_MODE_B == "write_first" ? 1 : WRITE_MODE_B == "no_change" ? 2 : 0;
    localparam bit FILLED = MEMORY_INIT_PARAM != "0" && MEMORY_INIT_PARAM != "";
    // verilator lint_on WIDTHEXPAND
    initial begin
        if (READ_DATA_WIDTH_A != WRITE_DATA_WIDTH_A || READ_DATA_WIDTH_B != WRITE_DATA_WIDTH_A || WRITE_DATA_WIDTH_B != WRITE_DATA_WIDTH_A)
            $fatal(1, "%m: this model has one width for all sides; use Vivado's XPM sources (--xpm)");
        if (FILLED) $fatal(1, "%m: MEMORY_INIT_PARAM is not modelled; use Vivado's XPM sources (--xpm)");
    end
    vendor_memory #(
        .WIDTH(WRITE_DATA_WIDTH_A),
        .DEPTH(MEMORY_SIZE / WRITE_DATA_WIDTH_A),
        .ADDR_A(ADDR_WIDTH_A),
        .ADDR_B(ADDR_WIDTH_B),
        .LANE_A(BYTE_WRITE_WIDTH_A),
        .LANE_B(BYTE_WRITE_WIDTH_B),
        .LATENCY_A(READ_LATENCY_A),
        .LATENCY_B(READ_LATENCY_B),
        .MODE_A(MODE_A),
        .MODE_B(MODE_B),
        .INIT_FILE(MEMORY_INIT_FILE)
    ) u_memory (
        .clka(clka),
        .rsta(rsta),
        .ena(ena),
        .regcea(regcea),
        .wea(wea),
        .addra(addra),
        .dina(dina),
        .douta(douta),
        .clkb(clkb),
        .rstb(rstb),
        .enb(enb),
        .regceb(regceb),
        .web(web),
        .addrb(addrb),
        .dinb(dinb),
        .doutb(doutb)
    );
    assign sbiterra = 1'b0;
    assign dbiterra = 1'b0;
    assign sbiterrb = 1'b0;
    assign dbiterrb = 1'b0;

    wire unused = &{1'b0, AUTO_SLEEP_TIME != 0, CASCADE_HEIGHT != 0, CLOCKING_MODE == 0,
                    ECC_BIT_RANGE == 0, ECC_MODE == 0, ECC_TYPE == 0, IGNORE_INIT_SYNTH != 0,
                    MEMORY_OPTIMIZATION == 0, MEMORY_PRIMITIVE == 0, MESSAGE_CONTROL != 0,
                    RAM_DECOMP == 0, READ_RESET_VALUE_A == 0, READ_RESET_VALUE_B == 0, RST_MODE_A ==
                    0, RST_MODE_B == 0, SIM_ASSERT_CHK != 0, USE_EMBEDDED_CONSTRAINT != 0,
                    USE_MEM_INIT != 0, USE_MEM_INIT_MMI != 0, WAKEUP_TIME == 0, WRITE_PROTECT != 0,
                    sleep, injectsbiterra, injectdbiterra, injectsbiterrb, injectdbiterrb};
endmodule

`default_nettype wire
