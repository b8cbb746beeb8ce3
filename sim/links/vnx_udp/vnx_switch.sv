// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_switch - simulation only: an Ethernet switch between the cards of a cluster, and all that can go wrong on the way.
//
// A frame is stored whole, sent to the port that last sent from its destination MAC (to all others if none did, or if it
// is for all), LATENCY cycles and `latency` later. A port that more is sent to than 100 Gb/s keeps 128 KiB and drops the rest.
// A frame that breaks off (a card was reset) is dropped. With all parameters at 0 it is a perfect cable.
//
// Faults, each with random numbers of its own from `seed`, for each frame to each port; chances in 1/65536. They hit IPv4 only,
// unless `arp` is set, and if `toward` is not 0, only frames to the ports whose bits are set:
//   loss       the frame is lost
//   burst      from here on 1 to burst_length (8 if that is 0) frames to this port are lost
//   duplicate  it comes twice
//   reorder    it comes up to 1.4 us later than it should, behind others
//   truncate   its end is missing, anywhere
//   corrupt    a bit is wrong, or two that are far apart, or a whole beat
//   beat       one beat is missing: the first, the last (what follows then belongs to it), or another
//
// IP packets of more than `mtu` bytes are dropped, as by a switch that is set up for shorter ones; 0: none.
//
// On a rising edge of `dump` the counters, of frames of IPv4, are written to FILE, words and a number in each line.
//
// Throughput: a beat per cycle and port, with the overhead of Ethernet: 100 Gb/s at 195.3125 MHz.
// Parameters: PORTS    any number; `toward` knows the first 32
//             FILE     for the counters; none if it is empty
//             LATENCY  of two cmacs, cables and switch, in cycles of 5.12 ns
`default_nettype none

module vnx_switch #(
    parameter int PORTS   = 2,
    parameter     FILE    = "",
    parameter int LATENCY = 80
) (
    input  wire                 wire_clk,
    input  wire                 aresetn,
    input  wire                 dump,
    input  wire [31:0]          seed,
    input  wire [15:0]          latency,  // ns
    input  wire [31:0]          toward,
    input  wire                 arp,
    input  wire [15:0]          loss,
    input  wire [15:0]          burst,
    input  wire [7:0]           burst_length,
    input  wire [15:0]          duplicate,
    input  wire [15:0]          reorder,
    input  wire [15:0]          truncate,
    input  wire [15:0]          corrupt,
    input  wire [15:0]          beat,
    input  wire [15:0]          mtu,
    input  wire [31:0]          overflow,    // of all cards, for FILE
    input  wire [31:0]          unresolved,

    input  wire [512*PORTS-1:0] s_wire_tdata,
    input  wire [7*PORTS-1:0]   s_wire_bytes,
    input  wire [PORTS-1:0]     s_wire_tlast,
    input  wire [PORTS-1:0]     s_wire_tvalid,
    output logic [512*PORTS-1:0] m_wire_tdata,
    output logic [7*PORTS-1:0]  m_wire_bytes,
    output logic [PORTS-1:0]    m_wire_tlast,
    output logic [PORTS-1:0]    m_wire_tvalid
);
    localparam int STORE    = 16384;  // beats of each port: what 65 us of latency and a full buffer need
    localparam int DEPTH    = 1024;   // frames that wait for a port
    localparam int BUFFER   = 2048;   // beats that wait for a port
    localparam int ETHERNET = 14;     // bytes of a header
    localparam int OVERHEAD = 24;     // bytes: preamble 8, FCS 4, gap 12
    localparam int IDLE     = -64;    // of a wire that has been idle: it is as far ahead as a beat
    localparam logic [1:0] CLEAN = 2'd0, BIT = 2'd1, PAIR = 2'd2, BEAT = 2'd3;

    typedef struct packed {
        logic [31:0] due;      // cycle
        logic [31:0] start;    // in the store of its source, counted on
        logic [15:0] source;
        logic [15:0] beats;
        logic [6:0]  bytes;    // in the last
        logic [1:0]  fault;    // CLEAN, BIT, PAIR, BEAT
        logic [15:0] victim;   // which beat
        logic [31:0] noise;
        logic        gone;     // a beat is missing:
        logic [15:0] missing;  // this one
        logic        ipv4;
    } frame_t;

    generate
        if (PORTS < 1) begin : g_check_ports
            PORTS_must_be_positive parameter_error ();
        end
    endgenerate

    // ---- random numbers
    logic [31:0] chance_of[0:7];
    localparam logic [2:0] LOSS = 3'd0, BURST = 3'd1, DUPLICATE = 3'd2, REORDER = 3'd3, TRUNCATE = 3'd4, CORRUPT = 3'd5;
    localparam logic [2:0] MISSING = 3'd6, SIZES = 3'd7;

    function automatic logic [31:0] next(input logic [31:0] from);
        next = from ^ (from << 13);
        next = next ^ (next >> 17);
        next = next ^ (next << 5);
    endfunction

    task automatic roll(input logic [2:0] which, input logic [15:0] chance, output logic hit);
        hit = 1'b0;
        if (chance != 16'd0) begin
            chance_of[which] = next(chance_of[which]);
            hit = chance_of[which][31:16] < chance;
        end
    endtask

    task automatic draw(input logic [31:0] below, output logic [31:0] value);
        chance_of[SIZES] = next(chance_of[SIZES]);
        value = below == 32'd0 ? 32'd0 : (chance_of[SIZES] >> 4) % below;
    endtask

    // ---- state; one process changes all of it, so frames of several ports in one cycle keep an order
    logic [511:0]     store[0:PORTS*STORE-1];
    frame_t           queue[0:PORTS*DEPTH-1];
    frame_t           leaves[0:PORTS-1];      // the frame that leaves a port
    logic [31:0]      head[0:PORTS-1];        // of queue: what leaves next, and the end
    logic [31:0]      tail[0:PORTS-1];
    logic [31:0]      waiting[0:PORTS-1];     // beats in queue
    logic [31:0]      begun[0:PORTS-1];       // place in store of the frame that comes
    logic [31:0]      came[0:PORTS-1];        // its beats so far
    logic [47:0]      learned[0:PORTS-1];
    logic [PORTS-1:0] knows, is_ip, busy;
    logic [PORTS-1:0] goes[0:PORTS-1];        // where the frame that comes is sent
    logic [31:0]      burst_left[0:PORTS-1];
    logic [31:0]      at[0:PORTS-1];          // next beat of the frame that leaves
    int               debt[0:PORTS-1];        // bytes that the wire has still to carry before the next frame
    logic [31:0]      now, delay;
    int n_frames, n_delivered, n_lost, n_duplicated, n_reordered, n_truncated, n_corrupted, n_beats, n_congested, n_broken, n_long;

    // A frame to a port: behind all that are due before it or with it.
    task automatic enqueue(input int to, input frame_t frame);
        logic [31:0] place;
        frame_t      other;
        logic        more;
        if (tail[to] - head[to] >= DEPTH || waiting[to] + 32'(frame.beats) > BUFFER) n_congested = n_congested + 1;
        else begin
            place = tail[to];
            more  = 1'b1;
            while (more) begin
                more  = 1'b0;
                other = queue[to*DEPTH+int'((place-32'd1)%DEPTH)];
                if (place != head[to] && other.due > frame.due) begin
                    queue[to*DEPTH+int'(place%DEPTH)] = other;
                    place = place - 32'd1;
                    more  = 1'b1;
                end
            end
            queue[to*DEPTH+int'(place%DEPTH)] = frame;
            tail[to]    = tail[to] + 32'd1;
            waiting[to] = waiting[to] + 32'(frame.beats);
        end
    endtask

    // What happens to a frame on its way; `damage` for each copy.
    task automatic damage(inout frame_t frame);
        logic        hit;
        logic [31:0] value;
        roll(REORDER, reorder, hit);
        if (hit) begin
            n_reordered = n_reordered + 1;
            draw(32'd256, value);
            frame.due = frame.due + 32'd16 + value;
        end
        roll(CORRUPT, corrupt, hit);
        if (hit) begin
            n_corrupted = n_corrupted + 1;
            draw(32'd3, value);
            frame.fault = BIT + 2'(value);
            draw(32'(frame.beats), value);
            frame.victim = 16'(value);
            draw(32'h0FFF_FFFF, value);
            frame.noise = value;
        end
        roll(TRUNCATE, truncate, hit);
        if (hit) begin
            n_truncated = n_truncated + 1;
            draw(32'(frame.beats) * 32'd64 - 32'd64 + 32'(frame.bytes) - 32'd1, value);
            frame.beats = 16'(value / 32'd64) + 16'd1;
            frame.bytes = 7'(value % 32'd64) + 7'd1;
        end
        roll(MISSING, beat, hit);
        if (hit) begin
            n_beats = n_beats + 1;
            frame.gone = 1'b1;
            draw(32'd4, value);
            if (value == 32'd0) frame.missing = 16'd0;
            else if (value == 32'd1) frame.missing = frame.beats - 16'd1;
            else begin
                draw(32'(frame.beats), value);
                frame.missing = 16'(value);
            end
        end
    endtask

    task automatic forward(input int to, input frame_t whole, input logic damaged);
        logic        hit;
        logic [31:0] value;
        frame_t      frame;
        frame = whole;
        hit   = 1'b0;
        if (damaged && (toward == 32'd0 || (to < 32 && toward[to[4:0]]))) begin
            if (burst_left[to] != 32'd0) begin
                burst_left[to] = burst_left[to] - 32'd1;
                hit = 1'b1;
            end else begin
                roll(BURST, burst, hit);
                if (hit) begin
                    draw(burst_length == 8'd0 ? 32'd8 : 32'(burst_length), value);
                    burst_left[to] = value;
                end else roll(LOSS, loss, hit);
            end
            if (hit) n_lost = n_lost + 1;
            else begin
                roll(DUPLICATE, duplicate, hit);
                if (hit) begin
                    n_duplicated = n_duplicated + 1;
                    draw(32'd64, value);
                    frame.due = whole.due + value;
                    damage(frame);
                    enqueue(to, frame);
                    frame = whole;
                end
                damage(frame);
                hit = 1'b0;
            end
        end
        if (!hit) enqueue(to, frame);
    endtask

    // ---- a beat that comes
    task automatic enter(input int from, input logic [511:0] data, input logic [6:0] bytes, input logic last);
        logic [47:0] to_mac, mac;
        frame_t      frame;
        store[from*STORE+int'((begun[from]+came[from])%STORE)] = data;
        if (came[from] == 32'd0) begin
            for (int i = 0; i < 6; i++) begin
                to_mac[8*(5-i)+:8] = data[8*i+:8];
                mac[8*(5-i)+:8]    = data[8*(6+i)+:8];
            end
            is_ip[from] = data[8*12+:16] == 16'h0008;
            goes[from]  = '0;
            for (int to = 0; to < PORTS; to++) begin
                if (knows[to] && learned[to] == mac) knows[to] = 1'b0;
                if (knows[to] && learned[to] == to_mac) goes[from][to] = 1'b1;
            end
            if (goes[from] == '0 && !(knows[from] && learned[from] == to_mac)) goes[from] = '1;
            goes[from][from] = 1'b0;
            learned[from] = mac;
            knows[from]   = !mac[40];
        end
        came[from] = came[from] + 32'd1;
        if (last) begin
            if (is_ip[from]) n_frames = n_frames + 1;
            frame = {now + delay, begun[from], 16'(from), 16'(came[from]), bytes, CLEAN, 16'd0, 32'd0, 1'b0, 16'd0, is_ip[from]};
            if (frame.ipv4 && mtu != 16'd0 && 32'(frame.beats) * 32'd64 - 32'd64 + 32'(bytes) > 32'(mtu) + 32'(ETHERNET)) begin
                n_long      = n_long + 1;
                goes[from] = '0;
            end
            for (int to = 0; to < PORTS; to++) if (goes[from][to]) forward(to, frame, frame.ipv4 || arp);
            begun[from] = begun[from] + came[from];
            came[from]  = 32'd0;
        end
    endtask

    // ---- a beat that leaves
    task automatic leave(input int to, output logic valid, output logic [511:0] data, output logic [6:0] bytes,
                         output logic last);
        frame_t       frame;
        logic [511:0] noise;
        logic [31:0]  word;
        valid = 1'b0;
        data  = '0;
        bytes = 7'd0;
        last  = 1'b0;
        frame = queue[to*DEPTH+int'(head[to]%DEPTH)];
        if (!busy[to] && head[to] != tail[to] && frame.due <= now && debt[to] < 64) begin
            leaves[to]  = frame;
            head[to]    = head[to] + 32'd1;
            waiting[to] = waiting[to] - 32'(frame.beats);
            busy[to]    = 1'b1;
            at[to]      = 32'd0;
        end
        if (busy[to]) begin
            frame = leaves[to];
            valid = !(frame.gone && at[to] == 32'(frame.missing));
            last  = at[to] == 32'(frame.beats) - 32'd1;
            bytes = last ? frame.bytes : 7'd64;
            data  = store[int'(frame.source)*STORE+int'((frame.start+at[to])%STORE)];
            if (frame.fault != CLEAN && at[to] == 32'(frame.victim)) begin
                word  = frame.noise;
                noise = 512'd1 << word[8:0];
                if (frame.fault == PAIR) noise = noise ^ (512'd1 << word[17:9]);
                if (frame.fault == BEAT)
                    for (int i = 0; i < 16; i++) begin
                        word = next(word | 32'd1);
                        noise[32*i+:32] = word;
                    end
                data = data ^ noise;
            end
            at[to] = at[to] + 32'd1;
            if (last) begin
                busy[to]    = 1'b0;
                if (frame.ipv4) n_delivered = n_delivered + 1;
                debt[to]    = debt[to] + OVERHEAD + int'(frame.bytes) - 64;
                if (debt[to] < IDLE) debt[to] = IDLE;
            end
        end else debt[to] = debt[to] < 0 ? IDLE : debt[to] - 64;
    endtask

    task automatic clear;
        for (int k = 0; k < 8; k++) chance_of[k] = next(next((32'h9E37_79B9 * (seed + 32'(k) + 32'd1)) | 32'd1));
        for (int p = 0; p < PORTS; p++) begin
            head[p]       = 32'd0;
            tail[p]       = 32'd0;
            waiting[p]    = 32'd0;
            begun[p]      = 32'd0;
            came[p]       = 32'd0;
            burst_left[p] = 32'd0;
            debt[p]       = 0;
        end
        knows        = '0;
        busy         = '0;
        now          = 32'd0;
        n_frames     = 0;
        n_delivered  = 0;
        n_lost       = 0;
        n_duplicated = 0;
        n_reordered  = 0;
        n_truncated  = 0;
        n_corrupted  = 0;
        n_beats      = 0;
        n_congested  = 0;
        n_broken     = 0;
        n_long       = 0;
    endtask

    task automatic tell;
        int file;
        file = $fopen(FILE, "w");
        $fdisplay(file, "packets from cards %0d", n_frames);
        $fdisplay(file, "to cards %0d", n_delivered);
        $fdisplay(file, "lost %0d", n_lost);
        $fdisplay(file, "duplicated %0d", n_duplicated);
        $fdisplay(file, "reordered %0d", n_reordered);
        $fdisplay(file, "truncated %0d", n_truncated);
        $fdisplay(file, "corrupted %0d", n_corrupted);
        $fdisplay(file, "short of a beat %0d", n_beats);
        $fdisplay(file, "dropped in the switch %0d", n_congested);
        $fdisplay(file, "broken off %0d", n_broken);
        $fdisplay(file, "too long for the switch %0d", n_long);
        $fdisplay(file, "beats lost in full FIFOs %0d", overflow);
        $fdisplay(file, "without an address %0d", unresolved);
        $fclose(file);
    endtask

    logic         dump_q;
    logic         out_valid, out_last;
    logic [511:0] out_data;
    logic [6:0]   out_bytes;

    task automatic step;
        now   = now + 32'd1;
        delay = 32'(LATENCY) + 32'(latency) * 32'd25 / 32'd128;
        for (int p = 0; p < PORTS; p++) begin
            if (s_wire_tvalid[p]) enter(p, s_wire_tdata[512*p+:512], s_wire_bytes[7*p+:7], s_wire_tlast[p]);
            else if (came[p] != 32'd0) begin
                came[p]  = 32'd0;
                n_broken = n_broken + 1;
            end
        end
    endtask

    always @(posedge wire_clk) begin
        if (!aresetn) clear;
        else step;
        for (int p = 0; p < PORTS; p++) begin
            if (busy[p] || head[p] != tail[p] || debt[p] != IDLE) begin
                leave(p, out_valid, out_data, out_bytes, out_last);
                m_wire_tvalid[p] <= out_valid && aresetn;
                if (out_valid) begin
                    m_wire_tdata[512*p+:512] <= out_data;
                    m_wire_bytes[7*p+:7]     <= out_bytes;
                    m_wire_tlast[p]          <= out_last;
                end
            end else m_wire_tvalid[p] <= 1'b0;
        end
        dump_q <= dump;
        if (dump && !dump_q && FILE != "") tell;
    end
endmodule

`default_nettype wire
