// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_receiver - vnx_receiver behind a channel that loses, doubles, delays, cuts, joins and spoils packets.
//
// A sender of the bench's own speaks docs/vnx.md: HELLO, PROBE, go-back-N, limits. A reference looks at every packet that
// enters the block and says by the text what must become of it; from the block it takes only whether a slot is free
// and whether all are, in that cycle. So all frames that leave are known in advance, those that are cut included, and all
// counters. The number of a frame, a hash of it and of the place make every half beat. Phases, one after the other:
//   0 nothing happens, counted in cycles     1 the partition stalls         2 packets are lost, replies too
//   3 duplicated and reordered               4 cut, joined, corrupted: the checksum detects it
//   5 wrong in length, marks, kind, boundary, session, with a right checksum
//   6 all of these, gaps within packets      7 the partition stalls for long, credits are kept: nothing is lost
//   8 likewise, and the sender ignores the limit    9 the sender restarts, at any place
//   10 reset of the link, with and without draining first, at any place     11 HELLOs that differ, bit by bit
//   12 reset of all
`default_nettype none

module vnx_receiver_case #(
    parameter int FRAME_BYTES = 64, PACKET_BEATS = 23, SLOTS = 32, ACK_EVERY = 4, ACK_CYCLES = 64,
    parameter int FRAMES = 20, STRIKES = 16, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam logic [15:0] LINK     = 16'h1234 + 16'(SEED);
    localparam logic [63:0] CONTRACT = 64'h0123456789ABCDEF;
    localparam logic [7:0]  PACKING  = 8'h51, ROLE = 8'h02;
    localparam logic [31:0] ELEMENT  = 32'hE1E2E3E4, SHAPE = 32'h51525354;

    // ---- packet, from packet.json ----------------------------------------------------------------
    localparam int BIT_MAGIC = 0;
    localparam int BITS_MAGIC = 16;
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam int BIT_VERSION = 16;
    localparam int BITS_VERSION = 8;
    localparam logic [7:0] IS_VERSION = 8'h01;
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
    localparam int BIT_CONTRACT = 256;
    localparam int BITS_CONTRACT = 64;
    localparam int BIT_FRAME_BYTES = 320;
    localparam int BITS_FRAME_BYTES = 32;
    localparam int BIT_PACKET_BEATS = 352;
    localparam int BITS_PACKET_BEATS = 16;
    localparam int BIT_PACKING = 368;
    localparam int BITS_PACKING = 8;
    localparam int BIT_ROLE = 376;
    localparam int BITS_ROLE = 8;
    localparam int BIT_ELEMENT = 384;
    localparam int BITS_ELEMENT = 32;
    localparam int BIT_SHAPE = 416;
    localparam int BITS_SHAPE = 32;
    localparam logic [3:0] KIND_DATA = 4'd0;
    localparam logic [3:0] KIND_HELLO = 4'd1;
    localparam logic [3:0] KIND_PROBE = 4'd2;
    localparam logic [3:0] KIND_WELCOME = 4'd8;
    localparam logic [3:0] KIND_ACK = 4'd9;
    localparam logic [3:0] KIND_REFUSE = 4'd10;
    localparam logic [3:0] KIND_RESTART = 4'd11;

    localparam int FULL_HALVES = 2 * PACKET_BEATS - 1;
    localparam int FULL_BYTES  = 32 * FULL_HALVES;
    localparam int HALVES      = (FRAME_BYTES + 31) / 32;
    localparam int N           = (FRAME_BYTES + FULL_BYTES - 1) / FULL_BYTES;
    localparam int LAST_BYTES  = FRAME_BYTES - (N - 1) * FULL_BYTES;
    localparam int LAST_BEATS  = (LAST_BYTES + 32 + 63) / 64;
    localparam int LAST_KEEP   = LAST_BYTES + 32 - 64 * (LAST_BEATS - 1);
    localparam int OUT_BEATS   = (FRAME_BYTES + 63) / 64;
    localparam int IN_BEATS    = (N - 1) * PACKET_BEATS + LAST_BEATS;
    localparam int STILL       = 40 * SLOTS + FRAMES * IN_BEATS;  // cycles
    localparam int WINDOW      = SLOTS * 2;
    localparam logic [63:0] ALL = '1;

    logic         aresetn, link_aresetn, drain;
    wire          drained, frame_done;
    wire  [2:0]   error;
    logic [511:0] s_tdata;
    logic [63:0]  s_tkeep;
    logic         s_tlast, s_tuser, s_tvalid;
    wire  [511:0] r_tdata, m_tdata;
    wire  [63:0]  r_tkeep;
    wire          r_tlast, r_tvalid, m_tvalid;
    logic         r_tready, m_tready;
    wire  [6:0]   awaddr, araddr;
    wire  [2:0]   awprot, arprot;
    wire          awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire  [31:0]  wdata, rdata;
    wire  [3:0]   wstrb;
    wire  [1:0]   bresp, rresp;

    bench_lite_master #(.ADDR_W(7), .LIMIT(100), .SEED(SEED)) u_master (
        .aclk(aclk), .aresetn(aresetn), .eager(1'b0),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready)
    );
    vnx_receiver #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(LINK), .CONTRACT(CONTRACT),
        .PACKING(PACKING), .ROLE(ROLE), .ELEMENT(ELEMENT), .SHAPE(SHAPE), .ACK_EVERY(ACK_EVERY), .ACK_CYCLES(ACK_CYCLES)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axil_awaddr(awaddr), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .drain(drain), .drained(drained),
        .s_net_axis_tdata(s_tdata), .s_net_axis_tkeep(s_tkeep), .s_net_axis_tlast(s_tlast),
        .s_net_axis_tuser(s_tuser), .s_net_axis_tvalid(s_tvalid),
        .m_net_axis_tdata(r_tdata), .m_net_axis_tkeep(r_tkeep), .m_net_axis_tlast(r_tlast),
        .m_net_axis_tvalid(r_tvalid), .m_net_axis_tready(r_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .frame_done(frame_done), .error(error)
    );
    axis_checker #(.DATA_W(512), .NAME("m_axis")) u_check_m (
        .aclk(aclk), .aresetn(link_aresetn), .axis_tdata(m_tdata), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );
    axis_checker #(.DATA_W(577), .NAME("m_net_axis")) u_check_r (
        .aclk(aclk), .aresetn(link_aresetn), .axis_tdata({r_tlast, r_tkeep, r_tdata}),
        .axis_tvalid(r_tvalid), .axis_tready(r_tready)
    );

    // ---- what a frame holds ----------------------------------------------------------------------------------
    function automatic logic [255:0] half_of(input int f, input int h);
        logic [31:0] x;
        int          bytes;
        x = 32'(f) * 32'h9E3779B1 + 32'(h) * 32'h85EBCA77 + 32'(SEED);
        x = (x ^ (x >> 15)) * 32'h2C1B3C6D;
        x = x ^ (x >> 13);
        half_of = {8{x}} ^ 256'h0f1e2d3c_4b5a6978_8796a5b4_c3d2e1f0_00112233_44556677_8899aabb_ccddeeff;
        // So that the number differs from that of a frame of one byte.
        if (h == 0) half_of[7:0] = 8'(f % 255 + 1);
        bytes = FRAME_BYTES - 32 * h;
        if (bytes <= 0) half_of = '0;
        else if (bytes < 32) half_of = half_of & ({256{1'b1}} >> (256 - 8 * bytes));
    endfunction

    logic [31:0] dice;
    function automatic logic [31:0] roll(input logic [31:0] x);
        roll = x * 32'd1664525 + 32'd1013904223;
    endfunction
    task pick(input int most, output int got);
        dice = roll(dice);
        got  = int'((32'(dice[31:12]) * 32'(most)) >> 20);
    endtask

    // ---- parameters of a phase ------------------------------------------------------------------------------------
    int  phase, p_lose, p_late, p_spoil, p_wrong, p_reply, p_gap, p_stall, p_hold;  // in 1024
    logic ignore, stand, hush;              // no limit; the partition stalls; no unsolicited replies
    int  goal;                              // frames that are to be sent

    // ---- sender ----------------------------------------------------------------------------------------------
    logic        talking;                   // it has a session
    logic [15:0] tx, rx;
    int          next, top, acked, limit;   // packets
    int          first_frame;               // of the session
    int          hello_in, silent;          // cycles
    logic        probe;
    logic [7:0]  lie;                       // what HELLO says wrongly
    // A packet on its way: fault, kind, seq, frame, tx, rx
    logic [107:0] now, late;
    logic         late_valid;
    int           late_in;                  // packets until it comes
    logic         playing;
    int           beat, beats;
    logic [63:0]  keep;
    logic [511:0] word;
    int           x, fault, piece, bytes, base;
    logic         is_sof, is_eof, right;
    logic [3:0]   kind;

    task renew;
        talking = 1'b0;
        tx = tx + 16'd1;
        first_frame = first_frame + (top + N - 1) / N;
        next = 0; top = 0; acked = 0; limit = 0;
        hello_in = 0;
        probe = 1'b0;
    endtask

    // What is sent next, if anything.
    task choose(output logic any);
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
            end else if (first_frame + next / N < goal && (ignore || next < limit) && next - acked < WINDOW) begin
                any = 1'b1; seq = 32'(next); frame = 32'(first_frame + next / N); silent = 0;
                next = next + 1;
                if (next > top) top = next;
            end
            if (any) begin
                now = {8'd0, what, seq, frame, tx, talking ? rx : 16'd0};
                late_in = late_in - 1;
                pick(1024, x);
                if (x < p_lose) any = 1'b0;
                else if (x < p_lose + p_late && !late_valid) begin
                    // Reordered or duplicated.
                    late = now; late_valid = 1'b1;
                    pick(6, late_in);
                    any = x % 2 == 0;
                end else if (x < p_lose + p_late + p_spoil) begin
                    pick(3, x);
                    now[107:100] = 8'(1 + x);
                end else if (x < p_lose + p_late + p_spoil + p_wrong) begin
                    pick(10, x);
                    now[107:100] = 8'(4 + x);
                end
            end else if (late_valid) late_in = late_in - 1;
        end
    endtask

    // Faults: 1 a bit is wrong, 2 beats are missing, 3 two packets in one: these with a wrong checksum.
    // 4 a beat more, 5 a beat less, 6 wrong bytes, 7 wrong keep, 8 another boundary, 9 unknown kind, 10 a wrong mark,
    // 11 an old tx, 12 an old rx, 13 a probe of an old session: these with a right one.
    task prepare;
        fault  = int'(now[107:100]);
        kind   = now[99:96];
        piece  = int'(now[95:64] % N);
        base   = piece * FULL_HALVES;
        is_sof = kind == KIND_DATA && piece == 0;
        is_eof = kind == KIND_DATA && piece == N - 1;
        bytes  = kind != KIND_DATA ? 32 : is_eof ? LAST_BYTES : FULL_BYTES;
        beats  = kind != KIND_DATA ? 1 : is_eof ? LAST_BEATS : PACKET_BEATS;
        keep   = kind == KIND_DATA && is_eof ? ALL >> (64 - LAST_KEEP) : ALL;
        right  = fault == 0 || fault > 3;
        case (fault)
            2: if (beats > 1) beats = beats - 1 - int'(now[70:64]) % (beats - 1);
            3: beats = beats + PACKET_BEATS;
            4: beats = beats + 1;
            5: if (beats > 1) beats = beats - 1; else keep = keep >> 1;
            6: bytes = bytes + 1 + int'(now[67:64]);
            7: keep = keep[63] ? keep >> 8 : {keep[62:0], 1'b1};
            9: kind = now[64] ? 4'd3 : KIND_ACK;
            10: if (now[64]) is_sof = !is_sof; else is_eof = !is_eof;
            13: kind = KIND_PROBE;
            default: ;
        endcase
        if (fault == 13) beats = 1;
        if (fault == 13) keep = ALL;
    endtask

    task make_word;
        word = '0;
        if (kind == KIND_DATA || kind == 4'd3 || kind == KIND_ACK) begin
            word[0 +: 256]   = half_of(int'(now[63:32]), base + 2 * beat - 1);
            word[256 +: 256] = half_of(int'(now[63:32]), base + 2 * beat);
            // Behind the end of a frame there is junk, which must not come through.
            for (int h = 0; h < 64; h++)
                if (beat == beats - 1 && !keep[h]) word[8*h +: 8] = 8'(dice >> h % 24) | 8'h80;
        end
        if (beat == 0) begin
            word[BIT_MAGIC +: BITS_MAGIC]   = IS_MAGIC;
            word[BIT_VERSION +: BITS_VERSION]   = 8'd1;
            word[BIT_KIND +: BITS_KIND]   = kind;
            word[BIT_SOF]        = is_sof;
            word[BIT_EOF]        = is_eof;
            word[30 +: 2]   = 2'b00;
            word[BIT_CRC +: BITS_CRC]  = dice;
            word[BIT_LINK +: BITS_LINK]  = LINK ^ (fault == 8 || (kind == KIND_HELLO && lie[0]) ? 16'h0100 : 16'h0000);
            word[BIT_BYTES +: BITS_BYTES]  = 16'(bytes);
            word[BIT_SEQ +: BITS_SEQ]  = now[95:64];
            word[BIT_FRAME +: BITS_FRAME] = now[63:32];
            word[BIT_TX_EPOCH +: BITS_TX_EPOCH] = now[31:16] - 16'(fault == 11 || fault == 13);
            word[BIT_RX_EPOCH +: BITS_RX_EPOCH] = now[15:0] - 16'(fault == 12);
            word[192 +: 64] = {2{dice}};
            if (kind == KIND_HELLO) begin
                word[BIT_CONTRACT +: BITS_CONTRACT] = CONTRACT ^ 64'(lie[1]) << 63;
                word[BIT_FRAME_BYTES +: BITS_FRAME_BYTES] = 32'(FRAME_BYTES) ^ 32'(lie[2]) << 17;
                word[BIT_PACKET_BEATS +: BITS_PACKET_BEATS] = 16'(PACKET_BEATS) ^ 16'(lie[3]);
                word[BIT_PACKING +: BITS_PACKING]  = PACKING ^ 8'(lie[4]) << 7;
                word[BIT_ROLE +: BITS_ROLE]  = ROLE ^ 8'(lie[5]) << 3;
                word[BIT_ELEMENT +: BITS_ELEMENT] = ELEMENT ^ 32'(lie[6]) << 31;
                word[BIT_SHAPE +: BITS_SHAPE] = SHAPE ^ 32'(lie[7]);
            end
        end else if (fault == 1) word[{dice[8:2], 2'd1}] = !word[{dice[8:2], 2'd1}];
    endtask

    logic any, wait_now;
    task drive;
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
        wait_now = x < p_gap;
        if (!playing && !wait_now) begin
            choose(any);
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
    endtask

    // ---- reference: what must become of each packet ----------------------------------------------------------
    localparam int LIST = 1024;
    int           list_frame [0:LIST-1];    // packets that were taken, of which nothing has left; piece -1: a frame was cut
    int           list_piece [0:LIST-1];
    int           put, got;
    logic         in_session, offered, hello_due, mid, was_void, back;
    logic         then_offered;             // when the packet began
    logic [15:0]  in_tx, in_rx, offered_tx, then_tx, next_rx, hello_tx;
    int           want, at, last_seq, seen_beats;
    logic [511:0] head;
    int           n_frames, n_cut, n_took, n_gap, n_double, n_sum, n_length, n_kind, n_link, n_session, n_slot, n_hello,
                  n_open, n_ack, n_nak, n_restart, lacks, restarts, whole_frame, cut_frame, begun_frame, this_frame, most;
    logic         fresh, is_new, is_cur, sizes, marks;
    logic [7:0]   off, refused;
    logic [511:0] refused_head;
    int           seq, seq_off;

    task judge;
        if (!s_tuser) n_sum = n_sum + 1;
        else if (head[BIT_KIND +: BITS_KIND] > KIND_PROBE) n_kind = n_kind + 1;
        else if (was_void) n_length = n_length + 1;
        else begin
            if (head[BIT_KIND +: BITS_KIND] == KIND_DATA)
                sizes = int'(head[BIT_BYTES +: BITS_BYTES]) == (head[BIT_EOF] ? LAST_BYTES : FULL_BYTES)
                        && seen_beats == (head[BIT_EOF] ? LAST_BEATS : PACKET_BEATS)
                        && s_tkeep == (head[BIT_EOF] ? ALL >> (64 - LAST_KEEP) : ALL);
            else sizes = seen_beats == 1 && s_tkeep == ALL;
            off = {head[BIT_SHAPE +: BITS_SHAPE] != SHAPE, head[BIT_ELEMENT +: BITS_ELEMENT] != ELEMENT, head[BIT_ROLE +: BITS_ROLE] != ROLE, head[BIT_PACKING +: BITS_PACKING] != PACKING,
                   head[BIT_PACKET_BEATS +: BITS_PACKET_BEATS] != 16'(PACKET_BEATS), head[BIT_FRAME_BYTES +: BITS_FRAME_BYTES] != 32'(FRAME_BYTES),
                   head[BIT_CONTRACT +: BITS_CONTRACT] != CONTRACT, head[BIT_LINK +: BITS_LINK] != LINK};
            if (!sizes) n_length = n_length + 1;
            else if (head[BIT_KIND +: BITS_KIND] == KIND_HELLO) begin
                n_hello = n_hello + 1;
                if (off != 0) begin
                    refused = off;
                    refused_head = head;
                end else begin
                    hello_due = 1'b1;
                    hello_tx  = head[BIT_TX_EPOCH +: BITS_TX_EPOCH];
                end
            end else if (off[0]) n_link = n_link + 1;
            else begin
                is_cur = in_session && head[BIT_TX_EPOCH +: BITS_TX_EPOCH] == in_tx && head[BIT_RX_EPOCH +: BITS_RX_EPOCH] == in_rx;
                is_new = then_offered && head[BIT_TX_EPOCH +: BITS_TX_EPOCH] == then_tx && head[BIT_RX_EPOCH +: BITS_RX_EPOCH] == next_rx;
                if (!is_cur && !(is_new && u_dut.empty)) begin
                    n_session = n_session + 1;
                    if (!is_new) restarts = restarts + 1;
                end else begin
                    if (is_new) begin
                        n_open = n_open + 1;
                        if (at != 0) begin
                            n_cut = n_cut + 1;
                            cut_frame = this_frame;
                            list_piece[put % LIST] = -1;
                            put = put + 1;
                        end
                        in_session = 1'b1; in_tx = then_tx; in_rx = next_rx; next_rx = next_rx + 16'd1; offered = 1'b0;
                        want = 0; at = 0; back = 1'b1; last_seq = 0; fresh = 1'b1;
                    end
                    seq     = int'(head[BIT_SEQ +: BITS_SEQ]);
                    seq_off = seq - want;
                    if (head[BIT_KIND +: BITS_KIND] == KIND_PROBE) begin
                        if (seq_off != 0) lacks = lacks + 1;
                    end else begin
                        back = back || seq - last_seq <= 0;
                        last_seq = seq;
                        marks = head[BIT_SOF] == (at == 0) && head[BIT_EOF] == (at == N - 1);
                        if (seq_off > 0) begin
                            n_gap = n_gap + 1;
                            if (back) lacks = lacks + 1;
                            back = 1'b0;
                        end else if (seq_off < 0) n_double = n_double + 1;
                        else if (!marks) n_length = n_length + 1;
                        else if (!u_dut.room) n_slot = n_slot + 1;
                        else begin
                            n_took = n_took + 1;
                            this_frame = int'(head[BIT_FRAME +: BITS_FRAME]);
                            if (fresh) begun_frame = this_frame;
                            fresh = 1'b0;
                            list_frame[put % LIST] = this_frame;
                            list_piece[put % LIST] = at;
                            put  = put + 1;
                            want = want + 1;
                            at   = at == N - 1 ? 0 : at + 1;
                            if (at == 0) whole_frame = this_frame;
                        end
                    end
                end
            end
        end
    endtask

    wire [3:0]  r_kind  = r_tdata[BIT_KIND +: BITS_KIND];
    wire        r_nak   = r_tdata[BIT_NAK];
    wire [31:0] r_seq   = r_tdata[BIT_SEQ +: BITS_SEQ], r_frame = r_tdata[BIT_FRAME +: BITS_FRAME];
    wire [15:0] r_tx    = r_tdata[BIT_TX_EPOCH +: BITS_TX_EPOCH], r_rx = r_tdata[BIT_RX_EPOCH +: BITS_RX_EPOCH];
    task look_in;
        if (s_tvalid) begin
            if (!mid) begin
                head = s_tdata;
                then_offered = offered;
                then_tx = offered_tx;
            end
            seen_beats = mid ? seen_beats + 1 : 1;
            mid = !s_tlast;
            if (s_tlast && link_aresetn) judge;
            if (s_tlast) was_void = 1'b0;
        end
        if (!link_aresetn) begin
            // An answer that a reset withdraws was counted when it was offered.
            if (r_tvalid && r_kind == KIND_RESTART) n_restart = n_restart + 1;
            was_void = mid;
            in_session = 1'b0; offered = 1'b0; then_offered = 1'b0; hello_due = 1'b0; put = 0; got = 0; at = 0; out_at = 0; out_cut = 1'b0;
            have = 0;
        end
    endtask

    // ---- frames ----------------------------------------------------------------------------------------------
    int           out_at;                   // beat of the frame
    int           out_frame, have;          // frame, and packets of it that were taken from the list
    logic         out_cut;
    logic [511:0] expected;
    int           first_cycle, last_cycle, cycle, moved, cuts_seen;
    logic         one_done;

    task look_out;
        one_done = 1'b0;
        if (m_tvalid && m_tready) begin
            for (int k = 0; k < 2; k++) begin
                x = 2 * out_at + k;
                while (x < HALVES && !out_cut && have <= x / FULL_HALVES) begin
                    if (got == put) $fatal(1, "phase %0d: beat %0d of a frame of which no packet was taken (%m)", phase, out_at);
                    if (list_piece[got % LIST] < 0) out_cut = 1'b1;
                    else begin
                        if (list_piece[got % LIST] != have) $fatal(1, "bench: packet %0d of the list (%m)", got);
                        out_frame = list_frame[got % LIST];
                        have = have + 1;
                    end
                    got = got + 1;
                end
                expected[256*k +: 256] = x / FULL_HALVES < have ? half_of(out_frame, x) : '0;
            end
            if (m_tdata !== expected) begin
                $display("got      %h", m_tdata);
                $display("expected %h", expected);
                $fatal(1, "phase %0d: beat %0d of frame %0d (%m)", phase, out_at, out_frame);
            end
            compared = compared + 1;
            moved    = moved + 1;
            if (first_cycle < 0) first_cycle = cycle;
            last_cycle = cycle;
            out_at = out_at + 1;
            if (out_at == OUT_BEATS) begin
                out_at = 0; have = 0; out_cut = 1'b0;
                n_frames = n_frames + 1;
                one_done = 1'b1;
            end
        end
    endtask

    // ---- replies ---------------------------------------------------------------------------------------------
    int told, told_limit;
    task look_back;
        if (r_tvalid && r_tready) begin
            if (r_tkeep !== ALL || r_tlast !== 1'b1 || r_tdata[23:0] !== {IS_VERSION, IS_MAGIC} || r_tdata[BIT_CRC +: BITS_CRC] !== '0
                || r_tdata[BIT_LINK +: BITS_LINK] !== LINK || r_tdata[BIT_BYTES +: BITS_BYTES] !== 16'd32 || r_tdata[255:192] !== '0
                || r_tdata[31] !== 1'b0 || r_tdata[29:28] !== 2'b00)
                $fatal(1, "phase %0d: header of a reply %h (%m)", phase, r_tdata);
            if (r_kind == KIND_REFUSE ? r_tdata[511:256] !== {64'd0, SHAPE, ELEMENT, ROLE, PACKING, 16'(PACKET_BEATS),
                32'(FRAME_BYTES), CONTRACT} : r_tdata[511:256] !== '0) $fatal(1, "second half of a reply %h (%m)", r_tdata);
            if (r_nak && r_kind != KIND_ACK) $fatal(1, "nak in a reply of kind %0d (%m)", r_kind);
            compared = compared + 1;
            pick(1024, x);
            case (r_kind)
                KIND_WELCOME: if (r_seq !== 32'd0 || r_frame !== 32'(SLOTS)) $fatal(1, "WELCOME (%m)");
                KIND_ACK: begin
                    n_ack = n_ack + 1;
                    if (r_nak) n_nak = n_nak + 1;
                    // An answer may be a few cycles old when it leaves.
                    if (r_tx === in_tx && r_rx === in_rx) begin
                        seq = int'(r_seq);
                        if (seq > want || int'(r_frame) > want + SLOTS || int'(r_frame) < seq)
                            $fatal(1, "phase %0d: ACK of %0d up to %0d, expected is %0d (%m)", phase, seq, r_frame, want);
                        told = seq; told_limit = int'(r_frame);
                    end
                end
                KIND_REFUSE: begin
                    refuses = refuses + 1;
                    if (r_seq !== 32'(refused) || r_tx !== refused_head[BIT_TX_EPOCH +: BITS_TX_EPOCH])
                    $fatal(1, "REFUSE of %h, expected %h (%m)", r_seq, refused);
                end
                KIND_RESTART: begin
                    n_restart = n_restart + 1;
                    if (r_tx === in_tx && r_rx === in_rx && in_session && tx == in_tx)
                        $fatal(1, "RESTART of the session that is open (%m)");
                end
                default: $fatal(1, "a reply of kind %0d (%m)", r_kind);
            endcase
            if (x >= p_reply) begin
                if (r_kind == KIND_WELCOME && !talking && r_tx == tx) begin
                    talking = 1'b1; rx = r_rx; limit = SLOTS; probe = 1'b1;
                end
                if (talking && r_tx == tx && r_rx == rx) begin
                    seq = int'(r_seq);
                    if (r_kind == KIND_RESTART) renew;
                    else if (r_kind == KIND_ACK && seq >= acked && seq <= top) begin
                        if (seq > acked) silent = 0;
                        acked = seq;
                        if (next < seq || r_nak) next = seq;
                        if (int'(r_frame) > limit) limit = int'(r_frame);
                    end
                end
            end
        end
    endtask

    // ---- every cycle -----------------------------------------------------------------------------------------
    int   dones, cuts_told;
    logic offer_late;
    always @(posedge aclk) begin
        cycle = cycle + 1;
        offer_late = hello_due;
        hello_due  = 1'b0;
        look_in;
        if (offer_late && link_aresetn && u_dut.empty) begin
            offered = 1'b1;
            offered_tx = hello_tx_q;
        end
        hello_tx_q = hello_tx;
        if (link_aresetn) begin
            if (frame_done !== (dones != 0)) $fatal(1, "phase %0d: frame_done is %b (%m)", phase, frame_done);
            look_out;
            look_back;
        end
        dones = link_aresetn && one_done ? 1 : 0;
        if (error[2:1] !== 2'b00) $fatal(1, "error is %b (%m)", error);
        if (error[0] && link_aresetn) cuts_told = cuts_told + 1;
        if (int'(u_dut.used) > SLOTS) $fatal(1, "%0d slots of %0d (%m)", u_dut.used, SLOTS);
        if (int'(u_dut.used) > most) most = int'(u_dut.used);
        if (drain && drained && r_tvalid) $fatal(1, "drained, and a reply is offered (%m)");

        drive;
        pick(1024, x);
        m_tready <= !stand && x >= p_stall && link_aresetn;
        pick(1024, x);
        r_tready <= x >= p_hold;
    end
    logic [15:0] hello_tx_q;

    task fresh_counts;
        n_frames = 0; n_cut = 0; n_took = 0; n_gap = 0; n_double = 0; n_sum = 0; n_length = 0; n_kind = 0; n_link = 0;
        n_session = 0; n_slot = 0; n_hello = 0; n_open = 0; n_ack = 0; n_nak = 0; n_restart = 0; lacks = 0; restarts = 0;
        cuts_told = 0;
    endtask

    logic [31:0] value;
    logic [1:0]  resp;
    task expect_at(input logic [6:0] at_, input int is_);
        u_master.read(at_, value, resp);
        if (value !== 32'(is_) || resp !== 2'b00)
            $fatal(1, "phase %0d: register %h is %0d, expected %0d (%m)", phase, at_, value, is_);
        compared = compared + 1;
    endtask

    // All sent frames have arrived and been reported.
    task settle;
        int quiet, patience;
        quiet = 0; patience = 0;
        while (quiet < ACK_CYCLES + 40) begin
            @(posedge aclk);
            patience = patience + 1;
            if (patience > 400000)
                $fatal(1, "phase %0d: %0d of %0d frames, next %0d, acked %0d, limit %0d, wanted %0d (%m)",
                       phase, first_frame + acked / N, goal, next, acked, limit, want);
            quiet = talking && !late_valid && first_frame + acked / N >= goal && u_dut.empty && !m_tvalid
                    && link_aresetn && (told_limit == want + SLOTS || p_reply > 0) ? quiet + 1 : 0;
        end
    endtask

    task check_all;
        hush = 1'b1;
        repeat (20) @(posedge aclk);
        if (got != put && !(got + 1 == put && list_piece[got % LIST] < 0))
            $fatal(1, "phase %0d: %0d packets were taken and did not leave (%m)", phase, put - got);
        if (cuts_told != n_cut) $fatal(1, "phase %0d: %0d frames cut, error[0] %0d times (%m)", phase, n_cut, cuts_told);
        if (n_nak > lacks || n_restart > restarts) $fatal(1, "phase %0d: %0d naks for %0d, %0d restarts for %0d (%m)",
            phase, n_nak, lacks, n_restart, restarts);
        p_stall = 0;
        repeat (4) @(posedge aclk);
        expect_at(7'h40, n_frames);
        expect_at(7'h44, n_cut);
        expect_at(7'h48, n_took);
        expect_at(7'h4C, n_gap);
        expect_at(7'h50, n_double);
        expect_at(7'h54, n_sum);
        expect_at(7'h58, n_length);
        expect_at(7'h5C, n_kind);
        expect_at(7'h60, n_link);
        expect_at(7'h64, n_session);
        expect_at(7'h68, n_slot);
        expect_at(7'h6C, n_hello);
        expect_at(7'h70, n_open);
        expect_at(7'h7C, n_restart);
        expect_at(7'h00, 1 + (offered ? 2 : 0));
        expect_at(7'h04, int'({in_rx, in_tx}));
        expect_at(7'h2C, most);
        expect_at(7'h30, begun_frame);
        expect_at(7'h34, whole_frame);
        expect_at(7'h38, cut_frame);
        hush = 1'b0;
    endtask

    // A phase with these chances.
    int frames_before, took_before;
    task run(input int which, input int frames_of_it, input int lose, input int later, input int spoil, input int wrong,
             input int gap, input int stall);
        phase = which;
        p_lose = lose; p_late = later; p_spoil = spoil; p_wrong = wrong; p_gap = gap; p_stall = stall;
        p_reply = lose; p_hold = stall / 2;
        frames_before = n_frames;
        took_before   = n_took;
        goal = first_frame + (top + N - 1) / N + frames_of_it;
    endtask
    task finish(input logic all);  // as many frames as were asked for, no more and no less
        settle;
        if (all && (n_frames - frames_before != FRAMES || n_took - took_before != N * FRAMES))
            $fatal(1, "phase %0d: %0d frames, %0d packets (%m)", phase, n_frames - frames_before, n_took - took_before);
        p_lose = 0; p_late = 0; p_spoil = 0; p_wrong = 0; p_gap = 0; p_reply = 0; p_hold = 0;
        repeat (ACK_CYCLES + 40) @(posedge aclk);
        settle;
        check_all;
    endtask
    function automatic logic few();
        few = n_gap == 0 || n_double == 0 || n_sum == 0 || n_length == 0 || n_kind == 0 || n_link == 0 || n_session == 0
              || n_nak == 0;
    endfunction
    int cycles_least;
    initial begin
        done = 1'b0; compared = 0; dice = 32'(SEED) * 32'h9E3779B1 + 1; cycle = 0;
        aresetn = 1'b0; link_aresetn = 1'b0; drain = 1'b0; m_tready = 1'b0; r_tready = 1'b0;
        s_tvalid = 1'b0; s_tdata = '0; s_tkeep = '0; s_tlast = 1'b0; s_tuser = 1'b0;
        talking = 1'b0; tx = 16'(SEED) - 16'd3; rx = '0; next = 0; top = 0; acked = 0; limit = 0; first_frame = 0;
        hello_in = 1000000; silent = 0; probe = 1'b0; lie = '0; late_valid = 1'b0; late_in = 0; playing = 1'b0; beat = 0;
        put = 0; got = 0; in_session = 1'b0; offered = 1'b0; then_offered = 1'b0; then_tx = '0; hello_due = 1'b0; mid = 1'b0; was_void = 1'b0; back = 1'b1;
        next_rx = 16'd1; in_tx = '0; in_rx = '0; offered_tx = '0; hello_tx = '0; hello_tx_q = '0; want = 0; at = 0;
        last_seq = 0; seen_beats = 0; head = '0; out_at = 0; have = 0; out_cut = 1'b0; out_frame = 0; first_cycle = -1;
        last_cycle = 0; moved = 0; told = 0; told_limit = 0; dones = 0; whole_frame = 0; cut_frame = 0; begun_frame = 0;
        this_frame = 0; most = 0; fresh = 1'b0; refused = '0; refused_head = '0; goal = 0; ignore = 1'b0; stand = 1'b0; hush = 1'b0;
        p_lose = 0; p_late = 0; p_spoil = 0; p_wrong = 0; p_reply = 0; p_gap = 0; p_stall = 0; p_hold = 0; phase = 0;
        now = '0; late = '0; beats = 0; keep = '0; refuses = 0; one_done = 1'b0;
        fresh_counts;
        repeat (5) @(posedge aclk);
        @(negedge aclk) aresetn = 1'b1;
        repeat (20) @(posedge aclk);
        @(negedge aclk) link_aresetn = 1'b1;
        hello_in = 0;

        run(0, FRAMES, 0, 0, 0, 0, 0, 0);
        finish(1'b1);
        cycles_least = FRAMES * (IN_BEATS > OUT_BEATS ? IN_BEATS + 1 : OUT_BEATS + 1);
        if (SLOTS >= 16 && last_cycle - first_cycle > cycles_least + 20)
            $fatal(1, "%0d frames took %0d cycles, expected %0d (%m)", FRAMES, last_cycle - first_cycle, cycles_least);
        if (n_gap != 0 || n_double != 0 || n_slot != 0) $fatal(1, "faults where there are none (%m)");
        run(1, FRAMES, 0, 0, 0, 0, 0, 512);
        finish(1'b1);
        if (n_gap != 0 || n_double != 0 || n_slot != 0) $fatal(1, "faults where there are none (%m)");
        run(2, FRAMES, 100, 0, 0, 0, 0, 0);
        finish(1'b1);
        run(3, FRAMES, 0, 200, 0, 0, 0, 100);
        finish(1'b1);
        run(4, FRAMES, 0, 0, 150, 0, 100, 0);
        finish(1'b1);
        run(5, FRAMES, 0, 0, 0, 300, 0, 0);
        finish(1'b1);
        // Until each has happened.
        for (int k = 0; k == 0 || few(); k++) begin
            run(6, FRAMES, 50, 100, 50, 100, 300, 300);
            finish(1'b1);
            if (k > 20)
                $fatal(1, "too few faults: %0d %0d %0d %0d %0d %0d %0d %0d (%m)", n_gap, n_double, n_sum, n_length, n_kind,
                   n_link, n_session, n_nak);
        end

        // ---- the partition stalls
        run(7, FRAMES, 0, 0, 0, 0, 0, 0);
        stand = 1'b1;
        repeat (STILL) @(posedge aclk);
        if (FRAMES * N > SLOTS + 2 && int'(u_dut.used) != SLOTS) $fatal(1, "%0d slots are used of %0d (%m)", u_dut.used, SLOTS);
        stand = 1'b0;
        took_before = n_took;
        settle;
        if (FRAMES * N > SLOTS + 2 && n_took == took_before) $fatal(1, "nothing was left to be taken (%m)");
        check_all;
        if (n_slot != 0 || n_gap + n_double == 0) $fatal(1, "a packet was dropped for want of a slot (%m)");
        run(8, FRAMES, 0, 0, 0, 0, 0, 100);
        ignore = 1'b1;
        repeat (4) begin
            stand = 1'b1;
            repeat (STILL / 4) @(posedge aclk);
            stand = 1'b0;
            repeat (STILL / 8) @(posedge aclk);
        end
        finish(1'b1);
        ignore = 1'b0;
        if (FRAMES * N > SLOTS + 2 && n_slot == 0) $fatal(1, "nobody ignored the limit (%m)");

        // ---- sessions end at any place
        for (int k = 0; k < STRIKES; k++) begin
            run(9, 1000000, k % 4 == 3 ? 60 : 0, 30, 10, 30, k % 2 == 1 ? 200 : 0, k % 3 == 2 ? 300 : 0);
            pick(4 * PACKET_BEATS + 200, x_);
            repeat (60 + x_) @(posedge aclk);
            // Between two beats of a packet as well: the rest of it still comes.
            @(negedge aclk) renew;
        end
        run(9, 3, 0, 0, 0, 0, 0, 0);
        finish(1'b0);
        // A session is offered; then late packets of the old one come, and wait, while the sender wants to begin.
        stand   = 1'b1;
        p_reply = 1024;
        old_tx  = tx;
        old_rx  = rx;
        old_seq = want;
        @(negedge aclk) renew;
        goal = first_frame + 4;
        repeat (20) @(posedge aclk);
        if (!offered) $fatal(1, "no session was offered (%m)");
        for (int k = 0; k < 4; k++) begin
            @(negedge aclk);
            late = {8'd0, KIND_DATA, 32'(old_seq + k), 32'(first_frame + (old_seq + k) / N), old_tx, old_rx};
            late_in = 0; late_valid = 1'b1;
            while (late_valid || playing) @(posedge aclk);
        end
        repeat (3) @(posedge aclk);
        if (u_dut.empty || n_open == 0) $fatal(1, "no packet waits (%m)");
        // As if the WELCOME of before came only now.
        @(negedge aclk);
        p_reply = 0;
        talking = 1'b1; rx = next_rx; limit = SLOTS; probe = 1'b1;
        opened_before = n_open;
        repeat (400) @(posedge aclk);
        if (n_open != opened_before || !talking) $fatal(1, "a session began over packets that wait (%m)");
        stand = 1'b0;
        finish(1'b0);
        if (n_open != opened_before + 1) $fatal(1, "the session that was offered did not begin (%m)");
        if (N > 1 && n_cut < STRIKES / 8) $fatal(1, "only %0d frames were cut (%m)", n_cut);
        for (int k = 0; k < STRIKES; k++) begin
            run(10, 1000000, 0, 30, 10, 30, k % 2 == 1 ? 200 : 0, k % 3 == 2 ? 300 : 0);
            pick(4 * PACKET_BEATS + 200, x_);
            repeat (60 + x_) @(posedge aclk);
            if (k % 2 == 0) begin
                @(negedge aclk) drain = 1'b1;
                p_hold = 700;
                pick(20, x_);
                repeat (100 + x_) @(posedge aclk);
                if (!drained) $fatal(1, "not drained (%m)");
            end
            pick(2, x_);
            @(negedge aclk) link_aresetn = 1'b0;
            repeat (1 + 40 * x_) @(posedge aclk);
            @(negedge aclk) link_aresetn = 1'b1;
            drain = 1'b0;
        end
        run(10, 3, 0, 0, 0, 0, 0, 0);
        finish(1'b0);
        if (n_open < STRIKES) $fatal(1, "only %0d sessions (%m)", n_open);

        // ---- HELLO
        for (int k = 0; k < 10; k++) begin
            phase = 11;
            hush  = 1'b1;
            repeat (20) @(posedge aclk);
            @(negedge aclk) renew;
            lie   = k < 8 ? 8'd1 << k : k == 8 ? 8'hA5 : 8'h5A;
            goal  = first_frame;
            hush  = 1'b0;
            repeat (200) @(posedge aclk);
            hush = 1'b1;
            repeat (20) @(posedge aclk);
            if (refused !== lie || refuses < k + 1) $fatal(1, "refused %b, said wrongly %b (%m)", refused, lie);
            expect_at(7'h0C, int'(refused));
            expect_at(7'h10, int'({refused_head[BIT_PACKET_BEATS +: BITS_PACKET_BEATS], refused_head[BIT_LINK +: BITS_LINK]}));
            expect_at(7'h14, int'(refused_head[256 +: 32]));
            expect_at(7'h18, int'(refused_head[288 +: 32]));
            expect_at(7'h1C, int'(refused_head[BIT_FRAME_BYTES +: BITS_FRAME_BYTES]));
            expect_at(7'h20, int'(refused_head[BIT_ELEMENT +: BITS_ELEMENT]));
            expect_at(7'h24, int'(refused_head[BIT_SHAPE +: BITS_SHAPE]));
            expect_at(7'h28, int'(refused_head[368 +: 16]));
            hush = 1'b0;
        end
        lie = '0;
        run(11, 2, 0, 0, 0, 0, 0, 0);
        finish(1'b0);
        expect_at(7'h0C, int'(refused));

        // ---- clear, which leaves the session alone, and reset of all
        hush = 1'b1;
        repeat (20) @(posedge aclk);
        u_master.write(7'h08, 32'hFFFFFFFE, 4'hF, resp);
        u_master.write(7'h08, 32'h00000001, 4'hE, resp);
        u_master.write(7'h0C, 32'h00000001, 4'hF, resp);
        expect_at(7'h48, n_took);
        u_master.write(7'h08, 32'h00000001, 4'h1, resp);
        fresh_counts;
        most = 0;
        expect_at(7'h0C, 0);
        for (int k = 16; k < 32; k++) expect_at(7'(4 * k), 0);
        hush = 1'b0;
        run(12, 2, 0, 0, 0, 0, 0, 0);
        finish(1'b0);
        if (n_took != 2 * N) $fatal(1, "%0d packets after clear (%m)", n_took);
        @(negedge aclk) {aresetn, link_aresetn} = 2'b00;
        fresh_counts;
        most = 0; begun_frame = 0; whole_frame = 0; cut_frame = 0; in_tx = '0; in_rx = '0; refused = '0;
        repeat (3) @(posedge aclk);
        @(negedge aclk) {aresetn, link_aresetn} = 2'b11;
        run(12, 2, 0, 0, 0, 0, 0, 0);
        finish(1'b0);
        expect_at(7'h0C, 0);
        if (in_rx != next_rx - 16'd1 || n_open != 1) $fatal(1, "session %0d after reset (%m)", in_rx);
        done = 1'b1;
    end
    int          x_, refuses, opened_before, old_seq;
    logic [15:0] old_tx, old_rx;
endmodule

// Short: frames of three packets.
module tb_vnx_receiver;
    logic       aclk;
    wire        done;
    wire [31:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end u_end (.aclk(aclk), .done(done), .compared(compared));

    vnx_receiver_case #(
        .FRAME_BYTES(550), .PACKET_BEATS(4), .SLOTS(4), .ACK_EVERY(2), .ACK_CYCLES(32), .FRAMES(10), .STRIKES(8), .SEED(1)
    ) u_0 (
        .aclk(aclk), .done(done), .compared(compared)
    );
endmodule

module tb_vnx_receiver_many;
    localparam int CASES = 17;
    logic               aclk;
    wire [CASES-1:0]    done;
    wire [CASES*32-1:0] compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(CASES), .CYCLES(3000000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    vnx_receiver_case #(.FRAME_BYTES(1), .PACKET_BEATS(23), .SLOTS(8), .ACK_EVERY(4), .FRAMES(40), .STRIKES(8), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[0*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(31), .PACKET_BEATS(2), .SLOTS(4), .ACK_EVERY(4), .FRAMES(40), .STRIKES(8), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[1*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(32), .PACKET_BEATS(3), .SLOTS(8), .ACK_EVERY(1), .FRAMES(40), .STRIKES(8), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[2*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(33), .PACKET_BEATS(23), .SLOTS(4), .ACK_EVERY(2), .FRAMES(40), .STRIKES(8), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[3*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(63), .PACKET_BEATS(2), .SLOTS(16), .ACK_EVERY(4), .FRAMES(40), .STRIKES(8), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[4*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(64), .PACKET_BEATS(2), .SLOTS(4), .ACK_EVERY(4), .FRAMES(40), .STRIKES(8), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[5*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(65), .PACKET_BEATS(23), .SLOTS(32), .ACK_EVERY(4), .FRAMES(40), .STRIKES(8), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[6*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(96), .PACKET_BEATS(2), .SLOTS(8), .ACK_EVERY(3), .FRAMES(40), .STRIKES(8), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[7*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(97), .PACKET_BEATS(2), .SLOTS(8), .ACK_EVERY(8), .FRAMES(40), .STRIKES(12), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[8*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(192), .PACKET_BEATS(2), .SLOTS(8), .ACK_EVERY(4), .FRAMES(40), .STRIKES(12), .SEED(10)) u_9 (
        .aclk(aclk), .done(done[9]), .compared(compared[9*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(1440), .PACKET_BEATS(23), .SLOTS(32), .ACK_EVERY(4), .FRAMES(30), .STRIKES(8), .SEED(11)) u_10 (
        .aclk(aclk), .done(done[10]), .compared(compared[10*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(1441), .PACKET_BEATS(23), .SLOTS(32), .ACK_EVERY(4), .FRAMES(30), .STRIKES(12), .SEED(12)) u_11 (
        .aclk(aclk), .done(done[11]), .compared(compared[11*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(2880), .PACKET_BEATS(23), .SLOTS(16), .ACK_EVERY(4), .FRAMES(20), .STRIKES(12), .SEED(13)) u_12 (
        .aclk(aclk), .done(done[12]), .compared(compared[12*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(1000), .PACKET_BEATS(3), .SLOTS(16), .ACK_EVERY(4), .FRAMES(20), .STRIKES(16), .SEED(14)) u_13 (
        .aclk(aclk), .done(done[13]), .compared(compared[13*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(12544), .PACKET_BEATS(23), .SLOTS(32), .ACK_EVERY(4), .FRAMES(6), .STRIKES(16), .SEED(15)) u_14 (
        .aclk(aclk), .done(done[14]), .compared(compared[14*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(9000), .PACKET_BEATS(128), .SLOTS(4), .ACK_EVERY(2), .FRAMES(6), .STRIKES(12), .SEED(16)) u_15 (
        .aclk(aclk), .done(done[15]), .compared(compared[15*32 +: 32]));
    vnx_receiver_case #(.FRAME_BYTES(33000), .PACKET_BEATS(256), .SLOTS(4), .ACK_EVERY(1), .FRAMES(4), .STRIKES(12), .SEED(17)) u_16 (
        .aclk(aclk), .done(done[16]), .compared(compared[16*32 +: 32]));
endmodule

`default_nettype wire
