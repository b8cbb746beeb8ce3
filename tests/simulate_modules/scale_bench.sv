// SPDX-License-Identifier: BSD-3-Clause
//
// scale_bench - an emitted core with a master at its AXI-Lite port and nothing at its streams (tests/test_scale.py).
`default_nettype none

module scale_bench (
    input  wire aresetn,
    input  wire start,
    output wire done,
    output wire aclk
);
    wire [`LITE_ADDR_W-1:0] awaddr, araddr;
    wire [2:0]  awprot, arprot;
    wire [31:0] wdata, rdata;
    wire [3:0]  wstrb;
    wire [1:0]  bresp, rresp;
    wire        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire [31:0] tdata;
    wire [3:0]  tkeep;
    wire        tlast, tvalid, tready;
    wire        unused = &{1'b0, tdata, tkeep, tlast, tvalid, tready};

    bench_clock u_clock (.clk(aclk));

    wire [7:0]  fault_unused;
    wire [23:0] at_unused;
    wire        pin_unused;
    axil_master #(.ADDR_W(`LITE_ADDR_W), .DEPTH(`OPERATIONS)) u_master (
        .aclk(aclk), .aresetn(aresetn), .start(start), .strict(1'b0), .done(done),
        .fault(fault_unused), .fault_at(at_unused), .pin(pin_unused),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready)
    );

    n0_core u_core (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(awaddr), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .s_axis_0_tdata(32'd0), .s_axis_0_tkeep(4'd0), .s_axis_0_tlast(1'b0), .s_axis_0_tvalid(1'b0),
        .s_axis_0_tready(tready),
        .m_axis_0_tdata(tdata), .m_axis_0_tkeep(tkeep), .m_axis_0_tlast(tlast), .m_axis_0_tvalid(tvalid),
        .m_axis_0_tready(1'b1)
    );
endmodule

`default_nettype wire
