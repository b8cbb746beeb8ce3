// SPDX-License-Identifier: BSD-3-Clause
//
// formal_vnx_pack - the proof of vnx_pack: a frame is in its packets, half a beat behind half a beat, with right headers.
//
// Frames are whole numbers of halves here, and two bits stand for each half: all bits of a half have the same circuit but
// for the header and the zeros behind a frame, which the bench compares. Source, `room` and `anew` are free. Asserted:
//   order, ...  the halves written behind the headers are those of the frames, each once, in order (formal_track)
//   header      magic, kind, SOF, EOF, bytes and number of the frame are those of a packet at this place
//   place       beats of a packet are numbered, and commit comes with the last one
//   begins      a packet begins only where there is room
//   `swallowed` nothing is written of the rest of a frame at `anew`
//   number      frames are counted, written or discarded
//   progress    with room, a beat of the frame waits two cycles at most
`default_nettype none

module formal_vnx_pack #(
    parameter int FRAME_BYTES  = 256,
    parameter int PACKET_BEATS = 2
) (
    input wire         aclk,
    input wire         aresetn,
    input wire [511:0] s_axis_tdata,
    input wire         s_axis_tvalid,
    input wire         room,
    input wire         anew,
    input wire [31:0]  seq,
    input wire [15:0]  tx_epoch,
    input wire [15:0]  rx_epoch
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
    localparam int BIT_NAK = 30;
    localparam int BIT_CRC = 32;
    localparam int BITS_CRC = 32;
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

    localparam int BEAT_W  = $clog2(PACKET_BEATS);
    localparam int HALVES  = FRAME_BYTES / 32;
    localparam int FULL    = 2 * PACKET_BEATS - 1;
    localparam int PACKETS = (HALVES + FULL - 1) / FULL;
    localparam int LAST    = HALVES - (PACKETS - 1) * FULL;
    localparam int BEATS   = (HALVES + 1) / 2;

    wire              s_axis_tready, write, commit, eof, mid, waits, swallow;
    wire [BEAT_W-1:0] write_beat;
    wire [511:0]      write_data;
    wire [31:0]       frame;

    vnx_pack #(.FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .LINK(16'h1234)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .number(32'd0), .taint(1'b0),
        .room(room), .anew(anew), .seq(seq), .tx_epoch(tx_epoch), .rx_epoch(rx_epoch),
        .write(write), .write_beat(write_beat), .write_data(write_data), .commit(commit), .eof(eof), .tainted(),
        .frame(frame), .mid(mid), .waits(waits), .swallow(swallow)
    );

    wire s_fire = s_axis_tvalid && s_axis_tready;

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(512), .WITHIN(2), .QUIET(0)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(room && !anew), .tdata(s_axis_tdata), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );

    // Where the frame, its packet and its beat are.
    logic [7:0]  in_q, beat_q, packet_q;
    wire last_packet = packet_q == 8'(PACKETS - 1);
    wire [7:0] halves = last_packet ? 8'(LAST) : 8'(FULL);
    wire last_beat  = 2 * beat_q + 8'd1 >= halves;
    wire [1:0] in_units  = in_q == 8'(BEATS - 1) && HALVES % 2 == 1 ? 2'd1 : 2'd2;
    wire [1:0] out_units = beat_q == '0 || 2 * beat_q == halves ? 2'd1 : 2'd2;

    always_ff @(posedge aclk) begin
        if (s_fire) in_q <= in_q == 8'(BEATS - 1) ? '0 : in_q + 1'b1;
        if (write) begin
            beat_q <= last_beat ? '0 : beat_q + 1'b1;
            if (last_beat) packet_q <= last_packet ? '0 : packet_q + 1'b1;
        end
        if (anew) begin
            beat_q   <= '0;
            packet_q <= '0;
        end
        if (!aresetn) begin
            in_q     <= '0;
            beat_q   <= '0;
            packet_q <= '0;
        end
    end

    // A frame ends where the next one begins, written or discarded.
    logic        up_q, ended_q;
    logic [31:0] frame_q;
    initial up_q = 1'b0;
    always_ff @(posedge aclk) begin
        up_q    <= aresetn;
        frame_q <= frame;
        ended_q <= (commit && eof) || (swallow && d_done);
    end
    wire d_done;

    wire [3:0] in_data  = {s_axis_tdata[511], s_axis_tdata[256], s_axis_tdata[255], s_axis_tdata[0]};
    wire [3:0] all      = {write_data[511], write_data[256], write_data[255], write_data[0]};
    wire [3:0] out_data = beat_q == '0 ? {2'b00, all[3:2]} : all;
    wire       tracked  = aresetn && !anew && !swallow;
    wire [2:0] held;

    formal_track #(.UNIT(2), .IN_U(2), .OUT_U(2), .CAPACITY(2), .PASS(1)) u_track (
        .aclk(aclk), .aresetn(tracked),
        .in_data(in_data), .in_units(in_units), .in_fire(s_fire),
        .out_data(out_data), .out_units(out_units), .out_valid(write), .out_fire(write), .held(held)
    );

    always_comb if (aresetn) begin
        if (write) place: assert (32'(write_beat) == 32'(beat_q) && commit == last_beat);
        if (write && beat_q == '0) begin
            begins: assert (room && !anew);
            header: assert (write_data[BIT_MAGIC +: BITS_MAGIC] == IS_MAGIC && write_data[BIT_VERSION +: BITS_VERSION] == IS_VERSION
                            && write_data[BIT_KIND +: BITS_KIND] == KIND_DATA && write_data[BIT_SOF] == (packet_q == '0)
                            && write_data[BIT_EOF] == last_packet && write_data[BIT_NAK] == 1'b0
                            && write_data[BIT_LINK +: BITS_LINK] == 16'h1234 && write_data[BIT_SEQ +: BITS_SEQ] == seq
                            && write_data[BIT_BYTES +: BITS_BYTES] == 16'(32 * halves) && write_data[BIT_CRC +: BITS_CRC] == '0
                            && write_data[BIT_FRAME +: BITS_FRAME] == frame && eof == last_packet
                            && write_data[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx_epoch
                            && write_data[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx_epoch && write_data[255:192] == '0);
        end
        if (up_q) number: assert (frame == frame_q + 32'(ended_q));
        if (swallow) swallowed: assert (!write && !commit);
        if (commit) whole: cover (last_packet);
        if (BEATS > 1) left: cover (swallow && s_fire);
    end

endmodule

`default_nettype wire
