// SPDX-License-Identifier: BSD-3-Clause
//
// bench_turns - simulation only: which replica has the turn of each frame, and the mask that makes it so.
//
// Epoch e, one pass over the pattern, has the mask `mask_of(e)`. It is driven as soon as epoch e - 1 has begun, so a
// block that takes it at once is seen. Before some epochs, and after reset, all frames before have to be taken; then the
// mask is junk, and right only from the last moment on. Frames of epochs up to `open` may be sent.
//
// Parameters: N, LENGTH, PATTERN  of the block
//             VARIED  0: all replicas are always alive
//             SEED    of the masks
`default_nettype none

module bench_turns #(
    parameter int N      = 2,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = '0,
    parameter bit VARIED = 1,
    parameter int SEED   = 1
) (
    input  wire           aclk,
    input  wire           aresetn,
    input  wire  [31:0]   begun,   // frames of which a beat was taken, in the order of turns
    input  wire  [31:0]   taken,   // frames that were taken whole
    output logic [N-1:0]  mask,
    output int            open
);

    localparam int MOST = 4096;

    int seq   [0:MOST-1];  // replica of frame n
    int epoch [0:MOST-1];  // of frame n
    int first [0:MOST-1];  // frame of epoch e

    function automatic logic [31:0] mix(input int a);
        logic [31:0] h;
        h = (32'(a) + 32'd77) * 32'h9E3779B1 ^ (32'(SEED) * 32'hC2B2AE3D);
        h = (h ^ (h >> 15)) * 32'h2C1B3C6D;
        mix = h ^ (h >> 13);
    endfunction

    // At least one replica of those in the pattern is alive.
    function automatic logic [N-1:0] mask_of(input int e);
        logic [31:0] h;
        h = mix(e);
        mask_of = h[16] ? '1 : N'(h);
        if (!VARIED) mask_of = '1;
        mask_of = mask_of | (N'(1) << 4'(PATTERN >> (int'(h[30:20]) % LENGTH * 4)));
    endfunction

    int n, e, pause, now, shown, upto, seen;  // `upto`: the last epoch before the next pause; `seen`: `shown`, a cycle ago
    logic [N-1:0] alive;

    task restart;
        open = -1; now = 0; shown = 0; seen = 0; upto = -1; pause = 12;
        mask = VARIED ? N'(mix(1)) : '1;
    endtask

    initial begin
        n = 0; e = 0;
        while (n < MOST - 64) begin
            first[e] = n;
            alive = mask_of(e);
            for (int k = 0; k < LENGTH; k++) if (1'(alive >> 4'(PATTERN >> (k * 4)))) begin
                seq[n]   = int'(4'(PATTERN >> (k * 4)));
                epoch[n] = e;
                n = n + 1;
            end
            e = e + 1;
        end
        restart;
    end

    always @(negedge aclk) begin
        if (!aresetn) restart;
        else if (pause > 0) begin
            pause = pause - 1;
            if (VARIED) mask = pause > 4 ? N'(mix(now * 16 + pause)) : mask_of(now);
            if (pause == 0) begin
                shown = now;
                upto = now;
                while (VARIED ? mix(upto + 5000) % 4 != 0 : upto < MOST) upto = upto + 1;
            end
        end else if (VARIED && taken == 32'(first[upto+1])) begin
            now   = upto + 1;
            pause = 12;
        end else if (begun > 0 && epoch[begun-1] + 1 > shown) begin
            shown = epoch[begun-1] + 1;
            mask  = mask_of(shown);
        end
        open = pause > 0 ? now - 1 : VARIED && seen < upto ? seen : upto;
        seen = shown;
    end

endmodule

`default_nettype wire
