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
    output wire [HOPS-1:0]    noisy,
    input  wire               walk,       // 1: the master owns AXI-Lite; 0: the ports below
    input  wire               strict,     // of the master
    output wire               walk_done,
    output reg  [8:0]         gate_seen,
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
                .bytes(bytes[32*i+:32]), .count(count[32*i+:32]), .noisy(noisy[i])
            );
        end
    endgenerate

    wire [7:0]  awaddr, araddr;
    wire [2:0]  awprot, arprot;
    wire [31:0] wdata;
    wire [3:0]  wstrb;
    wire        awvalid, wvalid, bready, arvalid, rready, slave_awready, slave_wready, slave_arready;
    wire        slave_bvalid, slave_rvalid;
    wire        unused = &{1'b0, s_axil_awprot, s_axil_arprot, s_axil_wstrb};

    assign s_axil_awready = slave_awready && !walk;
    assign s_axil_wready  = slave_wready && !walk;
    assign s_axil_arready = slave_arready && !walk;
    assign s_axil_bvalid  = slave_bvalid && !walk;
    assign s_axil_rvalid  = slave_rvalid && !walk;

    wire [7:0]  mode;
    wire [23:0] at_unused;
    wire        pin;
    axil_master #(
        .ADDR_W(8), .FILE_IN("ops.bin"), .FILE_OUT("results.bin"), .DEPTH(256), .TIMEOUT(100)
    ) u_walk (
        .aclk(aclk), .aresetn(aresetn), .start(walk), .strict(strict), .done(walk_done),
        .fault(mode), .fault_at(at_unused), .pin(pin),
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
    wire        gate_awvalid = walk ? awvalid : s_axil_awvalid, gate_wvalid = walk ? wvalid : s_axil_wvalid;
    wire        gate_arvalid = walk ? arvalid : s_axil_arvalid;
    wire [7:0]  behind_awaddr, behind_araddr;
    wire [31:0] behind_wdata, behind_rdata;
    wire [3:0]  behind_wstrb_unused;
    wire [2:0]  behind_awprot_unused, behind_arprot_unused;
    wire [1:0]  behind_bresp, behind_rresp;
    wire        behind_awvalid, behind_awready, behind_wvalid, behind_wready, behind_bvalid, behind_bready;
    wire        behind_arvalid, behind_arready, behind_rvalid, behind_rready;
    axil_gate #(.ADDR_W(8)) u_gate (
        .aclk(aclk), .s_aresetn(aresetn && pin), .m_aresetn(aresetn), .mode(mode), .seed(32'd1),
        .s_axil_awaddr(walk ? awaddr : s_axil_awaddr), .s_axil_awprot(awprot), .s_axil_awvalid(gate_awvalid),
        .s_axil_awready(slave_awready),
        .s_axil_wdata(walk ? wdata : s_axil_wdata), .s_axil_wstrb(walk ? wstrb : 4'hF), .s_axil_wvalid(gate_wvalid),
        .s_axil_wready(slave_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(slave_bvalid), .s_axil_bready(walk ? bready : s_axil_bready),
        .s_axil_araddr(walk ? araddr : s_axil_araddr), .s_axil_arprot(arprot), .s_axil_arvalid(gate_arvalid),
        .s_axil_arready(slave_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(slave_rvalid),
        .s_axil_rready(walk ? rready : s_axil_rready),
        .m_axil_awaddr(behind_awaddr), .m_axil_awprot(behind_awprot_unused), .m_axil_awvalid(behind_awvalid),
        .m_axil_awready(behind_awready),
        .m_axil_wdata(behind_wdata), .m_axil_wstrb(behind_wstrb_unused), .m_axil_wvalid(behind_wvalid),
        .m_axil_wready(behind_wready),
        .m_axil_bresp(behind_bresp), .m_axil_bvalid(behind_bvalid), .m_axil_bready(behind_bready),
        .m_axil_araddr(behind_araddr), .m_axil_arprot(behind_arprot_unused), .m_axil_arvalid(behind_arvalid),
        .m_axil_arready(behind_arready),
        .m_axil_rdata(behind_rdata), .m_axil_rresp(behind_rresp), .m_axil_rvalid(behind_rvalid),
        .m_axil_rready(behind_rready)
    );
    simulate_slave u_slave (
        .aclk(aclk), .aresetn(aresetn),
        .awaddr(behind_awaddr), .awvalid(behind_awvalid), .awready(behind_awready),
        .wdata(behind_wdata), .wvalid(behind_wvalid), .wready(behind_wready),
        .bresp(behind_bresp), .bvalid(behind_bvalid), .bready(behind_bready),
        .araddr(behind_araddr), .arvalid(behind_arvalid), .arready(behind_arready),
        .rdata(behind_rdata), .rresp(behind_rresp), .rvalid(behind_rvalid), .rready(behind_rready)
    );

    // What the gate has done: 0 took an address first, 1 data first, 2 both at once; 3 READY without VALID, 4 and taken
    // off again; 5 READY only after VALID; 6, 7 the same two of reads; 8 noise without RVALID.
    reg aw_q, w_q, aw_ready_q, aw_valid_q, ar_ready_q, ar_valid_q;
    reg [31:0] rdata_q;
    wire aw_take = gate_awvalid && slave_awready, w_take = gate_wvalid && slave_wready;
    always @(posedge aclk) begin
        aw_q <= (aw_take || aw_q) && !slave_bvalid;
        w_q  <= (w_take || w_q) && !slave_bvalid;
        {aw_ready_q, aw_valid_q, ar_ready_q, ar_valid_q} <= {slave_awready, gate_awvalid, slave_arready, gate_arvalid};
        rdata_q <= s_axil_rdata;
        if (aw_take && !w_take && !w_q) gate_seen[0] <= 1'b1;
        if (w_take && !aw_take && !aw_q) gate_seen[1] <= 1'b1;
        if (w_take && aw_take) gate_seen[2] <= 1'b1;
        if (slave_awready && !gate_awvalid) gate_seen[3] <= 1'b1;
        if (aw_ready_q && !aw_valid_q && !slave_awready) gate_seen[4] <= 1'b1;
        if (gate_awvalid && aw_valid_q && slave_awready && !aw_ready_q) gate_seen[5] <= 1'b1;
        if (ar_ready_q && !ar_valid_q && !slave_arready) gate_seen[6] <= 1'b1;
        if (gate_arvalid && ar_valid_q && slave_arready && !ar_ready_q) gate_seen[7] <= 1'b1;
        if (!slave_rvalid && s_axil_rdata != rdata_q) gate_seen[8] <= 1'b1;
        if (!aresetn) {gate_seen, aw_q, w_q} <= 11'd0;
    end
endmodule

`default_nettype wire
