// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_ddr_fifo_order - no beat is lost, doubled or out of order, whatever the memory's timing, `armed` and `flush`.
//
// The memory is that of formal_axis_ddr_fifo: it answers what it may answer, at any time, and keeps bit 0 of each beat; the
// block looks at no data, so that one bit stands for all. What is inside is a string of bits: the second FIFO, then the
// ring, then the first FIFO. formal_track follows one of them; lemmas say where each is, and how the counters of the block
// follow from what the memory has seen.
//   order, origin, level, level_told  as formal_track has them, with what `level` tells
//   sequence                          bursts are read in the order in which they were written
`default_nettype none

module formal_axis_ddr_fifo_order #(
    parameter int DATA_W     = 8,
    parameter int ADDR_W     = 32,
    parameter int BURST      = 2,
    parameter int RING_BYTES = 4,
    parameter int STAGE      = 4,
    parameter int STORE      = 1
) (
    input wire              aclk,
    input wire              aresetn,
    input wire              flush,
    input wire              armed,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready,
    input wire              awready,
    input wire              wready,
    input wire [1:0]        bresp,
    input wire              bvalid,
    input wire              arready,
    input wire [DATA_W-1:0] rdata_in,
    input wire [1:0]        rresp,
    input wire              rvalid
);

    localparam int BURSTS   = RING_BYTES / (BURST * DATA_W / 8);
    localparam int STEP_W   = $clog2(BURST * DATA_W / 8);
    localparam int SLOT_W   = $clog2(BURSTS);
    localparam int BEAT_W   = $clog2(BURST);
    localparam int TAP_W    = $clog2(STAGE);
    localparam int CAPACITY = BURSTS * BURST + 2 * (STAGE + 1);
    localparam int N_W      = $clog2(CAPACITY + 2) + 1;  // of every count here: no sum overflows

    wire                s_axis_tready, m_axis_tvalid, idle;
    wire [DATA_W-1:0]   m_axis_tdata, wdata;
    wire [ADDR_W-1:0]   awaddr, araddr;
    wire [7:0]          awlen, arlen;
    wire [2:0]          awsize, arsize, awprot, arprot;
    wire [1:0]          awburst, arburst;
    wire [3:0]          awcache, arcache;
    wire                awvalid, arvalid, wvalid, wlast, bready, rready, rlast;
    wire [DATA_W/8-1:0] wstrb;
    wire                write_fault, read_fault, spilled;
    wire [31:0]         level;
    wire                kept;  // what the memory has for the beat that is read
    wire [DATA_W-1:0]   rdata = {rdata_in[DATA_W-1:1], kept};

    axis_ddr_fifo #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .BURST(BURST), .RING_BYTES(RING_BYTES), .STAGE(STAGE), .STORE(STORE)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .flush(flush), .base(ADDR_W'(4096)), .armed(armed), .idle(idle),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst),
        .m_axi_awcache(awcache), .m_axi_awprot(awprot), .m_axi_awvalid(awvalid), .m_axi_awready(awready),
        .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
        .m_axi_bresp(bresp), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
        .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(arsize), .m_axi_arburst(arburst),
        .m_axi_arcache(arcache), .m_axi_arprot(arprot), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
        .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid), .m_axi_rready(rready),
        .write_fault(write_fault), .read_fault(read_fault), .spilled(spilled), .level(level)
    );

    // Shown by formal.toml: of the block, of both FIFOs (bit 0), and of formal_track.
    wire                      live, stop, drop, ring, whole, room, full, still, some, empty;
    wire [$clog2(BURSTS+1)-1:0] used_told, stored_told, aw_left, ar_left;
    wire [$clog2(STAGE+2)-1:0]  spare, taken, front_level, rear_level;
    wire [$clog2(STAGE+2)-BEAT_W-1:0] owed;
    wire [BEAT_W-1:0]         w_at;
    wire                      front_ready, rear_ready, front_stored, rear_stored, front_valid, rear_valid;
    wire [STAGE-1:0]          front_chain, rear_chain;
    wire [TAP_W-1:0]          front_tap, rear_tap;
    wire [DATA_W-1:0]         front_word, rear_word;
    wire                      following, value;
    wire [$clog2(CAPACITY+2)-1:0] ahead, held;

    // ---- the memory ------------------------------------------------------------------------------

    // Bursts of the ring by age, oldest first: those that are read, stored, written, and written without all data.
    logic [BURSTS*BURST-1:0] mem_q;
    logic [SLOT_W-1:0]       first_q;
    logic [N_W-1:0]          used_q, writes_q, bare_q, reads_q;
    logic [BEAT_W-1:0]       w_beat_q, r_beat_q;
    logic                    aw_wait_q, ar_wait_q;

    wire [SLOT_W-1:0] aw_slot = awaddr[STEP_W +: SLOT_W];
    wire [SLOT_W-1:0] ar_slot = araddr[STEP_W +: SLOT_W];
    wire              aw_new  = awvalid && !aw_wait_q;
    wire              ar_new  = arvalid && !ar_wait_q;
    wire              w_fire  = wvalid && wready;
    wire [N_W-1:0]    writes  = writes_q + N_W'(aw_new);
    wire [N_W-1:0]    bare    = bare_q + N_W'(aw_new);
    wire [N_W-1:0]    reads   = reads_q + N_W'(ar_new);
    wire [N_W-1:0]    used    = used_q + N_W'(aw_new);
    wire [SLOT_W-1:0] first   = used_q == '0 && aw_new ? aw_slot : first_q;
    wire [SLOT_W-1:0] w_slot  = first + SLOT_W'(used - bare);
    assign rlast = &r_beat_q;
    assign kept  = mem_q[{first_q, r_beat_q}];

    always_comb assume (!bvalid || (aresetn && writes_q != bare_q && writes_q != N_W'(aw_wait_q)));
    always_comb assume (!rvalid || (aresetn && reads_q != N_W'(ar_wait_q)));

    always_ff @(posedge aclk) begin
        aw_wait_q <= awvalid && !awready;
        ar_wait_q <= arvalid && !arready;
        writes_q  <= writes - N_W'(bvalid);
        bare_q    <= bare - N_W'(w_fire && wlast);
        reads_q   <= reads - N_W'(rvalid && rlast);
        used_q    <= live ? used - N_W'(rvalid && rlast) : '0;
        first_q   <= rvalid && rlast ? first + 1'b1 : first;
        if (w_fire) w_beat_q <= w_beat_q + 1'b1;
        if (rvalid) r_beat_q <= r_beat_q + 1'b1;
        if (w_fire) mem_q[{w_slot, w_beat_q}] <= wdata[0];

        if (!aresetn) begin
            {aw_wait_q, ar_wait_q} <= '0;
            writes_q <= '0;
            bare_q   <= '0;
            reads_q  <= '0;
            w_beat_q <= '0;
            r_beat_q <= '0;
        end
    end

    // ---- beats -----------------------------------------------------------------------------------

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_track #(.CAPACITY(CAPACITY)) u_track (
        .aclk(aclk), .aresetn(live),
        .in_data(s_axis_tdata[0]), .in_units(1'b1), .in_fire(s_axis_tvalid && s_axis_tready),
        .out_data(m_axis_tdata[0]), .out_units(1'b1), .out_valid(m_axis_tvalid),
        .out_fire(m_axis_tvalid && m_axis_tready), .held(held)
    );

    // The string, oldest bit first. A chain holds its newest bit at 0, and its oldest at the tap.
    wire [N_W-1:0] rear_n  = N_W'(rear_valid) + (rear_stored ? N_W'(rear_tap) + N_W'(1) : N_W'(0));
    wire [N_W-1:0] front_n = N_W'(front_valid) + (front_stored ? N_W'(front_tap) + N_W'(1) : N_W'(0));
    wire [N_W-1:0] ring_n  = N_W'(BURST) * (used_q - bare_q) + N_W'(w_beat_q) - N_W'(r_beat_q);
    wire [N_W-1:0] where   = N_W'(ahead);
    wire [N_W-1:0] in_ring = where - rear_n + N_W'(r_beat_q);
    wire [N_W-1:0] in_front = where - rear_n - ring_n;
    wire [TAP_W-1:0] rear_at  = rear_tap - TAP_W'(where) + TAP_W'(rear_valid);
    wire [TAP_W-1:0] front_at = front_tap - TAP_W'(in_front) + TAP_W'(front_valid);
    logic          here;  // the bit at the place of the one that is followed
    always_comb begin
        if (where < rear_n)
            here = rear_valid && where == '0 ? rear_word[0] : rear_chain[rear_at];
        else if (where < rear_n + ring_n)
            here = mem_q[{SLOT_W'(first_q + SLOT_W'(in_ring[N_W-1:BEAT_W])), in_ring[BEAT_W-1:0]}];
        else
            here = front_valid && in_front == '0 ? front_word[0] : front_chain[front_at];
    end

    always_comb if (aresetn) begin
        level_told: assert (level == 32'(held));
        sequence_write: assert (!aw_new || used_q == '0 || aw_slot == SLOT_W'(first_q + SLOT_W'(used_q)));
        sequence_read:  assert (!ar_new || (used_q > reads_q && ar_slot == SLOT_W'(first_q + SLOT_W'(reads_q))));

        l_bit:     assert (!following || (where < N_W'(held) && here == value));
        l_held:    assert (N_W'(held) == rear_n + ring_n + front_n);
        l_levels:  assert (N_W'(rear_level) == rear_n && N_W'(front_level) == front_n);
        l_taps:    assert ((rear_stored || rear_tap == '1) && (front_stored || front_tap == '1));
        l_ready:   assert ((!rear_ready || !rear_stored || rear_tap != '1) && (!front_ready || !front_stored || front_tap != '1));
        l_full:    assert ((rear_ready || rear_tap == '1) && (front_ready || front_tap == '1));
        l_counts:  assert (used <= N_W'(BURSTS) && used_q <= N_W'(BURSTS) && writes_q <= used_q && reads_q <= used_q - writes_q
            && bare_q <= writes_q);
        l_address: assert (!ring || (32'(aw_left) == BURSTS - 1 - 32'(aw_slot) && 32'(ar_left) == BURSTS - 1 - 32'(ar_slot)));
        l_next_w:  assert (!ring || used_q == '0 || SLOT_W'(aw_slot + SLOT_W'(aw_wait_q)) == SLOT_W'(first_q + SLOT_W'(used_q)));
        l_next_r:  assert (!ring || used_q == '0 || SLOT_W'(ar_slot + SLOT_W'(ar_wait_q)) == SLOT_W'(first_q + SLOT_W'(reads_q)));
        l_next:    assert (!ring || used_q != '0 || aw_slot == ar_slot);
        l_waits:   assert ((!aw_wait_q || (awvalid && writes_q != '0)) && (!ar_wait_q || (arvalid && reads_q != '0)));
        l_used:    assert (N_W'(used_told) == used);
        l_stored:  assert (N_W'(stored_told) + writes_q + N_W'(ar_new) + reads_q == used_q);
        l_owed:    assert (N_W'(owed) == bare && w_at == w_beat_q);
        l_idle_w:  assert (bare_q != '0 || w_beat_q == '0);
        l_idle_r:  assert (reads_q != '0 || r_beat_q == '0);
        l_spare:   assert (N_W'(spare) + N_W'(BURST) * bare == front_n + N_W'(w_beat_q));
        l_taken:   assert (N_W'(taken) + N_W'(r_beat_q) == rear_n + N_W'(BURST) * reads);
        l_room:    assert (reads == '0 || N_W'(taken) <= N_W'(STAGE));
        l_ring:    assert (ring || (used == '0 && reads == '0 && writes == '0));
        l_still:   assert (!still || awvalid || arvalid || used_told == stored_told);
        // Flags are a cycle late; an address that is valid holds off the next start.
        l_f_full:  assert (32'(used_told) != BURSTS || full || awvalid);
        l_f_empty: assert (used_told == '0 || !empty || awvalid);
        l_f_some:  assert (stored_told != '0 || !some || arvalid);
        l_f_whole: assert (!ring || !whole || awvalid || 32'(spare) >= BURST);
        l_f_room:  assert (!ring || !room || arvalid || 32'(taken) <= STAGE - BURST);
    end

    // The proof is not empty: the ring was full, and one that was followed has left by way of it.
    logic through_q;
    always_ff @(posedge aclk) through_q <= aresetn && following && (through_q || (where >= rear_n && where < rear_n + ring_n));
    always_comb if (aresetn) begin
        filled:  cover (used_q == N_W'(BURSTS));
        through: cover (through_q && where == '0 && m_axis_tvalid && m_axis_tready);
    end

    wire unused = &{1'b0, awlen, arlen, awsize, arsize, awprot, arprot, awburst, arburst, awcache, arcache, write_fault,
                    read_fault, spilled, s_axis_tdata, wdata, bready, rready, wstrb, idle, stop, drop, whole, room, full, some,
                    empty, aw_left, ar_left, rear_word, front_word};

endmodule

`default_nettype wire
