// SPDX-License-Identifier: BSD-3-Clause
//
// ref_thresholds - threshold memory with the AXI-Lite layout of FINN's Thresholding_rtl.
//
// FOLDS words of PE * STEPS thresholds; each threshold is one 32-bit register, index as in ref_thresholding. Registers
// between the real ones (PE or STEPS no power of two) read zero and ignore writes.
// Throughput: a word per cycle to the layer. Latency: one cycle. Resources: a RAM with one write and two read ports.
//
// Parameters: PE, STEPS    thresholds of a word
//             FOLDS        words
//             THRESHOLD_W  bits of a threshold
//             INIT_FILE    $readmemh file with FOLDS lines
// Checked by: tests/test_reference_rtl.py (Icarus and Verilator)
`default_nettype none

module ref_thresholds #(
    parameter int PE          = 1,
    parameter int STEPS       = 15,
    parameter int FOLDS       = 4,
    parameter int THRESHOLD_W = 16,
    parameter     INIT_FILE   = "",
    localparam int ADDR_W     = FOLDS > 1 ? $clog2(FOLDS) : 1,
    localparam int WORD_W     = PE * STEPS * THRESHOLD_W
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
    output wire [31:0]        read_data
);
    localparam int PE_BITS   = $clog2(PE);
    localparam int STEP_BITS = $clog2(STEPS);
    localparam int SLOTS     = PE * STEPS;
    localparam logic [WORD_W-1:0] FIELD = WORD_W'({THRESHOLD_W{1'b1}});

    logic [WORD_W-1:0] memory [0:FOLDS-1];
    logic [WORD_W-1:0] fetch_q, read_q;
    logic [31:0]       slot_q;

    // A register's word and its place in the word; SLOTS and above is no place.
    wire [31:0] write_fold = write_index >> (PE_BITS + STEP_BITS);
    wire [31:0] write_pe   = (write_index >> STEP_BITS) - (write_fold << PE_BITS);
    wire [31:0] write_step = write_index - ((write_index >> STEP_BITS) << STEP_BITS);
    wire [31:0] write_slot = write_pe < PE && write_step < STEPS ? write_pe * STEPS + write_step : SLOTS;
    wire [31:0] write_low  = write_slot * THRESHOLD_W;
    wire [31:0] read_fold  = read_index >> (PE_BITS + STEP_BITS);
    wire [31:0] read_pe    = (read_index >> STEP_BITS) - (read_fold << PE_BITS);
    wire [31:0] read_step  = read_index - ((read_index >> STEP_BITS) << STEP_BITS);
    wire [31:0] read_slot  = read_pe < PE && read_step < STEPS && read_fold < FOLDS ? read_pe * STEPS + read_step : SLOTS;

    assign fetch_word = fetch_q;
    assign read_data  = slot_q < SLOTS ? 32'(THRESHOLD_W'(read_q >> (slot_q * THRESHOLD_W))) : '0;

    always_ff @(posedge aclk) begin
        if (fetch_en) fetch_q <= memory[fetch_addr];
        if (read_en) begin
            read_q <= memory[ADDR_W'(read_fold)];
            slot_q <= read_slot;
        end
        if (write_en && write_fold < FOLDS && write_slot < SLOTS)
            memory[ADDR_W'(write_fold)] <= (memory[ADDR_W'(write_fold)] & ~(FIELD << write_low))
                                         | (WORD_W'(write_data[THRESHOLD_W-1:0]) << write_low);
    end

    initial $readmemh(INIT_FILE, memory);

    wire unused = &{1'b0, write_data};  // upper bits of a register
endmodule

`default_nettype wire
