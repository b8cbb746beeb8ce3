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
// Latency     SYNC_STAGES + 2 to SYNC_STAGES + 3 cycles of m_axis_aclk, one more when a flop was metastable
// Paths       all outputs are flops (m_axis_tdata from 65 beats the output latch of the block RAM); no combinational
//             path at all
// Resources   the memory, about 4*$clog2(DEPTH) + 15 LUT and (4 + 2*SYNC_STAGES)*($clog2(DEPTH) + 1) + 4*SYNC_STAGES
//             + 11 FF, DATA_W FF more up to 64 beats; both levels some 5*$clog2(DEPTH) LUT and FF more
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

    localparam int ADDR_W  = DEPTH > 2 ? $clog2(DEPTH) : 1;
    localparam int PTR_W   = ADDR_W + 1;
    localparam int CROSS_W = PTR_W + 2;
    localparam int SYNC_W  = (SYNC_STAGES > 1 ? SYNC_STAGES - 1 : 1) * CROSS_W;

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

    // Three bits a LUT, and an addition joins the groups: all ones plus one carries out.
    localparam int GROUPS = (PTR_W + 2) / 3;
    function automatic logic same(input logic [PTR_W-1:0] a, input logic [PTR_W-1:0] b);
        logic [3*GROUPS-1:0] diff;
        logic [GROUPS-1:0]   equal;
        logic [PTR_W-1:0]    narrow;
        narrow = a ^ b;
        diff   = (3*GROUPS)'(narrow);
        for (int g = 0; g < GROUPS; g++) equal[g] = diff[3*g +: 3] == 3'd0;
        same = 1'(({1'b0, equal} + (GROUPS+1)'(1)) >> GROUPS);
    endfunction

    // ---- Clearing: both sides step round a ring of four phases, and neither is ever more than one ahead of the
    // other: a side steps on only after it has seen the other in its own phase or the next. A step changes one bit,
    // so it crosses like a pointer.
    //   RUN     beats move; left after a reset of this side, or when the other has left it
    //   STOP    pointers stand; left when this side's reset is over
    //   CLEAR   the other side no longer looks at the pointer, so it may jump to zero
    //   SETTLE  the other side's pointer is zero as well, and on its way here
    localparam logic [1:0] RUN    = 2'b00;
    localparam logic [1:0] STOP   = 2'b01;
    localparam logic [1:0] CLEAR  = 2'b11;
    localparam logic [1:0] SETTLE = 2'b10;

    function automatic logic [1:0] step(input logic [1:0] phase, input logic [1:0] seen, input logic stop,
                                        input logic released);
        step = phase;
        case (phase)
            RUN:     if (seen == STOP || (seen == RUN && stop)) step = STOP;
            STOP:    if ((seen == STOP || seen == CLEAR) && released) step = CLEAR;
            CLEAR:   if (seen == CLEAR || seen == SETTLE) step = SETTLE;
            default: if (seen == SETTLE || seen == RUN) step = RUN;
        endcase
    endfunction

    // What crosses: phase and Gray pointer of each side, and what the other side sees of them.
    logic [CROSS_W-1:0] s_cross_q, m_cross_q;
    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic [CROSS_W-1:0] s_meta_q, m_meta_q;
    (* ASYNC_REG = "TRUE", shreg_extract = "no", keep = "true" *) logic [SYNC_W-1:0]  s_sync_q, m_sync_q;
    logic               s_stop_q, m_stop_q;  // reset since the last clearing

    // Plain `always` where there are initial values: the ring must not be reset by one side.
    initial begin
        s_cross_q = '0;
        m_cross_q = '0;
        s_meta_q  = '0;
        m_meta_q  = '0;
        s_sync_q  = '0;
        m_sync_q  = '0;
        s_stop_q  = 1'b1;
        m_stop_q  = 1'b1;
    end

    wire [1:0]       s_phase = s_cross_q[PTR_W +: 2];
    wire [1:0]       m_phase = m_cross_q[PTR_W +: 2];
    wire [PTR_W-1:0] s_gray  = s_cross_q[PTR_W-1:0];
    wire [PTR_W-1:0] m_gray  = m_cross_q[PTR_W-1:0];
    wire [1:0]       s_seen_phase = s_sync_q[SYNC_W-1 -: 2];
    wire [1:0]       m_seen_phase = m_sync_q[SYNC_W-1 -: 2];
    wire [PTR_W-1:0] s_seen  = s_sync_q[SYNC_W-3 -: PTR_W];  // the reading pointer
    wire [PTR_W-1:0] m_seen  = m_sync_q[SYNC_W-3 -: PTR_W];  // the writing pointer
    wire [1:0]       s_phase_d = step(s_phase, s_seen_phase, s_stop_q, s_axis_aresetn);
    wire [1:0]       m_phase_d = step(m_phase, m_seen_phase, m_stop_q, m_axis_aresetn);
    wire             s_run = s_axis_aresetn && !s_stop_q && s_phase == RUN && s_phase_d == RUN;
    wire             m_run = m_axis_aresetn && !m_stop_q && m_phase == RUN && m_phase_d == RUN;

    // ---- The writing side. s_next_q is the pointer after the next push, in binary.
    logic [PTR_W-1:0] s_next_q;
    logic             s_ready_q, s_top_q;
    wire              push = s_axis_tvalid && s_ready_q;
    wire [PTR_W-1:0]  s_next_gray = gray(s_next_q);
    // Full is a distance of DEPTH; in Gray code that is the two upper bits inverted.
    wire [PTR_W-1:0]  s_limit = {~s_seen[PTR_W-1 -: 2], s_seen[PTR_W-3:0]};

    initial s_ready_q = 1'b0;

    always @(posedge s_axis_aclk) begin
        s_meta_q <= m_cross_q;
        s_sync_q <= SYNC_W'({s_sync_q, s_meta_q});

        s_stop_q <= !s_axis_aresetn || (s_stop_q && s_phase != STOP);
        s_cross_q[PTR_W +: 2] <= s_phase_d;
        if (push) s_cross_q[PTR_W-1:0] <= s_next_gray;
        if (s_phase_d[1]) s_cross_q[PTR_W-1:0] <= '0;
        s_ready_q <= s_run && !same(s_gray, s_limit) && !(push && same(s_next_gray, s_limit));
    end

    always_ff @(posedge s_axis_aclk) begin
        if (push) s_next_q <= s_next_q + 1'b1;
        if (push) s_top_q  <= s_next_q[ADDR_W-1];
        if (s_phase_d[1]) s_next_q <= PTR_W'(1);
        if (s_phase_d[1]) s_top_q  <= 1'b0;
    end

    // ---- The reading side.
    logic [PTR_W-1:0]  m_next_q;
    logic              m_stored_q, m_valid_q, m_top_q;
    logic [DATA_W-1:0] ram_q;
    wire               m_free = !m_valid_q || m_axis_tready;
    wire               pop    = m_stored_q && m_free;
    wire [PTR_W-1:0]   m_next_gray = gray(m_next_q);

    initial {m_stored_q, m_valid_q} = 2'b00;

    always @(posedge m_axis_aclk) begin
        m_meta_q <= s_cross_q;
        m_sync_q <= SYNC_W'({m_sync_q, m_meta_q});

        m_stop_q <= !m_axis_aresetn || (m_stop_q && m_phase != STOP);
        m_cross_q[PTR_W +: 2] <= m_phase_d;
        if (pop) m_cross_q[PTR_W-1:0] <= m_next_gray;
        if (m_phase_d[1]) m_cross_q[PTR_W-1:0] <= '0;
        m_stored_q <= m_run && !same(m_gray, m_seen) && !(pop && same(m_next_gray, m_seen));
        if (m_free) m_valid_q <= m_stored_q;
        if (!m_run) m_valid_q <= 1'b0;
    end

    always_ff @(posedge m_axis_aclk) begin
        if (pop) m_next_q <= m_next_q + 1'b1;
        if (pop) m_top_q  <= m_next_q[ADDR_W-1];
        if (m_phase_d[1]) m_next_q <= PTR_W'(1);
        if (m_phase_d[1]) m_top_q  <= 1'b0;
    end

    // The slot of a beat: the Gray pointer, with the upper bits of its lap left out.
    wire [ADDR_W-1:0] s_slot = {s_top_q, s_gray[ADDR_W-2:0]};
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
    logic [PTR_W-1:0] s_seen_q, s_level_q, m_seen_q, m_out_q, m_level_q;
    logic             s_run_q, m_run_q;

    always_ff @(posedge s_axis_aclk) begin
        s_seen_q  <= binary(s_seen);
        s_run_q   <= s_run;
        s_level_q <= s_next_q + ~s_seen_q + PTR_W'(push);  // s_next_q is one ahead: that is the one of two's complement
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
