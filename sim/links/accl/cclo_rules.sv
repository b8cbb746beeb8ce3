// SPDX-License-Identifier: BSD-3-Clause
//
// cclo_rules - simulation only: what a core does to an ACCL engine that no core may do; part of cclo.
//
// `faults` says what:
//   0  a beat of data without a command
//   1  a command before the status of the last, or before all of its data
//   2  words of a command that make no put of whole beats, or not 15 of them
//   3  a call that refers to nothing: other addresses than those of the communicator and of int32, a rank that is not
//      there, or the engine is not configured
//   4  TKEEP not all ones, or TLAST not on the last beat of a put
// The first of each kind is printed, too.
//
// Parameters: RANKS  of the network; NAME  of the board, for what is printed
// Source:     Xilinx/ACCL, kernels/plugins/client_arbiter
`default_nettype none

module cclo_rules #(
    parameter int RANKS = 2,
    parameter     NAME  = "cclo"
) (
    input  wire         aclk,
    input  wire         aresetn,

    input  wire [31:0]  word,         // of a command
    input  wire [3:0]   word_keep,
    input  wire         word_last,
    input  wire         word_fire,
    input  wire [63:0]  beat_keep,    // of data
    input  wire         beat_last,
    input  wire         beat_fire,
    input  wire         status_fire,

    // cclo_registers.sv
    input  wire [31:0]  buffers,
    input  wire         ready,

    output wire         owed,         // the status of a command was not taken yet
    output wire         due,          // beats that were announced have not come
    output logic [4:0]  faults
);
    localparam logic [31:0] SEND = 32'd3;
    localparam logic [2:0] NO_COMMAND = 3'd0, TOO_EARLY = 3'd1, WORDS = 3'd2, ADDRESSES = 3'd3, SIDEBAND = 3'd4;

    task automatic blame(input [2:0] which, input string words);
        if (!faults[which]) $display("Error: %s: %s", NAME, words);
        faults[which] <= 1'b1;
    endtask

    logic [3:0]   place_q;                   // of the next word that comes, in its command
    logic [447:0] told_q;                    // words of the command that comes, but the last
    logic         owed_q;
    logic [31:0]  due_q;
    wire  [479:0] told  = {word, told_q};    // with the 15th
    wire          whole = word_fire && place_q == 4'd14;

    assign owed = owed_q;
    assign due  = due_q != 32'd0;

    // The addresses that a put must have follow from what the driver has written.
    wire [31:0] right_group = 32'd8 + 32'd28 * buffers;
    wire [31:0] right_types = right_group + 32'd8 + 32'd24 * RANKS + 32'd144;

    task automatic inspect;
        if (told[31:0] != SEND || told[63:32] == 32'd0 || told[35:32] != 4'd0 || told[159:128] != 32'd0
            || told[191:160] > 32'd246 || told[255:224] != 32'd0 || told[287:256] != 32'd3 || told[479:288] != '0)
            blame(WORDS, $sformatf("words of a command that make no put of whole beats: %h", told));
        if (told[95:64] != right_group || told[223:192] != right_types || told[127:96] >= RANKS || !ready)
            blame(ADDRESSES, $sformatf(
                  "a put to rank %0d with communicator %h and types %h; they are at %h and %h",
                  told[127:96], told[95:64], told[223:192], right_group, right_types));
    endtask

    always_ff @(posedge aclk) begin
        if (word_fire) begin
            if (place_q == 4'd0 && (owed_q || due_q != 32'd0))
                blame(TOO_EARLY, $sformatf("a command before the last one's %s", owed_q ? "status" : "data"));
            if (word_last != (place_q == 4'd14) || word_keep != 4'hF)
                blame(WORDS, $sformatf("TLAST is %b and TKEEP %b at word %0d", word_last, word_keep, place_q));
            if (!whole) told_q[32*place_q+:32] <= word;
            place_q <= whole ? 4'd0 : place_q + 4'd1;
        end
        if (whole) inspect();
        if (beat_fire) begin
            if (due_q == 32'd0) blame(NO_COMMAND, "a beat of data without a command");
            else if (beat_last != (due_q == 32'd1) || beat_keep != '1)
                blame(SIDEBAND, $sformatf("TLAST is %b with %0d beats to come, TKEEP %h", beat_last, due_q - 32'd1, beat_keep));
        end
        if (whole) due_q <= (told[63:32] + 32'd15) / 32'd16;
        else if (beat_fire && due_q != 32'd0) due_q <= due_q - 32'd1;
        if (whole) owed_q <= 1'b1;
        else if (status_fire) owed_q <= 1'b0;
        if (!aresetn) begin
            place_q <= 4'd0;
            owed_q  <= 1'b0;
            due_q   <= 32'd0;
            faults  <= 5'd0;
            told_q  <= '0;
        end
    end
endmodule

`default_nettype wire
