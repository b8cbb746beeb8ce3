// SPDX-License-Identifier: BSD-3-Clause
//
// simulate_bench - for blocks.py: every block of sim/, three pairs of widths side by side.
`default_nettype none

module simulate_bench #(
    parameter int HOPS = 3
) (
    input  wire               aresetn,
    input  wire               start,
    input  wire               dump,
    input  wire [31:0]        frames,
    input  wire [7:0]         stall,
    input  wire               mask_tlast,
    input  wire [2:0]         inject_kind,
    input  wire [31:0]        inject_beat,
    output wire               done,
    output wire               dumped,
    output wire [HOPS-1:0]    dma_int_err,
    output wire [32*HOPS-1:0] sent,
    output wire [32*HOPS-1:0] frames_in,
    output wire [32*HOPS-1:0] frames_out,
    output wire [32*HOPS-1:0] bytes,
    output wire [32*HOPS-1:0] count,
    input  wire               walk,       // 1: the master owns AXI-Lite; 0: the ports below
    output wire               walk_done,
    input  wire [7:0]         s_axil_awaddr,
    input  wire [2:0]         s_axil_awprot,
    input  wire               s_axil_awvalid,
    output wire               s_axil_awready,
    input  wire [31:0]        s_axil_wdata,
    input  wire [3:0]         s_axil_wstrb,
    input  wire               s_axil_wvalid,
    output wire               s_axil_wready,
    output wire [1:0]         s_axil_bresp,
    output wire               s_axil_bvalid,
    input  wire               s_axil_bready,
    input  wire [7:0]         s_axil_araddr,
    input  wire [2:0]         s_axil_arprot,
    input  wire               s_axil_arvalid,
    output wire               s_axil_arready,
    output wire [31:0]        s_axil_rdata,
    output wire [1:0]         s_axil_rresp,
    output wire               s_axil_rvalid,
    input  wire               s_axil_rready,
    output wire               aclk
);
    wire [HOPS-1:0] each_done, each_dumped;
    assign done   = &each_done;
    assign dumped = &each_dumped;

    bench_clock #(.HALF_PS(5000)) u_clock (.clk(aclk));

    generate
        for (genvar i = 0; i < HOPS; i++) begin : g_hop
            simulate_hop #(
                .S_W(i == 0 ? 64 : i == 1 ? 32 : 128), .M_W(i == 0 ? 128 : 64), .INDEX(i)
            ) u_hop (
                .aclk(aclk), .aresetn(aresetn), .start(start), .dump(dump), .frames(frames), .stall(stall),
                .mask_tlast(mask_tlast), .inject_kind(inject_kind), .inject_beat(inject_beat),
                .done(each_done[i]), .dumped(each_dumped[i]), .dma_int_err(dma_int_err[i]),
                .sent(sent[32*i+:32]), .frames_in(frames_in[32*i+:32]), .frames_out(frames_out[32*i+:32]),
                .bytes(bytes[32*i+:32]), .count(count[32*i+:32])
            );
        end
    endgenerate

    wire [7:0]  awaddr, araddr;
    wire [2:0]  awprot, arprot;
    wire [31:0] wdata;
    wire [3:0]  wstrb;
    wire        awvalid, wvalid, bready, arvalid, rready, slave_awready, slave_wready, slave_arready;
    wire        slave_bvalid, slave_rvalid;
    wire        unused = &{1'b0, awprot, arprot, wstrb, s_axil_awprot, s_axil_arprot, s_axil_wstrb};

    assign s_axil_awready = slave_awready && !walk;
    assign s_axil_wready  = slave_wready && !walk;
    assign s_axil_arready = slave_arready && !walk;
    assign s_axil_bvalid  = slave_bvalid && !walk;
    assign s_axil_rvalid  = slave_rvalid && !walk;

    wire [2:0]  fault_unused;
    wire [23:0] at_unused;
    wire        pin_unused;
    axil_master #(
        .ADDR_W(8), .FILE_IN("ops.bin"), .FILE_OUT("results.bin"), .DEPTH(64), .TIMEOUT(100)
    ) u_walk (
        .aclk(aclk), .aresetn(aresetn), .start(walk), .done(walk_done),
        .fault(fault_unused), .fault_at(at_unused), .pin(pin_unused),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid),
        .m_axil_awready(slave_awready && walk),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid),
        .m_axil_wready(slave_wready && walk),
        .m_axil_bresp(s_axil_bresp), .m_axil_bvalid(slave_bvalid && walk), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid),
        .m_axil_arready(slave_arready && walk),
        .m_axil_rdata(s_axil_rdata), .m_axil_rresp(s_axil_rresp), .m_axil_rvalid(slave_rvalid && walk),
        .m_axil_rready(rready)
    );
    simulate_slave u_slave (
        .aclk(aclk), .aresetn(aresetn),
        .awaddr(walk ? awaddr : s_axil_awaddr), .awvalid(walk ? awvalid : s_axil_awvalid),
        .awready(slave_awready),
        .wdata(walk ? wdata : s_axil_wdata), .wvalid(walk ? wvalid : s_axil_wvalid), .wready(slave_wready),
        .bresp(s_axil_bresp), .bvalid(slave_bvalid), .bready(walk ? bready : s_axil_bready),
        .araddr(walk ? araddr : s_axil_araddr), .arvalid(walk ? arvalid : s_axil_arvalid),
        .arready(slave_arready),
        .rdata(s_axil_rdata), .rresp(s_axil_rresp), .rvalid(slave_rvalid),
        .rready(walk ? rready : s_axil_rready)
    );
endmodule

`default_nettype wire
