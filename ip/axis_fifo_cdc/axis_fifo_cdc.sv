// SPDX-License-Identifier: BSD-3-Clause
//
// axis_fifo_cdc - asynchronous AXI4-Stream FIFO between two unrelated clocks.
//
// A memory written in one clock and read in the other, and one output register. Gray-coded pointers cross through
// SYNC_STAGES flops. axis_fifo_cdc.tcl holds the timing constraints, without which Vivado may break the crossing.
//
// Reset: either side may be reset alone, at any time and for a cycle of its own clock; both sides are cleared. From
// then on no earlier beat comes out, none is torn, and nothing that enters after s_axis_tready has risen again is lost.
// s_axis_tready and m_axis_tvalid stay low until both resets are high and each side knows that the other one is
// clear, about 4*SYNC_STAGES + 8 cycles of the slower clock. The side that was not reset notices after SYNC_STAGES + 2
// of its cycles; until then it still takes beats, which are lost, or gives beats, which are in order.
// Its tvalid may then fall without a transfer, which AXI4-Stream allows in reset only. Both clocks must run. Flops
// start as configured in the bitstream; no reset at all is needed after configuration.
//
// Throughput  one beat per cycle of the slower clock when DEPTH is at least 4*SYNC_STAGES + 8; with less depth
//             the pointers return too late for that
// Latency     SYNC_STAGES + 1 to SYNC_STAGES + 2 cycles of m_axis_aclk, one more when a flop was metastable
// Paths       all outputs are flops (m_axis_tdata from 65 beats the output latch of the block RAM); no combinational
//             path at all
// Resources   the memory, about 3*$clog2(DEPTH) + 4 LUT and (5 + 2*SYNC_STAGES)*($clog2(DEPTH) + 1) + 3*SYNC_STAGES
//             + 9 FF, DATA_W FF more up to 64 beats; both levels some 6*$clog2(DEPTH) LUT and FF more
//
// Parameters: DATA_W       bits of a beat, 1 or more
//             DEPTH        beats in the memory, a power of two, 4 or more: LUTRAM up to 64, block RAM from 128
//             SYNC_STAGES  2, 3 or 4 flops for metastability to settle in; more latency, fewer failures. 2 is enough
//                          up to about 250 MHz, 3 beyond
// s_level: beats in the memory as the writing side knows it, never less than there are, so DEPTH - s_level fit for
// sure. m_level: beats the reading side can take, output register included, never more than there are.
// Checked by: test_axis_fifo_cdc.py
`default_nettype none

module axis_fifo_cdc #(
    parameter int DATA_W      = 8,
    parameter int DEPTH       = 16,
    parameter int SYNC_STAGES = 2
) (
    input  wire                         s_axis_aclk,
    input  wire                         s_axis_aresetn,

    input  wire  [DATA_W-1:0]           s_axis_tdata,
    input  wire                         s_axis_tvalid,
    output logic                        s_axis_tready,
    output logic [$clog2(DEPTH+2)-1:0]  s_level,

    input  wire                         m_axis_aclk,
    input  wire                         m_axis_aresetn,

    output logic [DATA_W-1:0]           m_axis_tdata,
    output logic                        m_axis_tvalid,
    input  wire                         m_axis_tready,
    output logic [$clog2(DEPTH+2)-1:0]  m_level
);

    localparam int ADDR_W    = DEPTH > 2 ? $clog2(DEPTH) : 1;
    localparam int PTR_W     = ADDR_W + 1;
    localparam int S_CROSS_W = PTR_W + 1;
    localparam int M_CROSS_W = PTR_W + 2;
    localparam int LATER     = SYNC_STAGES > 1 ? SYNC_STAGES - 1 : 1;  // flops behind the first one

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : g_check_depth
            DEPTH_must_be_a_power_of_two_and_at_least_4 parameter_error();
        end
        if (SYNC_STAGES < 2 || SYNC_STAGES > 4) begin : g_check_sync_stages
            SYNC_STAGES_must_be_2_to_4 parameter_error();
        end
    endgenerate

    function automatic logic [PTR_W-1:0] gray(input logic [PTR_W-1:0] binary);
        gray = binary ^ (binary >> 1);
    endfunction

    function automatic logic [PTR_W-1:0] binary(input logic [PTR_W-1:0] code);
        for (int b = 0; b < PTR_W; b++) binary[b] = ^(code >> b);
    endfunction

    // Three bits a LUT, and an addition joins the groups: all ones and anything but zero carries out.
    localparam int GROUPS = (PTR_W + 2) / 3;
    function automatic logic differ(input logic [PTR_W-1:0] a, input logic [PTR_W-1:0] b);
        logic [3*GROUPS-1:0] bits;
        logic [GROUPS-1:0]   groups;
        logic [PTR_W-1:0]    narrow;
        narrow = a ^ b;
        bits   = (3*GROUPS)'(narrow);
        for (int g = 0; g < GROUPS; g++) groups[g] = bits[3*g +: 3] != 3'd0;
        differ = 1'(({1'b0, groups} + {1'b0, {GROUPS{1'b1}}}) >> GROUPS);
    endfunction

    // ---- Clearing is a handshake of four steps, which the writing side begins:
    //   s_stop rises   after a reset of this side, or when the other one wants it; nothing is written any more
    //   m_stop rises   nothing is read any more: m_stop is s_stop a clock later, and clears the reading pointer
    //   s_stop falls   when the writing pointer is zero, which nobody looks at, and no side is in reset
    //   m_stop falls   the writing side waits for that, or a second clearing might look like the first
    // m_want asks for it after a reset of the reading side, until that has seen s_stop. What is left of each step is in
    // set, reset and enable of flops, not in LUTs: s_want_q may forget a reset while s_seen_stop is high, and m_want
    // one while m_seen_stop is, since all that has entered before is cleared then, and nothing enters.

    // What crosses: Gray pointer and steps of each side, and what the other side sees of them.
    logic [S_CROSS_W-1:0] s_cross_q;
    logic [M_CROSS_W-1:0] m_cross_q;
    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic [M_CROSS_W-1:0]       s_meta_q;
    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic [S_CROSS_W-1:0]       m_meta_q;
    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic [LATER*M_CROSS_W-1:0] s_sync_q;
    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic [LATER*S_CROSS_W-1:0] m_sync_q;
    logic                 s_want_q;

    // Plain `always` where there are initial values: the handshake must not be reset by one side.
    initial begin
        s_cross_q = '0;
        m_cross_q = M_CROSS_W'(1) << PTR_W;  // m_want
        s_meta_q  = '0;
        m_meta_q  = '0;
        s_sync_q  = '0;
        m_sync_q  = '0;
        s_want_q  = 1'b1;
    end

    wire             s_stop = s_cross_q[PTR_W];
    wire             m_stop = m_cross_q[PTR_W+1];
    wire             m_want = m_cross_q[PTR_W];
    wire [PTR_W-1:0] m_gray = m_cross_q[PTR_W-1:0];
    wire             s_seen_stop = s_sync_q[LATER*M_CROSS_W-1];
    wire             s_seen_want = s_sync_q[LATER*M_CROSS_W-2];
    wire             m_seen_stop = m_sync_q[LATER*S_CROSS_W-1];
    wire [PTR_W-1:0] s_seen = s_sync_q[LATER*M_CROSS_W-3 -: PTR_W];  // the reading pointer
    wire [PTR_W-1:0] m_seen = m_sync_q[LATER*S_CROSS_W-2 -: PTR_W];  // the writing pointer
    wire             s_run  = s_axis_aresetn && !s_want_q && !s_stop && !s_seen_stop;
    wire             m_run  = m_axis_aresetn && !m_want && !m_stop && !m_seen_stop;

    // ---- The writing side. s_axis_tready says that the place at the pointer is free; s_ahead_q is the place to look
    // at next, one ahead while ready, and s_after_q the one after that, in binary. One comparison is enough for both.
    logic [PTR_W-1:0] s_ahead_q, s_after_q;
    logic             s_ready_q, s_top_q, s_ahead_top_q;
    wire              push = s_axis_tvalid && s_ready_q;
    // Full is a distance of DEPTH; in Gray code that is the two upper bits inverted.
    wire [PTR_W-1:0]  s_limit = {~s_seen[PTR_W-1 -: 2], s_seen[PTR_W-3:0]};
    wire              s_free  = differ(s_ahead_q, s_limit);

    initial s_ready_q = 1'b0;

    always @(posedge s_axis_aclk) begin
        s_meta_q <= m_cross_q;
        s_sync_q <= (LATER*M_CROSS_W)'({s_sync_q, s_meta_q});

        s_want_q <= s_seen_want;
        if (!s_axis_aresetn) s_want_q <= 1'b1;
        s_cross_q[PTR_W] <= s_stop ? s_want_q || !s_seen_stop : s_want_q && !s_seen_stop;
        if (push) s_cross_q[PTR_W-1:0] <= s_ahead_q;
        if (s_seen_stop) s_cross_q[PTR_W-1:0] <= '0;
        s_ready_q <= (s_free || (s_ready_q && !s_axis_tvalid)) && !s_want_q && !s_stop && !s_seen_stop;
        if (!s_axis_aresetn) s_ready_q <= 1'b0;
    end

    always_ff @(posedge s_axis_aclk) begin
        if (push) s_top_q <= s_ahead_top_q;
        // Also while stopped, when it does not matter: the pointers are cleared before s_ready_q rises.
        if (s_free && (!s_ready_q || s_axis_tvalid)) begin
            s_ahead_q     <= gray(s_after_q);
            s_ahead_top_q <= s_after_q[ADDR_W-1];
            s_after_q     <= s_after_q + 1'b1;
        end
        if (s_seen_stop) begin
            s_top_q       <= 1'b0;
            s_ahead_q     <= '0;
            s_ahead_top_q <= 1'b0;
            s_after_q     <= PTR_W'(1);
        end
    end

    // ---- The reading side. The output register takes whatever is at the pointer, and m_valid_q says if it was a beat.
    logic [PTR_W-1:0]  m_next_q;
    logic              m_valid_q, m_top_q;
    logic [DATA_W-1:0] ram_q;
    wire               m_free   = !m_valid_q || m_axis_tready || m_seen_stop;
    wire               m_stored = differ(m_gray, m_seen);
    wire               pop      = m_stored && m_free;

    initial m_valid_q = 1'b0;

    always @(posedge m_axis_aclk) begin
        m_meta_q <= s_cross_q;
        m_sync_q <= (LATER*S_CROSS_W)'({m_sync_q, m_meta_q});

        m_cross_q[PTR_W+1] <= m_seen_stop;
        if (m_seen_stop) m_cross_q[PTR_W] <= 1'b0;  // before m_stop falls, lest that be seen first
        if (!m_axis_aresetn) m_cross_q[PTR_W] <= 1'b1;
        if (pop) m_cross_q[PTR_W-1:0] <= gray(m_next_q);
        if (m_stop) m_cross_q[PTR_W-1:0] <= '0;
        if (m_free) m_valid_q <= m_stored && !m_want && !m_stop && !m_seen_stop;
        if (!m_axis_aresetn) m_valid_q <= 1'b0;
    end

    always_ff @(posedge m_axis_aclk) begin
        if (pop) m_next_q <= m_next_q + 1'b1;
        if (pop) m_top_q  <= m_next_q[ADDR_W-1];
        if (m_stop) m_next_q <= PTR_W'(1);
        if (m_stop) m_top_q  <= 1'b0;
    end

    // The slot of a beat: the Gray pointer, with the upper bits of its lap left out.
    wire [ADDR_W-1:0] s_slot = {s_top_q, s_cross_q[ADDR_W-2:0]};
    wire [ADDR_W-1:0] m_slot = {m_top_q, m_gray[ADDR_W-2:0]};

    generate
        if (DEPTH <= 64) begin : g_lutram
            (* ram_style = "distributed" *) logic [DATA_W-1:0] mem [0:DEPTH-1];
            always_ff @(posedge s_axis_aclk) if (push) mem[s_slot] <= s_axis_tdata;
            always_ff @(posedge m_axis_aclk) if (m_free) ram_q <= mem[m_slot];
        end else begin : g_block
            (* ram_style = "block" *) logic [DATA_W-1:0] mem [0:DEPTH-1];
            always_ff @(posedge s_axis_aclk) if (push) mem[s_slot] <= s_axis_tdata;
            always_ff @(posedge m_axis_aclk) if (pop) ram_q <= mem[m_slot];
        end
    endgenerate

    // ---- Levels, on which nothing above depends.
    logic [PTR_W-1:0] s_seen_q, s_in_q, s_level_q, m_seen_q, m_out_q, m_level_q;
    logic             s_run_q, m_run_q;

    always_ff @(posedge s_axis_aclk) begin
        s_seen_q  <= binary(s_seen);
        s_run_q   <= s_run;
        if (push) s_in_q <= s_after_q;  // the pointer and one: that is the one of two's complement
        if (s_seen_stop) s_in_q <= PTR_W'(1);
        s_level_q <= s_in_q + ~s_seen_q + PTR_W'(push);
        if (!s_run || !s_run_q) s_level_q <= '0;
    end

    always_ff @(posedge m_axis_aclk) begin
        m_seen_q  <= binary(m_seen);
        m_run_q   <= m_run;
        if (m_valid_q && m_axis_tready) m_out_q <= m_out_q + 1'b1;
        if (!m_run) m_out_q <= '0;
        m_level_q <= m_seen_q + ~m_out_q + PTR_W'(!(m_valid_q && m_axis_tready));
        if (!m_run || !m_run_q) m_level_q <= '0;
    end

    assign s_axis_tready = s_ready_q;
    assign s_level       = s_level_q;
    assign m_axis_tdata  = ram_q;
    assign m_axis_tvalid = m_valid_q;
    assign m_level       = m_level_q;

endmodule

`default_nettype wire
