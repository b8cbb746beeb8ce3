// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_width_down_keep - the proof of axis_width_down_keep against a count of the bytes of a word.
//
// Words and windows are free, but for what axis_width_down never does: a window begins no later than the last unit
// that is kept, and what is left goes below a word of zeros only when the window ends before the frame does and the
// next one would reach beyond the word.
`default_nettype none

module formal_axis_width_down_keep #(
    parameter int KEEP_W    = 1,
    parameter int IN_UNITS  = 3,
    parameter int OUT_UNITS = 2,
    parameter bit EARLY     = 0,
    localparam int START_W  = $clog2(IN_UNITS)
) (
    input wire                        aclk,
    input wire                        aresetn,
    input wire                        load,
    input wire                        flush,
    input wire                        early,
    input wire                        is_last,
    input wire [IN_UNITS*KEEP_W-1:0]  s_axis_tkeep,
    input wire [START_W-1:0]          start
);

    localparam int BYTES   = IN_UNITS * KEEP_W;
    localparam int WIDTH   = $clog2(4 * BYTES + 4) + 1;  // signed: units may lie below the word

    wire                         at_end;
    wire [OUT_UNITS*KEEP_W-1:0]  keep;
    logic                        have_q, flushing_q;
    logic signed [WIDTH-1:0]     bytes_q, bytes_d, bytes, low;

    axis_width_down_keep #(.KEEP_W(KEEP_W), .IN_UNITS(IN_UNITS), .OUT_UNITS(OUT_UNITS), .EARLY(EARLY)) u_dut (
        .aclk(aclk), .load(load), .flush(flush), .flushing(flushing_q), .early(early), .is_last(is_last),
        .s_axis_tkeep(s_axis_tkeep), .start(start), .at_end(at_end), .keep(keep)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    // The word and the unit of it at which the window begins; after a flush the word is the old one still.
    wire [BYTES:0] kept = {1'b0, s_axis_tkeep};
    always_comb begin
        bytes_d = '0;
        for (int k = 0; k < BYTES; k++) bytes_d = bytes_d + WIDTH'(s_axis_tkeep[k]);
        bytes = early ? bytes_d : bytes_q;
        low   = $signed(WIDTH'(start)) - WIDTH'(OUT_UNITS - 1) + (flushing_q ? WIDTH'(IN_UNITS) : '0);
    end
    wire signed [WIDTH-1:0] last_unit = (bytes - WIDTH'(1)) / WIDTH'(KEEP_W);
    wire                    ends      = is_last && low + WIDTH'(OUT_UNITS) > last_unit;
    wire                    looks     = aresetn && (early || have_q);

    always_ff @(posedge aclk) begin
        if (load) bytes_q <= bytes_d;
        if (load) have_q <= 1'b1;
        if (load) flushing_q <= 1'b0;
        if (flush) flushing_q <= 1'b1;
        if (!aresetn) {have_q, flushing_q} <= '0;
    end

    always_comb begin
        assume (!early || (EARLY && start == '0 && !flushing_q));
        assume (!(load && flush));
        if (load || early) assume (kept[0] && ((kept + 1'b1) & kept) == '0);
        if (flushing_q) assume (is_last);
        if (looks && is_last) assume (low <= last_unit);
        if (flush) assume (looks && is_last && !early && !flushing_q && !ends
                           && low + WIDTH'(2 * OUT_UNITS) > WIDTH'(IN_UNITS));
    end

    // A byte is kept where it belongs to the frame.
    wire [OUT_UNITS*KEEP_W-1:0] expected;
    generate
        for (genvar b = 0; b < OUT_UNITS * KEEP_W; b++) begin : g_byte
            wire signed [WIDTH-1:0] at = low * WIDTH'(KEEP_W) + WIDTH'(b);
            assign expected[b] = !is_last || at < bytes;
        end
    endgenerate

    always_comb if (looks) begin
        end_of_frame: assert (at_end == ends);
        bytes_kept: assert (keep == expected);
        seen: cover (ends && (flushing_q || OUT_UNITS == 1));
    end

endmodule

`default_nettype wire
