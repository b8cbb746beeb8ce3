// SPDX-License-Identifier: BSD-3-Clause
//
// ref_weights - weight memory with the AXI-Lite layout of FINN's memstream.
//
// DEPTH words of WORD_W bits; LANES = 2**clog2(ceil(WORD_W/32)) registers of 32 bits per word, so segment j of
// word k is register k * LANES + j. Access rules are those of finn-plus 1.3.0 and 1.6.1: segments are gathered and
// the word is written with segment ceil(WORD_W/32) - 1; reading segment 0 fetches the word, the other segments
// return what that fetch brought. Writing and reading all segments in ascending order suits every FINN version.
// Throughput: a word per cycle to the layer. Latency: one cycle. Resources: a RAM with one write and two read ports.
//
// Parameters: WORD_W     bits of a word
//             DEPTH      words
//             INIT_FILE  $readmemh file with DEPTH lines
// Checked by: tests/test_reference_rtl.py (Icarus and Verilator)
`default_nettype none

module ref_weights #(
    parameter int WORD_W    = 32,
    parameter int DEPTH     = 1,
    parameter     INIT_FILE = "",
    localparam int ADDR_W   = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
    input  wire               aclk,

    input  wire               fetch_en,
    input  wire [ADDR_W-1:0]  fetch_addr,
    output wire [WORD_W-1:0]  fetch_word,

    input  wire               write_en,
    input  wire [31:0]        write_index,
    input  wire [31:0]        write_data,
    input  wire               read_en,
    input  wire [31:0]        read_index,
    output logic [31:0]       read_data
);
    localparam int USED   = (WORD_W + 31) / 32;
    localparam int LANE_W = $clog2(USED);

    logic [WORD_W-1:0]  memory [0:DEPTH-1];
    logic [WORD_W-1:0]  fetch_q, read_q;
    logic [USED*32-1:0] gather_q, gathered, readable;

    wire [31:0] write_word = write_index >> LANE_W;
    wire [31:0] write_lane = write_index - (write_word << LANE_W);
    wire [31:0] read_word  = read_index >> LANE_W;
    wire [31:0] read_lane  = read_index - (read_word << LANE_W);

    assign fetch_word = fetch_q;

    always_comb begin
        gathered  = gather_q;
        readable  = '0;
        readable[WORD_W-1:0] = read_q;
        read_data = '0;
        for (int lane = 0; lane < USED; lane++) begin
            if (write_lane == lane) gathered[lane*32 +: 32] = write_data;
            if (read_lane == lane)  read_data = readable[lane*32 +: 32];
        end
    end

    always_ff @(posedge aclk) begin
        if (fetch_en) fetch_q <= memory[fetch_addr];
        if (read_en && read_lane == 0) read_q <= memory[ADDR_W'(read_word)];
        if (write_en) begin
            gather_q <= gathered;
            if (write_lane == USED - 1 && write_word < DEPTH) memory[ADDR_W'(write_word)] <= gathered[WORD_W-1:0];
        end
    end

    initial $readmemh(INIT_FILE, memory);

    wire unused = &{1'b0, gathered};  // the last segment is padded
endmodule

`default_nettype wire
