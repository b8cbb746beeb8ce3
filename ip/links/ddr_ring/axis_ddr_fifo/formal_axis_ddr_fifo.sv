// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_ddr_fifo - the proof of axis_ddr_fifo, whatever the memory's timing, `armed`, `flush` and faults.
//
// The memory answers what it may answer, at any time; what it keeps is one arbitrary bit of each beat. Each burst of the
// ring is free, being written, stored, or being read. Asserted:
//   address   a burst begins within the ring, at a place that is free (write) or stored (read)
//   stable    what waits for ready stays as it is
//   data      a beat is offered only of a burst that has begun, and wlast is on the last one
//   room      there is room for every beat that is read
//   quiet     no burst begins while not armed or in a flush
//   rest      idle only while no burst is under way
// That no beat is lost, doubled or out of order: formal_axis_ddr_fifo_order. That none waits: formal_axis_ddr_fifo_progress.
`default_nettype none

module formal_axis_ddr_fifo #(
    parameter int DATA_W     = 8,
    parameter int ADDR_W     = 32,
    parameter int BURST      = 2,
    parameter int RING_BYTES = 4,
    parameter int STAGE      = 4,
    parameter int STORE      = 0
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

    localparam int BURST_BYTES = BURST * DATA_W / 8;
    localparam int BURSTS      = RING_BYTES / BURST_BYTES;
    localparam int STEP_W      = $clog2(BURST_BYTES);
    localparam int SLOT_W      = $clog2(BURSTS);
    localparam int BEAT_W      = $clog2(BURST);
    localparam int COUNT_W     = $clog2(BURSTS + 2);
    localparam logic [ADDR_W-1:0] BASE = ADDR_W'(4096);

    (* anyconst *) logic [$clog2(DATA_W)-1:0] place;

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
    wire  [DATA_W-1:0]  one   = DATA_W'(1) << place;
    wire  [DATA_W-1:0]  rdata = kept ? rdata_in | one : rdata_in & ~one;

    axis_ddr_fifo #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .BURST(BURST), .RING_BYTES(RING_BYTES), .STAGE(STAGE), .STORE(STORE)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .flush(flush), .base(BASE), .armed(armed), .idle(idle),
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

    // Shown by formal.toml.
    wire live, stop, rear_ready;

    // ---- the memory ------------------------------------------------------------------------------

    // Bursts by slot; those under way in the order in which they began, oldest first.
    logic [BURSTS-1:0]       writing_q, stored_q, reading_q;
    logic [BURSTS*BURST-1:0] mem_q;
    logic [BURSTS*SLOT_W-1:0] write_q, read_q;
    logic [COUNT_W-1:0]      writes_q, bare_q, reads_q;  // under way; those of the writes whose data are not all there
    logic [BEAT_W-1:0]       w_beat_q, r_beat_q;
    logic                    aw_wait_q, ar_wait_q, w_wait_q, w_bit_q, w_last_q, quiet_q;
    logic [ADDR_W-1:0]       aw_addr_q, ar_addr_q;

    wire [SLOT_W-1:0]  aw_slot  = awaddr[STEP_W +: SLOT_W];
    wire [SLOT_W-1:0]  ar_slot  = araddr[STEP_W +: SLOT_W];
    wire               aw_new   = awvalid && !aw_wait_q;
    wire               ar_new   = arvalid && !ar_wait_q;
    wire               w_fire   = wvalid && wready;
    wire [COUNT_W-1:0] writes   = writes_q + COUNT_W'(aw_new);
    wire [COUNT_W-1:0] bare     = bare_q + COUNT_W'(aw_new);
    wire [COUNT_W-1:0] reads    = reads_q + COUNT_W'(ar_new);
    // The queues with what begins now.
    logic [BURSTS*SLOT_W-1:0] write, read;
    always_comb begin
        write = write_q;
        read  = read_q;
        for (int k = 0; k < BURSTS; k++) begin
            if (aw_new && writes_q == COUNT_W'(k)) write[SLOT_W*k +: SLOT_W] = aw_slot;
            if (ar_new && reads_q == COUNT_W'(k))  read[SLOT_W*k +: SLOT_W] = ar_slot;
        end
    end
    logic [SLOT_W-1:0] w_slot;  // of the burst whose data come
    always_comb begin
        w_slot = '0;
        for (int k = 0; k < BURSTS; k++) if (writes - bare == COUNT_W'(k)) w_slot = write[SLOT_W*k +: SLOT_W];
    end
    wire [SLOT_W-1:0] b_slot = write_q[SLOT_W-1:0];
    wire [SLOT_W-1:0] r_slot = read_q[SLOT_W-1:0];
    assign rlast = &r_beat_q;
    assign kept  = mem_q[{r_slot, r_beat_q}];

    wire may_b = writes_q != bare_q && writes_q != COUNT_W'(aw_wait_q);
    wire may_r = reads_q != COUNT_W'(ar_wait_q);
    always_comb assume (32'(place) < DATA_W);
    always_comb assume (!bvalid || (aresetn && may_b));
    always_comb assume (!rvalid || (aresetn && may_r));

    always_ff @(posedge aclk) begin
        aw_wait_q <= awvalid && !awready;
        ar_wait_q <= arvalid && !arready;
        w_wait_q  <= wvalid && !wready;
        aw_addr_q <= awaddr;
        ar_addr_q <= araddr;
        w_bit_q   <= wdata[place];
        w_last_q  <= wlast;
        quiet_q   <= !armed || stop;
        writes_q  <= writes - COUNT_W'(bvalid);
        bare_q    <= bare - COUNT_W'(w_fire && wlast);
        reads_q   <= reads - COUNT_W'(rvalid && rlast);
        write_q   <= bvalid ? write >> SLOT_W : write;
        read_q    <= rvalid && rlast ? read >> SLOT_W : read;
        if (w_fire) w_beat_q <= w_beat_q + 1'b1;
        if (rvalid) r_beat_q <= r_beat_q + 1'b1;
        for (int k = 0; k < BURSTS * BURST; k++) if (w_fire && 32'({w_slot, w_beat_q}) == k) mem_q[k] <= wdata[place];
        for (int k = 0; k < BURSTS; k++) begin
            writing_q[k] <= (aw_new && 32'(aw_slot) == k) || (writing_q[k] && !(bvalid && 32'(b_slot) == k));
            stored_q[k]  <= live && ((bvalid && 32'(b_slot) == k) || (stored_q[k] && !(ar_new && 32'(ar_slot) == k)));
            reading_q[k] <= (ar_new && 32'(ar_slot) == k) || (reading_q[k] && !(rvalid && rlast && 32'(r_slot) == k));
        end

        if (!aresetn) begin
            {aw_wait_q, ar_wait_q, w_wait_q, quiet_q} <= 4'b0001;
            writes_q  <= '0;
            bare_q    <= '0;
            reads_q   <= '0;
            write_q   <= '0;
            read_q    <= '0;
            w_beat_q  <= '0;
            r_beat_q  <= '0;
            writing_q <= '0;
            reading_q <= '0;
        end
    end

    always_comb if (aresetn) begin
        address: assert (!aw_new || (awaddr[ADDR_W-1:STEP_W+SLOT_W] == BASE[ADDR_W-1:STEP_W+SLOT_W]
            && 32'(aw_slot) < BURSTS && awaddr[STEP_W-1:0] == '0
            && !writing_q[aw_slot] && !stored_q[aw_slot] && !reading_q[aw_slot]));
        address_read: assert (!ar_new || (araddr[ADDR_W-1:STEP_W+SLOT_W] == BASE[ADDR_W-1:STEP_W+SLOT_W]
            && 32'(ar_slot) < BURSTS && araddr[STEP_W-1:0] == '0 && stored_q[ar_slot]));
        stable:  assert ((!aw_wait_q || (awvalid && awaddr == aw_addr_q)) && (!ar_wait_q || (arvalid && araddr == ar_addr_q))
            && (!w_wait_q || (wvalid && wdata[place] == w_bit_q && wlast == w_last_q)));
        data:    assert (!wvalid || (bare != '0 && wlast == (&w_beat_q)));
        room:    assert (!rvalid || (rready && rear_ready));
        quiet:   assert (!quiet_q || (!aw_new && !ar_new));
        rest:    assert (!idle || (writing_q == '0 && reading_q == '0 && !awvalid && !arvalid));
        whole:   assert (bready && rready && wstrb == '1);
    end

    // ---- beats -----------------------------------------------------------------------------------

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(1)) u_source (
        .aclk(aclk), .aresetn(aresetn && !stop), .fair(level < BURSTS * BURST), .tdata(s_axis_tdata[place]), .tvalid(s_axis_tvalid),
        .tready(s_axis_tready)
    );
    formal_sink #(.DATA_W(1)) u_sink (
        .aclk(aclk), .aresetn(aresetn && !stop), .pending(level != '0 && m_axis_tready), .tdata(m_axis_tdata[place]), .tvalid(m_axis_tvalid),
        .tready(m_axis_tready)
    );

    // The proof is not empty: the ring was full, and used again, and a burst came back.
    always_comb if (aresetn) begin
        full:     cover ((writing_q | stored_q) == '1);
        returned: cover (rvalid && rlast && r_slot == SLOT_W'(BURSTS - 1));
        emptied:  cover (stop && stored_q != '0 && !live);
    end

    wire unused = &{1'b0, awlen, arlen, awsize, arsize, awprot, arprot, awburst, arburst, awcache, arcache, write_fault,
                    read_fault, spilled, s_axis_tdata};

endmodule

`default_nettype wire
