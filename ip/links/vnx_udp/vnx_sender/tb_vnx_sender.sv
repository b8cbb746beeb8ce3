// SPDX-License-Identifier: BSD-3-Clause
//
// tb_vnx_sender - frames through vnx_sender, a network that does what it likes, and a receiver as in docs/vnx.md.
//
// Every packet is compared with what its header says it is: the piece of that frame, to the bit. The model of the
// receiver then takes packets in order and counts a frame when all of it has come in one session. At the end of a phase every frame
// must have come once, in order, or be among those that the registers name as lost; and the registers must have
// counted what the bench has seen. Phases, each after a reset of the link:
//    0 neither stalls nor loss; the rate is measured     1 stalls everywhere
//    2 packets are lost     3 replies are lost     4 both come twice and in another order
//    5 all that, and replies that are wrong, stale or too long     6 a receiver that takes few packets, slowly
//    7 a receiver that forgets its session now and then    8 REFUSE at first    9 acknowledgements of what was not sent
//   10 `drain` and a reset of the link in mid-frame, then a reset of all
`default_nettype none

module vnx_sender_case #(
    parameter int FRAME_BYTES = 64, PACKET_BEATS = 23, SLOTS = 8, FRAMES = 50, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    // ---- packet, from packet.json ------
    localparam logic [15:0] IS_MAGIC = 16'h4753;
    localparam logic [7:0] IS_VERSION = 8'h01;

    localparam int PHASES  = 11;
    localparam int HELLO   = 100;
    localparam int TIMEOUT = 120;
    localparam int PAYLOAD = 64 * PACKET_BEATS - 32;
    localparam int PACKETS = (FRAME_BYTES + PAYLOAD - 1) / PAYLOAD;
    localparam int LAST    = FRAME_BYTES - (PACKETS - 1) * PAYLOAD;
    localparam int BEATS   = (FRAME_BYTES + 63) / 64;
    localparam int HALVES  = 2 * PACKET_BEATS - 1;
    localparam int RING    = 64;
    localparam logic [15:0] LINK     = 16'hA55A ^ 16'(SEED);
    localparam logic [63:0] CONTRACT = 64'h0123456789ABCDEF;
    localparam logic [31:0] ELEMENT  = 32'h11223344, SHAPE = 32'h55667788;

    wire          clock = aclk && !done;
    logic         aresetn, link_aresetn, drain, eager;
    wire          drained, frame_done;
    logic [511:0] s_tdata, n_tdata;
    logic         s_tlast, s_tvalid, n_tlast, n_tuser, n_tvalid, m_tready;
    logic [63:0]  n_tkeep;
    wire          s_tready, m_tlast, m_tvalid;
    wire  [511:0] m_tdata;
    wire  [63:0]  m_tkeep;

    wire [6:0] a_awaddr, a_araddr;
    wire [2:0] a_awprot, a_arprot;
    wire a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire a_arvalid, a_arready, a_rvalid, a_rready;
    wire [31:0] a_wdata, a_rdata;
    wire [3:0] a_wstrb;
    wire [1:0] a_bresp, a_rresp;

    bench_lite_master #(.ADDR_W(7), .LIMIT(90), .SEED(SEED)) u_master (
        .aclk(clock), .aresetn(aresetn), .eager(eager),
        .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid),
        .m_axil_awready(a_awready), .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb),
        .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready), .m_axil_bresp(a_bresp),
        .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready), .m_axil_araddr(a_araddr),
        .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
        .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid),
        .m_axil_rready(a_rready)
    );

    vnx_sender #(
        .FRAME_BYTES(FRAME_BYTES), .PACKET_BEATS(PACKET_BEATS), .SLOTS(SLOTS), .LINK(LINK), .CONTRACT(CONTRACT),
        .PACKING(8'd3), .ROLE(8'd1), .ELEMENT(ELEMENT), .SHAPE(SHAPE), .HELLO_CYCLES(HELLO), .TIMEOUT_CYCLES(TIMEOUT)
    ) u_dut (
        .aclk(clock), .aresetn(aresetn), .link_aresetn(link_aresetn),
        .s_axil_awaddr(a_awaddr), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid),
        .s_axil_awready(a_awready), .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb),
        .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready), .s_axil_bresp(a_bresp),
        .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready), .s_axil_araddr(a_araddr),
        .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
        .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid),
        .s_axil_rready(a_rready),
        .drain(drain), .drained(drained),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .s_net_axis_tdata(n_tdata), .s_net_axis_tkeep(n_tkeep), .s_net_axis_tlast(n_tlast),
        .s_net_axis_tuser(n_tuser), .s_net_axis_tvalid(n_tvalid),
        .m_net_axis_tdata(m_tdata), .m_net_axis_tkeep(m_tkeep), .m_net_axis_tlast(m_tlast),
        .m_net_axis_tvalid(m_tvalid), .m_net_axis_tready(m_tready), .frame_done(frame_done)
    );

    axis_checker #(.DATA_W(577), .NAME("m_net_axis")) u_check (
        .aclk(clock), .aresetn(link_aresetn), .axis_tdata({m_tlast, m_tkeep, m_tdata}), .axis_tvalid(m_tvalid), .axis_tready(m_tready)
    );

    // ---- what is shared

    logic [63:0] dice;
    int          phase, cycle;

    function automatic logic [31:0] mix(input int a, input int b);
        logic [31:0] h;
        h = 32'(a) * 32'h9E3779B1 + 32'(b) * 32'h85EBCA77 + 32'(SEED);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        mix = h ^ (h >> 13);
    endfunction

    // 32 bytes of a frame.
    function automatic logic [255:0] half_of(input int f, input int h);
        logic [31:0] m;
        m = mix(f, h);
        half_of = {m ^ 32'h13579BDF, ~m, m ^ 32'hF0F0A5A5, m + 32'd77, m ^ 32'h00FF00FF, 32'(h), 32'(f), m};
    endfunction

    // True in `of` of 64 cases; each call of a cycle looks at other bits.
    function automatic logic luck(input int of, input int at);
        luck = int'(6'(dice >> (at * 6))) < of;
    endfunction

    // Chances in 64, and what else a phase is.
    int  lose, lose_reply, twice, twice_reply, swap, swap_reply, junk, stall_s, stall_m, latency, takes, leave, forget;
    logic refusing, straying;
    task setting(input int p);
        lose = 0; lose_reply = 0; twice = 0; twice_reply = 0; swap = 0; swap_reply = 0; junk = 0;
        stall_s = 0; stall_m = 0; latency = 20; takes = 64; leave = SLOTS; forget = 0;
        refusing = p == 8; straying = 1'b0;
        if (p == 1) begin stall_s = 30; stall_m = 30; takes = 12; end
        if (p == 2) begin lose = 20; end
        if (p == 3) begin lose_reply = 20; end
        if (p == 4) begin twice = 10; twice_reply = 10; swap = 10; swap_reply = 10; stall_m = 10; end
        if (p == 5) begin
            lose = 6; lose_reply = 6; twice = 6; twice_reply = 6; swap = 6; swap_reply = 6; junk = 16; stall_s = 20; stall_m = 20;
        end
        if (p == 6) begin takes = 2; leave = 3; latency = 60; stall_m = 5; end
        if (p == 7) begin forget = 1; lose = 3; lose_reply = 3; junk = 4; stall_s = 8; stall_m = 8; end
        if (p == 10) begin stall_s = 4; stall_m = 20; end
    endtask

    // ---- source: frames, with nonsense behind the end of each

    int   in_frame, in_beat, wanted;  // next beat to offer; frames that the phase has
    logic s_fire;
    logic [511:0] beat_made;
    task make_beat;
        beat_made = {half_of(in_frame, 2 * in_beat + 1), half_of(in_frame, 2 * in_beat)};
        if (in_beat == BEATS - 1)
            for (int b = 0; b < 64; b++) if (in_beat * 64 + b >= FRAME_BYTES) beat_made[8*b +: 8] = 8'(dice >> b % 32) | 8'd1;
    endtask

    // ---- packets that leave: compared, then on their way to the receiver

    int           at_beat, half, first_half, valid_bytes, gap, most_seq, limit_seen, hello_at, opened_at, idle_m, base_frame;
    logic [511:0] expect_data;
    logic [63:0]  expect_keep;
    logic [31:0]  h_seq, h_frame;
    logic [15:0]  h_tx, h_rx, h_bytes, epoch, session_rx;
    logic [3:0]   h_kind;
    logic         h_sof, h_eof, in_session, running, last_beat;
    int           n_new, n_again, n_probe, n_hello, n_done, n_frames, moved, first_m, last_m;

    // Ring of packets under way: kind, sof, eof, seq, frame, tx, rx.
    logic [101:0] way [0:RING-1];
    int           way_at [0:RING-1];
    int           way_in, way_out;
    task push(input logic [101:0] what);
        if (way_in - way_out < RING) begin
            way[way_in % RING] = what;
            way_at[way_in % RING] = cycle + latency;
            if (luck(swap, 1) && way_in > way_out) begin
                way[way_in % RING] = way[(way_in - 1) % RING];
                way[(way_in - 1) % RING] = what;
            end
            way_in = way_in + 1;
        end
    endtask

    // ---- replies, likewise: kind, nak, seq, limit, tx, rx

    logic [100:0] back [0:RING-1];
    int           back_at [0:RING-1];
    int           back_in, back_out;
    task reply(input logic [3:0] kind, input logic nak, input int seq, input int limit, input logic [15:0] tx, input logic [15:0] rx);
        for (int n = 0; n < 2; n++)
            if (n == 0 ? !luck(lose_reply, 2) : luck(twice_reply, 3))
                if (back_in - back_out < RING) begin
                    back[back_in % RING] = {kind, nak, 32'(seq), 32'(limit), tx, rx};
                    back_at[back_in % RING] = cycle + latency + (n == 1 ? int'(dice[63:60]) * 8 : 0);
                    if (luck(swap_reply, 4) && back_in > back_out) begin
                        back[back_in % RING] = back[(back_in - 1) % RING];
                        back[(back_in - 1) % RING] = {kind, nak, 32'(seq), 32'(limit), tx, rx};
                    end
                    back_in = back_in + 1;
                end
    endtask

    // ---- receiver

    logic [15:0] p_rx, p_tx, p_candidate;
    logic        p_open, p_hoping, p_high;
    int          p_expect, p_held, p_seq_before, p_since, p_changed, p_limit;
    int          p_frame, p_piece, delivered, cut, last_delivered, restarts_sent, told, forgot;
    logic [101:0] got;
    int          came [0:2047];           // how often a frame was delivered, by number
    task answer(input logic nak);
        p_limit = p_expect + leave - p_held;
        reply(4'd9, nak, p_expect, p_limit, p_tx, p_rx);
        p_since   = 0;
        p_changed = 0;
    endtask
    task receive(input logic [3:0] kind, input logic sof, input logic eof, input int seq, input int frame, input logic [15:0] tx, input logic [15:0] rx);
        if (kind == 4'd1) begin
            if (refusing) begin
                told = told + 1;
                reply(4'd10, 1'b0, 32'h000000A6, 0, tx, 16'd0);
            end else if (p_held == 0) begin
                p_candidate = tx;
                p_hoping    = 1'b1;
                reply(4'd8, 1'b0, 0, leave, tx, p_rx + 16'd1);
            end
        end else if (p_hoping && tx == p_candidate && rx == p_rx + 16'd1 && p_held != 0) begin
        end else begin
            if (p_hoping && tx == p_candidate && rx == p_rx + 16'd1) begin
                p_rx = p_rx + 16'd1;
                p_tx = tx;
                p_open = 1'b1; p_hoping = 1'b0; p_high = 1'b0;
                p_expect = 0; p_since = 0; p_changed = 0; p_seq_before = 0;
                if (p_piece != 0) cut = cut + 1;
                p_piece = 0;
            end
            if (!p_open || tx != p_tx || rx != p_rx) begin
                reply(4'd11, 1'b0, 0, 0, tx, rx);
                restarts_sent = restarts_sent + 1;
            end else if (kind == 4'd2) begin
                answer(seq != p_expect);
            end else begin
                if (seq == p_expect && p_held < leave) begin
                    if (sof != (p_piece == 0) || eof != (p_piece == PACKETS - 1) || (!sof && frame != p_frame))
                        $fatal(1, "packet %0d of frame %0d is no piece %0d of frame %0d (%m)", seq, frame, p_piece, p_frame);
                    if (frame <= last_delivered) $fatal(1, "frame %0d after %0d (%m)", frame, last_delivered);
                    p_frame  = frame;
                    p_piece  = eof ? 0 : p_piece + 1;
                    p_expect = p_expect + 1;
                    p_held   = p_held + 1;
                    p_changed = p_changed + 1;
                    p_high   = 1'b0;
                    if (eof) begin
                        came[frame % 2048] = came[frame % 2048] + 1;
                        delivered = delivered + 1;
                        last_delivered = frame;
                    end
                    if (eof || p_changed >= 4) answer(1'b0);
                end else if (seq > p_expect && (!p_high || seq <= p_seq_before)) begin
                    p_high = 1'b1;
                    answer(1'b1);
                end
                p_seq_before = seq;
            end
        end
    endtask

    initial begin
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15 + 64'd1;
        cycle = 0; phase = 0; running = 1'b0; compared = 0;
        s_tdata = '0; s_tlast = 1'b0; s_tvalid = 1'b0; m_tready = 1'b0;
        n_tdata = '0; n_tkeep = '0; n_tlast = 1'b0; n_tuser = 1'b0; n_tvalid = 1'b0;
        p_rx = 16'd40; epoch = 16'd0;
        setting(0);
        fresh;
    end
    // With the link: frames have numbers from 0 again. The receiver stays as it is.
    task fresh;
        in_frame = 0; in_beat = 0; at_beat = 0; gap = 0; most_seq = -1; limit_seen = 0; hello_at = -1; idle_m = 0; in_session = 1'b0;
        n_new = 0; n_again = 0; n_probe = 0; n_hello = 0; n_done = 0; n_frames = 0; moved = 0; first_m = 0; last_m = 0; base_frame = 0;
        way_in = 0; way_out = 0; back_in = 0; back_out = 0;
        p_open = 1'b0; p_hoping = 1'b0; p_high = 1'b0; p_expect = 0; p_held = 0; p_seq_before = 0; p_since = 0; p_changed = 0; p_limit = 0;
        p_frame = 0; p_piece = 0; delivered = 0; cut = 0; last_delivered = -1; restarts_sent = 0; told = 0; forgot = 0;
        p_tx = 16'd0; p_candidate = 16'd0;
        for (int f = 0; f < 2048; f++) came[f] = 0;
    endtask

    int stall_run;  // cycles for which m_tready is low
    initial stall_run = 0;

    always @(posedge clock) begin
        dice  = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {17'd0, dice[63:17]};
        cycle = cycle + 1;

        if (link_aresetn) begin
            // ---- source
            s_fire = s_tvalid && s_tready;
            if (s_fire) begin
                in_beat = in_beat + 1;
                if (in_beat == BEATS) begin
                    in_beat  = 0;
                    in_frame = in_frame + 1;
                end
            end
            if (s_fire || !s_tvalid) begin
                if (running && in_frame < wanted && !luck(stall_s, 0)) begin
                    make_beat;
                    s_tvalid <= 1'b1;
                    s_tdata  <= beat_made;
                    s_tlast  <= in_beat == BEATS - 1;
                end else s_tvalid <= 1'b0;
            end

            // ---- packets
            if (at_beat != 0 && !m_tvalid) $fatal(1, "phase %0d: a packet pauses before beat %0d (%m)", phase, at_beat);
            if (frame_done) n_done = n_done + 1;
            if (m_tvalid && m_tready) begin
                if (at_beat == 0) begin
                    {h_rx, h_tx, h_frame, h_seq, h_bytes} = {m_tdata[191:80]};
                    {h_eof, h_sof, h_kind} = m_tdata[29:24];
                    if (m_tdata[23:0] !== {IS_VERSION, IS_MAGIC} || m_tdata[63:32] !== 32'd0 || m_tdata[79:64] !== LINK
                        || m_tdata[255:192] !== 64'd0 || m_tdata[31:30] !== 2'd0 || (^m_tdata[255:0]) === 1'bx)
                        $fatal(1, "phase %0d: header %h (%m)", phase, m_tdata[255:0]);
                    idle_m = 0;
                    if (h_kind == 4'd0) begin
                        if (!in_session || h_tx != epoch || h_rx != session_rx)
                            if (!(h_tx == epoch - 16'd1)) $fatal(1, "phase %0d: DATA of session %0d %0d (%m)", phase, h_tx, h_rx);
                        if (h_tx == epoch) begin
                            if (int'(h_seq) == most_seq + 1) begin
                                if (most_seq == -1) base_frame = int'(h_frame);
                                most_seq = most_seq + 1;
                                n_new    = n_new + 1;
                                if (h_eof) n_frames = n_frames + 1;
                            end else n_again = n_again + 1;
                            if (int'(h_seq) > most_seq) $fatal(1, "phase %0d: packet %0d after %0d (%m)", phase, h_seq, most_seq);
                            if (int'(h_seq) >= limit_seen) $fatal(1, "phase %0d: packet %0d, the limit is %0d (%m)", phase, h_seq, limit_seen);
                            if (int'(h_frame) != base_frame + int'(h_seq) / PACKETS || h_sof != (int'(h_seq) % PACKETS == 0)
                                || h_eof != (int'(h_seq) % PACKETS == PACKETS - 1))
                                $fatal(1, "phase %0d: packet %0d is of frame %0d (%m)", phase, h_seq, h_frame);
                        end
                        if (h_bytes != 16'(h_eof ? LAST : PAYLOAD)) $fatal(1, "phase %0d: %0d bytes (%m)", phase, h_bytes);
                    end else begin
                        if (!m_tlast || m_tkeep !== '1 || h_bytes != 16'd32 || h_sof || h_eof) $fatal(1, "phase %0d: control %h (%m)", phase, m_tdata);
                        if (h_kind == 4'd1) begin
                            n_hello = n_hello + 1;
                            if (h_tx != epoch) begin
                                if (h_tx != epoch + 16'd1 || h_rx != 16'd0) $fatal(1, "phase %0d: HELLO %0d after %0d (%m)", phase, h_tx, epoch);
                                epoch = h_tx; in_session = 1'b0; most_seq = -1; limit_seen = 0; hello_at = cycle;
                            end else begin
                                // One may have been offered already.
                                if (in_session && cycle > opened_at + (stall_m == 0 ? 4 : 300)) $fatal(1, "phase %0d: HELLO in a session (%m)", phase);
                                if (stall_m == 0 && (cycle - hello_at < HELLO || cycle - hello_at > HELLO + 8))
                                    $fatal(1, "phase %0d: HELLO after %0d cycles (%m)", phase, cycle - hello_at);
                                hello_at = cycle;
                            end
                            if (m_tdata[511:256] !== {64'd0, SHAPE, ELEMENT, 8'd1, 8'd3, 16'(PACKET_BEATS), 32'(FRAME_BYTES), CONTRACT})
                                $fatal(1, "phase %0d: HELLO says %h (%m)", phase, m_tdata[511:256]);
                        end else if (h_kind == 4'd2) begin
                            n_probe = n_probe + 1;
                            if (!in_session || h_tx != epoch || h_rx != session_rx || int'(h_seq) != most_seq + 1)
                                $fatal(1, "phase %0d: PROBE %h (%m)", phase, m_tdata[255:0]);
                        end else $fatal(1, "phase %0d: kind %0d (%m)", phase, h_kind);
                    end
                end
                if (h_kind == 4'd0) begin
                    if (moved == 0) first_m = cycle;
                    last_m = cycle;
                    moved  = moved + 1;
                    // Beat k has the halves 2k - 1 and 2k of the packet.
                    first_half  = (int'(h_seq) % PACKETS) * HALVES + 2 * at_beat - 1;
                    valid_bytes = 32 + int'(h_bytes) - 64 * at_beat;
                    last_beat   = valid_bytes <= 64;
                    expect_data = {half_of(int'(h_frame), first_half + 1), at_beat == 0 ? m_tdata[255:0] : half_of(int'(h_frame), first_half)};
                    expect_keep = last_beat ? {64{1'b1}} >> (64 - valid_bytes) : {64{1'b1}};
                    for (int b = 0; b < 64; b++) if (!expect_keep[b]) expect_data[8*b +: 8] = 8'd0;
                    if (m_tdata !== expect_data || m_tkeep !== expect_keep || m_tlast !== last_beat)
                        $fatal(1, "phase %0d: beat %0d of packet %0d of frame %0d\n%h %h %b\n%h %h %b (%m)", phase, at_beat, h_seq, h_frame,
                               m_tdata, m_tkeep, m_tlast, expect_data, expect_keep, last_beat);
                    compared = compared + 1;
                end
                at_beat = m_tlast ? 0 : at_beat + 1;
                if (m_tlast) begin
                    if (!luck(lose, 5)) push({h_kind, h_sof, h_eof, h_seq, h_frame, h_tx, h_rx});
                    if (luck(twice, 6)) push({h_kind, h_sof, h_eof, h_seq, h_frame, h_tx, h_rx});
                end
            end
            // Silence: a PROBE at last, unless the network stalls.
            idle_m = m_tvalid || !in_session || drain ? 0 : idle_m + 1;
            if (idle_m > 3 * TIMEOUT) $fatal(1, "phase %0d: no PROBE for %0d cycles (%m)", phase, idle_m);

            // ---- receiver
            if (way_in > way_out && way_at[way_out % RING] <= cycle) begin
                got = way[way_out % RING];
                way_out = way_out + 1;
                receive(got[101:98], got[97], got[96], int'(got[95:64]), int'(got[63:32]), got[31:16], got[15:0]);
            end else if (p_open) begin
                p_since = p_since + 1;
                if (p_changed > 0 && p_since > 40) answer(1'b0);
            end
            if (p_held > 0 && luck(takes, 7)) begin
                p_held    = p_held - 1;
                p_changed = p_changed + 1;
            end
            if (forget > 0 && p_open && dice[2:0] == 3'd5 && way_in > way_out && delivered > 2 + 2 * forgot && forgot < 4) begin
                p_open = 1'b0; p_hoping = 1'b0; p_held = 0;
                if (p_piece != 0) cut = cut + 1;
                p_piece = 0;
                forgot = forgot + 1;
            end
        end else begin
            s_tvalid <= 1'b0;
        end

        // ---- replies arrive, and what else comes
        n_tvalid <= 1'b0;
        n_tdata  <= {8{dice}};
        n_tkeep  <= '1;
        n_tlast  <= 1'b1;
        n_tuser  <= 1'b1;
        if (link_aresetn && n_tvalid && !n_tlast) begin
            // The last beat of a packet that is too long.
            n_tvalid <= 1'b1;
            n_tdata  <= {256'd0, 64'd0, session_rx, epoch, 32'h7FFFFFFF, 32'd1, 16'd32, LINK, 32'd0, 8'h09, {IS_VERSION, IS_MAGIC}};
        end else if (link_aresetn && straying && cycle % 8 == 0 && in_session) begin
            n_tvalid <= 1'b1;
            n_tdata[255:0] <= {64'd0, session_rx, epoch, 32'd900, 32'(most_seq + 5), 16'd32, LINK, 32'd0, 8'h09, {IS_VERSION, IS_MAGIC}};
        end else if (link_aresetn && back_in > back_out && back_at[back_out % RING] <= cycle && (cycle % 4 == 0 || (phase == 4 && in_session))) begin
            n_tvalid <= 1'b1;
            n_tdata[511:256] <= {64'd0, 32'hAA, 32'hBB, 8'd9, 8'd8, 16'd7, 32'd6, 64'hFEDCBA9876543210};
            n_tdata[255:192] <= '0;
            {n_tdata[27:24], n_tdata[30], n_tdata[127:96], n_tdata[159:128], n_tdata[175:160], n_tdata[191:176]} <= back[back_out % RING];
            {n_tdata[31], n_tdata[29:28]} <= 3'd0;
            n_tdata[23:0]  <= {IS_VERSION, IS_MAGIC};
            n_tdata[63:32] <= 32'(dice);
            n_tdata[79:64] <= back[back_out % RING][100:97] == 4'd10 ? 16'h7777 : LINK;
            n_tdata[95:80] <= 16'd32;
            // What the sender learns with it.
            if (back[back_out % RING][100:97] == 4'd8 && back[back_out % RING][31:16] == epoch && !in_session) begin
                in_session = 1'b1;
                opened_at  = cycle;
                session_rx = back[back_out % RING][15:0];
                limit_seen = int'(back[back_out % RING][63:32]);
            end
            if (back[back_out % RING][100:97] == 4'd9 && back[back_out % RING][31:0] == {epoch, session_rx}
                && int'(back[back_out % RING][63:32]) > limit_seen)
                limit_seen = int'(back[back_out % RING][63:32]);
            back_out = back_out + 1;
        end else if (link_aresetn && luck(junk, 8)) begin
            // An ACK that would corrupt the stream, but for one fault. What looks like a reply keeps its distance from others.
            n_tvalid <= cycle % 4 == 0 || (dice[63:61] != 3'd2 && dice[63:61] != 3'd3 && dice[63:61] != 3'd7);
            n_tdata[255:0] <= {64'd0, session_rx, epoch, 32'h7FFFFFFF, 32'(most_seq + 1), 16'd32, LINK, 32'd0, 8'h49, {IS_VERSION, IS_MAGIC}};
            case (dice[63:61])
                3'd0: n_tuser <= 1'b0;
                3'd1: n_tdata[79:64]   <= ~LINK;
                3'd2: n_tdata[175:160] <= epoch - 16'd1;
                3'd3: n_tdata[191:176] <= session_rx + 16'd1;
                3'd4: n_tkeep <= 64'h00FFFFFFFFFFFFFF;
                3'd5: n_tlast <= 1'b0;
                3'd6: n_tdata[27:24] <= 4'd2;
                default: begin n_tdata[27:24] <= 4'd8; n_tdata[175:160] <= epoch - 16'd1; end
            endcase
        end

        stall_run = luck(stall_m, 9) ? stall_run + 1 : 0;
        m_tready <= !(stall_run > 0 || (stall_m > 15 && cycle % 512 < 60));
        if (link_aresetn && running && cycle % 256 == 0 && stall_m > 15 && dice[3:0] == 4'd3) m_tready <= 1'b0;
    end

    // ---- phases

    logic [31:0] word;
    logic [1:0]  resp;
    int          waited, missing, lowest, highest, lost_count, earlier;
    task want(input logic [6:0] at, input int value, input logic exact);
        u_master.read(at, word, resp);
        if (resp != 2'b00 || (exact ? int'(word) != value : int'(word) < value))
            $fatal(1, "phase %0d: register %h is %0d, the bench has %0d (%m)", phase, at, word, value);
        compared = compared + 1;
    endtask
    task reset_link;
        @(negedge clock);
        link_aresetn = 1'b0;
        @(negedge clock);
        u_master.write(7'h08, 32'd1, 4'b0001, resp);
        repeat (3) @(negedge clock);
        fresh;
        @(negedge clock);
        link_aresetn = 1'b1;
    endtask
    // Until all frames are in the hands of the receiver or given up, and the way is empty.
    task settle;
        waited = 0;
        earlier = 0;
        while (!(in_frame == wanted && u_dut.u_window.base_q == u_dut.u_window.seq_q && !u_dut.u_pack.mid_q && way_in == way_out)) begin
            @(negedge clock);
            waited = delivered == earlier ? waited + 1 : 0;
            earlier = delivered;
            if (waited > 30000 + 100 * PACKET_BEATS * PACKETS)
                $fatal(1, "phase %0d: nothing is delivered, %0d of %0d frames are in (%m)", phase, in_frame, wanted);
        end
        forget = 0; stall_m = 0;
        repeat (2 * TIMEOUT) @(negedge clock);
        while (!(u_dut.open && p_open && way_in == way_out)) @(negedge clock);
        // Until just after a PROBE, so that nothing is counted while the counters are read.
        repeat (TIMEOUT) @(negedge clock);
        earlier = n_probe;
        while (n_probe == earlier) @(negedge clock);
        repeat (20) @(negedge clock);
        eager = 1'b1;
    endtask

    initial begin
        done = 1'b0; aresetn = 1'b0; link_aresetn = 1'b0; drain = 1'b0; eager = 1'b1; wanted = FRAMES;
        repeat (4) @(negedge clock);
        aresetn = 1'b1; link_aresetn = 1'b1;
        for (int p = 0; p < PHASES; p++) begin
            phase = p;
            setting(p);
            eager = p != 1;
            wanted = p == 0 ? FRAMES : FRAMES / 2 + 2;
            running = 1'b1;
            if (p == 8) begin
                while (told < 3) @(negedge clock);
                repeat (100) @(negedge clock);
                want(7'h00, 2, 1'b1);
                want(7'h0C, 32'hA6, 1'b1);
                want(7'h10, 32'h00077777, 1'b1);
                want(7'h14, 32'h76543210, 1'b1);
                want(7'h18, 32'hFEDCBA98, 1'b1);
                want(7'h1C, 6, 1'b1);
                want(7'h20, 32'hBB, 1'b1);
                want(7'h24, 32'hAA, 1'b1);
                want(7'h28, 32'h0908, 1'b1);
                want(7'h60, 3, 1'b0);
                if (s_tready || in_frame != 0) $fatal(1, "frames are taken without a session (%m)");
                refusing = 1'b0;
            end
            if (p == 9) begin
                while (delivered < 3) @(negedge clock);
                straying   = 1'b1;
                lose_reply = 64;
                earlier = int'(epoch);
                while (int'(epoch) == earlier) @(negedge clock);
                straying   = 1'b0;
                lose_reply = 0;
                settle;
                want(7'h5C, 1, 1'b1);
            end
            if (p == 10) begin
                while (delivered < 3) @(negedge clock);
                repeat (17) @(negedge clock);
                drain = 1'b1;
                waited = 0;
                while (!drained) begin
                    @(negedge clock);
                    waited = waited + 1;
                    if (waited > 4000) $fatal(1, "not drained (%m)");
                end
                repeat (2 * TIMEOUT) begin
                    @(negedge clock);
                    if (m_tvalid || !drained || at_beat != 0) $fatal(1, "drained, and a packet is offered (%m)");
                end
                running = 1'b0;
                drain   = 1'b0;
                reset_link;
                running = 1'b1;
                wanted = 5;
            end
            settle;
            // ---- what came of it; PROBEs first, since the next one comes soon
            want(7'h50, n_probe, p != 7 && p != 9);
            missing = 0; lowest = -1; highest = -1;
            for (int f = 0; f < wanted; f++) begin
                if (came[f] > 1) $fatal(1, "phase %0d: frame %0d came %0d times (%m)", phase, f, came[f]);
                if (came[f] == 0) begin
                    missing = missing + 1;
                    if (lowest < 0) lowest = f;
                    highest = f;
                end
                compared = compared + 1;
            end
            want(7'h34, missing, p != 7 && p != 9);
            lost_count = int'(word);
            want(7'h38, 0, 1'b0);
            if (lost_count != 0 && missing != 0 && int'(word) > lowest) $fatal(1, "phase %0d: frame %0d is lost, LOST_FIRST is %0d (%m)", phase, lowest, word);
            want(7'h3C, highest, 1'b0);
            // The first frame of the latest session was not lost.
            if (lost_count != 0 && int'(word) >= base_frame) $fatal(1, "phase %0d: LOST_LAST is %0d, frame %0d came after it (%m)", phase, word, base_frame);
            if (lost_count != 0 && lost_count > int'(word) + 1) $fatal(1, "phase %0d: %0d lost, LOST_LAST is %0d (%m)", phase, lost_count, word);
            if (p == 7) want(7'h5C, 1, 1'b0);
            want(7'h2C, wanted, 1'b1);
            want(7'h40, n_done, 1'b1);
            if (p != 7 && p != 9) begin
                // Of a session that ended there may be a packet that was not counted here.
                if (n_done != n_frames && p != 10) $fatal(1, "phase %0d: %0d frames were sent, frame_done came %0d times (%m)", phase, n_frames, n_done);
                want(7'h44, n_new, 1'b1);
                want(7'h48, n_again, 1'b1);
                want(7'h54, n_hello, 1'b1);
                want(7'h5C, 0, 1'b1);
                want(7'h58, p == 10 ? 0 : 1, 1'b0);
            end
            want(7'h00, 1, 1'b1);
            want(7'h04, int'({session_rx, epoch}), 1'b1);
            u_master.read(7'h30, word, resp);
            if (word[8:0] != 9'd0 || int'(word[24:16]) > SLOTS || word[24:16] == 9'd0) $fatal(1, "phase %0d: SLOTS is %h (%m)", phase, word);
            if (p == 0) begin
                want(7'h48, 0, 1'b1);
                want(7'h4C, 0, 1'b1);
                want(7'h74, 0, 1'b1);
                // An idle cycle between packets, and none for want of room, if the window is longer than the way.
                if (SLOTS * PACKET_BEATS > 150 && PACKETS > 1 && last_m - first_m + 1 > moved + n_new + 2)
                    $fatal(1, "%0d beats of %0d packets took %0d cycles (%m)", moved, n_new, last_m - first_m + 1);
            end
            if (p == 2) want(7'h48, 1, 1'b0);
            if (p == 2) want(7'h4C, 1, 1'b0);
            if (p == 5) want(7'h64, 1, 1'b0);
            if (p == 5) want(7'h68, 1, 1'b0);
            if (p == 6) want(7'h6C, 20, 1'b0);
            if (p == 1) want(7'h74, 10, 1'b0);
            running = 1'b0;
            @(negedge clock);
            while (m_tvalid) @(negedge clock);
            setting(0);
            u_master.write(7'h08, 32'hFFFFFFFF, 4'b1110, resp);
            want(7'h40, n_done, 1'b1);
            u_master.write(7'h08, 32'd1, 4'b0001, resp);
            want(7'h40, 0, 1'b1);
            want(7'h34, 0, 1'b1);
            reset_link;
        end
        aresetn = 1'b0; link_aresetn = 1'b0;
        repeat (3) @(negedge clock);
        aresetn = 1'b1;
        for (int k = 0; k < 32; k++) if (k != 1 && (k < 4 || k > 10)) want(7'(k * 4), 0, 1'b1);
        u_master.read(7'h04, word, resp);
        if (word != {16'd0, epoch} && word != {16'd0, epoch + 16'd1}) $fatal(1, "the epoch was cleared: %h (%m)", word);
        done = 1'b1;
    end
endmodule

module tb_vnx_sender;
    localparam int N = 3;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(2000000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    vnx_sender_case #(.FRAME_BYTES(32), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[0*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(321), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(30), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[1*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(3000), .PACKET_BEATS(23), .SLOTS(8), .FRAMES(10), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[2*32 +: 32]));
endmodule

module tb_vnx_sender_many;
    localparam int N = 20;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N), .CYCLES(2000000)) u_end (.aclk(aclk), .done(done), .compared(compared));

    vnx_sender_case #(.FRAME_BYTES(1), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[0*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(31), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(50), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[1*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(32), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(3)) u_2 (
        .aclk(aclk), .done(done[2]), .compared(compared[2*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(33), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(4)) u_3 (
        .aclk(aclk), .done(done[3]), .compared(compared[3*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(63), .PACKET_BEATS(23), .SLOTS(8), .FRAMES(50), .SEED(5)) u_4 (
        .aclk(aclk), .done(done[4]), .compared(compared[4*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(64), .PACKET_BEATS(2), .SLOTS(16), .FRAMES(50), .SEED(6)) u_5 (
        .aclk(aclk), .done(done[5]), .compared(compared[5*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(65), .PACKET_BEATS(2), .SLOTS(4), .FRAMES(50), .SEED(7)) u_6 (
        .aclk(aclk), .done(done[6]), .compared(compared[6*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(160), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(50), .SEED(8)) u_7 (
        .aclk(aclk), .done(done[7]), .compared(compared[7*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(161), .PACKET_BEATS(3), .SLOTS(4), .FRAMES(50), .SEED(9)) u_8 (
        .aclk(aclk), .done(done[8]), .compared(compared[8*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(319), .PACKET_BEATS(3), .SLOTS(4), .FRAMES(40), .SEED(10)) u_9 (
        .aclk(aclk), .done(done[9]), .compared(compared[9*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(320), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(40), .SEED(11)) u_10 (
        .aclk(aclk), .done(done[10]), .compared(compared[10*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(321), .PACKET_BEATS(3), .SLOTS(8), .FRAMES(40), .SEED(12)) u_11 (
        .aclk(aclk), .done(done[11]), .compared(compared[11*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(1440), .PACKET_BEATS(23), .SLOTS(8), .FRAMES(40), .SEED(13)) u_12 (
        .aclk(aclk), .done(done[12]), .compared(compared[12*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(1441), .PACKET_BEATS(23), .SLOTS(8), .FRAMES(30), .SEED(14)) u_13 (
        .aclk(aclk), .done(done[13]), .compared(compared[13*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(2000), .PACKET_BEATS(3), .SLOTS(32), .FRAMES(12), .SEED(15)) u_14 (
        .aclk(aclk), .done(done[14]), .compared(compared[14*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(5000), .PACKET_BEATS(23), .SLOTS(16), .FRAMES(12), .SEED(16)) u_15 (
        .aclk(aclk), .done(done[15]), .compared(compared[15*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(8160), .PACKET_BEATS(128), .SLOTS(4), .FRAMES(20), .SEED(17)) u_16 (
        .aclk(aclk), .done(done[16]), .compared(compared[16*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(8161), .PACKET_BEATS(128), .SLOTS(4), .FRAMES(12), .SEED(18)) u_17 (
        .aclk(aclk), .done(done[17]), .compared(compared[17*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(16353), .PACKET_BEATS(256), .SLOTS(4), .FRAMES(10), .SEED(19)) u_18 (
        .aclk(aclk), .done(done[18]), .compared(compared[18*32 +: 32]));
    vnx_sender_case #(.FRAME_BYTES(9000), .PACKET_BEATS(2), .SLOTS(256), .FRAMES(6), .SEED(20)) u_19 (
        .aclk(aclk), .done(done[19]), .compared(compared[19*32 +: 32]));
endmodule

`default_nettype wire
