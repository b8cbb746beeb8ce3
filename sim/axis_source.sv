// SPDX-License-Identifier: BSD-3-Clause
//
// axis_source - simulation only: plays frames from a file as an AXI DMA (MM2S) sends them.
//
// A frame is FRAME_BYTES bytes; the last beat carries tlast and the partial tkeep, and the next frame
// follows without a gap. The file is read in chunks from the first cycle with start high after a reset, so a bench may
// write it at any time before. With CYCLIC it holds one frame, which is played again and again, as a DMA in cyclic
// mode does. It holds whole beats, the unused bytes of a frame's last beat included: most significant byte first, as
// $fread has it, or with BENCH_MEMORY_IN_CPP least significant byte first (sim/bench_files.py: write_beats). A missing file, one longer than DEPTH and one too
// short for the frames asked for are fatal. frames may grow while it plays: more of the file follows then.
// While restart is high it rests, and what is left of a frame that has begun is lost, as with a DMA that is reset.
//
// Throughput: one beat per cycle while stall is 0. tvalid never falls without a transfer.
// Parameters: DATA_W       tdata width in bits, a multiple of 8
//             FRAME_BYTES  bytes of one frame
//             DEPTH        beats that fit
//             FILE         name, relative to the run directory
//             CYCLIC       1: the file holds one frame, to be repeated
//             SEED         of the stalls
//             LOT          bits of a lot, at most: a file is opened for each
`default_nettype none

module axis_source #(
    parameter int DATA_W      = 64,
    parameter int FRAME_BYTES = 8,
    parameter int DEPTH       = 1024,
    parameter     FILE        = "source.bin",
    parameter int CYCLIC      = 0,
    parameter int SEED        = 1,
    parameter int LOT         = DATA_W < 256 ? 1 << 21 : 1 << 22
) (
    input  wire                aclk,
    input  wire                aresetn,
    input  wire                start,
    input  wire                restart,
    input  wire [31:0]         frames,  // frames to play
    input  wire [7:0]          stall,   // chance in 1/256 that a bubble precedes a beat
    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tlast,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                done,    // every frame has been taken
    output wire [31:0]         beats    // beats taken
);
    localparam int BYTES      = DATA_W / 8;
    localparam int BEATS      = (FRAME_BYTES + BYTES - 1) / BYTES;
    localparam int LAST_BYTES = FRAME_BYTES - (BEATS - 1) * BYTES;
    localparam int NEED_W     = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam int MOST_W     = LOT > 2 * DATA_W ? $clog2(LOT / DATA_W) : 1;
    localparam int LOT_W      = NEED_W < MOST_W ? NEED_W : MOST_W;
    localparam logic [BYTES-1:0] LAST_KEEP = {BYTES{1'b1}} >> (BYTES - LAST_BYTES);

    generate
        if (DATA_W < 8 || DATA_W % 8 != 0) begin : g_check_data_w
            DATA_W_must_be_a_positive_multiple_of_8 parameter_error ();
        end
        if (FRAME_BYTES < 1) begin : g_check_frame_bytes
            FRAME_BYTES_must_be_positive parameter_error ();
        end
        if (CYCLIC != 0 && DEPTH != BEATS) begin : g_check_cyclic
            DEPTH_must_be_one_frame_if_CYCLIC parameter_error ();
        end
    endgenerate

    logic [DATA_W-1:0]  memory[0:(1<<LOT_W)-1];
    logic               loaded_q, valid_q, last_q;
    logic [31:0]        next_q;      // beat to be fetched next
    logic [DATA_W-1:0]  data_q;
    logic [31:0]        in_frame_q;  // position of next_q in its frame
    logic [31:0]        taken_q;
    integer             held;        // beats of the file
    integer             lot;         // of the file that memory holds, or -1
    wire  [31:0]        at = CYCLIC != 0 ? in_frame_q : next_q;  // beat of the file
    wire                pause;
    wire [31:0]         total = frames * BEATS;
    wire                fire = valid_q && m_axis_tready;

    bench_stall #(
        .SEED(SEED)
    ) u_stall (
        .aclk(aclk),
        .aresetn(aresetn),
        .chance(stall),
        .stall(pause)
    );

    assign m_axis_tdata  = data_q;
    assign m_axis_tkeep  = last_q ? LAST_KEEP : {BYTES{1'b1}};
    assign m_axis_tlast  = last_q;
    assign m_axis_tvalid = valid_q;
    assign done          = loaded_q && taken_q == total;
    assign beats         = taken_q;

    task automatic load;
        integer load_file, load_bytes, load_end;
        load_file = $fopen(FILE, "rb");
        if (load_file == 0) $fatal(1, "axis_source %m: cannot open %0s", FILE);
        load_end   = $fseek(load_file, 0, 2);
        load_bytes = load_end == 0 ? $ftell(load_file) : 0;
        $fclose(load_file);
        held = load_bytes / BYTES;
        lot  = -1;
        if (load_bytes > DEPTH * BYTES) $fatal(1, "axis_source %m: %0s is longer than %0d beats", FILE, DEPTH);
        if (load_bytes < (CYCLIC != 0 ? 32'd1 : frames) * BEATS * BYTES)
            $fatal(1, "axis_source %m: %0s has %0d bytes, too few for %0d frames", FILE, load_bytes, frames);
    endtask

    task automatic load_lot(input integer which);
        integer load_file, load_bytes;
        load_file = $fopen(FILE, "rb");
        if (load_file == 0) $fatal(1, "axis_source %m: cannot open %0s", FILE);
        load_bytes = $fseek(load_file, (which << LOT_W) * BYTES, 0);
`ifdef BENCH_MEMORY_IN_CPP
        memory[0] = '0;  // or it would count as never written
        load_bytes = $c32("bench_load(", memory, ", ", load_file, ", ", BYTES, ")");
`else
        load_bytes = $fread(memory, load_file);
`endif
        $fclose(load_file);
        if (load_bytes < BYTES) $fatal(1, "axis_source %m: %0s was cut short", FILE);
        lot = which;
    endtask

    always @(posedge aclk) begin
        if (start && !loaded_q) begin
            load;
            loaded_q <= 1'b1;
        end
        if (fire) begin
            taken_q <= taken_q + 32'd1;
            valid_q <= 1'b0;
        end
        if ((fire || !valid_q) && loaded_q && start && !restart && next_q < total && !pause) begin
            if (CYCLIC == 0 && next_q == held)
                $fatal(1, "axis_source %m: %0s has %0d beats, too few for %0d frames", FILE, held, frames);
            if (lot != at >> LOT_W) load_lot(at >> LOT_W);
            valid_q    <= 1'b1;
            data_q     <= memory[at[LOT_W-1:0]];
            last_q     <= in_frame_q == BEATS - 1;
            next_q     <= next_q + 32'd1;
            in_frame_q <= in_frame_q == BEATS - 1 ? 32'd0 : in_frame_q + 32'd1;
        end
        if (restart && (valid_q || in_frame_q != 32'd0)) begin
            // The frame of the beat that waits, or of the next one, which is not its first.
            next_q     <= in_frame_q != 32'd0 ? next_q + 32'(BEATS) - in_frame_q : next_q;
            taken_q    <= in_frame_q != 32'd0 ? next_q + 32'(BEATS) - in_frame_q : next_q;
            in_frame_q <= 32'd0;
            valid_q    <= 1'b0;
        end
        if (!aresetn) begin
            loaded_q   <= 1'b0;
            valid_q    <= 1'b0;
            last_q     <= 1'b0;
            next_q     <= 32'd0;
            in_frame_q <= 32'd0;
            taken_q    <= 32'd0;
        end
    end
endmodule

`default_nettype wire
