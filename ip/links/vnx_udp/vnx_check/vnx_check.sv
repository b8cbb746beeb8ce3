// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_check - says with the last beat of each packet from VNx whether it is a packet of this protocol, whole and unaltered (docs/vnx.md).
//
// m_axis_tuser is 1 with m_axis_tlast if magic, version and checksum are right, no byte is missing before the last one, and
// there are no more than MOST_BEATS beats. Of each beat, bytes that TKEEP does not name leave as zeros. Lengths, link
// and sessions are for the blocks behind.
//
// Nothing waits: s_axis_tready is 1, and there is no m_axis_tready, so that the UDP stack is never held up. What
// comes in reset is lost; a packet whose beginning was lost so fails its checksum.
//
// Throughput  one beat per cycle, no bubble between packets
// Latency     6 cycles for each beat
// Paths       every input goes to flops, every output is a flop, tdata, tkeep and tdest at the end of a shift register
// Resources   crc32c, DATA_W * 9 / 8 + DEST_W LUT as shift registers, 80 LUT, and DATA_W * 9 / 8 + DEST_W + 150 FF
//
// Parameters: DATA_W      bits of a beat, a power of two, 64 to 512
//             DEST_W      bits of tdest, 1 or more
//             MOST_BEATS  beats of the longest packet, 1 to 256
// Checked by: test_vnx_check.py
`default_nettype none

module vnx_check #(
    parameter int DATA_W     = 512,
    parameter int DEST_W     = 16,
    parameter int MOST_BEATS = 256
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire  [DATA_W/8-1:0] s_axis_tkeep,
    input  wire  [DEST_W-1:0]   s_axis_tdest,
    input  wire                 s_axis_tlast,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic [DATA_W/8-1:0] m_axis_tkeep,
    output logic [DEST_W-1:0]   m_axis_tdest,
    output logic                m_axis_tlast,
    output logic                m_axis_tuser,
    output logic                m_axis_tvalid,

    output logic                received,  // with m_axis_tlast: the packet is right
    output logic                bad        // with m_axis_tlast: it is not
);

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int BIT_MAGIC = 0;
    localparam int BITS_MAGIC = 16;
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_CRC = 32;
    localparam int BITS_CRC = 32;
    localparam logic [3:0] KIND_HELLO = 4'd1;

    localparam int KEEP_W = DATA_W / 8;
    localparam int REST_W = $clog2(MOST_BEATS + 1);

    generate
        if (DATA_W < 64 || DATA_W > 512 || (DATA_W & (DATA_W - 1)) != 0) begin : g_check_data_w
            DATA_W_must_be_a_power_of_two_from_64_to_512 parameter_error();
        end
        if (DEST_W < 1) begin : g_check_dest_w
            DEST_W_must_be_at_least_1 parameter_error();
        end
        if (MOST_BEATS < 1 || MOST_BEATS > 256) begin : g_check_most_beats
            MOST_BEATS_must_be_1_to_256 parameter_error();
        end
    endgenerate

    // ---- cycle 1: beats without what is not kept, and what is wrong with each of them

    logic [DATA_W-1:0]   data_q;
    logic [KEEP_W-1:0]   keep_q;
    logic [DEST_W-1:0]   dest_q;
    logic [BITS_CRC-1:0] seal_q;
    logic                first_q, last_q, valid_q, stranger_q, torn_q, begin_q;

    wire stranger = s_axis_tdata[BIT_MAGIC +: BITS_MAGIC] != IS_MAGIC
                 || (s_axis_tdata[BIT_VERSION +: BITS_VERSION] != IS_VERSION
                     && s_axis_tdata[BIT_KIND +: BITS_KIND] != KIND_HELLO);
    wire torn     = !s_axis_tkeep[0] || (~s_axis_tkeep[KEEP_W-2:0] & s_axis_tkeep[KEEP_W-1:1]) != '0;

    always_ff @(posedge aclk) begin
        data_q <= s_axis_tdata;
        for (int k = 0; k < KEEP_W; k++) if (!s_axis_tkeep[k]) data_q[8*k +: 8] <= '0;
        if (s_axis_tvalid && first_q) seal_q <= s_axis_tdata[BIT_CRC +: BITS_CRC];
        keep_q     <= s_axis_tkeep;
        dest_q     <= s_axis_tdest;
        last_q     <= s_axis_tlast;
        valid_q    <= s_axis_tvalid;
        begin_q    <= first_q;
        stranger_q <= first_q && stranger;
        torn_q     <= torn;
        if (s_axis_tvalid) first_q <= s_axis_tlast;

        if (!aresetn) begin
            first_q <= 1'b1;
            valid_q <= 1'b0;
        end
    end

    // ---- cycles 2 to 5: the checksum, and what is wrong with the packet so far

    logic [REST_W-1:0]   rest_q;  // beats that may still come
    logic                wrong_q, wrong_2_q, wrong_3_q, wrong_4_q, wrong_5_q;
    logic [BITS_CRC-1:0] seal_2_q, seal_3_q, seal_4_q, seal_5_q;
    logic [DATA_W-1:0]   data_2_q, data_3_q, data_4_q, data_5_q;
    logic [KEEP_W-1:0]   keep_2_q, keep_3_q, keep_4_q, keep_5_q;
    logic [DEST_W-1:0]   dest_2_q, dest_3_q, dest_4_q, dest_5_q;
    logic                valid_2_q, valid_3_q, valid_4_q, valid_5_q;
    wire  [31:0]         crc;
    wire                 crc_valid;

    wire wrong = wrong_q || stranger_q || torn_q || rest_q == '0 || (!last_q && !keep_q[KEEP_W-1]);

    // The field itself counts as zeros.
    wire [DATA_W-1:0] blank = begin_q ? ~(DATA_W'({BITS_CRC{1'b1}}) << BIT_CRC) : '1;

    crc32c #(.DATA_W(DATA_W)) u_crc (
        .aclk(aclk), .aresetn(aresetn), .data(data_q & blank), .last(last_q), .valid(valid_q),
        .crc(crc), .crc_valid(crc_valid)
    );

    always_ff @(posedge aclk) begin
        if (valid_q) begin
            wrong_q <= wrong && !last_q;
            rest_q  <= last_q ? REST_W'(MOST_BEATS) : rest_q - REST_W'(rest_q != '0);
        end
        {wrong_5_q, wrong_4_q, wrong_3_q, wrong_2_q} <= {wrong_4_q, wrong_3_q, wrong_2_q, wrong};
        {seal_5_q, seal_4_q, seal_3_q, seal_2_q}     <= {seal_4_q, seal_3_q, seal_2_q, seal_q};
        {data_5_q, data_4_q, data_3_q, data_2_q}     <= {data_4_q, data_3_q, data_2_q, data_q};
        {keep_5_q, keep_4_q, keep_3_q, keep_2_q}     <= {keep_4_q, keep_3_q, keep_2_q, keep_q};
        {dest_5_q, dest_4_q, dest_3_q, dest_2_q}     <= {dest_4_q, dest_3_q, dest_2_q, dest_q};
        {valid_5_q, valid_4_q, valid_3_q, valid_2_q} <= {valid_4_q, valid_3_q, valid_2_q, valid_q};

        if (!aresetn) begin
            wrong_q   <= 1'b0;
            rest_q    <= REST_W'(MOST_BEATS);
            valid_2_q <= 1'b0;
            valid_3_q <= 1'b0;
            valid_4_q <= 1'b0;
            valid_5_q <= 1'b0;
        end
    end

    // ---- cycle 6: the verdict

    logic [DATA_W-1:0] m_data_q;
    logic [KEEP_W-1:0] m_keep_q;
    logic [DEST_W-1:0] m_dest_q;
    logic              m_last_q, m_valid_q, ok_q, bad_q;

    wire ok = crc == seal_5_q && !wrong_5_q;

    always_ff @(posedge aclk) begin
        m_data_q  <= data_5_q;
        m_keep_q  <= keep_5_q;
        m_dest_q  <= dest_5_q;
        m_last_q  <= crc_valid;
        m_valid_q <= valid_5_q;
        ok_q      <= crc_valid && ok;
        bad_q     <= crc_valid && !ok;

        if (!aresetn) begin
            m_valid_q <= 1'b0;
            ok_q      <= 1'b0;
            bad_q     <= 1'b0;
        end
    end

    assign s_axis_tready = 1'b1;
    assign m_axis_tdata  = m_data_q;
    assign m_axis_tkeep  = m_keep_q;
    assign m_axis_tdest  = m_dest_q;
    assign m_axis_tlast  = m_last_q;
    assign m_axis_tuser  = ok_q;
    assign m_axis_tvalid = m_valid_q;
    assign received      = ok_q;
    assign bad           = bad_q;

endmodule

`default_nettype wire
