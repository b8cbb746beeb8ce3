// SPDX-License-Identifier: BSD-3-Clause
//
// axis_sink - simulation only: takes every beat with random back-pressure and writes them to a file.
//
// count continues beyond DEPTH, so that surplus beats are detected. FILE is written when dump rises and read by
// sim/bench_files.py: read_beats. It begins with 32-bit little-endian words: count, beats stored, whether
// there is a sideband, whether the beats follow as bytes or stand in FILE.data and FILE.side as text, which
// shows unknown bits. Verilator knows none and writes bytes; Icarus writes text, which it does fastest.
//
// Parameters: DATA_W  tdata width in bits, a multiple of 8
//             DEPTH   beats stored
//             FILE    name, relative to the run directory
//             SEED    of the stalls
`default_nettype none

module axis_sink #(
    parameter int DATA_W = 64,
    parameter int DEPTH  = 1024,
    parameter     FILE   = "sink.bin",
    parameter int SEED   = 2
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

    generate
        if (DATA_W < 8 || DATA_W % 8 != 0) begin : g_check_data_w
            DATA_W_must_be_a_positive_multiple_of_8 parameter_error ();
        end
    endgenerate

    logic [DATA_W-1:0] memory[0:DEPTH-1];
    logic [SIDE_W-1:0] sideband[0:DEPTH-1];
    logic [31:0]       count_q, last_q;
    logic              dumped_q;
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

    task automatic save;
        integer save_file, save_beats;
        save_beats = count_q < DEPTH ? count_q : DEPTH;
        save_file  = $fopen(FILE, "wb");
        if (save_file == 0) $fatal(1, "axis_sink %m: cannot write %0s", FILE);
        $fwrite(save_file, "%u%u%u%u", count_q, save_beats, SIDEBAND, TEXT);
`ifdef BENCH_MEMORY_IN_CPP
        $c("bench_save(", memory, ", ", save_file, ", ", save_beats, ", ", BYTES, ");");
        $c("bench_save(", sideband, ", ", save_file, ", ", save_beats, ", ", SIDE_W / 8, ");");
`else
        if (save_beats > 0) begin
            $writememh({FILE, ".data"}, memory, 0, save_beats - 1);
            $writememh({FILE, ".side"}, sideband, 0, save_beats - 1);
        end
`endif
        $fclose(save_file);
    endtask

    always @(posedge aclk) begin
        dumped_q <= dump;
        if (dump && !dumped_q) save;
        if (s_axis_tvalid && s_axis_tready) begin
            count_q <= count_q + 32'd1;
            last_q  <= now;
            if (count_q < DEPTH) begin
                memory[count_q]   <= s_axis_tdata;
                sideband[count_q] <= SIDE_W'({s_axis_tlast, s_axis_tkeep});
            end
        end
        if (!aresetn) begin
            count_q <= 32'd0;
            last_q  <= 32'd0;
        end
    end
endmodule

`default_nettype wire
