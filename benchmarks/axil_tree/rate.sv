// SPDX-License-Identifier: BSD-3-Clause
//
// rate - counts the cycles of an access through axil_tree: first reads only, then writes only, without a pause.
//
// Slave k takes a request at once, answers in the next cycle, and with its number. The accesses go to one slave after
// the other; a wrong number or an answer that is not OKAY is fatal. Prints `READ <accesses> <cycles>`, then WRITE.
`default_nettype none

module rate;

    parameter int N = 16;

    logic             aclk, aresetn;
    logic             writing, reading;
    logic [31:0]      next_w, next_r, seen_w, seen_r;
    int               cycle, first, count;
    wire              awready, wready, bvalid, arready, rvalid;
    wire  [1:0]       bresp, rresp;
    wire  [31:0]      rdata, awaddr, araddr, wdata;
    wire  [2:0]       awprot, arprot;
    wire  [3:0]       wstrb;
    wire  [N-1:0]     m_awvalid, m_wvalid, m_bready, m_arvalid, m_rready;
    logic [N-1:0]     m_bvalid, m_rvalid;
    wire  [N*32-1:0]  m_rdata;

    for (genvar k = 0; k < N; k++) begin : g_slave
        assign m_rdata[k*32 +: 32] = m_rvalid[k] ? 32'(k) : 32'hDEADBEEF;
    end

    axil_tree u_tree (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr((next_w % N) << 12), .s_axil_awprot(3'd0), .s_axil_awvalid(writing), .s_axil_awready(awready),
        .s_axil_wdata(next_w % N), .s_axil_wstrb(4'hF), .s_axil_wvalid(writing), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(1'b1),
        .s_axil_araddr((next_r % N) << 12), .s_axil_arprot(3'd0), .s_axil_arvalid(reading), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(m_awvalid), .m_axil_awready({N{1'b1}}),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(m_wvalid), .m_axil_wready({N{1'b1}}),
        .m_axil_bresp({N{2'b00}}), .m_axil_bvalid(m_bvalid), .m_axil_bready(m_bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(m_arvalid), .m_axil_arready({N{1'b1}}),
        .m_axil_rdata(m_rdata), .m_axil_rresp({N{2'b00}}), .m_axil_rvalid(m_rvalid), .m_axil_rready(m_rready)
    );

    initial begin
        aclk = 1'b0; aresetn = 1'b0; writing = 1'b0; reading = 1'b0;
        next_w = 0; next_r = 0; seen_w = 0; seen_r = 0; m_bvalid = '0; m_rvalid = '0; cycle = 0;
        repeat (4) @(negedge aclk);
        aresetn = 1'b1;
        @(negedge aclk);
        reading = 1'b1;
        wait (seen_r == 10);
        first = cycle; count = int'(seen_r);
        wait (seen_r == 2 * N + 10);
        $display("READ %0d %0d", int'(seen_r) - count, cycle - first);
        @(negedge aclk);
        reading = 1'b0;
        repeat (20) @(negedge aclk);
        writing = 1'b1;
        wait (seen_w == 10);
        first = cycle; count = int'(seen_w);
        wait (seen_w == 2 * N + 10);
        $display("WRITE %0d %0d", int'(seen_w) - count, cycle - first);
        $finish;
    end
    always #5 aclk = !aclk;

    always @(posedge aclk) begin
        cycle <= cycle + 1;
        if (cycle > 20 * N + 1000) $fatal(1, "not done");
        m_rvalid <= m_arvalid | (m_rvalid & ~m_rready);
        m_bvalid <= (m_awvalid & m_wvalid) | (m_bvalid & ~m_bready);
        if (reading && arready) next_r <= next_r + 1;
        if (writing && awready) next_w <= next_w + 1;
        if (awready != wready && aresetn) $fatal(1, "address and data are not taken together");
        if ((m_awvalid & m_wvalid) != 0 && m_awvalid != (N'(1) << wdata)) $fatal(1, "write at the wrong slave");
        if (rvalid) begin
            seen_r <= seen_r + 1;
            if (rresp != 2'b00 || rdata != seen_r % N) $fatal(1, "read %0d: %h with %b", seen_r, rdata, rresp);
        end
        if (bvalid) begin
            seen_w <= seen_w + 1;
            if (bresp != 2'b00) $fatal(1, "write %0d: %b", seen_w, bresp);
        end
    end

endmodule

`default_nettype wire
