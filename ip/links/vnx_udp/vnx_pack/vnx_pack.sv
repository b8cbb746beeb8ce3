// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_pack - cuts frames into the packets of docs/vnx.md, header included; part of vnx_sender.
//
// A packet is written beat by beat as it will be sent. Since its header takes half a beat, the frame moves by half a beat
// from every packet to the next: in packets of even number each beat joins the upper half of one beat of the frame
// with the lower half of the next; in those of odd number beats stay whole, and their first beat needs
// the half that is left from the packet before, so that the source waits a cycle. Two packets take 2 * PACKET_BEATS - 1
// beats of the frame. Bytes behind the end of the frame are zero. The frame's length decides where it ends.
//
// A packet begins when `room` is high and is then written without looking at it again. `anew`, a pulse, ends the
// session: the rest of the frame under way (`mid`) is taken and not written. In its cycle nothing is taken.
// NUMBERED: `number` is that of the frame at s_axis, or of the next one; `taint` comes with a frame's last beat at most.
//
// Throughput  one beat written per cycle; s_axis waits one cycle in 2 * PACKET_BEATS
// Latency     none from s_axis_tdata to write_data
// Paths       combinational from s_axis_tdata to write_data, one LUT; from room, `anew` and s_axis_tvalid to write and commit
// Resources   a LUT for each bit of a beat, half a beat of FF; counters of packets and beats
//
// Parameters: FRAME_BYTES   1 or more
//             PACKET_BEATS  beats of 64 bytes, 2 to 256
//             LINK          of the header
//             NUMBERED      1: frames bring their number; 0: they are counted here
// Checked by: test_vnx_sender.py
`default_nettype none

module vnx_pack #(
    parameter int          FRAME_BYTES  = 64,
    parameter int          PACKET_BEATS = 23,
    parameter logic [15:0] LINK         = 16'd1,
    parameter bit          NUMBERED     = 0,
    localparam int         BEAT_W       = $clog2(PACKET_BEATS)
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [511:0]        s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    input  wire  [31:0]         number,
    input  wire                 taint,

    input  wire                 room,        // a packet may begin
    input  wire                 anew,
    input  wire  [31:0]         seq,         // of the packet, and its session
    input  wire  [15:0]         tx_epoch,
    input  wire  [15:0]         rx_epoch,

    output logic                write,
    output logic [BEAT_W-1:0]   write_beat,
    output logic [511:0]        write_data,
    output logic                commit,      // with the last beat of a packet
    output logic                eof,         // the packet is the last of its frame
    output logic                tainted,     // with commit and eof: so is its frame
    output logic [31:0]         frame,       // number of the frame under way, or of the next one
    output logic                mid,         // some of it was taken
    output logic                waits,       // a packet could begin, but for room
    output logic                swallow
);

    // ---- packet, from packet.json ------
    localparam int BIT_MAGIC = 0;
    localparam int BITS_MAGIC = 16;
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_SOF = 28;
    localparam int BIT_EOF = 29;
    localparam int BIT_LINK = 64;
    localparam int BITS_LINK = 16;
    localparam int BIT_BYTES = 80;
    localparam int BITS_BYTES = 16;
    localparam int BIT_SEQ = 96;
    localparam int BITS_SEQ = 32;
    localparam int BIT_FRAME = 128;
    localparam int BITS_FRAME = 32;
    localparam int BIT_TX_EPOCH = 160;
    localparam int BITS_TX_EPOCH = 16;
    localparam int BIT_RX_EPOCH = 176;
    localparam int BITS_RX_EPOCH = 16;
    localparam logic [3:0] KIND_DATA = 4'd0;

    localparam int PAYLOAD    = 64 * PACKET_BEATS - 32;
    localparam int PACKETS    = (FRAME_BYTES + PAYLOAD - 1) / PAYLOAD;
    localparam int LAST_BYTES = FRAME_BYTES - (PACKETS - 1) * PAYLOAD;
    localparam int LAST_BEATS = (LAST_BYTES + 95) / 64;
    localparam int KEEP       = (LAST_BYTES + 31) % 64 + 1;  // bytes of the last beat
    // The last packet is one of even number, and its last beat needs no more of the frame than what is left.
    localparam bit FLUSH      = PACKETS % 2 == 1 && LAST_BEATS > 1 && KEEP <= 32;
    localparam int LEFT_W     = PACKETS > 1 ? $clog2(PACKETS) : 1;

    generate
        if (FRAME_BYTES < 1) begin : g_check_frame_bytes
            FRAME_BYTES_must_be_at_least_1 parameter_error();
        end
        if (PACKET_BEATS < 2 || PACKET_BEATS > 256) begin : g_check_packet_beats
            PACKET_BEATS_must_be_2_to_256 parameter_error();
        end
    endgenerate

    logic [255:0]      held_q;       // upper half of the beat that was taken last
    logic [BEAT_W-1:0] beat_q;
    logic [LEFT_W-1:0] left_q;       // packets of the frame behind this one
    logic [31:0]       frame_q;
    logic              first_q;      // beat of the packet
    logic              end_q;        // likewise, the last
    logic              sof_q, eof_q; // packet of the frame
    logic              odd_q;        // number of the packet in its frame
    logic              tail_q;       // last beat of the frame's last packet
    logic              need_q;       // the beat needs one of the frame
    logic              mid_q, swallow_q;

    wire go   = !anew && (swallow_q || !first_q || room);
    wire step = go && (!need_q || s_axis_tvalid);
    wire done = step && tail_q;

    // The beat behind this one.
    wire last_next  = tail_q ? PACKETS == 1 : end_q && PACKETS > 1 ? left_q == LEFT_W'(1) : eof_q;
    wire odd_next   = !tail_q && (odd_q ^ end_q);
    wire end_next   = end_q ? last_next && LAST_BEATS == 1
                            : beat_q == (eof_q ? BEAT_W'(LAST_BEATS - 2) : BEAT_W'(PACKET_BEATS - 2));
    wire need_next  = odd_next ? !end_q : !(FLUSH && last_next && end_next);

    always_ff @(posedge aclk) begin
        if (s_axis_tvalid && s_axis_tready) held_q <= s_axis_tdata[511:256];
        if (step) begin
            beat_q  <= end_q ? '0 : beat_q + 1'b1;
            first_q <= end_q;
            end_q   <= end_next;
            eof_q   <= last_next;
            odd_q   <= odd_next;
            tail_q  <= end_next && last_next;
            need_q  <= need_next;
            mid_q   <= !tail_q;
            if (end_q) sof_q <= tail_q;
            if (end_q) left_q <= tail_q ? LEFT_W'(PACKETS - 1) : left_q - 1'b1;
        end
        if (done) frame_q <= frame_q + 1'b1;

        if (anew)      swallow_q <= mid_q;
        else if (done) swallow_q <= 1'b0;

        if (!aresetn) begin
            beat_q    <= '0;
            left_q    <= LEFT_W'(PACKETS - 1);
            first_q   <= 1'b1;
            end_q     <= PACKETS == 1 && LAST_BEATS == 1;
            sof_q     <= 1'b1;
            eof_q     <= PACKETS == 1;
            odd_q     <= 1'b0;
            tail_q    <= PACKETS == 1 && LAST_BEATS == 1;
            need_q    <= 1'b1;
            mid_q     <= 1'b0;
            swallow_q <= 1'b0;
            frame_q   <= '0;
        end
    end

    logic [255:0] header;
    always_comb begin
        header = '0;
        header[BIT_MAGIC +: BITS_MAGIC]       = IS_MAGIC;
        header[BIT_VERSION +: BITS_VERSION]   = IS_VERSION;
        header[BIT_KIND +: BITS_KIND]         = KIND_DATA;
        header[BIT_SOF]                       = sof_q;
        header[BIT_EOF]                       = eof_q;
        header[BIT_LINK +: BITS_LINK]         = LINK;
        header[BIT_BYTES +: BITS_BYTES]       = eof_q ? 16'(LAST_BYTES) : 16'(PAYLOAD);
        header[BIT_SEQ +: BITS_SEQ]           = seq;
        header[BIT_FRAME +: BITS_FRAME]       = frame;
        header[BIT_TX_EPOCH +: BITS_TX_EPOCH] = tx_epoch;
        header[BIT_RX_EPOCH +: BITS_RX_EPOCH] = rx_epoch;
    end

    generate
        if (NUMBERED) begin : g_numbered
            logic [31:0] number_q;
            logic        taint_q;
            wire         taints = taint && s_axis_tvalid && s_axis_tready;
            always_ff @(posedge aclk) begin
                if (!mid_q) number_q <= number;
                taint_q <= (taint_q || taints) && !done;
                if (!aresetn) taint_q <= 1'b0;
            end
            assign frame   = mid_q ? number_q : number;
            assign tainted = taint_q || taints;
        end else begin : g_counted
            wire unused = &{1'b0, number, taint};
            assign frame   = frame_q;
            assign tainted = 1'b0;
        end
    endgenerate

    // One LUT for each bit: three sources, three flops.
    wire [511:0] kept = ~({512{tail_q}} & ~(512'({512{1'b1}}) >> (512 - 8 * KEEP)));
    wire [255:0] low  = first_q ? header : odd_q ? s_axis_tdata[255:0] : held_q;
    wire [255:0] high = !odd_q ? s_axis_tdata[255:0] : first_q ? held_q : s_axis_tdata[511:256];

    assign s_axis_tready = go && need_q;
    assign write         = step && !swallow_q;
    assign write_beat    = beat_q;
    assign write_data    = {high, low} & kept;
    assign commit        = write && end_q;
    assign eof           = eof_q;
    assign mid           = mid_q;
    assign waits         = first_q && !swallow_q && s_axis_tvalid;
    assign swallow       = swallow_q;

endmodule

`default_nettype wire
