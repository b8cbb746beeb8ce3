// SPDX-License-Identifier: BSD-3-Clause
//
// Source and sink around one partition, both stalling at random. The sink compares every word, and goes on looking
// for words that should not come. The top that holds one pair per partition is written by stitched_rtl.py.
`default_nettype none
module stitch_source #(
    parameter int W     = 8,
    parameter int WORDS = 1,
    parameter int STALL = 64,  // in 256
    parameter int SEED  = 0,
    parameter     FILE  = ""
) (
    input  wire         clk,
    input  wire         resetn,
    output wire [W-1:0] tdata,
    output logic        tvalid,
    input  wire         tready
);
    logic [W-1:0] memory [0:WORDS-1];
    logic [31:0]  lfsr = 32'hc0ffee11 + SEED;
    int           sent = 0;

    initial $readmemh(FILE, memory);
    assign tdata = memory[sent < WORDS ? sent : 0];

    always_ff @(posedge clk) begin
        lfsr <= {lfsr[30:0], lfsr[31] ^ lfsr[21] ^ lfsr[1] ^ lfsr[0]};
        if (!resetn) tvalid <= 1'b0;
        else if (!tvalid || tready) begin
            tvalid <= (sent + int'(tvalid) < WORDS) && int'(lfsr[7:0]) >= STALL;
            sent   <= sent + int'(tvalid);
        end
    end
endmodule

module stitch_sink #(
    parameter int W     = 8,
    parameter int WORDS = 1,
    parameter int STALL = 64,
    parameter     FILE  = ""
) (
    input  wire         clk,
    input  wire         resetn,
    input  wire [W-1:0] tdata,
    input  wire         tvalid,
    output logic        tready,
    output int          got,
    output int          wrong
);
    logic [W-1:0] memory [0:WORDS-1];
    logic [31:0]  lfsr = 32'h1badcafe;

    initial $readmemh(FILE, memory);

    always_ff @(posedge clk) begin
        lfsr   <= {lfsr[30:0], lfsr[31] ^ lfsr[21] ^ lfsr[1] ^ lfsr[0]};
        tready <= resetn && int'(lfsr[7:0]) >= STALL;
        if (resetn && tvalid && tready) begin
            got <= got + 1;
            if (got >= WORDS || tdata != memory[got < WORDS ? got : 0]) wrong <= wrong + 1;
        end
        if (!resetn) begin
            got   <= 0;
            wrong <= 0;
        end
    end
endmodule
`default_nettype wire
