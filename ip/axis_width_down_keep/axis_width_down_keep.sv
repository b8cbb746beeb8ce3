// SPDX-License-Identifier: BSD-3-Clause
//
// axis_width_down_keep - which bytes of a window of axis_width_down belong to its frame; part of axis_width_framed.
//
// The keep bits of a word are not stored: for the last word of a frame the number of its last unit and the
// bytes of that unit say the same. With them and with the start of the window it tells whether the window is
// the last one of the frame and which bytes of it are kept. For a window that is read from the input, the
// keep bits are taken from there.
//
// Throughput  -
// Latency     none
// Paths       combinational from start, is_last, flushing, and where EARLY from early and s_axis_tkeep, to at_end
//             and keep
// Resources   $clog2(IN_UNITS) + KEEP_W - 1 FF
//
// Parameters: KEEP_W     bytes of a unit
//             IN_UNITS   units of an input beat
//             OUT_UNITS  units of an output beat, less than IN_UNITS
//             EARLY      1 when the first window of a word is read from the input, with OUT_UNITS = 1 only
// Checked by: test_axis_width_engines.py
`default_nettype none

module axis_width_down_keep #(
    parameter int KEEP_W    = 1,
    parameter int IN_UNITS  = 2,
    parameter int OUT_UNITS = 1,
    parameter bit EARLY     = 1,
    localparam int START_W  = $clog2(IN_UNITS)
) (
    input  wire                         aclk,
    input  wire                         load,          // the word is stored
    input  wire                         flush,         // what is left of the word goes below a word of zeros
    input  wire                         flushing,      // the window is on the word of zeros
    input  wire                         early,         // the window is read from the input
    input  wire                         is_last,       // the window is on the last word of a frame
    input  wire  [IN_UNITS*KEEP_W-1:0]  s_axis_tkeep,
    input  wire  [START_W-1:0]          start,         // of the window, from OUT_UNITS - 1 units below the word on
    output logic                        at_end,        // the window is the last of its frame
    output logic [OUT_UNITS*KEEP_W-1:0] keep
);

    generate
        if (KEEP_W < 1) begin : g_check_keep_w
            KEEP_W_must_be_at_least_1 parameter_error();
        end
        if (OUT_UNITS < 1 || IN_UNITS <= OUT_UNITS) begin : g_check_units
            OUT_UNITS_must_be_at_least_1_and_less_than_IN_UNITS parameter_error();
        end
        if (EARLY && OUT_UNITS > 1) begin : g_check_early
            EARLY_needs_OUT_UNITS_1 parameter_error();
        end
    endgenerate

    // ---- the last unit kept, and its bytes, from the places where the keep bits change
    wire [IN_UNITS:0]  first;               // first byte of every unit; the unit beyond is not kept
    wire [START_W-1:0] unit_d;
    wire [KEEP_W-1:0]  bytes_d;
    wire unused = &{1'b0, early, first[IN_UNITS]};
    assign first[IN_UNITS] = 1'b0;
    generate
        for (genvar u = 0; u < IN_UNITS; u++) begin : g_first
            assign first[u] = s_axis_tkeep[u*KEEP_W];
        end
        for (genvar k = 0; k < START_W; k++) begin : g_unit
            // Bit k of a number has changed as often as the number has passed a multiple of 2^k. Plainly the
            // highest u with first[u], of which Yosys makes a chain: 13 levels for 64 units, where this takes 5.
            wire [IN_UNITS-1:0] passed;
            for (genvar u = 0; u < IN_UNITS; u++) begin : g_passed
                assign passed[u] = u > 0 && u % (1 << k) == 0 && first[u];
            end
            assign unit_d[k] = ^passed;
        end
        for (genvar b = 0; b < KEEP_W; b++) begin : g_byte
            if (b == 0) begin : g_always
                assign bytes_d[b] = 1'b1;
            end else begin : g_some
                wire [IN_UNITS-1:0] ends;
                for (genvar u = 0; u < IN_UNITS; u++) begin : g_ends
                    assign ends[u] = s_axis_tkeep[u*KEEP_W + b] && !first[u+1];
                end
                assign bytes_d[b] = |ends;
            end
        end
    endgenerate

    logic [START_W-1:0] unit_q;
    logic [KEEP_W-1:0]  bytes_q;
    always_ff @(posedge aclk) begin
        if (load)  unit_q  <= unit_d;
        if (load)  bytes_q <= bytes_d;
        if (flush) unit_q  <= unit_q - START_W'(IN_UNITS);
    end

    // ---- windows on the stored word
    wire stored_end = flushing || start >= unit_q;
    // Only looked at in the last window, where it is less than OUT_UNITS.
    localparam int IN_WINDOW_W = OUT_UNITS > 1 ? $clog2(OUT_UNITS) : 1;
    wire [IN_WINDOW_W-1:0] unit_in_window = IN_WINDOW_W'(unit_q) - IN_WINDOW_W'(start) + IN_WINDOW_W'(OUT_UNITS - 1);
    wire [OUT_UNITS*KEEP_W-1:0] stored_keep;
    generate
        for (genvar j = 0; j < OUT_UNITS; j++) begin : g_window
            wire below, here;
            if (j == OUT_UNITS - 1) begin : g_last
                assign below = 1'b0;
            end else begin : g_not_last
                assign below = unit_in_window > IN_WINDOW_W'(j);
            end
            assign here = OUT_UNITS == 1 || unit_in_window == IN_WINDOW_W'(j);
            assign stored_keep[j*KEEP_W +: KEEP_W] =
                {KEEP_W{!is_last || !stored_end || below}} | (bytes_q & {KEEP_W{here}});
        end
    endgenerate

    // ---- the window on the input is the first of its word
    generate
        if (EARLY) begin : g_early
            assign at_end = is_last && (early ? !first[1] : stored_end);
            assign keep   = early ? s_axis_tkeep[KEEP_W-1:0] | {KEEP_W{!is_last}} : stored_keep;
        end else begin : g_stored
            assign at_end = is_last && stored_end;
            assign keep   = stored_keep;
        end
    endgenerate

endmodule

`default_nettype wire
