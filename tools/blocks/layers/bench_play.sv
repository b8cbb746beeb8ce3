// SPDX-License-Identifier: BSD-3-Clause
//
// bench_play - simulation only: hands out `beats` words of the bench's vectors, with random stalls or without.
//
// While there is no word, the port carries all ones or zeros. One module serves every width and stream, selected by
// ports, so that it is compiled once.
`default_nettype none

module bench_play (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire  [31:0] first,
    input  wire  [31:0] beats,
    input  wire         stall,
    output logic [63:0] tdata,
    output logic        tvalid,
    input  wire         tready,
    output logic        began
);
    logic [31:0] index, dice;
    logic        taken, reset;

    initial begin
        index = 0; taken = 1'b0; reset = 1'b1; tvalid = 1'b0; began = 1'b0; tdata = '1; dice = 0;
    end

    always @(negedge aclk) begin
        if (dice == 0) dice = (first + 32'd1) * 32'h9E3779B1;
        dice = {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]};
        if (taken) begin
            index  = index + 1;
            tvalid = 1'b0;
        end
        if (reset) begin
            index  = 0;
            tvalid = 1'b0;
        end else if (!tvalid && index < beats && (!stall || dice[3:0] < 4'd6)) tvalid = 1'b1;
        tdata = tvalid ? tb_layers.vectors[16'(first + index)] : {64{dice[7]}};
    end

    // aresetn changes at the same edge as the words: what counts is what the layer saw.
    always @(posedge aclk) begin
        reset <= !aresetn;
        taken <= aresetn && tvalid && tready;
        began <= aresetn && (began || (tvalid && tready));
    end
endmodule

`default_nettype wire
