// SPDX-License-Identifier: BSD-3-Clause
//
// xpm_fifo_axis - simulation only: a model of our own of Vivado's AXI4-Stream FIFO macro.
//
// Parameters, ports and behaviour after UG974, XPM_FIFO_AXIS. FINN's vendor FIFOs (impl_style "vivado") are made
// of it; no source of it leaves Vivado. FIFO_DEPTH + 2 words fit, as in the macro, whose output has two stages;
// one less with independent clocks. Not modelled: error correction.
`default_nettype none

module xpm_fifo_axis #(
    parameter CASCADE_HEIGHT = 0,
    parameter CDC_SYNC_STAGES = 2,
    parameter CLOCKING_MODE = "common_clock",
    parameter ECC_MODE = "no_ecc",
    parameter EN_SIM_ASSERT_ERR = "warning",
    parameter FIFO_DEPTH = 2048,
    parameter FIFO_MEMORY_TYPE = "auto",
    parameter PACKET_FIFO = "false",
    parameter PROG_EMPTY_THRESH = 10,
    parameter PROG_FULL_THRESH = 10,
    parameter RD_DATA_COUNT_WIDTH = 1,
    parameter RELATED_CLOCKS = 0,
    parameter SIM_ASSERT_CHK = 0,
    parameter TDATA_WIDTH = 32,
    parameter TDEST_WIDTH = 1,
    parameter TID_WIDTH = 1,
    parameter TUSER_WIDTH = 1,
    parameter USE_ADV_FEATURES = "1000",
    parameter WR_DATA_COUNT_WIDTH = 1
) (
    input  wire                           s_aresetn,
    input  wire                           s_aclk,
    input  wire                           m_aclk,
    input  wire                           s_axis_tvalid,
    output wire                           s_axis_tready,
    input  wire [TDATA_WIDTH-1:0]         s_axis_tdata,
    input  wire [TDATA_WIDTH/8-1:0]       s_axis_tstrb,
    input  wire [TDATA_WIDTH/8-1:0]       s_axis_tkeep,
    input  wire                           s_axis_tlast,
    input  wire [TID_WIDTH-1:0]           s_axis_tid,
    input  wire [TDEST_WIDTH-1:0]         s_axis_tdest,
    input  wire [TUSER_WIDTH-1:0]         s_axis_tuser,
    output wire                           m_axis_tvalid,
    input  wire                           m_axis_tready,
    output wire [TDATA_WIDTH-1:0]         m_axis_tdata,
    output wire [TDATA_WIDTH/8-1:0]       m_axis_tstrb,
    output wire [TDATA_WIDTH/8-1:0]       m_axis_tkeep,
    output wire                           m_axis_tlast,
    output wire [TID_WIDTH-1:0]           m_axis_tid,
    output wire [TDEST_WIDTH-1:0]         m_axis_tdest,
    output wire [TUSER_WIDTH-1:0]         m_axis_tuser,
    output wire                           prog_full_axis,
    output wire [WR_DATA_COUNT_WIDTH-1:0] wr_data_count_axis,
    output wire                           almost_full_axis,
    output wire                           prog_empty_axis,
    output wire [RD_DATA_COUNT_WIDTH-1:0] rd_data_count_axis,
    output wire                           almost_empty_axis,
    input  wire                           injectsbiterr_axis,
    input  wire                           injectdbiterr_axis,
    output wire                           sbiterr_axis,
    output wire                           dbiterr_axis
);
    // verilator lint_off WIDTHEXPAND
    localparam bit COMMON = CLOCKING_MODE != "independent_clock" && CLOCKING_MODE != "INDEPENDENT_CLOCK"
        && CLOCKING_MODE != "independent" && CLOCKING_MODE != "INDEPENDENT";
    localparam bit PACKETS = PACKET_FIFO == "true" || PACKET_FIFO == "TRUE";
    // verilator lint_on WIDTHEXPAND
    localparam int STROBES = TDATA_WIDTH / 8;
    localparam int WORD = TDATA_WIDTH + 2 * STROBES + TID_WIDTH + TDEST_WIDTH + TUSER_WIDTH + 1;
    localparam int COUNT_W = $clog2(FIFO_DEPTH) + 1;
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

    wire rd_clk, rst, busy;
    wire valid, tvalid;
    wire almost_full, prog_full, almost_empty, prog_empty;
    wire [COUNT_W-1:0] wr_count, rd_count;
    wire [WORD-1:0] word;
    wire put = s_axis_tvalid && s_axis_tready;
    wire get = tvalid && m_axis_tready;

    generate
        if (COMMON) begin : g_one_clock
            assign rd_clk = s_aclk;
        end else begin : g_two_clocks
            assign rd_clk = m_aclk;
        end
    endgenerate
    vendor_sync #(.STAGES(COMMON ? 4 : CDC_SYNC_STAGES), .INIT(1'b1)) u_reset (
        .clk(s_aclk), .d(!s_aresetn), .q(rst)
    );

    wire full, ack, over, under, empty, reader_busy;
    vendor_fifo #(
        .WIDTH(WORD),
        .DEPTH(FIFO_DEPTH),
        .COMMON(COMMON),
        .RELATED(RELATED_CLOCKS != 0),
        .SYNC_FF(CDC_SYNC_STAGES),
        .PROG_FULL(PROG_FULL_THRESH),
        .PROG_EMPTY(PROG_EMPTY_THRESH)
    ) u_fifo (
        .rst(rst),
        .wr_clk(s_aclk),
        .wr_en(s_axis_tvalid),
        .din({
            s_axis_tlast, s_axis_tuser, s_axis_tdest, s_axis_tid, s_axis_tkeep, s_axis_tstrb, s_axis_tdata
        }),
        .full(full),
        .almost_full(almost_full),
        .prog_full(prog_full),
        .wr_count(wr_count),
        .wr_ack(ack),
        .overflow(over),
        .wr_busy(busy),
        .rd_clk(rd_clk),
        .rd_en(get),
        .dout(word),
        .valid(valid),
        .empty(empty),
        .almost_empty(almost_empty),
        .prog_empty(prog_empty),
        .rd_count(rd_count),
        .underflow(under),
        .rd_busy(reader_busy)
    );
    assign {
        m_axis_tlast, m_axis_tuser, m_axis_tdest, m_axis_tid, m_axis_tkeep, m_axis_tstrb, m_axis_tdata
    } = word;
    assign s_axis_tready = !full;
    assign m_axis_tvalid = tvalid;

    // A packet is handed out when its end is in, or when nothing more fits.
    generate
        if (PACKETS) begin : g_packets
            reg [COUNT_W-1:0] came, gone;
            reg open;
            initial {came, gone, open} = 0;
            wire [COUNT_W-1:0] came_seen;
            wire stuck;
            wire last_out = get && m_axis_tlast;
            localparam int STEPS = COMMON ? 1 : CDC_SYNC_STAGES + 1;
            vendor_sync #(.WIDTH(COUNT_W), .STAGES(STEPS)) u_came (.clk(rd_clk), .d(came), .q(came_seen));
            if (COMMON) begin : g_one_clock
                assign stuck = almost_full;
            end else begin : g_two_clocks
                vendor_sync #(.STAGES(CDC_SYNC_STAGES)) u_stuck (.clk(rd_clk), .d(almost_full), .q(stuck));
            end
            always @(posedge s_aclk)
                if (busy) came <= 0;
                else if (put && s_axis_tlast) came <= came + 1'b1;
            always @(posedge rd_clk) begin
                if (last_out) gone <= gone + 1'b1;
                if (last_out && came_seen - gone <= 1) open <= 1'b0;
                else if (came_seen != gone || (stuck && valid)) open <= 1'b1;
                if (reader_busy) {open, gone} <= 0;
            end
            assign tvalid = valid && open;
        end else begin : g_words
            assign tvalid = valid;
        end
    endgenerate

    assign prog_full_axis = feature(1) && prog_full;
    assign almost_full_axis = (feature(3) || PACKETS) && almost_full;
    assign prog_empty_axis = feature(9) && prog_empty;
    assign almost_empty_axis = (feature(11) || PACKETS) && almost_empty;
    // A count that is narrower than its FIFO shows the upper bits.
    assign wr_data_count_axis = WR_DATA_COUNT_WIDTH'((wr_count & {COUNT_W{feature(2)}}) >> DROP_WR);
    assign rd_data_count_axis = RD_DATA_COUNT_WIDTH'((rd_count & {COUNT_W{feature(10)}}) >> DROP_RD);
    localparam int DROP_WR = WR_DATA_COUNT_WIDTH < COUNT_W ? COUNT_W - WR_DATA_COUNT_WIDTH : 0;
    localparam int DROP_RD = RD_DATA_COUNT_WIDTH < COUNT_W ? COUNT_W - RD_DATA_COUNT_WIDTH : 0;
    assign sbiterr_axis = 1'b0;
    assign dbiterr_axis = 1'b0;

    wire unused = &{1'b0, CASCADE_HEIGHT != 0, ECC_MODE == 0, EN_SIM_ASSERT_ERR == 0, FIFO_MEMORY_TYPE == 0,
                    SIM_ASSERT_CHK != 0, m_aclk, injectsbiterr_axis, injectdbiterr_axis, ack, over, under,
                    empty, busy, reader_busy, put};
endmodule

`default_nettype wire
