// SPDX-License-Identifier: BSD-3-Clause
//
// formal_track - no loss, no duplication, no reordering: every unit that enters leaves at its place.
//
// A stream is a string of units of UNIT bits. A beat carries the lowest `in_units` (`out_units`) of its
// units, and the others are not looked at. An arbitrary bit of an arbitrary unit is followed: the units
// that are inside when it enters, minus those that leave, say where it must appear. All bits are that bit,
// so the output string is the input string. Asserted:
//   level    at most CAPACITY units are inside
//   origin   no beat is offered of which a unit has not entered
//   order    the bit followed leaves with its value, at its place
// Loss shows as a later unit at the place of the lost one, or as a count of units that disagrees with the
// block's own; that the last units leave at all is the progress that formal_sink asserts.
//
// Parameters: UNIT      bits of a unit
//             IN_U      units of an input beat
//             OUT_U     units of an output beat
//             TAIL_W    the upper bits of a unit that count only in the last unit of an output beat
//             CAPACITY  units that the block may hold
//             PASS      1: a beat may leave in the cycle in which it enters
`default_nettype none

module formal_track #(
    parameter int UNIT     = 1,
    parameter int IN_U     = 1,
    parameter int OUT_U    = 1,
    parameter int TAIL_W   = 0,
    parameter int CAPACITY = 1,
    parameter int PASS     = 0
) (
    input  wire                                   aclk,
    input  wire                                   aresetn,

    input  wire  [IN_U*UNIT-1:0]                  in_data,
    input  wire  [$clog2(IN_U+1)-1:0]             in_units,
    input  wire                                   in_fire,

    input  wire  [OUT_U*UNIT-1:0]                 out_data,
    input  wire  [$clog2(OUT_U+1)-1:0]            out_units,
    input  wire                                   out_valid,
    input  wire                                   out_fire,

    output logic [$clog2(CAPACITY+IN_U+1)-1:0]    held
);

    localparam int HELD_W = $clog2(CAPACITY + IN_U + 1);
    localparam int UNIT_W = IN_U > 1 ? $clog2(IN_U) : 1;
    localparam int BIT_W  = UNIT > 1 ? $clog2(UNIT) : 1;

    (* anyseq *)   logic              choose;
    (* anyseq *)   logic [UNIT_W-1:0] unit;
    (* anyconst *) logic [BIT_W-1:0]  place;

    logic [HELD_W-1:0] held_q, ahead_q;
    logic              following_q, value_q;

    // One bit of every unit.
    logic [IN_U-1:0]  in_bits;
    logic [OUT_U-1:0] out_bits;
    generate
        for (genvar k = 0; k < IN_U; k++) begin : g_in
            wire [UNIT-1:0] word = in_data[k*UNIT +: UNIT];
            assign in_bits[k] = word[place];
        end
        for (genvar k = 0; k < OUT_U; k++) begin : g_out
            wire [UNIT-1:0] word = out_data[k*UNIT +: UNIT];
            assign out_bits[k] = word[place];
        end
    endgenerate

    wire [HELD_W-1:0] enter  = in_fire ? HELD_W'(in_units) : '0;
    wire [HELD_W-1:0] leave  = out_fire ? HELD_W'(out_units) : '0;
    wire              start  = choose && in_fire && !following_q && HELD_W'(unit) < HELD_W'(in_units);
    wire              follow = following_q || (PASS != 0 && start);
    wire [HELD_W-1:0] ahead  = following_q ? ahead_q : held_q + HELD_W'(unit);
    wire              value  = following_q ? value_q : in_bits[unit];
    wire [HELD_W-1:0] source = PASS != 0 ? held_q + enter : held_q;
    wire              look   = PASS != 0 ? out_fire : out_valid;  // a beat on its way through enters when it leaves
    wire              here   = ahead < HELD_W'(out_units);

    always_comb assume (32'(place) < UNIT);

    always_ff @(posedge aclk) begin
        held_q      <= held_q + enter - leave;
        following_q <= (following_q || start) && !(follow && out_fire && here);
        ahead_q     <= ahead - leave;
        value_q     <= value;
        if (!aresetn) begin
            held_q      <= '0;
            following_q <= 1'b0;
        end
    end

    always_comb if (aresetn) begin
        level: assert (held_q <= HELD_W'(CAPACITY));
        if (look) begin
            origin: assert (HELD_W'(out_units) <= source);
            if (follow && here && (ahead + 1'b1 == HELD_W'(out_units) || 32'(place) < UNIT - TAIL_W))
                order: assert (out_bits[ahead[$clog2(OUT_U+1)-1:0]] == value);
        end
    end

    // The proof is not empty: a bit that waited inside has left.
    always_comb if (aresetn) followed: cover (follow && here && out_fire);

    assign held = held_q;

endmodule

`default_nettype wire
