// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_fifo_async - simulation only: a model of our own of Vivado's FIFO macro with two clocks.
//
// Parameters, ports and behaviour after UG974, XPM_FIFO_ASYNC.
// Not modelled: error correction, sleep, widths that differ, a reset value of dout.
// Standard mode: FIFO_WRITE_DEPTH words, less one, fit; two more when words fall through.
`default_nettype none

module xpm_fifo_async #(
    parameter CASCADE_HEIGHT = 0,
    parameter CDC_SYNC_STAGES = 2,
    parameter DOUT_RESET_VALUE = "0",
    parameter ECC_MODE = "no_ecc",
    parameter EN_SIM_ASSERT_ERR = "warning",
    parameter FIFO_MEMORY_TYPE = "auto",
    parameter FIFO_READ_LATENCY = 1,
    parameter FIFO_WRITE_DEPTH = 2048,
    parameter FULL_RESET_VALUE = 0,
    parameter PROG_EMPTY_THRESH = 10,
    parameter PROG_FULL_THRESH = 10,
    parameter RD_DATA_COUNT_WIDTH = 1,
    parameter READ_DATA_WIDTH = 32,
    parameter READ_MODE = "std",
    parameter RELATED_CLOCKS = 0,
    parameter SIM_ASSERT_CHK = 0,
    parameter USE_ADV_FEATURES = "0707",
    parameter WAKEUP_TIME = 0,
    parameter WRITE_DATA_WIDTH = 32,
    parameter WR_DATA_COUNT_WIDTH = 1
) (
    input  wire                           sleep,
    input  wire                           rst,
    input  wire                           wr_clk,
    input  wire                           wr_en,
    input  wire [WRITE_DATA_WIDTH-1:0]    din,
    output wire                           full,
    output wire                           prog_full,
    output wire [WR_DATA_COUNT_WIDTH-1:0] wr_data_count,
    output wire                           overflow,
    output wire                           wr_rst_busy,
    output wire                           almost_full,
    output wire                           wr_ack,
    input  wire                           rd_clk,
    input  wire                           rd_en,
    output wire [READ_DATA_WIDTH-1:0]     dout,
    output wire                           empty,
    output wire                           prog_empty,
    output wire [RD_DATA_COUNT_WIDTH-1:0] rd_data_count,
    output wire                           underflow,
    output wire                           rd_rst_busy,
    output wire                           almost_empty,
    output wire                           data_valid,
    input  wire                           injectsbiterr,
    input  wire                           injectdbiterr,
    output wire                           sbiterr,
    output wire                           dbiterr
);
    // verilator lint_off WIDTHEXPAND
    localparam bit FALLS_THROUGH = READ_MODE == "fwft" || READ_MODE == "FWFT";
    // verilator lint_on WIDTHEXPAND
    localparam int COUNT_W = $clog2(FIFO_WRITE_DEPTH) + 1;
    localparam int DROP_WR = WR_DATA_COUNT_WIDTH < COUNT_W ? COUNT_W - WR_DATA_COUNT_WIDTH : 0;
    localparam int DROP_RD = RD_DATA_COUNT_WIDTH < COUNT_W ? COUNT_W - RD_DATA_COUNT_WIDTH : 0;
    // Four hexadecimal digits as text; a bit for each port that is there.
    localparam [31:0] FEATURE_TEXT = USE_ADV_FEATURES;

    function automatic feature(input int index);
        reg [3:0] value;
        begin
            value = FEATURE_TEXT[8*(index/4) +: 4];
            if (FEATURE_TEXT[8*(index/4)+6]) value = value + 4'd9;  // a letter
            feature = value[index%4];
        end
    endfunction

    initial
        if (READ_DATA_WIDTH != WRITE_DATA_WIDTH)
            $fatal(1, "%m: this model has one width for both sides; use Vivado's XPM sources (--xpm)");

    wire some_full, some_prog_full, some_over, some_ack, some_empty, some_prog_empty, some_under, some_valid;
    wire [COUNT_W-1:0] wr_count, rd_count;
    vendor_fifo #(
        .WIDTH(WRITE_DATA_WIDTH),
        .DEPTH(FIFO_WRITE_DEPTH),
        .COMMON(1'b0),
        .RELATED(RELATED_CLOCKS != 0),
        .SYNC_FF(CDC_SYNC_STAGES),
        .FWFT(FALLS_THROUGH),
        .LATENCY(FIFO_READ_LATENCY),
        .PROG_FULL(PROG_FULL_THRESH),
        .PROG_EMPTY(PROG_EMPTY_THRESH)
    ) u_fifo (
        .rst(rst),
        .wr_clk(wr_clk),
        .wr_en(wr_en),
        .din(din),
        .full(full),
        .almost_full(some_full),
        .prog_full(some_prog_full),
        .wr_count(wr_count),
        .wr_ack(some_ack),
        .overflow(some_over),
        .wr_busy(wr_rst_busy),
        .rd_clk(rd_clk),
        .rd_en(rd_en),
        .dout(dout),
        .valid(some_valid),
        .empty(empty),
        .almost_empty(some_empty),
        .prog_empty(some_prog_empty),
        .rd_count(rd_count),
        .underflow(some_under),
        .rd_busy(rd_rst_busy)
    );
    assign overflow = feature(0) && some_over;
    assign prog_full = feature(1) && some_prog_full;
    assign almost_full = feature(3) && some_full;
    assign wr_ack = feature(4) && some_ack;
    assign underflow = feature(8) && some_under;
    assign prog_empty = feature(9) && some_prog_empty;
    assign almost_empty = feature(11) && some_empty;
    assign data_valid = feature(12) && some_valid;
    // A count that is narrower than its FIFO shows the upper bits.
    assign wr_data_count = WR_DATA_COUNT_WIDTH'((wr_count & {COUNT_W{feature(2)}}) >> DROP_WR);
    assign rd_data_count = RD_DATA_COUNT_WIDTH'((rd_count & {COUNT_W{feature(10)}}) >> DROP_RD);
    assign sbiterr = 1'b0;
    assign dbiterr = 1'b0;

    wire unused = &{1'b0, sleep, injectsbiterr, injectdbiterr, CASCADE_HEIGHT != 0, DOUT_RESET_VALUE == 0,
                    ECC_MODE == 0, EN_SIM_ASSERT_ERR == 0, FIFO_MEMORY_TYPE == 0, FULL_RESET_VALUE != 0,
                    SIM_ASSERT_CHK != 0, WAKEUP_TIME != 0};
endmodule

`default_nettype wire
