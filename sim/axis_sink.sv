// SPDX-License-Identifier: BSD-3-Clause
//
// axis_sink - simulation only: takes every beat with random back-pressure and writes them to a file.
//
// count continues beyond DEPTH, so that surplus beats are detected. Beats are kept in lots; a lot is written when
// it is full, and the last one when dump rises. FILE is written then, too: nine 32-bit little-endian words, which
// are count, beats stored, whether there is a sideband, whether the lots are text, beats of a lot, how often tvalid
// fell before tready came and the count at the first of these, and the same of tdata that changed, which a monitor
// looks at. AXI4-Stream forbids both. Lot 0 is in FILE.0 as bytes, tdata before sidebands, or in FILE.0.data and
// FILE.0.side as text, which shows unknown bits. A model of Verilator knows none and writes bytes; Icarus writes
// text, which it does fastest. They are read by sim/bench_beats.py.
//
// Parameters: DATA_W  tdata width in bits, a multiple of 8
//             DEPTH   beats stored
//             FILE    name, relative to the run directory
//             SEED    of the stalls
//             LOT     bits of tdata in a lot, at most: a file is opened for each
`default_nettype none

module axis_sink #(
    parameter int DATA_W = 64,
    parameter int DEPTH  = 1024,
    parameter     FILE   = "sink.bin",
    parameter int SEED   = 2,
    parameter int LOT    = DATA_W < 256 ? 1 << 21 : 1 << 22
) (
    input  wire                aclk,
    input  wire                aresetn,
    input  wire                dump,
    input  wire [7:0]          stall,  // chance in 1/256 that tready is low
    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tlast,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire [31:0]         now,    // cycle, of whatever clock
    output wire [31:0]         count,  // beats taken since the reset
    output wire [31:0]         last,   // what `now` was at the last of them
    output wire                dumped
);
    localparam int BYTES    = DATA_W / 8;
    localparam int SIDE_W   = 8 * (BYTES / 8 + 1);  // {tlast, tkeep} in whole bytes
    localparam int SIDEBAND = 1;
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
    endgenerate

    logic [DATA_W-1:0] memory[0:BEATS-1];
    logic [SIDE_W-1:0] sideband[0:BEATS-1];
    logic [31:0]       count_q, last_q;
    logic [31:0]       withdrawn_q, withdrawn_at_q;  // times that tvalid fell before tready came; count at the first
    logic              dumped_q, offered_q;
    string             name;
    wire               pause;

    bench_stall #(
        .SEED(SEED)
    ) u_stall (
        .aclk(aclk),
        .aresetn(aresetn),
        .chance(stall),
        .stall(pause)
    );

    assign s_axis_tready = !pause;
    assign count         = count_q;
    assign last          = last_q;
    assign dumped        = dumped_q;

    task automatic save_lot(input integer lot, input integer save_beats);
`ifdef BENCH_MEMORY_IN_CPP
        integer save_file;
        name = $sformatf("%0s.%0d", FILE, lot);
        save_file = $fopen(name, "wb");
        if (save_file == 0) $fatal(1, "axis_sink %m: cannot write %0s", name);
        $c("bench_save(", memory, ", ", save_file, ", ", save_beats, ", ", BYTES, ");");
        $c("bench_save(", sideband, ", ", save_file, ", ", save_beats, ", ", SIDE_W / 8, ");");
        $fclose(save_file);
`else
        name = $sformatf("%0s.%0d.data", FILE, lot);
        $writememh(name, memory, 0, save_beats - 1);
        name = $sformatf("%0s.%0d.side", FILE, lot);
        $writememh(name, sideband, 0, save_beats - 1);
`endif
    endtask

    task automatic save;
        integer save_file, save_beats;
        save_beats = count_q < DEPTH ? count_q : DEPTH;
        save_file  = $fopen(FILE, "wb");
        if (save_file == 0) $fatal(1, "axis_sink %m: cannot write %0s", FILE);
        $fwrite(save_file, "%u%u%u%u%u", count_q, save_beats, SIDEBAND, TEXT, BEATS);
        $fwrite(save_file, "%u%u%u%u", withdrawn_q, withdrawn_at_q, 32'd0, 32'd0);
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
                memory[count_q[LOT_W-1:0]]   <= s_axis_tdata;
                sideband[count_q[LOT_W-1:0]] <= SIDE_W'({s_axis_tlast, s_axis_tkeep});
            end
        end
        offered_q <= s_axis_tvalid && !s_axis_tready;
        if (offered_q && !s_axis_tvalid) begin
            withdrawn_q <= withdrawn_q + 32'd1;
            if (withdrawn_q == 32'd0) withdrawn_at_q <= count_q;
        end
        if (!aresetn) begin
            count_q     <= 32'd0;
            last_q      <= 32'd0;
            withdrawn_q <= 32'd0;
            offered_q   <= 1'b0;
        end
    end
endmodule

`default_nettype wire
