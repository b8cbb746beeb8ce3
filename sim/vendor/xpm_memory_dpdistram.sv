// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_memory_dpdistram - simulation only: a model of our own of Vivado's
// distributed memory with a second port that reads.
//
// Parameters, ports and behaviour after UG974, XPM_MEMORY_DPDISTRAM. Not modelled: error correction, sleep,
// widths that differ between the sides, initial values as a parameter, reset values.
`default_nettype none

module xpm_memory_dpdistram #(
    parameter ADDR_WIDTH_A = 6,
    parameter ADDR_WIDTH_B = 6,
    parameter BYTE_WRITE_WIDTH_A = 32,
    parameter CLOCKING_MODE = "common_clock",
    parameter IGNORE_INIT_SYNTH = 0,
    parameter MEMORY_INIT_FILE = "none",
    parameter MEMORY_INIT_PARAM = "0",
    parameter MEMORY_OPTIMIZATION = "true",
    parameter MEMORY_SIZE = 2048,
    parameter MESSAGE_CONTROL = 0,
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
    parameter WRITE_PROTECT = 1
) (
    input  wire clka,
    input  wire rsta,
    input  wire ena,
    input  wire regcea,
    input  wire [WRITE_DATA_WIDTH_A/BYTE_WRITE_WIDTH_A-1:0] wea,
    input  wire [ADDR_WIDTH_A-1:0] addra,
    input  wire [WRITE_DATA_WIDTH_A-1:0] dina,
    output wire [READ_DATA_WIDTH_A-1:0] douta,
    input  wire clkb,
    input  wire rstb,
    input  wire enb,
    input  wire regceb,
    input  wire [ADDR_WIDTH_B-1:0] addrb,
    output wire [READ_DATA_WIDTH_B-1:0] doutb
);
    // verilator lint_off WIDTHEXPAND
    localparam int MODE_A = 0;
    localparam int MODE_B = 0;
    localparam bit FILLED = MEMORY_INIT_PARAM != "0" && MEMORY_INIT_PARAM != "";
    // verilator lint_on WIDTHEXPAND
    initial begin
        if (READ_DATA_WIDTH_A != WRITE_DATA_WIDTH_A || READ_DATA_WIDTH_B != WRITE_DATA_WIDTH_A)
            $fatal(1, "%m: this model has one width for all sides; use Vivado's XPM sources (--xpm)");
        if (FILLED) $fatal(1, "%m: MEMORY_INIT_PARAM is not modelled; use Vivado's XPM sources (--xpm)");
    end
    vendor_memory #(
        .WIDTH(WRITE_DATA_WIDTH_A),
        .DEPTH(MEMORY_SIZE / WRITE_DATA_WIDTH_A),
        .ADDR_A(ADDR_WIDTH_A),
        .ADDR_B(ADDR_WIDTH_B),
        .LANE_A(BYTE_WRITE_WIDTH_A),
        .LANE_B(WRITE_DATA_WIDTH_A),
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
        .web(1'b0),
        .addrb(addrb),
        .dinb({WRITE_DATA_WIDTH_A{1'b0}}),
        .doutb(doutb)
    );

    wire unused = &{1'b0, CLOCKING_MODE == 0, IGNORE_INIT_SYNTH != 0, MEMORY_OPTIMIZATION == 0,
                    MESSAGE_CONTROL != 0, READ_RESET_VALUE_A == 0, READ_RESET_VALUE_B == 0,
                    RST_MODE_A == 0, RST_MODE_B == 0, SIM_ASSERT_CHK != 0, USE_EMBEDDED_CONSTRAINT
                    != 0, USE_MEM_INIT != 0, USE_MEM_INIT_MMI != 0, WAKEUP_TIME == 0, WRITE_PROTECT
                    != 0};
endmodule

`default_nettype wire
