// SPDX-License-Identifier: BSD-3-Clause
//
// bench_traffic_string - simulation only: the frames that sources and sinks of a traffic bench agree on.
//
// A pseudo-random bit string lies in `mem` as words of W bits. A frame is UNITS_MIN to UNITS_MAX units of UNIT bits
// of it, from one of PLACES on. Length and place are drawn by `draw`; there is one generator for each stream, and two
// instances that differ in W alone draw the same bits. So a sink knows what was sent without a connection to the source.
//
// Parameters: W, OTHER_W            bits of a beat here and at the other end
//             UNIT                  bits
//             UNITS_MIN, UNITS_MAX  of a frame
//             STREAMS               generators
//             FIRST, STEP           number of generator 0, and from one to the next
`default_nettype none

module bench_traffic_string #(
    parameter int W         = 8,
    parameter int OTHER_W   = W,
    parameter int UNIT      = W,
    parameter int UNITS_MIN = 1,
    parameter int UNITS_MAX = UNITS_MIN,
    parameter int STREAMS   = 1,
    parameter int FIRST     = 0,
    parameter int STEP      = 1
) ();

    function automatic int gcd(input int a, input int b);
        int x, y, t;
        x = a;
        y = b;
        while (y > 0) begin
            t = x % y;
            x = y;
            y = t;
        end
        gcd = x;
    endfunction

    // Frames begin where both ends have a word boundary.
    localparam int PITCH  = OTHER_W / gcd(W, OTHER_W);
    localparam int PLACES = PITCH * W > 4096 ? 4 : 16384 / (PITCH * W);
    localparam int WORDS  = PLACES * PITCH + (UNITS_MAX * UNIT + W - 1) / W;

    logic [W-1:0]  mem [0:WORDS-1];
    logic [31:0]   state [0:STREAMS-1];
    logic [31:0]   hash;
    int            at;     // first word of the frame drawn
    int            beats;  // of it
    int            bits;   // of its last beat

    task restart;
        for (int n = 0; n < STREAMS; n++) state[n] = 32'(FIRST + n * STEP + 1) * 32'h9E3779B1;
    endtask

    task draw(input int which);
        hash  = state[which] * 32'd1664525 + 32'd1013904223;
        state[which] = hash;
        bits  = UNIT * (UNITS_MIN + int'((32'(hash[31:16]) * 32'(UNITS_MAX - UNITS_MIN + 1)) >> 16));
        beats = (bits + W - 1) / W;
        bits  = bits - (beats - 1) * W;
        at    = PITCH * int'((32'(hash[21:6]) * 32'(PLACES)) >> 16);
    endtask

    initial begin
        hash = 32'd1;
        for (int n = 0; n < WORDS; n++) begin
            for (int b = 0; b < W; b++) begin
                hash = hash * 32'd1664525 + 32'd1013904223;
                mem[n][b] = hash[31];
            end
        end
        at = 0; beats = 1; bits = W;
        restart;
    end

endmodule

`default_nettype wire
