// SPDX-License-Identifier: BSD-3-Clause
//
// frame_fill - simulation only: looks whether frames of BYTES bytes are filled up with zeros to whole beats.
//
// LEAD beats come in front of each frame and TRAIL behind it, which may hold anything.
//
// Frames follow one another without gaps from the reset on. `error` stays until the next one.
// Parameters: DATA_W  tdata width in bits, a multiple of 8
//             BYTES   of a frame, 1 or more
//             LEAD, TRAIL  beats beside it
`default_nettype none

module frame_fill #(
    parameter int DATA_W = 512,
    parameter int BYTES  = 64,
    parameter int LEAD   = 0,
    parameter int TRAIL  = 0
) (
    input  wire              aclk,
    input  wire              aresetn,
    input  wire [DATA_W-1:0] tdata,
    input  wire              tvalid,
    input  wire              tready,
    output logic             error
);
    localparam int BEAT  = DATA_W / 8;
    localparam int BEATS = (BYTES + BEAT - 1) / BEAT;
    localparam int FULL  = BYTES - (BEATS - 1) * BEAT;  // bytes of the last beat
    localparam logic [DATA_W-1:0] FILL = ~({DATA_W{1'b1}} >> (8 * (BEAT - FULL)));

    int beat_q;

    always @(posedge aclk)
        if (!aresetn) begin
            beat_q <= 0;
            error  <= 1'b0;
        end else if (tvalid && tready) begin
            beat_q <= beat_q == LEAD + BEATS + TRAIL - 1 ? 0 : beat_q + 1;
            if (beat_q == LEAD + BEATS - 1 && (tdata & FILL) !== '0) error <= 1'b1;
        end
endmodule

`default_nettype wire
