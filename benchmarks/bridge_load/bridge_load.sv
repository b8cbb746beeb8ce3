// SPDX-License-Identifier: BSD-3-Clause
//
// bridge_load - loads WORDS words into a far memory, once with the bridge's auto-increment and posted writes,
// once word by word with address, data and poll. Prints host writes, host reads and cycles of both.
//
// A host write is posted by the host's own bus too and takes WRITE_CYCLES; a read waits for its answer and takes
// READ_CYCLES besides the bridge's own: the round trip of a PCIe read is of the order of 1 us.
`default_nettype none

module bridge_load;
    localparam int WORDS = 4096;
    localparam int FAR_W = 20;

    int   write_cycles, read_cycles;
    logic aclk, aresetn;
    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end

    wire [15:0]      s_awaddr, s_araddr;
    wire [2:0]       s_awprot, s_arprot, m_awprot, m_arprot;
    wire             s_awvalid, s_awready, s_wvalid, s_wready, s_bvalid, s_bready;
    wire             s_arvalid, s_arready, s_rvalid, s_rready;
    wire [31:0]      s_wdata, s_rdata, m_wdata, m_rdata;
    wire [3:0]       s_wstrb, m_wstrb;
    wire [1:0]       s_bresp, s_rresp, m_bresp, m_rresp;
    wire [FAR_W-1:0] m_awaddr, m_araddr;
    wire             m_awvalid, m_awready, m_wvalid, m_wready, m_bvalid, m_bready;
    wire             m_arvalid, m_arready, m_rvalid, m_rready;

    bench_lite_master #(.ADDR_W(16)) u_host (
        .aclk(aclk), .aresetn(aresetn), .eager(1'b1),
        .m_axil_awaddr(s_awaddr), .m_axil_awprot(s_awprot), .m_axil_awvalid(s_awvalid), .m_axil_awready(s_awready),
        .m_axil_wdata(s_wdata), .m_axil_wstrb(s_wstrb), .m_axil_wvalid(s_wvalid), .m_axil_wready(s_wready),
        .m_axil_bresp(s_bresp), .m_axil_bvalid(s_bvalid), .m_axil_bready(s_bready),
        .m_axil_araddr(s_araddr), .m_axil_arprot(s_arprot), .m_axil_arvalid(s_arvalid), .m_axil_arready(s_arready),
        .m_axil_rdata(s_rdata), .m_axil_rresp(s_rresp), .m_axil_rvalid(s_rvalid), .m_axil_rready(s_rready)
    );
    axil_bridge #(.WINDOW_W(16), .FAR_W(FAR_W)) u_bridge (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_awaddr), .s_axil_awprot(s_awprot), .s_axil_awvalid(s_awvalid), .s_axil_awready(s_awready),
        .s_axil_wdata(s_wdata), .s_axil_wstrb(s_wstrb), .s_axil_wvalid(s_wvalid), .s_axil_wready(s_wready),
        .s_axil_bresp(s_bresp), .s_axil_bvalid(s_bvalid), .s_axil_bready(s_bready),
        .s_axil_araddr(s_araddr), .s_axil_arprot(s_arprot), .s_axil_arvalid(s_arvalid), .s_axil_arready(s_arready),
        .s_axil_rdata(s_rdata), .s_axil_rresp(s_rresp), .s_axil_rvalid(s_rvalid), .s_axil_rready(s_rready),
        .m_axil_awaddr(m_awaddr), .m_axil_awprot(m_awprot), .m_axil_awvalid(m_awvalid), .m_axil_awready(m_awready),
        .m_axil_wdata(m_wdata), .m_axil_wstrb(m_wstrb), .m_axil_wvalid(m_wvalid), .m_axil_wready(m_wready),
        .m_axil_bresp(m_bresp), .m_axil_bvalid(m_bvalid), .m_axil_bready(m_bready),
        .m_axil_araddr(m_araddr), .m_axil_arprot(m_arprot), .m_axil_arvalid(m_arvalid), .m_axil_arready(m_arready),
        .m_axil_rdata(m_rdata), .m_axil_rresp(m_rresp), .m_axil_rvalid(m_rvalid), .m_axil_rready(m_rready)
    );
    bench_lite_slave #(.ADDR_W(FAR_W), .WORDS_LOG2(12)) u_far (
        .aclk(aclk), .aresetn(aresetn), .eager(1'b1), .hang(5'd0),
        .base({FAR_W{1'b0}}), .mask({FAR_W{1'b1}}), .seed(32'd1),
        .s_axil_awaddr(m_awaddr), .s_axil_awprot(m_awaddr[4:2]), .s_axil_awvalid(m_awvalid),
        .s_axil_awready(m_awready),
        .s_axil_wdata(m_wdata), .s_axil_wstrb(m_wstrb), .s_axil_wvalid(m_wvalid), .s_axil_wready(m_wready),
        .s_axil_bresp(m_bresp), .s_axil_bvalid(m_bvalid), .s_axil_bready(m_bready),
        .s_axil_araddr(m_araddr), .s_axil_arprot(m_araddr[4:2]), .s_axil_arvalid(m_arvalid),
        .s_axil_arready(m_arready),
        .s_axil_rdata(m_rdata), .s_axil_rresp(m_rresp), .s_axil_rvalid(m_rvalid), .s_axil_rready(m_rready)
    );

    int          writes, reads, cycles, begun;
    logic [31:0] data;
    logic [1:0]  resp;
    initial cycles = 0;
    always @(posedge aclk) cycles <= cycles + 1;

    task put(input logic [15:0] at, input logic [31:0] value);
        u_host.write(at, value, 4'b1111, resp);
        if (resp != 2'b00) $fatal(1, "write to %h answered %b", at, resp);
        writes = writes + 1;
        repeat (write_cycles) @(posedge aclk);
    endtask

    task get(input logic [15:0] at);
        u_host.read(at, data, resp);
        if (resp != 2'b00) $fatal(1, "read of %h answered %b", at, resp);
        reads = reads + 1;
        repeat (read_cycles) @(posedge aclk);
    endtask

    task quiet;
        data = 32'd1;
        while (data[15:0] != 0) get(16'h14);
    endtask

    task verify(input logic [31:0] salt);
        for (int w = 0; w < WORDS; w++)
            if (u_far.mem[w] !== (32'(w) ^ salt)) $fatal(1, "word %0d is %h", w, u_far.mem[w]);
    endtask

    initial begin
        if (!$value$plusargs("write=%d", write_cycles)) $fatal(1, "no +write=");
        if (!$value$plusargs("read=%d", read_cycles)) $fatal(1, "no +read=");
        aresetn = 1'b0;
        repeat (4) @(posedge aclk);
        @(negedge aclk) aresetn = 1'b1;

        writes = 0; reads = 0; begun = cycles;
        put(16'h0C, 32'd0);
        for (int w = 0; w < WORDS; w++) put(16'h10, 32'(w) ^ 32'hA5A5A5A5);
        quiet;
        $display("LOAD bridge %0d %0d %0d %0d", WORDS, writes, reads, cycles - begun);
        verify(32'hA5A5A5A5);

        writes = 0; reads = 0; begun = cycles;
        for (int w = 0; w < WORDS; w++) begin
            put(16'h0C, 32'(4 * w));
            put(16'h10, 32'(w) ^ 32'h5A5A5A5A);
            quiet;
        end
        $display("LOAD plain %0d %0d %0d %0d", WORDS, writes, reads, cycles - begun);
        verify(32'h5A5A5A5A);
        $display("PASS %0d", 2 * WORDS);
        $finish;
    end
endmodule

`default_nettype wire
