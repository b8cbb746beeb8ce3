// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_receiver_far - simulation only: the sender at the far end of a link, and a channel with faults behind it.
//
// Speaks docs/vnx.md: HELLO until a WELCOME comes, PROBE when nothing arrives, none beyond the limit. What is missing after a NAK
// is sent again, of `all` everything from the oldest on. The channel loses, doubles, delays, cuts, joins and alters packets, and some are wrong
// although their checksum is right. tuser in the last beat says whether it is. `renew` begins a session,
// `send_late` sends a packet in the place of the next, `open_with` acts as if a WELCOME came now.
//
// Parameters: FRAME_BYTES, PACKET_BEATS, SLOTS, LINK  of the link
//             WINDOW                                  packets that may be under way
//             SEED                                    of contents and faults
`default_nettype none

module bench_vnx_receiver_far #(
    parameter int          FRAME_BYTES  = 64,
    parameter int          PACKET_BEATS = 23,
    parameter int          SLOTS        = 32,
    parameter logic [15:0] LINK         = 16'h1234,
    parameter int          WINDOW       = 64,
    parameter int          SEED         = 1
) (
    input  wire          aclk,
    // Chances of 1024: a packet lost; late or twice; altered; wrong with a right checksum; a reply lost; a gap.
    input  wire  [10:0]  lose,
    input  wire  [10:0]  later,
    input  wire  [10:0]  spoil,
    input  wire  [10:0]  wrong,
    input  wire  [10:0]  reply_lost,
    input  wire  [10:0]  gap,
    input  wire          ignore,  // the limit
    input  wire          all,     // sends also again what has come
    input  wire          hush,    // sends no HELLO and no PROBE
    input  wire  [9:0]   lie,     // what HELLO says wrongly, as in REFUSE
    input  wire  [31:0]  goal,    // first frame that is not sent

    input  wire  [511:0] r_tdata,
    input  wire          r_fire,

    output logic [511:0] s_tdata,
    output logic [63:0]  s_tkeep,
    output logic         s_tlast,
    output logic         s_tuser,
    output logic         s_tvalid,
    output logic [15:0]  now_tx,  // its session, with the packet
    output wire          idle,    // in a session, all of goal acknowledged, nothing on its way
    output wire  [31:0]  begun    // frames that a packet was sent of, or that a session before had
);
    import bench_vnx_packet::*;
    localparam int FULL_HALVES = 2 * PACKET_BEATS - 1;
    localparam int N           = packets_of(FRAME_BYTES, PACKET_BEATS);
    localparam int LAST        = last_bytes(FRAME_BYTES, PACKET_BEATS);
    localparam logic [63:0] ALL = '1;
    localparam logic [3:0]  KIND_NONE = 4'd3;  // no kind of packet
    localparam int FAULT_BIT     = 1;   // a bit is wrong
    localparam int FAULT_MISSING = 2;   // beats are missing
    localparam int FAULT_JOINED  = 3;   // two packets in one; these with a wrong checksum
    localparam int FAULT_MORE    = 4;   // a beat more
    localparam int FAULT_LESS    = 5;   // a beat less
    localparam int FAULT_BYTES   = 6;
    localparam int FAULT_KEEP    = 7;
    localparam int FAULT_LINK    = 8;   // another boundary
    localparam int FAULT_KIND    = 9;
    localparam int FAULT_MARK    = 10;  // sof or eof
    localparam int FAULT_TX      = 11;  // an old session of this end
    localparam int FAULT_RX      = 12;  // an old session of that end
    localparam int FAULT_PROBE   = 13;  // PROBE of an old session

    logic [31:0] dice;
    task pick(input int most, output int got);
        dice = dice * 32'd1664525 + 32'd1013904223;
        got  = int'((32'(dice[31:12]) * 32'(most)) >> 20);
    endtask

    // ---- session -------------------------------------------------------------------------------------------------
    logic        talking, probe;
    logic [15:0] tx, rx;
    int          next, top, acked, limit;   // packets
    logic [31:0] turn;                      // transmissions
    logic [SLOTS-1:0] had;                  // as the receiver says
    int          first_frame;               // of the session
    int          hello_in, silent;          // cycles

    task renew;
        talking = 1'b0;
        tx = tx + 16'd1;
        first_frame = first_frame + (top + N - 1) / N;
        next = 0; top = 0; acked = 0; limit = 0; had = '0; turn = dice;
        hello_in = 0;
        probe = 1'b0;
    endtask
    task open_with(input logic [15:0] rx_now);
        talking = 1'b1; rx = rx_now; limit = SLOTS; probe = 1'b1;
    endtask
    assign begun = 32'(first_frame + (top + N - 1) / N);
    assign idle  = talking && !late_valid && !playing && first_frame + acked / N >= $signed(goal);

    wire [3:0]  r_kind = r_tdata[BIT_KIND +: BITS_KIND];
    wire [31:0] r_seq  = r_tdata[BIT_SEQ +: BITS_SEQ];
    task take_reply;
        pick(1024, x);
        if (x >= int'(reply_lost)) begin
            if (r_kind == KIND_WELCOME && !talking && r_tdata[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx)
                open_with(r_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH]);
            if (talking && r_tdata[BIT_TX_EPOCH +: BITS_TX_EPOCH] == tx && r_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH] == rx) begin
                if (r_kind == KIND_RESTART) renew;
                else if (r_kind == KIND_ACK && int'(r_seq) >= acked && int'(r_seq) <= top) begin
                    if (int'(r_seq) > acked) silent = 0;
                    if (int'(r_seq) > acked) had = '0;
                    acked = int'(r_seq);
                    had   = had | r_tdata[BIT_HAVE +: SLOTS];
                    if (next < int'(r_seq) || r_tdata[BIT_NAK]) next = int'(r_seq);
                    if (int'(r_tdata[BIT_FRAME +: BITS_FRAME]) > limit) limit = int'(r_tdata[BIT_FRAME +: BITS_FRAME]);
                end
            end
        end
    endtask

    // ---- what is sent next, if anything --------------------------------------------------------------------------
    // A packet on its way: turn, fault, kind, seq, frame, tx, rx.
    logic [139:0] now, late;
    logic         late_valid, any;
    int           late_in;                  // packets until it comes
    task send_late(input logic [3:0] what, input int seq, input int frame, input logic [15:0] of_tx, input logic [15:0] of_rx);
        late       = {32'd0, 8'd0, what, 32'(seq), 32'(frame), of_tx, of_rx};
        late_in    = 0;
        late_valid = 1'b1;
    endtask

    task choose;
        logic [3:0]  what;
        logic [31:0] seq, frame;
        any = 1'b0; what = KIND_DATA; seq = '0; frame = '0;
        if (late_valid && late_in <= 0) begin
            now = late;
            late_valid = 1'b0;
            any = 1'b1;
        end else begin
            if (!talking) begin
                if (hello_in <= 0 && !hush) begin
                    any = 1'b1; what = KIND_HELLO; hello_in = 60;
                end
            end else if (probe) begin
                any = 1'b1; what = KIND_PROBE; seq = 32'(top); probe = 1'b0; silent = 0;
            end else begin
                while (!all && next < top && next > acked && had[next % SLOTS]) next = next + 1;
                if (first_frame + next / N < int'(goal) && (ignore || next < limit) && next - acked < WINDOW) begin
                    any = 1'b1; seq = 32'(next); frame = 32'(first_frame + next / N); silent = 0;
                    next = next + 1;
                    if (next > top) top = next;
                end
            end
            if (any) begin
                turn = turn + 32'd1;
                now = {turn, 8'd0, what, seq, frame, tx, talking ? rx : 16'd0};
                late_in = late_in - 1;
                spoil_it;
            end else if (late_valid) late_in = late_in - 1;
        end
    endtask
    task spoil_it;
        pick(1024, x);
        if (x < int'(lose)) any = 1'b0;
        else if (x < int'(lose) + int'(later) && !late_valid) begin
            // Reordered or duplicated.
            late = now; late_valid = 1'b1;
            pick(6, late_in);
            any = x % 2 == 0;
        end else if (x < int'(lose) + int'(later) + int'(spoil)) begin
            pick(FAULT_JOINED, x);
            now[107:100] = 8'(FAULT_BIT + x);
        end else if (x < int'(lose) + int'(later) + int'(spoil) + int'(wrong)) begin
            pick(FAULT_PROBE - FAULT_JOINED, x);
            now[107:100] = 8'(FAULT_MORE + x);
        end
    endtask

    // ---- beats of a packet ---------------------------------------------------------------------------------------
    logic         playing, is_sof, is_eof, right;
    int           beat, beats, x, fault, base, bytes;
    logic [63:0]  keep;
    logic [511:0] word;
    logic [3:0]   kind;

    task prepare;
        fault  = int'(now[107:100]);
        kind   = now[99:96];
        base   = int'(now[95:64] % N) * FULL_HALVES;
        is_sof = kind == KIND_DATA && int'(now[95:64] % N) == 0;
        is_eof = kind == KIND_DATA && int'(now[95:64] % N) == N - 1;
        bytes  = kind == KIND_HELLO ? full_bytes(PACKET_BEATS) : kind != KIND_DATA ? HEADER_BYTES : is_eof ? LAST : full_bytes(PACKET_BEATS);
        beats  = kind == KIND_HELLO ? PACKET_BEATS : kind != KIND_DATA ? 1 : is_eof ? beats_of(LAST) : PACKET_BEATS;
        // One that is refused may be of another length.
        if (kind == KIND_HELLO && lie != '0) beats = 1 + int'(now[111:108]) % (PACKET_BEATS + 1);
        keep   = kind == KIND_DATA && is_eof ? last_keep(LAST) : ALL;
        right  = fault == 0 || fault > FAULT_JOINED;
        case (fault)
            FAULT_MISSING: if (beats > 1) beats = beats - 1 - int'(now[70:64]) % (beats - 1);
            FAULT_JOINED: beats = beats + PACKET_BEATS;
            FAULT_MORE: beats = beats + 1;
            FAULT_LESS: if (beats > 1) beats = beats - 1; else keep = keep >> 1;
            FAULT_BYTES: bytes = bytes + 1 + int'(now[67:64]);
            FAULT_KEEP: keep = keep[63] ? keep >> 8 : {keep[62:0], 1'b1};
            FAULT_KIND: kind = now[64] ? KIND_NONE : KIND_ACK;
            FAULT_MARK: if (now[64]) is_sof = !is_sof; else is_eof = !is_eof;
            FAULT_PROBE: begin kind = KIND_PROBE; beats = 1; keep = ALL; end
            default: ;
        endcase
    endtask

    task make_word;
        word = '0;
        if (kind == KIND_DATA || kind == KIND_NONE || kind == KIND_ACK) begin
            word[0 +: 256]   = half_of(int'(now[63:32]), base + 2 * beat - 1, FRAME_BYTES, SEED);
            word[256 +: 256] = half_of(int'(now[63:32]), base + 2 * beat, FRAME_BYTES, SEED);
            // After the end of a frame there is junk, which must not come through.
            for (int h = 0; h < 64; h++)
                if (beat == beats - 1 && !keep[h]) word[8*h +: 8] = 8'(dice >> h % 24) | 8'h80;
        end
        if (beat == 0 || kind == KIND_HELLO) begin
            if (kind == KIND_HELLO) word = hello(FRAME_BYTES, PACKET_BEATS, SLOTS) ^ liar;
            word[255:0] = header(kind, LINK ^ (kind == KIND_HELLO ? liar[BIT_LINK +: BITS_LINK] : '0), bytes, now[95:64],
                now[63:32], now[31:16] - 16'(fault == FAULT_TX || fault == FAULT_PROBE), now[15:0] - 16'(fault == FAULT_RX));
            if (kind == KIND_HELLO) word[BIT_VERSION] = word[BIT_VERSION] ^ lie[REFUSE_VERSION];
            if (fault == FAULT_LINK) word[BIT_LINK + 8] = !word[BIT_LINK + 8];
            word[BIT_SOF] = is_sof;
            word[BIT_EOF] = is_eof;
            word[BIT_TAINT] = is_eof && word[BIT_FRAME+1];
            word[BIT_CRC +: BITS_CRC] = dice;
            word[BIT_TURN +: BITS_TURN] = now[139:108];
        end else if (fault == FAULT_BIT) word[{dice[8:2], 2'd1}] = !word[{dice[8:2], 2'd1}];
    endtask
    // One bit of each field that HELLO has wrong.
    logic [511:0] liar;
    always_comb begin
        liar = '0;
        liar[BIT_LINK + 8]          = lie[REFUSE_LINK];
        liar[BIT_CONTRACT + 63]     = lie[REFUSE_CONTRACT];
        liar[BIT_FRAME_BYTES + 17]  = lie[REFUSE_FRAME_BYTES];
        liar[BIT_PACKET_BEATS]      = lie[REFUSE_PACKET_BEATS];
        liar[BIT_PACKING + 7]       = lie[REFUSE_PACKING];
        liar[BIT_ROLE + 3]          = lie[REFUSE_ROLE];
        liar[BIT_ELEMENT + 31]      = lie[REFUSE_ELEMENT];
        liar[BIT_SHAPE]             = lie[REFUSE_SHAPE];
        liar[BIT_SLOTS + 3]         = lie[REFUSE_SLOTS];
    end

    // ---- every cycle ---------------------------------------------------------------------------------------------
    logic wait_now;
    always @(posedge aclk) begin
        if (r_fire) take_reply;
        s_tvalid <= 1'b0;
        s_tlast  <= dice[3];
        s_tuser  <= dice[4];
        s_tdata  <= {16{dice}};
        s_tkeep  <= {2{dice}};
        hello_in = hello_in - 1;
        silent   = silent + 1;
        if (talking && silent > 120 && !probe && !hush) begin
            probe  = 1'b1;
            silent = 0;
        end
        pick(1024, x);
        wait_now = x < int'(gap);
        if (!playing && !wait_now) begin
            choose;
            if (any) begin
                prepare;
                beat    = 0;
                playing = 1'b1;
            end
        end
        if (playing && !wait_now) begin
            make_word;
            s_tvalid <= 1'b1;
            s_tdata  <= word;
            s_tlast  <= beat == beats - 1;
            s_tkeep  <= beat == beats - 1 ? keep : ALL;
            s_tuser  <= beat == beats - 1 ? right : dice[4];
            beat = beat + 1;
            if (beat == beats) playing = 1'b0;
        end
        now_tx <= tx;
    end

    initial begin
        dice = 32'(SEED) * 32'h9E3779B1 + 32'd1;
        talking = 1'b0; tx = 16'(SEED) - 16'd3; rx = '0; next = 0; top = 0; acked = 0; limit = 0; first_frame = 0; turn = '0; had = '0;
        hello_in = 0; silent = 0; probe = 1'b0; late_valid = 1'b0; late_in = 0; playing = 1'b0; beat = 0; beats = 0;
        now = '0; late = '0; keep = '0; now_tx = '0;
        s_tvalid = 1'b0; s_tdata = '0; s_tkeep = '0; s_tlast = 1'b0; s_tuser = 1'b0;
    end
endmodule

`default_nettype wire
