// SPDX-License-Identifier: BSD-3-Clause
//
// axis_monitor - simulation only: watches a stream that others drive and writes its beats to a file.
//
// As axis_sink, but passive and without tkeep and tlast, as the streams of a FINN partition are.
//
// Parameters: DATA_W  tdata width in bits, a multiple of 8
//             DEPTH   beats stored
//             FILE    name, relative to the run directory
//             LOT     bits of tdata in a lot, at most: a file is opened for each
//             WORD_W  bits of a word; what is above is padding, which may be anything, and is not looked at
`default_nettype none

module axis_monitor #(
    parameter int DATA_W = 64,
    parameter int DEPTH  = 1024,
    parameter     FILE   = "monitor.bin",
    parameter int LOT    = DATA_W < 256 ? 1 << 21 : 1 << 22,
    parameter int WORD_W = DATA_W
) (
    input  wire                aclk,
    input  wire                aresetn,
    input  wire                dump,
    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire                s_axis_tvalid,
    input  wire                s_axis_tready,
    input  wire [31:0]         now,    // cycle, of whatever clock
    output wire [31:0]         count,  // beats taken since the reset
    output wire [31:0]         last,   // what `now` was at the last of them
    output wire                dumped
);
    localparam int BYTES    = DATA_W / 8;
    localparam int SIDEBAND = 0;
`ifdef BENCH_MEMORY_IN_CPP
    localparam int TEXT = 0;
`else
    localparam int TEXT = 1;
`endif

    localparam int NEED_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam int MOST_W = LOT > 2 * DATA_W ? $clog2(LOT / DATA_W) : 1;
    localparam int LOT_W  = NEED_W < MOST_W ? NEED_W : MOST_W;
    localparam int BEATS  = 1 << LOT_W;  // of a lot

    generate
        if (DATA_W < 8 || DATA_W % 8 != 0) begin : g_check_data_w
            DATA_W_must_be_a_positive_multiple_of_8 parameter_error ();
        end
        if (WORD_W < 1 || WORD_W > DATA_W) begin : g_check_word_w
            WORD_W_must_be_1_to_DATA_W parameter_error ();
        end
    endgenerate

    wire  [DATA_W-1:0] word = s_axis_tdata & DATA_W'({WORD_W{1'b1}});
    logic [DATA_W-1:0] memory[0:BEATS-1];
    logic [31:0]       count_q, last_q;
    // Before tready came: times that tvalid fell, or that tdata changed; count at the first.
    logic [31:0]       withdrawn_q, withdrawn_at_q, altered_q, altered_at_q;
    logic [DATA_W-1:0] offer_q;
    logic              dumped_q, offered_q;
    string             name;

    assign count         = count_q;
    assign last          = last_q;
    assign dumped        = dumped_q;

    task automatic save_lot(input integer lot, input integer save_beats);
`ifdef BENCH_MEMORY_IN_CPP
        integer save_file;
        name = $sformatf("%0s.%0d", FILE, lot);
        save_file = $fopen(name, "wb");
        if (save_file == 0) $fatal(1, "axis_monitor %m: cannot write %0s", name);
        $c("bench_save(", memory, ", ", save_file, ", ", save_beats, ", ", BYTES, ");");
        $fclose(save_file);
`else
        name = $sformatf("%0s.%0d.data", FILE, lot);
        $writememh(name, memory, 0, save_beats - 1);
`endif
    endtask

    task automatic save;
        integer save_file, save_beats;
        save_beats = count_q < DEPTH ? count_q : DEPTH;
        save_file  = $fopen(FILE, "wb");
        if (save_file == 0) $fatal(1, "axis_monitor %m: cannot write %0s", FILE);
        $fwrite(save_file, "%u%u%u%u%u", count_q, save_beats, SIDEBAND, TEXT, BEATS);
        $fwrite(save_file, "%u%u%u%u", withdrawn_q, withdrawn_at_q, altered_q, altered_at_q);
        $fclose(save_file);
        if (save_beats > 0) save_lot((save_beats - 1) >> LOT_W, (save_beats - 1) % BEATS + 1);
    endtask

    always @(posedge aclk) begin
        dumped_q <= dump;
        if (dump && !dumped_q) save;
        if (s_axis_tvalid && s_axis_tready) begin
            count_q <= count_q + 32'd1;
            last_q  <= now;
            if (count_q < DEPTH) begin
                if (count_q[LOT_W-1:0] == '0 && count_q != 32'd0) save_lot((count_q >> LOT_W) - 1, BEATS);
                memory[count_q[LOT_W-1:0]] <= word;
            end
        end
        offered_q <= s_axis_tvalid && !s_axis_tready;
        if (s_axis_tvalid && !s_axis_tready) offer_q <= word;
        if (offered_q && !s_axis_tvalid) begin
            withdrawn_q <= withdrawn_q + 32'd1;
            if (withdrawn_q == 32'd0) withdrawn_at_q <= count_q;
        end
        if (offered_q && s_axis_tvalid && word !== offer_q) begin
            altered_q <= altered_q + 32'd1;
            if (altered_q == 32'd0) altered_at_q <= count_q;
        end
        if (!aresetn) begin
            count_q     <= 32'd0;
            last_q      <= 32'd0;
            withdrawn_q <= 32'd0;
            altered_q   <= 32'd0;
            offered_q   <= 1'b0;
        end
    end
endmodule

`default_nettype wire
