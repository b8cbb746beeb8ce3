// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_faults - simulation only: one direction of a network between two clocks that injects faults, seeded.
//
// A packet is stored whole; then it is decided what becomes of it. RATE[k] is the probability of fault k in 1/65536:
//   0 lost   1 doubled, at once or late   2 held back, behind later packets   3 its end is missing
//   4 bits flipped   5 a beat is missing   6 joined with the next one   7 sent to another row
// BURST is that of a burst: of the 2 to 33 packets that follow, each of those faults that have a rate strikes a half.
// What has no room is lost. Input and output pause at random.
`default_nettype none

module vnx_faults #(
    parameter int BEATS   = 8,      // of the longest packet that gets through
    parameter int PLACES  = 64,     // packets on the way
    parameter int LATENCY = 60      // cycles of the output's clock
) (
    input  wire          in_clk,
    input  wire  [511:0] in_tdata,
    input  wire  [63:0]  in_tkeep,
    input  wire  [15:0]  in_tdest,
    input  wire          in_tlast,
    input  wire          in_tvalid,
    output logic         in_tready,

    input  wire          out_clk,
    output logic [511:0] out_tdata,
    output logic [63:0]  out_tkeep,
    output logic [15:0]  out_tdest,
    output logic         out_tlast,
    output logic         out_tvalid
);
    int unsigned rate [0:7];    // set by the bench
    int unsigned burst, pause;
    longint unsigned seed;
    longint unsigned packets;   // that came in
    longint unsigned struck [0:7];

    logic [511:0] tdata [0:PLACES*BEATS-1];
    logic [63:0]  tkeep [0:PLACES*BEATS-1];
    int           length [0:PLACES-1];
    logic [15:0]  dest [0:PLACES-1];
    int           copies [0:PLACES-1];      // that must still leave; 0: free
    longint unsigned due [0:PLACES-1];

    int  order [$];             // places in the order of leaving, but those that are held
    int  late [$];
    longint unsigned late_due [$];
    int  at, place, burst_left, out_place, out_at;
    logic sending;
    longint unsigned now;

    function automatic int unsigned random(input int unsigned below);
        seed = seed ^ (seed << 13);
        seed = seed ^ (seed >> 7);
        seed = seed ^ (seed << 17);
        random = 32'((seed >> 16) & 64'hFFFFFFF) % below;
    endfunction

    function automatic bit strikes(input int k);
        strikes = random(65536) < (burst_left > 0 && rate[k] != 0 ? 32768 : rate[k]);
        if (strikes) struck[k]++;
    endfunction

    task automatic find();
        place = -1;
        for (int p = 0; p < PLACES; p++) if (copies[p] == 0) begin place = p; break; end
        at = 0;
    endtask

    initial begin
        at = 0; place = 0; burst_left = 0; sending = 0; now = 0; packets = 0; out_at = 0; out_place = 0;
        in_tready = 0; out_tvalid = 0;
        for (int p = 0; p < PLACES; p++) copies[p] = 0;
        for (int k = 0; k < 8; k++) struck[k] = 0;
    end

    // A packet is whole, in `place`, of `at` beats.
    task automatic arrived();
        int n, b;
        logic [8:0] bit_at;
        if (strikes(6)) return;                             // what comes next is behind it
        n = at < BEATS ? at : BEATS;
        if (strikes(3)) begin
            n = n > 1 ? n - int'(random(32'(n))) : n;
            if (n == at || random(2) == 0) tkeep[place*BEATS + n - 1] = 64'hFFFF_FFFF_FFFF_FFFF >> random(63);
        end
        if (n > 1 && strikes(5)) begin
            b = int'(random(32'(n)));
            for (int k = b; k < n - 1; k++) begin
                tdata[place*BEATS + k] = tdata[place*BEATS + k + 1];
                tkeep[place*BEATS + k] = tkeep[place*BEATS + k + 1];
            end
            n--;
        end
        if (strikes(4)) begin
            b = place*BEATS + int'(random(32'(n)));
            repeat (1 + int'(random(4))) begin
                bit_at = 9'(random(512));
                tdata[b][bit_at] = !tdata[b][bit_at];
            end
        end
        if (strikes(7)) dest[place] = 16'(random(5));
        length[place] = n;
        copies[place] = 1;
        due[place]    = now + 64'(LATENCY);
        if (strikes(0) || order.size() > PLACES / 2) copies[place] = 0;
        else begin
            if (strikes(2)) begin
                late.push_back(place);
                late_due.push_back(due[place] + 64'(random(random(4) == 0 ? 3000 : 200)));
            end else order.push_back(place);
            if (strikes(1)) begin
                copies[place] = 2;
                if (random(2) == 0) order.push_back(place);
                else begin
                    late.push_back(place);
                    late_due.push_back(due[place] + 64'(random(3000)));
                end
            end
        end
        if (burst_left > 0) burst_left--;
        else if (random(65536) < burst) burst_left = 2 + int'(random(32));
        find();
    endtask

    always @(posedge in_clk) begin
        if (in_tvalid && in_tready) begin
            if (at == 0) dest[place] = in_tdest;
            if (at < BEATS) begin
                tdata[place*BEATS + at] = in_tdata;
                tkeep[place*BEATS + at] = in_tkeep;
            end
            at++;
            if (in_tlast) begin
                packets++;
                arrived();
            end
        end
        if (place < 0) find();
        in_tready <= place >= 0 && random(256) >= pause;
    end

    task automatic choose();
        for (int k = 0; k < late.size(); k++)
            if (!sending && late_due[k] <= now) begin
                out_place = late[k];
                late.delete(k);
                late_due.delete(k);
                sending = 1;
            end
        if (!sending && order.size() > 0 && due[order[0]] <= now) begin
            out_place = order.pop_front();
            sending = 1;
        end
        out_at = 0;
    endtask

    always @(posedge out_clk) begin
        now++;
        if (!sending) choose();
        out_tvalid <= 1'b0;
        if (sending && random(256) >= pause) begin
            out_tvalid <= 1'b1;
            out_tdata  <= tdata[out_place*BEATS + out_at];
            out_tkeep  <= tkeep[out_place*BEATS + out_at];
            out_tdest  <= dest[out_place];
            out_tlast  <= out_at == length[out_place] - 1;
            out_at++;
            if (out_at == length[out_place]) begin
                sending = 0;
                copies[out_place]--;
            end
        end
    end

endmodule

`default_nettype wire
