// SPDX-License-Identifier: BSD-3-Clause
//
// bench_vnx_network - simulation only: a way for packets that loses, doubles and reorders them.
//
// What is pushed comes out after `latency` cycles at the earliest, one per cycle that has `pull`.
//
// Parameters: W       bits of a packet
//             SPREAD  a second copy comes up to 15 times these cycles later
//             SEED    of the faults
`default_nettype none

module bench_vnx_network #(
    parameter int W      = 100,
    parameter int SPREAD = 0,
    parameter int SEED   = 1
) (
    input  wire          aclk,
    input  wire          clear,

    // Chances of 64.
    input  wire  [6:0]   lose,
    input  wire  [6:0]   twice,
    input  wire  [6:0]   swap,
    input  wire  [31:0]  latency,

    input  wire          push,
    input  wire  [W-1:0] pushed,
    input  wire          pull,
    output logic         valid,    // for a cycle
    output logic [W-1:0] data,
    output logic         busy,     // something was under way in the cycle before
    output wire          empty     // and nothing on its last cycle
);
    localparam int RING = 64;

    logic [W-1:0] ring [0:RING-1];
    int           due  [0:RING-1];
    int           put, got, cycle;
    logic [63:0]  dice;

    // True in `of` of 64 cases; each `at` of a cycle looks at other bits.
    function automatic logic luck(input logic [6:0] of, input int at);
        luck = 7'(6'(dice >> (at * 6))) < of;
    endfunction
    assign empty = put == got && !valid && !push;

    task enter(input int later);
        if (put - got < RING) begin
            ring[put % RING] = pushed;
            due[put % RING]  = cycle + int'(latency) + later;
            if (luck(swap, 4) && put > got) begin
                ring[put % RING]       = ring[(put - 1) % RING];
                ring[(put - 1) % RING] = pushed;
            end
            put = put + 1;
        end
    endtask

    always @(posedge aclk) begin
        dice  = {dice[62:0], dice[63] ^ dice[62] ^ dice[60] ^ dice[59]} ^ {17'd0, dice[63:17]};
        cycle = cycle + 1;
        valid <= 1'b0;
        busy  <= put != got && !clear;
        if (clear) begin
            put = 0;
            got = 0;
        end else begin
            if (push && !luck(lose, 5)) enter(0);
            if (push && luck(twice, 6)) enter(int'(dice[63:60]) * SPREAD);
            if (pull && put > got && due[got % RING] <= cycle) begin
                valid <= 1'b1;
                data  <= ring[got % RING];
                got   = got + 1;
            end
        end
    end

    initial begin
        dice = 64'(SEED) * 64'h9E3779B97F4A7C15 + 64'd1;
        put = 0; got = 0; cycle = 0; valid = 1'b0; busy = 1'b0; data = '0;
    end
endmodule

`default_nettype wire
