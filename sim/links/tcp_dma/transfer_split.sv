// SPDX-License-Identifier: BSD-3-Clause
//
// transfer_split - simulation only: the data that an AXI DMA (S2MM) stores of a transfer, forwarded frame by frame.
//
// S2MM is armed for `frames` frames without gaps and ends at tlast. At m_axis each frame is a packet of its own, sent as its
// bytes come; what is left of one when the transfer ends is a short packet. A transfer that is longer or shorter than
// the DMA was armed for raises `error`, which stays. With `frames` 1 every beat goes straight through, and the one who
// records it judges its length. `frames` may change while nothing is under way but the beginning of a frame.
// A beat that was offered and is taken back before it was accepted raises `error` for good where it is `watched`.
//
// Throughput: one beat per cycle but for what is left at the end of a transfer. tvalid never falls without a transfer.
// Parameters: DATA_W       tdata width in bits, a multiple of 8
//             FRAME_BYTES  bytes of one frame
`default_nettype none

module transfer_split #(
    parameter int DATA_W      = 64,
    parameter int FRAME_BYTES = 8
) (
    input  wire                aclk,
    input  wire                aresetn,
    input  wire                watched,
    input  wire [15:0]         frames,
    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tlast,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tlast,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                error
);
    localparam int BYTES = DATA_W / 8;

    logic [2*DATA_W-1:0] held_q;   // bytes that wait, the first one lowest
    logic [31:0]         count_q;  // their number
    logic [31:0]         sent_q;   // bytes of the frame that were forwarded
    logic [31:0]         came_q;   // bytes of the transfer
    logic                ended_q;  // tlast has come, bytes wait
    logic                error_q;
    logic                offered_q;  // a beat waited in the cycle before
    logic                dropped_q;  // one was taken back; no reset clears it
    initial dropped_q = 1'b0;

    wire        many  = frames != 16'd1;
    wire [31:0] left  = FRAME_BYTES - sent_q;
    wire [31:0] whole = left < BYTES ? left : BYTES;          // bytes of the next beat
    wire [31:0] next  = ended_q && count_q < whole ? count_q : whole;
    wire        take  = s_axis_tvalid && s_axis_tready;
    wire        give  = m_axis_tvalid && m_axis_tready;

    assign s_axis_tready = many ? count_q <= BYTES && !ended_q : m_axis_tready;
    assign m_axis_tvalid = many ? count_q != 32'd0 && count_q >= next : s_axis_tvalid;
    assign m_axis_tdata  = many ? held_q[DATA_W-1:0] : s_axis_tdata;
    assign m_axis_tkeep  = many ? {BYTES{1'b1}} >> (BYTES - next) : s_axis_tkeep;
    assign m_axis_tlast  = many ? next == left || next < whole : s_axis_tlast;
    assign error         = error_q || dropped_q;

    always @(posedge aclk) begin : p_split
        logic [2*DATA_W-1:0] held;
        logic [31:0]         count, came, had;
        // What has begun of a frame while transfers were of one frame counts on.
        if (!many && give) sent_q <= m_axis_tlast ? 32'd0 : sent_q + BYTES;
        if (!many && give) came_q <= m_axis_tlast ? 32'd0 : came_q + BYTES;
        if (many) begin
            held  = held_q;
            count = count_q;
            came  = came_q;
            if (give) begin
                held    = held >> (8 * next);
                count   = count - next;
                sent_q <= m_axis_tlast ? 32'd0 : sent_q + next;
            end
            had = count;
            if (take) begin
                // Above the bytes that wait there are others of an earlier beat.
                held = (held & ~({2*DATA_W{1'b1}} << (8 * count))) | ((2*DATA_W)'(s_axis_tdata) << (8 * count));
                for (int i = 0; i < BYTES; i++) count = count + 32'(s_axis_tkeep[i]);
                came = came + count - had;
                if ((s_axis_tkeep & (s_axis_tkeep + 1'b1)) != '0) error_q <= 1'b1;  // bytes with a hole
                if (s_axis_tlast ? came != 32'(frames) * FRAME_BYTES : came >= 32'(frames) * FRAME_BYTES) error_q <= 1'b1;
                if (s_axis_tlast) came = 32'd0;
            end
            ended_q <= count != 32'd0 && (ended_q || (take && s_axis_tlast));
            held_q  <= held;
            count_q <= count;
            came_q  <= came;
        end
        offered_q <= s_axis_tvalid && !s_axis_tready;
        if (offered_q && !s_axis_tvalid && watched) dropped_q <= 1'b1;
        if (!aresetn) begin
            offered_q <= 1'b0;
            count_q <= 32'd0;
            sent_q  <= 32'd0;
            came_q  <= 32'd0;
            ended_q <= 1'b0;
            error_q <= 1'b0;
        end
    end
endmodule

`default_nettype wire
