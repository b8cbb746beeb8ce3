// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_register - random accesses through axil_register to a memory that delays every channel.
`default_nettype none

module axil_register_case #(
    parameter int ADDR_W = 12, DATA_W = 32, SEED = 1
) (
    input  wire         aclk,
    output logic        done,
    output logic [31:0] compared
);
    localparam int WORDS = 16;
    localparam int LSB   = $clog2(DATA_W / 8);
    wire  clock = aclk && !done;
    logic aresetn, eager;
    wire [ADDR_W-1:0] a_awaddr, a_araddr;
    wire [2:0] a_awprot, a_arprot;
    wire a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire a_arvalid, a_arready, a_rvalid, a_rready;
    wire [DATA_W-1:0] a_wdata, a_rdata;
    wire [DATA_W/8-1:0] a_wstrb;
    wire [1:0] a_bresp, a_rresp;
    wire [ADDR_W-1:0] b_awaddr, b_araddr;
    wire [2:0] b_awprot, b_arprot;
    wire b_awvalid, b_awready, b_wvalid, b_wready, b_bvalid, b_bready;
    wire b_arvalid, b_arready, b_rvalid, b_rready;
    wire [DATA_W-1:0] b_wdata, b_rdata;
    wire [DATA_W/8-1:0] b_wstrb;
    wire [1:0] b_bresp, b_rresp;

    bench_lite_master #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .LIMIT(100), .SEED(SEED)) u_master (
            .aclk(clock), .aresetn(aresetn), .eager(eager),
            .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid),
            .m_axil_awready(a_awready), .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb),
            .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready), .m_axil_bresp(a_bresp),
            .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready), .m_axil_araddr(a_araddr),
            .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
            .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid),
            .m_axil_rready(a_rready)
    );
    axil_register #(.ADDR_W(ADDR_W), .DATA_W(DATA_W)) u_dut (
            .aclk(clock), .aresetn(aresetn),
            .s_axil_awaddr(a_awaddr), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid),
            .s_axil_awready(a_awready), .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb),
            .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready), .s_axil_bresp(a_bresp),
            .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready), .s_axil_araddr(a_araddr),
            .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
            .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid),
            .s_axil_rready(a_rready),
            .m_axil_awaddr(b_awaddr), .m_axil_awprot(b_awprot), .m_axil_awvalid(b_awvalid),
            .m_axil_awready(b_awready), .m_axil_wdata(b_wdata), .m_axil_wstrb(b_wstrb),
            .m_axil_wvalid(b_wvalid), .m_axil_wready(b_wready), .m_axil_bresp(b_bresp),
            .m_axil_bvalid(b_bvalid), .m_axil_bready(b_bready), .m_axil_araddr(b_araddr),
            .m_axil_arprot(b_arprot), .m_axil_arvalid(b_arvalid), .m_axil_arready(b_arready),
            .m_axil_rdata(b_rdata), .m_axil_rresp(b_rresp), .m_axil_rvalid(b_rvalid),
            .m_axil_rready(b_rready)
    );
    bench_lite_slave #(.ADDR_W(ADDR_W), .DATA_W(DATA_W)) u_slave (
            .aclk(clock), .aresetn(aresetn), .eager(eager), .hang(5'd0),
            .base({ADDR_W{1'b0}}), .mask({ADDR_W{1'b1}}), .seed(32'(SEED)),
            .s_axil_awaddr(b_awaddr), .s_axil_awprot(b_awprot), .s_axil_awvalid(b_awvalid),
            .s_axil_awready(b_awready), .s_axil_wdata(b_wdata), .s_axil_wstrb(b_wstrb),
            .s_axil_wvalid(b_wvalid), .s_axil_wready(b_wready), .s_axil_bresp(b_bresp),
            .s_axil_bvalid(b_bvalid), .s_axil_bready(b_bready), .s_axil_araddr(b_araddr),
            .s_axil_arprot(b_arprot), .s_axil_arvalid(b_arvalid), .s_axil_arready(b_arready),
            .s_axil_rdata(b_rdata), .s_axil_rresp(b_rresp), .s_axil_rvalid(b_rvalid),
            .s_axil_rready(b_rready)
    );

    logic [DATA_W-1:0]   model [0:WORDS-1];
    logic [DATA_W-1:0]   got, data;
    logic [DATA_W/8-1:0] strb;
    logic [1:0]          resp;
    int                  word;

    initial begin
        done = 1'b0; compared = 0; aresetn = 1'b0; eager = 1'b0;
        repeat (4) @(negedge clock);
        for (int w = 0; w < WORDS; w++) model[w] = u_slave.first(w);
        aresetn = 1'b1;
        for (int n = 0; n < 300; n++) begin
            eager = n >= 250;
            word  = int'(u_master.dice[11:8]);
            data  = {DATA_W/32{u_master.dice ^ 32'(n)}};
            strb  = u_master.dice[20 +: DATA_W/8];
            u_master.write(ADDR_W'(word << LSB), data, strb, resp);
            if (resp != 2'b00) $fatal(1, "write answered %b (%m)", resp);
            for (int i = 0; i < DATA_W / 8; i++) if (strb[i]) model[word][i*8 +: 8] = data[i*8 +: 8];
            word = int'(u_master.dice[11:8]);
            u_master.read(ADDR_W'(word << LSB), got, resp);
            if (resp != 2'b00 || got !== model[word])
                $fatal(1, "word %0d: got %h with %b, expected %h (%m)", word, got, resp, model[word]);
            compared = compared + 1;
        end
        // Edges: into the slice, into the memory, answer into the slice, answer taken.
        if (u_master.cycles_r != 4) $fatal(1, "a read takes %0d cycles (%m)", u_master.cycles_r);
        done = 1'b1;
    end
endmodule

module tb_axil_register;
    localparam int N = 2;
    logic            aclk;
    wire [N-1:0]     done;
    wire [N*32-1:0]  compared;

    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
    bench_end #(.N(N)) u_end (.aclk(aclk), .done(done), .compared(compared));

    axil_register_case #(.ADDR_W(12), .DATA_W(32), .SEED(1)) u_0 (
        .aclk(aclk), .done(done[0]), .compared(compared[31:0]));
    axil_register_case #(.ADDR_W(20), .DATA_W(64), .SEED(2)) u_1 (
        .aclk(aclk), .done(done[1]), .compared(compared[63:32]));
endmodule

`default_nettype wire
