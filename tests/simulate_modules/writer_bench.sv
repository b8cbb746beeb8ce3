// SPDX-License-Identifier: BSD-3-Clause
//
// writer_bench - for writer.py: axil_writer before simulate_slave.
`default_nettype none

module writer_bench (
    input  wire         aresetn,
    input  wire         start,
    output wire         done,
    output wire [511:0] registers,
    output wire         aclk
);
    wire [7:0]  awaddr, araddr;
    wire [31:0] wdata, rdata;
    wire [3:0]  wstrb;
    wire [2:0]  awprot, arprot;
    wire [1:0]  bresp, rresp;
    wire        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire        unused = &{1'b0, wstrb, awprot, arprot};

    bench_clock u_clock (.clk(aclk));
    axil_writer #(.ADDR_W(8), .FILE_IN("writes"), .FILE_OUT("said"), .TIMEOUT(50)) u_writer (
        .aclk(aclk), .aresetn(aresetn), .start(start), .number(32'd7), .done(done),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready)
    );
    simulate_slave u_slave (
        .aclk(aclk), .aresetn(aresetn), .awaddr(awaddr), .awvalid(awvalid), .awready(awready), .wdata(wdata),
        .wvalid(wvalid), .wready(wready), .bresp(bresp), .bvalid(bvalid), .bready(bready), .araddr(araddr),
        .arvalid(arvalid), .arready(arready), .rdata(rdata), .rresp(rresp), .rvalid(rvalid), .rready(rready)
    );
    generate
        for (genvar k = 0; k < 16; k++) begin : g_register
            assign registers[32*k +: 32] = u_slave.registers[k];
        end
    endgenerate
endmodule

`default_nettype wire
