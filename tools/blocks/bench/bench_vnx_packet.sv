// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_packet - simulation only: packets of docs/vnx.md, and what the frames of the benches hold.
//
// Both ends of a link have the same HELLO here. What a frame holds follows from its number: 32 bytes are a hash of
// number, place and seed, and after the last byte of the frame come zeros. Sources are compiled by name: the package
// comes before those that import it, bench_vnx_receiver_* and bench_vnx_sender_*.
`default_nettype none

package bench_vnx_packet;
    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int HEADER_BYTES = 32;
    localparam int BIT_MAGIC = 0;
    localparam int BITS_MAGIC = 16;
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h03;
    localparam int REFUSE_VERSION = 9;
    localparam int BIT_KIND = 24;
    localparam int BITS_KIND = 4;
    localparam int BIT_SOF = 28;
    localparam int BITS_SOF = 1;
    localparam int BIT_EOF = 29;
    localparam int BITS_EOF = 1;
    localparam int BIT_NAK = 30;
    localparam int BITS_NAK = 1;
    localparam int BIT_TAINT = 31;
    localparam int BITS_TAINT = 1;
    localparam int BIT_CRC = 32;
    localparam int BITS_CRC = 32;
    localparam int BIT_LINK = 64;
    localparam int BITS_LINK = 16;
    localparam int REFUSE_LINK = 0;
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
    localparam int BIT_TURN = 192;
    localparam int BITS_TURN = 32;
    localparam int BIT_CONTRACT = 256;
    localparam int BITS_CONTRACT = 64;
    localparam int REFUSE_CONTRACT = 1;
    localparam int BIT_FRAME_BYTES = 320;
    localparam int BITS_FRAME_BYTES = 32;
    localparam int REFUSE_FRAME_BYTES = 2;
    localparam int BIT_PACKET_BEATS = 352;
    localparam int BITS_PACKET_BEATS = 16;
    localparam int REFUSE_PACKET_BEATS = 3;
    localparam int BIT_PACKING = 368;
    localparam int BITS_PACKING = 8;
    localparam int REFUSE_PACKING = 4;
    localparam int BIT_ROLE = 376;
    localparam int BITS_ROLE = 8;
    localparam int REFUSE_ROLE = 5;
    localparam int BIT_ELEMENT = 384;
    localparam int BITS_ELEMENT = 32;
    localparam int REFUSE_ELEMENT = 6;
    localparam int BIT_SHAPE = 416;
    localparam int BITS_SHAPE = 32;
    localparam int REFUSE_SHAPE = 7;
    localparam int BIT_SLOTS = 448;
    localparam int BITS_SLOTS = 8;
    localparam int REFUSE_SLOTS = 8;
    localparam int BIT_HAVE = 256;
    localparam int BITS_HAVE = 256;
    localparam logic [3:0] KIND_DATA = 4'd0;
    localparam logic [3:0] KIND_HELLO = 4'd1;
    localparam logic [3:0] KIND_PROBE = 4'd2;
    localparam logic [3:0] KIND_WELCOME = 4'd8;
    localparam logic [3:0] KIND_ACK = 4'd9;
    localparam logic [3:0] KIND_REFUSE = 4'd10;
    localparam logic [3:0] KIND_RESTART = 4'd11;

    localparam logic [63:0] CONTRACT = 64'h0123456789ABCDEF;
    localparam logic [7:0]  PACKING  = 8'h51, ROLE = 8'h02;
    localparam logic [31:0] ELEMENT  = 32'hE1E2E3E4, SHAPE = 32'h51525354;

    // ---- sizes: a packet has a header of half a beat in front of up to 2 * beats - 1 halves ----------------------

    function automatic int full_bytes(input int packet_beats);
        full_bytes = 64 * packet_beats - HEADER_BYTES;
    endfunction
    function automatic int packets_of(input int frame_bytes, input int packet_beats);
        packets_of = (frame_bytes + full_bytes(packet_beats) - 1) / full_bytes(packet_beats);
    endfunction
    function automatic int last_bytes(input int frame_bytes, input int packet_beats);
        last_bytes = frame_bytes - (packets_of(frame_bytes, packet_beats) - 1) * full_bytes(packet_beats);
    endfunction
    // Beats of a packet with this many bytes of a frame, and tkeep of the last of them.
    function automatic int beats_of(input int bytes);
        beats_of = (bytes + HEADER_BYTES + 63) / 64;
    endfunction
    function automatic logic [63:0] last_keep(input int bytes);
        last_keep = {64{1'b1}} >> (64 * beats_of(bytes) - bytes - HEADER_BYTES);
    endfunction

    // ---- contents ------------------------------------------------------------------------------------------------

    // Half `h` of frame `f`.
    function automatic logic [255:0] half_of(input int f, input int h, input int frame_bytes, input int seed);
        logic [31:0] m;
        int          bytes;
        m = 32'(f) * 32'h9E3779B1 + 32'(h) * 32'h85EBCA77 + 32'(seed);
        m = (m ^ (m >> 15)) * 32'h2C1B3C6D;
        m = m ^ (m >> 13);
        half_of = {m ^ 32'h13579BDF, ~m, m ^ 32'hF0F0A5A5, m + 32'd77, m ^ 32'h00FF00FF, 32'(h), 32'(f), m};
        // So that the number differs from that of a frame of one byte.
        if (h == 0) half_of[7:0] = 8'(f % 255 + 1);
        bytes = frame_bytes - 32 * h;
        if (bytes <= 0) half_of = '0;
        else if (bytes < 32) half_of = half_of & ({256{1'b1}} >> (256 - 8 * bytes));
    endfunction

    // ---- headers -------------------------------------------------------------------------------------------------

    // Header of a packet; checksum and zeros after the header's last field are the caller's.
    function automatic logic [255:0] header(
        input logic [3:0] kind, input logic [15:0] link, input int bytes, input logic [31:0] seq,
        input logic [31:0] frame, input logic [15:0] tx, input logic [15:0] rx
    );
        header = '0;
        header[BIT_MAGIC +: BITS_MAGIC]       = IS_MAGIC;
        header[BIT_VERSION +: BITS_VERSION]   = IS_VERSION;
        header[BIT_KIND +: BITS_KIND]         = kind;
        header[BIT_LINK +: BITS_LINK]         = link;
        header[BIT_BYTES +: BITS_BYTES]       = BITS_BYTES'(bytes);
        header[BIT_SEQ +: BITS_SEQ]           = seq;
        header[BIT_FRAME +: BITS_FRAME]       = frame;
        header[BIT_TX_EPOCH +: BITS_TX_EPOCH] = tx;
        header[BIT_RX_EPOCH +: BITS_RX_EPOCH] = rx;
    endfunction

    // Beat of HELLO whose first half is zero; that of REFUSE is the same.
    function automatic logic [511:0] hello(input int frame_bytes, input int packet_beats, input int slots);
        hello = '0;
        hello[BIT_CONTRACT +: BITS_CONTRACT]         = CONTRACT;
        hello[BIT_FRAME_BYTES +: BITS_FRAME_BYTES]   = BITS_FRAME_BYTES'(frame_bytes);
        hello[BIT_PACKET_BEATS +: BITS_PACKET_BEATS] = BITS_PACKET_BEATS'(packet_beats);
        hello[BIT_PACKING +: BITS_PACKING]           = PACKING;
        hello[BIT_ROLE +: BITS_ROLE]                 = ROLE;
        hello[BIT_ELEMENT +: BITS_ELEMENT]           = ELEMENT;
        hello[BIT_SHAPE +: BITS_SHAPE]               = SHAPE;
        hello[BIT_SLOTS +: BITS_SLOTS]               = BITS_SLOTS'($clog2(slots));
    endfunction

    // Which fields of HELLO differ, as REFUSE has them.
    function automatic logic [9:0] differing(
        input logic [511:0] beat, input logic [15:0] link, input int frame_bytes, input int packet_beats, input int slots
    );
        differing = '0;
        differing[REFUSE_LINK]         = beat[BIT_LINK +: BITS_LINK] != link;
        differing[REFUSE_CONTRACT]     = beat[BIT_CONTRACT +: BITS_CONTRACT] != CONTRACT;
        differing[REFUSE_FRAME_BYTES]  = beat[BIT_FRAME_BYTES +: BITS_FRAME_BYTES] != BITS_FRAME_BYTES'(frame_bytes);
        differing[REFUSE_PACKET_BEATS] = beat[BIT_PACKET_BEATS +: BITS_PACKET_BEATS]
                                         != BITS_PACKET_BEATS'(packet_beats);
        differing[REFUSE_PACKING]      = beat[BIT_PACKING +: BITS_PACKING] != PACKING;
        differing[REFUSE_ROLE]         = beat[BIT_ROLE +: BITS_ROLE] != ROLE;
        differing[REFUSE_ELEMENT]      = beat[BIT_ELEMENT +: BITS_ELEMENT] != ELEMENT;
        differing[REFUSE_SHAPE]        = beat[BIT_SHAPE +: BITS_SHAPE] != SHAPE;
        differing[REFUSE_SLOTS]        = beat[BIT_SLOTS +: BITS_SLOTS] != BITS_SLOTS'($clog2(slots));
        differing[REFUSE_VERSION]      = beat[BIT_VERSION +: BITS_VERSION] != IS_VERSION;
    endfunction

    // ---- random numbers ------------------------------------------------------------------------------------------

    function automatic logic [63:0] rolled(input logic [63:0] dice);
        rolled = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {17'd0, dice[63:17]};
    endfunction
    // True in `of` of 64 cases; each `at` of a cycle looks at other bits.
    function automatic logic luck(input logic [63:0] dice, input int of, input int at);
        luck = int'(6'(dice >> (at * 6))) < of;
    endfunction
endpackage

`default_nettype wire
