// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_seal - puts the checksum into the packets that leave a card over VNx (docs/vnx.md).
//
// The checksum is in the first beat and covers all beats, so a packet waits until it is whole and then leaves
// without a pause of this block's. It covers the bytes that TKEEP names, others of the last beat as zeros. tdest is forwarded.
//
// While link_aresetn is low, all input is discarded, and so is a packet of which a part has come before;
// the first beat after that begins a packet. Packets that were whole by then still leave, to their last beat, since a
// UDP stack waits indefinitely for a TLAST that does not come.
//
// Throughput  one beat per cycle, no bubble between packets, as long as they are taken
// Latency     8 cycles from the last beat of a packet to its first
// Paths       m_axis is all flops; s_axis_tready follows link_aresetn; no other combinational path
// Resources   crc32c, 2 * DATA_W + DATA_W / 8 + 60 FF, and block RAM of 2**$clog2(PACKET_BEATS) * 2 beats
//
// Parameters: DATA_W        bits of a beat, a power of two, 64 to 512
//             DEST_W        bits of tdest, 1 or more
//             PACKET_BEATS  beats of the longest packet, 1 to 256; a longer one may be discarded
// Checked by: test_vnx_seal.py
`default_nettype none

module vnx_seal #(
    parameter int DATA_W       = 512,
    parameter int DEST_W       = 16,
    parameter int PACKET_BEATS = 23
) (
    input  wire                 aclk,
    input  wire                 aresetn,
    input  wire                 link_aresetn,

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
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready
);

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int BIT_CRC = 32;
    localparam int BITS_CRC = 32;

    localparam int DEPTH = PACKET_BEATS > 8 ? 2 << $clog2(PACKET_BEATS) : 16;

    generate
        if (DATA_W < 64 || DATA_W > 512 || (DATA_W & (DATA_W - 1)) != 0) begin : g_check_data_w
            DATA_W_must_be_a_power_of_two_from_64_to_512 parameter_error();
        end
        if (DEST_W < 1) begin : g_check_dest_w
            DEST_W_must_be_at_least_1 parameter_error();
        end
        if (PACKET_BEATS < 1 || PACKET_BEATS > 256) begin : g_check_packet_beats
            PACKET_BEATS_must_be_1_to_256 parameter_error();
        end
    endgenerate

    // ---- in: what is cut off by link_aresetn gets an end of its own, at which the buffer drops it

    logic inside_q, cut_q;
    wire  free;
    wire  cut  = cut_q || (inside_q && !link_aresetn);
    wire  take = s_axis_tvalid && link_aresetn && !cut_q;
    wire  last = s_axis_tlast || cut;
    wire  push = (take || cut) && free;

    assign s_axis_tready = !link_aresetn || (free && !cut_q);

    logic [DATA_W-1:0] data_q;
    logic              last_q, valid_q;

    always_ff @(posedge aclk) begin
        if (push) inside_q <= !last;
        cut_q   <= cut && !free;
        last_q  <= last;
        valid_q <= push;
        data_q  <= s_axis_tdata;
        for (int k = 0; k < DATA_W / 8; k++) if (!s_axis_tkeep[k]) data_q[8*k +: 8] <= '0;
        if (!inside_q) data_q[BIT_CRC +: BITS_CRC] <= '0;

        if (!aresetn) begin
            inside_q <= 1'b0;
            cut_q    <= 1'b0;
            valid_q  <= 1'b0;
        end
    end

    // ---- checksums of whole packets, in their order

    wire         crc_valid, whole;
    wire  [31:0] crc, seal;
    wire         seal_valid, seal_ready;
    logic [3:0]  whole_q;

    crc32c #(.DATA_W(DATA_W)) u_crc (
        .aclk(aclk), .aresetn(aresetn), .data(data_q), .last(last_q), .valid(valid_q),
        .crc(crc), .crc_valid(crc_valid)
    );

    always_ff @(posedge aclk) begin
        whole_q <= {whole_q[2:0], whole};
        if (!aresetn) whole_q <= '0;
    end

    wire                        unused_ready, unused_bad, unused_cut, unused_overflow;
    wire [$clog2(DEPTH+2)-1:0]  unused_seals;
    wire [$clog2(DEPTH+3)-1:0]  unused_level, unused_whole;
    wire unused = &{1'b0, unused_ready, unused_bad, unused_overflow, unused_seals, unused_level, unused_whole,
                    unused_cut};

    // As many as there can be packets of one beat.
    axis_fifo #(.DATA_W(32), .DEPTH(DEPTH)) u_seals (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(crc), .s_axis_tvalid(crc_valid && whole_q[3]), .s_axis_tready(unused_ready),
        .m_axis_tdata(seal), .m_axis_tvalid(seal_valid), .m_axis_tready(seal_ready), .level(unused_seals)
    );

    wire                m_free, out_last, out_valid;
    wire [DATA_W-1:0]   out_data;
    wire [DATA_W/8-1:0] out_keep;
    wire [DEST_W-1:0]   out_dest;
    logic               out_inside_q;
    wire                out_ready = m_free && (out_inside_q || seal_valid);
    wire                out       = out_valid && out_ready;

    axis_frame_fifo #(
        .DATA_W(DATA_W), .USER_W(DEST_W + 1), .DEPTH(DEPTH), .STORE(3), .ON_FULL(1), .DROP_BAD(1),
        .BAD_VALUE((DEST_W+1)'(1)), .BAD_MASK((DEST_W+1)'(1))
    ) u_packets (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tlast(last),
        .s_axis_tuser({s_axis_tdest, cut}), .s_axis_tvalid(take || cut), .s_axis_tready(free),
        .m_axis_tdata(out_data), .m_axis_tkeep(out_keep), .m_axis_tlast(out_last),
        .m_axis_tuser({out_dest, unused_cut}), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready),
        .good_frame(whole), .bad_frame(unused_bad), .overflow(unused_overflow),
        .level(unused_level), .level_whole(unused_whole)
    );

    // ---- out

    logic [DATA_W-1:0]   m_data_q;
    logic [DATA_W/8-1:0] m_keep_q;
    logic [DEST_W-1:0]   m_dest_q;
    logic                m_last_q, m_valid_q;

    assign m_free     = !m_valid_q || m_axis_tready;
    assign seal_ready = out && !out_inside_q;

    always_ff @(posedge aclk) begin
        if (out) out_inside_q <= !out_last;
        if (m_free) begin
            m_data_q  <= out_data;
            if (!out_inside_q) m_data_q[BIT_CRC +: BITS_CRC] <= seal;
            m_keep_q  <= out_keep;
            m_dest_q  <= out_dest;
            m_last_q  <= out_last;
            m_valid_q <= out;
        end

        if (!aresetn) begin
            out_inside_q <= 1'b0;
            m_valid_q    <= 1'b0;
        end
    end

    assign m_axis_tdata  = m_data_q;
    assign m_axis_tkeep  = m_keep_q;
    assign m_axis_tdest  = m_dest_q;
    assign m_axis_tlast  = m_last_q;
    assign m_axis_tvalid = m_valid_q;

endmodule

`default_nettype wire
