// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_ddr_fifo - axis_ddr_fifo under the four shapes of bench_traffic, with the memory of sim/links/ddr_ring/axi_memory.sv.
//
// `level` is 0 at the end of each, and what a small FIFO on the chip cannot hold while the sink rests has gone by the ring.
`default_nettype none

module traffic_axis_ddr_fifo #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 64, ADDR_W = 32, BURST = 16, RING_BYTES = 65536,
    parameter int STAGE = BURST > 64 ? 2 * BURST : 128, STORE = 0
);
    // A model of no more than this; a larger ring does not get fuller in this bench.
    localparam int BYTES = RING_BYTES > 65536 ? 65536 : RING_BYTES;

    wire [1:0]          shape;
    wire                aclk, aresetn, s_tvalid, s_tready, m_tvalid, m_tready, closing, error;
    wire [DATA_W-1:0]   s_tdata, m_tdata, wdata, rdata;
    wire [31:0]         level;
    wire [ADDR_W-1:0]   awaddr, araddr;
    wire [7:0]          awlen, arlen;
    wire [2:0]          awsize, arsize, awprot, arprot;
    wire [1:0]          awburst, arburst, bresp, rresp;
    wire [3:0]          awcache, arcache;
    wire                awvalid, awready, wvalid, wready, wlast, bvalid, bready, arvalid, arready, rvalid, rready, rlast;
    wire [DATA_W/8-1:0] wstrb;
    wire                write_fault, read_fault, spilled, idle;

    bench_traffic #(.SET(SET), .BEATS(TRAFFIC), .IN_W(DATA_W), .LAST(0), .STEADY(0)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(shape), .closing(closing), .frames(),
        .s_axis_tdata(s_tdata), .s_axis_tkeep(), .s_axis_tlast(),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(1'b1), .m_axis_tlast(1'b0),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_ddr_fifo #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .BURST(BURST), .RING_BYTES(RING_BYTES), .STAGE(STAGE), .STORE(STORE)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn), .flush(1'b0), .base(ADDR_W'(4096)), .armed(1'b1), .idle(idle),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst),
        .m_axi_awcache(awcache), .m_axi_awprot(awprot), .m_axi_awvalid(awvalid), .m_axi_awready(awready),
        .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
        .m_axi_bresp(bresp), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
        .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(arsize), .m_axi_arburst(arburst),
        .m_axi_arcache(arcache), .m_axi_arprot(arprot), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
        .m_axi_rdata(rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid), .m_axi_rready(rready),
        .write_fault(write_fault), .read_fault(read_fault), .spilled(spilled), .level(level)
    );

    axi_memory #(.DATA_W(DATA_W), .ADDR_W(ADDR_W), .BASE(64'd4096), .BYTES(BYTES), .LATENCY(5), .SEED(SET + 1)) u_memory (
        .aclk(aclk), .aresetn(aresetn),
        .s_axi_awaddr(awaddr), .s_axi_awlen(awlen), .s_axi_awsize(awsize), .s_axi_awburst(awburst),
        .s_axi_awcache(awcache), .s_axi_awprot(awprot), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
        .s_axi_wdata(wdata), .s_axi_wstrb(wstrb), .s_axi_wlast(wlast), .s_axi_wvalid(wvalid), .s_axi_wready(wready),
        .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready),
        .s_axi_araddr(araddr), .s_axi_arlen(arlen), .s_axi_arsize(arsize), .s_axi_arburst(arburst),
        .s_axi_arcache(arcache), .s_axi_arprot(arprot), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
        .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast), .s_axi_rvalid(rvalid), .s_axi_rready(rready),
        .error(error)
    );

    int bursts;
    initial bursts = 0;
    always @(posedge aclk) begin
        bursts = bursts + int'(spilled);
        if (error || write_fault || read_fault) $fatal(1, "the memory complains, or a fault is told (%m)");
    end
    always @(posedge closing) begin
        if (level !== '0 || !idle) $fatal(1, "level is %0d of an empty FIFO (%m)", level);
        if (shape == 2'd3 && bursts == 0 && STAGE == 4) $fatal(1, "nothing has gone by the ring (%m)");
    end
endmodule

`default_nettype wire
