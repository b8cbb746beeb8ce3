// SPDX-License-Identifier: BSD-3-Clause
//
// axis_frame_fifo - FIFO of whole frames: what does not fit is dropped as a frame, never torn.
//
// A frame waits in the memory until its last beat is in, then leaves without a pause. For a source that cannot wait,
// such as a network receiver, there is ON_FULL = 2: tready never falls, and a frame that meets a full memory is dropped
// as if it had never arrived. Dropping takes no time: the write address returns to behind the last whole
// frame in the cycle of the beat that does not fit, and the next frame may follow at once. The reset of such a source
// must end between two frames: a frame that begins during reset counts as a whole one.
//
// Throughput  one beat per cycle, also while full, while dropping and while draining
// Latency     2 cycles from the last beat of a frame to its first; 3 with two output registers (STORE 4, and STORE 3
//             with OUT_REG). ON_FULL = 3: from each beat to itself
// Paths       s_axis_tready, m_axis_tvalid, levels and pulses are flops; m_axis_* is a flop, or with STORE 3 and no
//             OUT_REG the output latch of the block RAM; no combinational path at all
// Resources   the memory, 27 LUT (16 with ON_FULL 0 or 3) and 4*$clog2(DEPTH) + 6 FF; LUTRAM, and two output
//             registers: a FF for each bit of a beat more; level and level_whole: $clog2(DEPTH) + 1 FF and as many
//             LUT and a few more each
//
// Every frame ends in one pulse, a cycle later: good_frame when its last beat was stored, overflow when it did not
// fit, bad_frame when DROP_BAD dropped it. `level` counts the beats inside, level_whole those of them that may leave.
//
// Parameters: DATA_W     bits of tdata, a multiple of 8; tkeep is stored, not looked at
//             USER_W     bits of tuser, 1 or more
//             DEPTH      beats of the memory and of the longest frame that is kept whole; a power of two, 4 or more
//             STORE      0 (AUTO) by depth: LUTRAM up to 64 beats, block RAM from 65. The others force a memory:
//                        2 LUTRAM (up to 1024 beats), 3 block RAM, 4 UltraRAM (UltraScale+ only)
//             OUT_REG    1: a second register behind the block RAM. No effect on STORE 2, STORE 4 always has it
//             ON_FULL    0: wait; a frame longer than DEPTH leaves before it is whole
//                        1: wait; a frame longer than DEPTH is dropped
//                        2: never wait; a frame that does not fit is dropped
//                        3: never wait, and do not hold frames back: a frame that does not fit is cut short, and
//                           its last beat, the one that took the last place, gets tlast and the mark of a bad
//                           frame; a frame for which there is no room at all is dropped
//             DROP_BAD   1: a frame is dropped when tuser of its last beat says that it is bad; ON_FULL 1 or 2
//             BAD_VALUE  what the bits of tuser in BAD_MASK are in the last beat of a bad frame; all of them, all 1,
//                        if left out
//             BAD_MASK   see BAD_VALUE
// Checked by: test_axis_frame_fifo.py
`default_nettype none

module axis_frame_fifo #(
    parameter int DATA_W   = 8,
    parameter int USER_W   = 1,
    parameter int DEPTH    = 16,
    parameter int STORE    = 0,
    parameter bit OUT_REG  = 0,
    parameter int ON_FULL  = 2,
    parameter bit DROP_BAD = 0,
    parameter logic [USER_W-1:0] BAD_VALUE = '1,
    parameter logic [USER_W-1:0] BAD_MASK  = '1
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [DATA_W-1:0]           s_axis_tdata,
    input  wire  [DATA_W/8-1:0]         s_axis_tkeep,
    input  wire                         s_axis_tlast,
    input  wire  [USER_W-1:0]           s_axis_tuser,
    input  wire                         s_axis_tvalid,
    output logic                        s_axis_tready,

    output logic [DATA_W-1:0]           m_axis_tdata,
    output logic [DATA_W/8-1:0]         m_axis_tkeep,
    output logic                        m_axis_tlast,
    output logic [USER_W-1:0]           m_axis_tuser,
    output logic                        m_axis_tvalid,
    input  wire                         m_axis_tready,

    output logic                        good_frame,
    output logic                        bad_frame,
    output logic                        overflow,
    output logic [$clog2(DEPTH+3)-1:0]  level,
    output logic [$clog2(DEPTH+3)-1:0]  level_whole
);

    localparam int AUTO   = 0;
    localparam int LUTRAM = 2;
    localparam int BLOCK  = 3;
    localparam int ULTRA  = 4;
    localparam int MEMORY = STORE != AUTO ? STORE : DEPTH <= 64 ? LUTRAM : BLOCK;
    localparam bit TWO    = MEMORY == ULTRA || (MEMORY == BLOCK && OUT_REG);

    localparam int PASS     = 0;
    localparam int OVERSIZE = 1;
    localparam int DROP     = 2;
    localparam int CUT      = 3;
    localparam bit WAITS    = ON_FULL < DROP;

    localparam int BEAT_W  = DATA_W + DATA_W / 8 + 1 + USER_W;
    localparam int LEVEL_W = $clog2(DEPTH + 3);
    localparam int ADDR_W  = $clog2(DEPTH);

    generate
        if (DATA_W < 8 || DATA_W % 8 != 0) begin : g_check_data_w
            DATA_W_must_be_a_positive_multiple_of_8 parameter_error();
        end
        if (USER_W < 1) begin : g_check_user_w
            USER_W_must_be_at_least_1 parameter_error();
        end
        if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : g_check_depth
            DEPTH_must_be_a_power_of_two_and_at_least_4 parameter_error();
        end
        if (STORE != AUTO && (STORE < LUTRAM || STORE > ULTRA)) begin : g_check_store
            STORE_must_be_0_or_2_to_4 parameter_error();
        end
        if (STORE == LUTRAM && DEPTH > 1024) begin : g_check_lutram
            DEPTH_must_be_at_most_1024_with_STORE_2 parameter_error();
        end
        if (ON_FULL < PASS || ON_FULL > CUT) begin : g_check_on_full
            ON_FULL_must_be_0_to_3 parameter_error();
        end
        if (DROP_BAD && ON_FULL != OVERSIZE && ON_FULL != DROP) begin : g_check_drop_bad
            DROP_BAD_needs_ON_FULL_1_or_2 parameter_error();
        end
    endgenerate

    // Whole frames are stored; a beat leaves the memory when one is and the register behind it is free.
    logic ready_q, stored_q, swallow_q;
    wire  free;        // the register behind the memory
    wire  pop = stored_q && free;
    wire  last_place;  // the next push fills the memory
    wire  last_beat;   // the next pop takes the last beat of the last whole frame
    wire  full;

    // `over` says that there is no room for a frame; the rest of it is discarded.
    wire  over;
    wire  spoilt = DROP_BAD && s_axis_tlast && (s_axis_tuser & BAD_MASK) == (BAD_VALUE & BAD_MASK);
    wire  fire   = s_axis_tvalid && ready_q;
    wire  beat   = fire && !swallow_q;
    wire  push   = beat && (WAITS || !full);
    wire  rewind = beat && (over || spoilt) && ON_FULL != CUT;
    wire  ends   = push && s_axis_tlast && !over && !spoilt;
    wire  commit;  // what is stored up to here may leave

    always_ff @(posedge aclk) begin
        stored_q <= commit || (stored_q && !(free && last_beat));
        if (fire) swallow_q <= !s_axis_tlast && (swallow_q || over);

        if (!aresetn) begin
            stored_q  <= 1'b0;
            swallow_q <= 1'b0;
        end
    end

    generate
        if (WAITS) begin : g_waits
            // Never full without a whole beat: the push that would get there is let through, or forgotten.
            wire long = last_place && !stored_q;
            assign full = stored_q && !ready_q;  // after reset there is neither

            always_ff @(posedge aclk) ready_q <= aresetn && (pop || !(full || (push && last_place && !rewind)));

            if (ON_FULL == PASS) begin : g_pass
                logic through_q;
                assign over   = 1'b0;
                assign commit = push && (s_axis_tlast || through_q || long);
                always_ff @(posedge aclk) begin
                    if (push) through_q <= !s_axis_tlast && (through_q || long);
                    if (!aresetn) through_q <= 1'b0;
                end
            end else begin : g_oversize
                assign over   = long && !s_axis_tlast;
                assign commit = ends;
            end
        end else begin : g_never
            logic full_q;
            assign full = full_q;

            always_ff @(posedge aclk) ready_q <= aresetn;

            if (ON_FULL == CUT) begin : g_cut
                assign over   = full_q || (last_place && !s_axis_tlast);
                assign commit = push;
                always_ff @(posedge aclk) full_q <= aresetn && !pop && (full_q || (push && last_place));
            end else begin : g_drop
                logic partial_q;  // the frame under way has beats in the memory
                assign over   = full_q;
                assign commit = ends;
                always_ff @(posedge aclk) begin
                    full_q <= !pop && (full_q ? !(beat && partial_q) : push && last_place && !spoilt);
                    if (fire) partial_q <= !s_axis_tlast && !swallow_q && !full_q;

                    if (!aresetn) begin
                        full_q    <= 1'b0;
                        partial_q <= 1'b0;
                    end
                end
            end
        end
    endgenerate

    // A ring of DEPTH words. kept_q is the last word that may leave, read_back_q the one that left last.
    logic [ADDR_W-1:0] write_q, kept_q, read_q, read_back_q;

    // Addresses are compared three bits a LUT, and an addition joins the groups: all ones plus one carries out.
    localparam int GROUPS = (ADDR_W + 2) / 3;
    wire [3*GROUPS-1:0] place_xor = (3*GROUPS)'(write_q ^ read_back_q);
    wire [3*GROUPS-1:0] beat_xor  = (3*GROUPS)'(read_q ^ kept_q);
    wire [GROUPS-1:0]   place_same, beat_same;
    generate
        for (genvar g = 0; g < GROUPS; g++) begin : g_same
            assign place_same[g] = place_xor[3*g +: 3] == 3'd0;
            assign beat_same[g]  = beat_xor[3*g +: 3] == 3'd0;
        end
    endgenerate
    assign last_place = 1'(({1'b0, place_same} + (GROUPS+1)'(1)) >> GROUPS);
    assign last_beat  = 1'(({1'b0, beat_same} + (GROUPS+1)'(1)) >> GROUPS);

    // One further when a word is stored: stored_q as carry into the addition needs no gate.
    function automatic logic [ADDR_W-1:0] advance(input logic [ADDR_W-1:0] address);
        advance = ADDR_W'(({address, 1'b1} + (ADDR_W+1)'(stored_q)) >> 1);
    endfunction

    always_ff @(posedge aclk) begin
        // Also of a beat that does not fit: it rewinds.
        if (ON_FULL == CUT ? push : beat) write_q <= ADDR_W'(1) + (rewind ? kept_q : write_q);
        if (commit) kept_q <= write_q;
        if (free) read_q      <= advance(read_q);
        if (free) read_back_q <= advance(read_back_q);

        if (!aresetn) begin
            write_q     <= '0;
            kept_q     <= '1;
            read_q      <= '0;
            read_back_q <= '1;
        end
    end

    wire cut = ON_FULL == CUT && over;
    wire [BEAT_W-1:0] s_beat = {
        cut ? (s_axis_tuser & ~BAD_MASK) | (BAD_VALUE & BAD_MASK) : s_axis_tuser,
        s_axis_tlast || cut, s_axis_tkeep, s_axis_tdata
    };
    logic [BEAT_W-1:0] ram_q, data_q;
    logic              valid_q;

    generate
        if (MEMORY == LUTRAM) begin : g_lutram
            (* ram_style = "distributed" *) logic [BEAT_W-1:0] mem [0:DEPTH-1];
            always_ff @(posedge aclk) if (push) mem[write_q] <= s_beat;
            always_ff @(posedge aclk) if (free) ram_q <= mem[read_q];
        end
        if (MEMORY == BLOCK) begin : g_block
            (* ram_style = "block" *) logic [BEAT_W-1:0] mem [0:DEPTH-1];
            always_ff @(posedge aclk) if (push) mem[write_q] <= s_beat;
            always_ff @(posedge aclk) if (pop) ram_q <= mem[read_q];
        end
        if (MEMORY == ULTRA) begin : g_ultra
            (* ram_style = "ultra" *) logic [BEAT_W-1:0] mem [0:DEPTH-1];
            always_ff @(posedge aclk) if (push) mem[write_q] <= s_beat;
            always_ff @(posedge aclk) if (pop) ram_q <= mem[read_q];
        end

        if (TWO) begin : g_two
            logic ram_valid_q;
            wire  m_free = !valid_q || m_axis_tready;
            assign free = !ram_valid_q || m_free;

            always_ff @(posedge aclk) begin
                if (m_free) data_q <= ram_q;
                if (m_free) valid_q <= ram_valid_q;
                if (free) ram_valid_q <= stored_q;

                if (!aresetn) begin
                    valid_q     <= 1'b0;
                    ram_valid_q <= 1'b0;
                end
            end
        end else begin : g_one
            assign free   = !valid_q || m_axis_tready;
            assign data_q = ram_q;

            always_ff @(posedge aclk) begin
                if (free) valid_q <= stored_q;
                if (!aresetn) valid_q <= 1'b0;
            end
        end
    endgenerate

    // Nothing above depends on levels and pulses, so that they vanish where nobody reads them.
    logic [LEVEL_W-1:0] level_q, level_whole_q;
    logic               good_q, bad_q, overflow_q;
    wire                m_fire = valid_q && m_axis_tready;
    wire                stays  = push && !rewind;

    always_ff @(posedge aclk) begin
        if (stays != m_fire || rewind)
            level_q <= LEVEL_W'(({{LEVEL_W{m_fire && !stays}}, 1'b1} + {rewind ? level_whole_q : level_q, stays && !m_fire}) >> 1);
        if (commit || m_fire)
            level_whole_q <= LEVEL_W'(({{LEVEL_W{m_fire && !commit}}, 1'b1} + {commit ? level_q : level_whole_q, !m_fire}) >> 1);
        good_q     <= aresetn && ends;
        bad_q      <= aresetn && beat && spoilt && !over;
        overflow_q <= aresetn && beat && over;

        if (!aresetn) begin
            level_q       <= '0;
            level_whole_q <= '0;
        end
    end

    assign s_axis_tready = ready_q;
    assign m_axis_tvalid = valid_q;
    assign {m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = data_q;

    assign good_frame  = good_q;
    assign bad_frame   = bad_q;
    assign overflow    = overflow_q;
    assign level       = level_q;
    assign level_whole = level_whole_q;

endmodule

`default_nettype wire
