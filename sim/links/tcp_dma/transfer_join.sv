// SPDX-License-Identifier: BSD-3-Clause
//
// transfer_join - simulation only: frames as a source sends them, joined to the transfers that an AXI DMA makes of a buffer.
//
// At s_axis each frame is a packet. At m_axis `frames` of them are one, their bytes without gaps. With `frames` 1 every
// beat goes straight through. `frames` may change while nothing is under way.
//
// Throughput: one beat per cycle. tvalid never falls without a transfer.
// Parameters: DATA_W       tdata width in bits, a multiple of 8
//             FRAME_BYTES  bytes of one frame
`default_nettype none

module transfer_join #(
    parameter int DATA_W      = 64,
    parameter int FRAME_BYTES = 8
) (
    input  wire                aclk,
    input  wire                aresetn,
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
    input  wire                m_axis_tready
);
    localparam int BYTES = DATA_W / 8;

    logic [2*DATA_W-1:0] held_q;   // bytes that wait, the first one lowest
    logic [31:0]         count_q;  // their number
    logic [31:0]         left_q;   // bytes of the transfer that has begun
    logic                begun_q;

    wire        many = frames != 16'd1;
    wire [31:0] left = begun_q ? left_q : 32'(frames) * FRAME_BYTES;
    wire [31:0] next = left < BYTES ? left : BYTES;  // bytes of the next beat
    wire        take = s_axis_tvalid && s_axis_tready;
    wire        give = m_axis_tvalid && m_axis_tready;

    assign s_axis_tready = many ? count_q <= BYTES : m_axis_tready;
    assign m_axis_tvalid = many ? count_q >= next : s_axis_tvalid;
    assign m_axis_tdata  = many ? held_q[DATA_W-1:0] : s_axis_tdata;
    assign m_axis_tkeep  = many ? {BYTES{1'b1}} >> (BYTES - next) : s_axis_tkeep;
    assign m_axis_tlast  = many ? left == next : s_axis_tlast;

    always @(posedge aclk) begin : p_join
        logic [2*DATA_W-1:0] held;
        logic [31:0]         count;
        if (many) begin
            held  = held_q;
            count = count_q;
            if (give) begin
                held     = held >> (8 * next);
                count    = count - next;
                begun_q <= left != next;
                left_q  <= left - next;
            end
            if (take) begin
                // Above the bytes that wait there are others of an earlier beat.
                held = (held & ~({2*DATA_W{1'b1}} << (8 * count))) | ((2*DATA_W)'(s_axis_tdata) << (8 * count));
                for (int i = 0; i < BYTES; i++) count = count + 32'(s_axis_tkeep[i]);
            end
            held_q  <= held;
            count_q <= count;
        end
        if (!aresetn) begin
            count_q <= 32'd0;
            begun_q <= 1'b0;
        end
    end
endmodule

`default_nettype wire
