// SPDX-License-Identifier: BSD-3-Clause
//
// axis_fifo - synchronous AXI4-Stream FIFO in SRLs, LUTRAM, block RAM or UltraRAM, with a fill level.
//
// A memory followed by one output register, or two; DEPTH + 1 beats fit in every STORE, and `level` counts them
// all. A word is never read in the cycle in which it is written, so no tool has to add logic for that case. The flags
// are decided one cycle ahead by comparing pointers, not by counting: an open `level` costs nothing.
//
// Throughput  one beat per cycle, also while full and while draining
// Latency     2 cycles; 3 with two output registers (STORE 4, and STORE 3 with OUT_REG)
// Paths       s_axis_tready, m_axis_tvalid and level are flops; m_axis_tdata is a flop, or with STORE 3 and no
//             OUT_REG the output latch of the block RAM; no combinational path at all
// Resources   2, 3, 4: the memory, about 11 LUT (25 when DEPTH is no power of two) and 4*$clog2(DEPTH) + 3 FF;
//             1, 2: DATA_W FF more; 1: DATA_W SRLs for each 32 of depth; level: $clog2(DEPTH+2) LUT and FF more
//
// Parameters: DATA_W   bits of a beat, 1 or more
//             DEPTH    beats, 2 or more, need not be a power of two
//             STORE    0 (AUTO) by depth: LUTRAM up to 64 beats, block RAM from 65. The others force a
//                      memory: 1 SRL (up to 128 beats; Vivado puts two of up to 16 beats into a LUT),
//                      2 LUTRAM (up to 1024 beats), 3 block RAM, 4 UltraRAM (UltraScale+ only, 3 beats or more)
//             OUT_REG  1: a second register behind the block RAM, which is slow from clock to output; Vivado
//                      takes the RAM's own, so it costs a cycle and no flops. No effect on STORE 1 and 2, STORE 4
//                      always has it
// Checked by: test_axis_fifo.py
`default_nettype none

module axis_fifo #(
    parameter int DATA_W  = 8,
    parameter int DEPTH   = 16,
    parameter int STORE   = 0,
    parameter bit OUT_REG = 0
) (
    input  wire                         aclk,
    input  wire                         aresetn,

    input  wire  [DATA_W-1:0]           s_axis_tdata,
    input  wire                         s_axis_tvalid,
    output logic                        s_axis_tready,

    output logic [DATA_W-1:0]           m_axis_tdata,
    output logic                        m_axis_tvalid,
    input  wire                         m_axis_tready,

    output logic [$clog2(DEPTH+2)-1:0]  level
);

    localparam int AUTO    = 0;
    localparam int SRL     = 1;
    localparam int LUTRAM  = 2;
    localparam int BLOCK   = 3;
    localparam int ULTRA   = 4;
    localparam int MEMORY  = STORE != AUTO ? STORE : DEPTH <= 64 ? LUTRAM : BLOCK;
    localparam int LEVEL_W = $clog2(DEPTH + 2);
    localparam int ADDR_W  = DEPTH > 2 ? $clog2(DEPTH) : 1;

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (DEPTH < 2) begin : g_check_depth
            DEPTH_must_be_at_least_2 parameter_error();
        end
        if (STORE < AUTO || STORE > ULTRA) begin : g_check_store
            STORE_must_be_0_to_4 parameter_error();
        end
        if (STORE == SRL && DEPTH > 128) begin : g_check_srl
            DEPTH_must_be_at_most_128_with_STORE_1 parameter_error();
        end
        if (STORE == LUTRAM && DEPTH > 1024) begin : g_check_lutram
            DEPTH_must_be_at_most_1024_with_STORE_2 parameter_error();
        end
        if ((STORE == ULTRA || (MEMORY == BLOCK && OUT_REG)) && DEPTH < 3) begin : g_check_stages
            DEPTH_must_be_at_least_3_with_two_output_registers parameter_error();
        end
    endgenerate

    // The memory: a push adds to it; a word leaves it when one is stored and the register behind it is free.
    logic              ready_q, stored_q;
    logic [DATA_W-1:0] data_q;
    logic              valid_q;

    wire push = s_axis_tvalid && ready_q;
    wire free;        // the register behind the memory
    wire pop = stored_q && free;
    wire last_place;  // the next push fills the memory
    wire last_beat;   // the next pop empties it
    wire full = stored_q && !ready_q;  // after reset there is neither

    always_ff @(posedge aclk) begin
        ready_q  <= pop || !(full || (push && last_place));
        stored_q <= push || (stored_q && !(free && last_beat));

        if (!aresetn) begin
            ready_q  <= 1'b0;
            stored_q <= 1'b0;
        end
    end

    generate
        if (MEMORY == SRL) begin : g_srl
            // Tools make an SRL of a chain of three or more; one chain per bit is the shape that Yosys finds.
            localparam int LENGTH = DEPTH > 3 ? DEPTH : 3;
            localparam int TAP_W  = $clog2(LENGTH);

            // Of the oldest beat: one less than there are.
            logic [TAP_W-1:0]  tap_q;
            logic [DATA_W-1:0] tap;

            assign free       = !valid_q || m_axis_tready;
            assign last_place = tap_q == TAP_W'(DEPTH - 2);
            assign last_beat  = tap_q == '0;

            for (genvar b = 0; b < DATA_W; b++) begin : g_bit
                (* srl_style = "srl" *) logic [LENGTH-1:0] chain_q;
                always_ff @(posedge aclk) if (push) chain_q <= {chain_q[LENGTH-2:0], s_axis_tdata[b]};
                assign tap[b] = chain_q[tap_q];
            end

            always_ff @(posedge aclk) begin
                if (free) data_q <= tap;
                if (free) valid_q <= stored_q;
                if (push != pop) tap_q <= tap_q + (pop ? '1 : TAP_W'(1));

                if (!aresetn) begin
                    valid_q <= 1'b0;
                    tap_q   <= '1;
                end
            end
        end

        if (MEMORY != SRL) begin : g_ram
            localparam bit TWO = MEMORY == ULTRA || (MEMORY == BLOCK && OUT_REG);
            localparam bit POWER_OF_TWO = (DEPTH & (DEPTH - 1)) == 0;
            localparam logic [ADDR_W-1:0] LAST = ADDR_W'(DEPTH - 1);

            // A ring of DEPTH words; *_back_q is the address before, read_back2_q the one before that.
            logic [ADDR_W-1:0] write_q, write_back_q, read_q, read_back_q, read_back2_q;

            wire write_wrap = !POWER_OF_TWO && write_q == LAST;
            wire read_wrap  = !POWER_OF_TWO && read_q == LAST;

            // Addresses are compared three bits a LUT, and an addition joins the groups: all ones plus one
            // carries out. That is one LUT and a carry chain deep whatever DEPTH is. With two output registers one
            // place of the ring stays empty.
            localparam int GROUPS = (ADDR_W + 2) / 3;
            wire [ADDR_W-1:0]   place_diff = write_q ^ (TWO ? read_back2_q : read_back_q);
            wire [ADDR_W-1:0]   beat_diff  = read_q ^ write_back_q;
            wire [3*GROUPS-1:0] place_xor  = (3*GROUPS)'(place_diff);
            wire [3*GROUPS-1:0] beat_xor   = (3*GROUPS)'(beat_diff);
            wire [GROUPS-1:0]   place_same, beat_same;
            for (genvar g = 0; g < GROUPS; g++) begin : g_same
                assign place_same[g] = place_xor[3*g +: 3] == 3'd0;
                assign beat_same[g]  = beat_xor[3*g +: 3] == 3'd0;
            end
            assign last_place = 1'(({1'b0, place_same} + (GROUPS+1)'(1)) >> GROUPS);
            assign last_beat  = 1'(({1'b0, beat_same} + (GROUPS+1)'(1)) >> GROUPS);

            // One further when a word is stored: stored_q as carry into the addition needs no gate.
            function automatic logic [ADDR_W-1:0] advance(input logic [ADDR_W-1:0] address);
                advance = ADDR_W'(({address, 1'b1} + (ADDR_W+1)'(stored_q)) >> 1);
            endfunction

            always_ff @(posedge aclk) begin
                if (push) write_q      <= write_wrap ? '0 : write_q + 1'b1;
                if (push) write_back_q <= write_q;
                if (free) read_q <= read_wrap && stored_q ? '0 : advance(read_q);
                if (POWER_OF_TWO) begin
                    if (free) read_back_q  <= advance(read_back_q);
                    if (free) read_back2_q <= advance(read_back2_q);
                end else begin
                    if (pop) read_back_q  <= read_q;
                    if (pop) read_back2_q <= read_back_q;
                end

                if (!aresetn) begin
                    write_q      <= '0;
                    write_back_q <= LAST;
                    read_q       <= '0;
                    read_back_q  <= LAST;
                    read_back2_q <= LAST - 1'b1;
                end
            end

            logic [DATA_W-1:0] ram_q;
            if (MEMORY == LUTRAM) begin : g_lutram
                (* ram_style = "distributed" *) logic [DATA_W-1:0] mem [0:DEPTH-1];
                always_ff @(posedge aclk) if (push) mem[write_q] <= s_axis_tdata;
                always_ff @(posedge aclk) if (free) ram_q <= mem[read_q];
            end
            if (MEMORY == BLOCK) begin : g_block
                (* ram_style = "block" *) logic [DATA_W-1:0] mem [0:DEPTH-1];
                always_ff @(posedge aclk) if (push) mem[write_q] <= s_axis_tdata;
                always_ff @(posedge aclk) if (pop) ram_q <= mem[read_q];
            end
            if (MEMORY == ULTRA) begin : g_ultra
                (* ram_style = "ultra" *) logic [DATA_W-1:0] mem [0:DEPTH-1];
                always_ff @(posedge aclk) if (push) mem[write_q] <= s_axis_tdata;
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
        end
    endgenerate

    // Nothing above depends on the level, so that it vanishes where nobody reads it.
    logic [LEVEL_W-1:0] level_q;
    wire                m_fire = valid_q && m_axis_tready;

    always_ff @(posedge aclk) begin
        if (push != m_fire) level_q <= level_q + (m_fire ? '1 : LEVEL_W'(1));
        if (!aresetn) level_q <= '0;
    end

    assign s_axis_tready = ready_q;
    assign m_axis_tdata  = data_q;
    assign m_axis_tvalid = valid_q;
    assign level         = level_q;

endmodule

`default_nettype wire
