// SPDX-License-Identifier: BSD-3-Clause
//
// vnx_stand_in - simulation only: between a core and its VNx; on demand it replaces VNx and everything behind it.
//
// With `alone` low it is wires. With `alone` high, which may change only while the core is in reset, the core gets the beats
// of FILE_IN, and what it sends is kept. FILE_IN is read when `play` rises: 80 bytes for each entry, most significant first
// (vnx_script.py):
//   [639:608]  cycle, counted from the one in which `play` rose, before which the entry waits; entries go in order
//   [607:592]  TDEST
//   [577]      no beat: from here on the core's beats wait for [31:0] cycles
//   [576]      TLAST
//   [575:512]  TKEEP
//   [511:0]    TDATA
// When `play` falls, FILE_OUT is written, 32-bit little-endian words: beats since `alone` rose, those of them that are kept,
// those with unknown bits, cycles in which the core did not take what it was given, and the cycle in which `play` rose,
// counted from when `alone` did; then 20 words for each beat that is kept: the cycle in which it was taken, TDEST and
// above it TLAST and the cycles that it waited (15 bits), TDATA, TKEEP.
//
// Throughput: a beat per cycle each way. tvalid never falls without a transfer.
// Parameters: FILE_IN, FILE_OUT  names, relative to the run directory
//             DEPTH              entries that are played at once
//             ROOM               beats that are kept
`default_nettype none

module vnx_stand_in #(
    parameter     FILE_IN  = "script.bin",
    parameter     FILE_OUT = "said.bin",
    parameter int DEPTH    = 65536,
    parameter int ROOM     = 65536
) (
    input  wire         aclk,
    input  wire         alone,
    input  wire         play,

    input  wire [511:0] s_core_tdata,
    input  wire [63:0]  s_core_tkeep,
    input  wire [15:0]  s_core_tdest,
    input  wire         s_core_tlast,
    input  wire         s_core_tvalid,
    output wire         s_core_tready,
    output wire [511:0] m_core_tdata,
    output wire [63:0]  m_core_tkeep,
    output wire [15:0]  m_core_tdest,
    output wire         m_core_tlast,
    output wire         m_core_tvalid,
    input  wire         m_core_tready,

    output wire [511:0] m_vnx_tdata,
    output wire [63:0]  m_vnx_tkeep,
    output wire [15:0]  m_vnx_tdest,
    output wire         m_vnx_tlast,
    output wire         m_vnx_tvalid,
    input  wire         m_vnx_tready,
    input  wire [511:0] s_vnx_tdata,
    input  wire [63:0]  s_vnx_tkeep,
    input  wire [15:0]  s_vnx_tdest,
    input  wire         s_vnx_tlast,
    input  wire         s_vnx_tvalid,
    output wire         s_vnx_tready
);
    logic [639:0] entries[0:DEPTH-1];
    logic [639:0] kept[0:ROOM-1];
    logic [31:0]  now_q, began_q, at_q, total_q, beats_q, unknown_q, held_q, missed_q;
    logic [14:0]  waits_q;
    logic         playing_q;

    wire [639:0] entry = entries[at_q%DEPTH];
    wire         due   = playing_q && at_q != total_q && now_q - began_q >= entry[639:608];
    wire         gives = due && !entry[577];
    wire         takes = held_q == 32'd0;
    wire         said  = alone && s_core_tvalid && takes;
    wire         unused = &{1'b0, entry[591:578]};

    assign m_core_tdata  = alone ? entry[511:0] : s_vnx_tdata;
    assign m_core_tkeep  = alone ? entry[575:512] : s_vnx_tkeep;
    assign m_core_tdest  = alone ? entry[607:592] : s_vnx_tdest;
    assign m_core_tlast  = alone ? entry[576] : s_vnx_tlast;
    assign m_core_tvalid = alone ? gives : s_vnx_tvalid;
    assign s_vnx_tready  = alone || m_core_tready;

    assign m_vnx_tdata   = s_core_tdata;
    assign m_vnx_tkeep   = s_core_tkeep;
    assign m_vnx_tdest   = s_core_tdest;
    assign m_vnx_tlast   = s_core_tlast;
    assign m_vnx_tvalid  = !alone && s_core_tvalid;
    assign s_core_tready = alone ? takes : m_vnx_tready;

    task automatic load;
        integer load_file, load_bytes;
        load_file = $fopen(FILE_IN, "rb");
        if (load_file == 0) $fatal(1, "vnx_stand_in %m: cannot open %0s", FILE_IN);
        load_bytes = $fread(entries, load_file);
        if ($fgetc(load_file) != -1) $fatal(1, "vnx_stand_in %m: %0s is longer than %0d entries", FILE_IN, DEPTH);
        $fclose(load_file);
        total_q = load_bytes / 80;
    endtask

    task automatic save;
        integer save_file, save_beats;
        save_beats = beats_q < ROOM ? beats_q : ROOM;
        save_file  = $fopen(FILE_OUT, "wb");
        if (save_file == 0) $fatal(1, "vnx_stand_in %m: cannot write %0s", FILE_OUT);
        $fwrite(save_file, "%u%u%u%u%u", beats_q, save_beats, unknown_q, missed_q, began_q);
        for (int i = 0; i < save_beats; i++) begin
            $fwrite(save_file, "%u%u", kept[i][639:608], kept[i][607:576]);
            for (int k = 0; k < 18; k++) $fwrite(save_file, "%u", kept[i][32*k+:32]);
        end
        $fclose(save_file);
    endtask

    always @(posedge aclk) begin
        now_q <= now_q + 32'd1;
        if (play && !playing_q) begin
            load;
            began_q  <= now_q;
            at_q     <= 32'd0;
            missed_q <= 32'd0;
        end
        if (playing_q && !play) save;
        playing_q <= play;
        if (held_q != 32'd0) held_q <= held_q - 32'd1;
        if (due) begin
            if (entry[577]) begin
                held_q <= entry[31:0];
                at_q   <= at_q + 32'd1;
            end else if (m_core_tready) at_q <= at_q + 32'd1;
            else missed_q <= missed_q + 32'd1;
        end
        if (alone && s_core_tvalid && !takes && waits_q != '1) waits_q <= waits_q + 15'd1;
        if (said) begin
            waits_q <= '0;
            beats_q <= beats_q + 32'd1;
            if (^{s_core_tdest, s_core_tlast, s_core_tkeep, s_core_tdata} === 1'bx) unknown_q <= unknown_q + 32'd1;
            if (beats_q < ROOM)
                kept[beats_q] <= {now_q, waits_q, s_core_tlast, s_core_tdest, s_core_tkeep, s_core_tdata};
        end
        if (!alone) begin
            now_q     <= 32'd0;
            held_q    <= 32'd0;
            waits_q   <= '0;
            beats_q   <= 32'd0;
            unknown_q <= 32'd0;
        end
    end
    initial begin
        playing_q = 1'b0;
        total_q   = 32'd0;
        at_q      = 32'd0;
        held_q    = 32'd0;
    end
endmodule

`default_nettype wire
