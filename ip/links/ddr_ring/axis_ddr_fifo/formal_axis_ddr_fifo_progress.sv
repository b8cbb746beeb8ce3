// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_ddr_fifo_progress - what goes into axis_ddr_fifo comes out, if the memory answers.
//
// The memory takes each address and each beat, and gives each answer that is due, after at most LATE cycles. `armed` is
// high and `flush` low. The block looks at no data, so none are kept. No engine has proved it for more than 36 cycles from
// reset in 8 minutes; within 32 the ring fills up, and empties again. The bench bounds every wait in longer runs. Asserted,
// for any stream and any consumer:
//   progress_out  while beats are inside and the consumer is ready, one leaves after at most WITHIN cycles
//   progress_in   while the ring has room, a beat is taken after at most WITHIN cycles
`default_nettype none

module formal_axis_ddr_fifo_progress #(
    parameter int DATA_W     = 8,
    parameter int ADDR_W     = 32,
    parameter int BURST      = 2,
    parameter int RING_BYTES = 4,
    parameter int STAGE      = 4,
    parameter int STORE      = 0,
    parameter int LATE       = 1,
    parameter int WITHIN     = 24
) (
    input wire aclk,
    input wire aresetn,
    input wire s_axis_tvalid,
    input wire m_axis_tready,
    input wire awready,
    input wire wready,
    input wire bvalid,
    input wire arready,
    input wire rvalid
);

    localparam int BURSTS  = RING_BYTES / (BURST * DATA_W / 8);
    localparam int COUNT_W = $clog2(BURSTS * BURST + 2 * BURST + 2);
    localparam int LATE_W  = $clog2(LATE + 2);

    wire                s_axis_tready, m_axis_tvalid, idle, awvalid, wvalid, wlast, arvalid, bready, rready;
    wire                write_fault, read_fault, spilled;
    wire [DATA_W-1:0]   m_axis_tdata, wdata;
    wire [ADDR_W-1:0]   awaddr, araddr;
    wire [7:0]          awlen, arlen;
    wire [2:0]          awsize, arsize, awprot, arprot;
    wire [1:0]          awburst, arburst;
    wire [3:0]          awcache, arcache;
    wire [DATA_W/8-1:0] wstrb;
    wire [31:0]         level;

    // ---- the memory: addresses and data of writes that have come, answers and beats that are owed
    logic [COUNT_W-1:0] aw_q, w_q, r_q;
    logic [$clog2(BURST)-1:0] r_beat_q;
    wire                owes_b = aw_q != '0 && w_q != '0;
    wire                owes_r = r_q != '0;
    wire                rlast  = &r_beat_q;
    logic [LATE_W-1:0]  late_aw_q, late_w_q, late_b_q, late_ar_q, late_r_q;

    always_comb assume (!bvalid || (aresetn && owes_b));
    always_comb assume (!rvalid || (aresetn && owes_r));
    always_comb if (aresetn) begin
        assume (awready || !awvalid || late_aw_q != LATE_W'(LATE));
        assume (wready || !wvalid || late_w_q != LATE_W'(LATE));
        assume (arready || !arvalid || late_ar_q != LATE_W'(LATE));
        assume (bvalid || !owes_b || late_b_q != LATE_W'(LATE));
        assume (rvalid || !owes_r || late_r_q != LATE_W'(LATE));
    end

    always_ff @(posedge aclk) begin
        late_aw_q <= awvalid && !awready ? late_aw_q + 1'b1 : '0;
        late_w_q  <= wvalid && !wready ? late_w_q + 1'b1 : '0;
        late_ar_q <= arvalid && !arready ? late_ar_q + 1'b1 : '0;
        late_b_q  <= owes_b && !bvalid ? late_b_q + 1'b1 : '0;
        late_r_q  <= owes_r && !rvalid ? late_r_q + 1'b1 : '0;
        aw_q      <= aw_q + COUNT_W'(awvalid && awready) - COUNT_W'(bvalid);
        w_q       <= w_q + COUNT_W'(wvalid && wready && wlast) - COUNT_W'(bvalid);
        r_q       <= r_q + COUNT_W'(arvalid && arready) - COUNT_W'(rvalid && rlast);
        if (rvalid) r_beat_q <= r_beat_q + 1'b1;
        if (!aresetn) begin
            {late_aw_q, late_w_q, late_ar_q, late_b_q, late_r_q} <= '0;
            {aw_q, w_q, r_q} <= '0;
            r_beat_q <= '0;
        end
    end

    axis_ddr_fifo #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .BURST(BURST), .RING_BYTES(RING_BYTES), .STAGE(STAGE), .STORE(STORE)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .flush(1'b0), .base(ADDR_W'(4096)), .armed(1'b1), .idle(idle),
        .s_axis_tdata('0), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst),
        .m_axi_awcache(awcache), .m_axi_awprot(awprot), .m_axi_awvalid(awvalid), .m_axi_awready(awready),
        .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
        .m_axi_bresp(2'b00), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
        .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(arsize), .m_axi_arburst(arburst),
        .m_axi_arcache(arcache), .m_axi_arprot(arprot), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
        .m_axi_rdata('0), .m_axi_rresp(2'b00), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid), .m_axi_rready(rready),
        .write_fault(write_fault), .read_fault(read_fault), .spilled(spilled), .level(level)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_source #(.DATA_W(1), .WITHIN(WITHIN), .QUIET(0)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(level < BURSTS * BURST), .tdata(1'b0), .tvalid(s_axis_tvalid),
        .tready(s_axis_tready)
    );
    formal_sink #(.DATA_W(1), .WITHIN(WITHIN), .QUIET(0)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(level != '0 && m_axis_tready), .tdata(1'b0), .tvalid(m_axis_tvalid),
        .tready(m_axis_tready)
    );

    // The proof is not empty: the ring was full and was left, and a beat came back while another burst was written.
    logic was_full_q;
    always_ff @(posedge aclk) was_full_q <= aresetn && (was_full_q || level >= BURSTS * BURST);
    always_comb if (aresetn) begin
        full:     cover (level >= BURSTS * BURST + 2);
        emptied:  cover (was_full_q && level == '0);
        together: cover (rvalid && wvalid);
    end

    wire unused = &{1'b0, m_axis_tdata, wdata, awaddr, araddr, awlen, arlen, awsize, arsize, awprot, arprot, awburst, arburst,
                    awcache, arcache, wstrb, bready, rready, write_fault, read_fault, spilled, idle};

endmodule

`default_nettype wire
