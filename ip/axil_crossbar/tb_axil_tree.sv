// SPDX-License-Identifier: BSD-3-Clause
//
// tb_axil_tree - part of both benches of axil_crossbar: a master, an axil_crossbar or a tree of two nodes, memories, and what these hold.
//
// `check_write` and `check_read` make an access to a word of a slave and compare response and data with the model.
// Every slave is a memory that checks what it gets: address, stable payload, no valid that falls but by a timeout,
// one request at a time, none after half a one. `hang` selects the stalled channels of a slave.
//
// Parameters: N, ADDR_W, DATA_W, BASES, SIZES_LOG2, TIMEOUT  as of axil_crossbar
//             SHAPE        ONE_NODE: axil_crossbar. Otherwise slaves 0 and 1 are behind a second node, in the
//                          2**BRANCH_LOG2 bytes from 0, and N is 3; answers are registered in neither of the nodes, in the
//                          first or in the second
//             SEED         of delays and data
`default_nettype none

module tb_axil_tree #(
    parameter int                  N           = 1,
    parameter int                  ADDR_W      = 16,
    parameter int                  DATA_W      = 32,
    parameter logic [N*ADDR_W-1:0] BASES       = '0,
    parameter logic [N*8-1:0]      SIZES_LOG2  = '0,
    parameter int                  TIMEOUT     = 40,
    parameter int                  SHAPE       = 0,
    parameter int                  BRANCH_LOG2 = 15,
    parameter int                  SEED        = 1
) (
    input  wire            clock,
    input  wire            aresetn,
    input  wire            eager,
    input  wire  [N*5-1:0] hang  // r, ar, b, w, aw of each slave
);
    localparam int WORDS = 16;
    localparam int LSB   = $clog2(DATA_W / 8);
    localparam int ONE_NODE = 0, FIRST_LATE = 2, SECOND_LATE = 3;  // SHAPE; 1 is two nodes without registers
    localparam logic [1:0] OKAY = 2'b00;

    wire [ADDR_W-1:0] a_awaddr, a_araddr;
    wire [2:0] a_awprot, a_arprot;
    wire a_awvalid, a_awready, a_wvalid, a_wready, a_bvalid, a_bready;
    wire a_arvalid, a_arready, a_rvalid, a_rready;
    wire [DATA_W-1:0] a_wdata, a_rdata;
    wire [DATA_W/8-1:0] a_wstrb;
    wire [1:0] a_bresp, a_rresp;
    wire [N*ADDR_W-1:0] b_awaddr, b_araddr;
    wire [N*3-1:0] b_awprot, b_arprot;
    wire [N-1:0] b_awvalid, b_awready, b_wvalid, b_wready, b_bvalid, b_bready;
    wire [N-1:0] b_arvalid, b_arready, b_rvalid, b_rready;
    wire [N*DATA_W-1:0] b_wdata, b_rdata;
    wire [N*DATA_W/8-1:0] b_wstrb;
    wire [N*2-1:0] b_bresp, b_rresp;

    bench_lite_master #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .LIMIT(TIMEOUT + 40), .SEED(SEED)) u_master (
            .aclk(clock), .aresetn(aresetn), .eager(eager),
            .m_axil_awaddr(a_awaddr), .m_axil_awprot(a_awprot), .m_axil_awvalid(a_awvalid),
            .m_axil_awready(a_awready), .m_axil_wdata(a_wdata), .m_axil_wstrb(a_wstrb),
            .m_axil_wvalid(a_wvalid), .m_axil_wready(a_wready), .m_axil_bresp(a_bresp),
            .m_axil_bvalid(a_bvalid), .m_axil_bready(a_bready), .m_axil_araddr(a_araddr),
            .m_axil_arprot(a_arprot), .m_axil_arvalid(a_arvalid), .m_axil_arready(a_arready),
            .m_axil_rdata(a_rdata), .m_axil_rresp(a_rresp), .m_axil_rvalid(a_rvalid),
            .m_axil_rready(a_rready)
    );
    generate
        if (SHAPE == ONE_NODE) begin : g_crossbar
            axil_crossbar #(
                .N(N), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES(BASES), .SIZES_LOG2(SIZES_LOG2), .TIMEOUT(TIMEOUT)
            ) u_dut (
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
        end else begin : g_tree
            wire start, write, expired;
            wire up_wait, up_last, up_hole, up_bvalid, up_rvalid, n_wait, n_last, n_hole, n_bvalid, n_rvalid;
            wire [1:0] up_bresp, up_rresp, n_bresp, n_rresp;
            wire [DATA_W-1:0] up_rdata, n_rdata, wdata;
            wire [DATA_W/8-1:0] wstrb;
            wire [ADDR_W-1:0] addr, awaddr, araddr;
            wire [2:0] awprot, arprot;
            wire [4:0] unasked;
            assign {b_awaddr, b_awprot, b_araddr, b_arprot} = {{3{awaddr}}, {3{awprot}}, {3{araddr}}, {3{arprot}}};
            assign {b_wdata, b_wstrb} = {{3{wdata}}, {3{wstrb}}};
            axil_root #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .TIMEOUT(TIMEOUT)) u_root (
                .aclk(clock), .aresetn(aresetn),
                .s_axil_awaddr(a_awaddr), .s_axil_awprot(a_awprot), .s_axil_awvalid(a_awvalid),
                .s_axil_awready(a_awready), .s_axil_wdata(a_wdata), .s_axil_wstrb(a_wstrb),
                .s_axil_wvalid(a_wvalid), .s_axil_wready(a_wready), .s_axil_bresp(a_bresp),
                .s_axil_bvalid(a_bvalid), .s_axil_bready(a_bready), .s_axil_araddr(a_araddr),
                .s_axil_arprot(a_arprot), .s_axil_arvalid(a_arvalid), .s_axil_arready(a_arready),
                .s_axil_rdata(a_rdata), .s_axil_rresp(a_rresp), .s_axil_rvalid(a_rvalid), .s_axil_rready(a_rready),
                .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr),
                .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_wdata(wdata), .m_axil_wstrb(wstrb),
                .m_axil_araddr(araddr), .m_axil_arprot(arprot),
                .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp),
                .up_bvalid(up_bvalid), .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid)
            );
            axil_node #(
                .N(2), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES({BASES[2*ADDR_W +: ADDR_W], ADDR_W'(0)}),
                .SIZES_LOG2({SIZES_LOG2[16 +: 8], 8'(BRANCH_LOG2)}), .BRANCHES(2'b01), .REG_EN(SHAPE == FIRST_LATE)
            ) u_first (
                .aclk(clock), .aresetn(aresetn),
                .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr), .shut(1'b0),
                .up_wait(up_wait), .up_last(up_last), .up_hole(up_hole), .up_bresp(up_bresp),
                .up_bvalid(up_bvalid), .up_rdata(up_rdata), .up_rresp(up_rresp), .up_rvalid(up_rvalid),
                .m_axil_awvalid({b_awvalid[2], unasked[0]}), .m_axil_awready({b_awready[2], n_wait}),
                .m_axil_wvalid({b_wvalid[2], unasked[1]}), .m_axil_wready({b_wready[2], n_last}),
                .m_axil_bresp({b_bresp[5:4], n_bresp}), .m_axil_bvalid({b_bvalid[2], n_bvalid}),
                .m_axil_bready({b_bready[2], unasked[2]}),
                .m_axil_arvalid({b_arvalid[2], unasked[3]}), .m_axil_arready({b_arready[2], n_hole}),
                .m_axil_rdata({b_rdata[2*DATA_W +: DATA_W], n_rdata}), .m_axil_rresp({b_rresp[5:4], n_rresp}),
                .m_axil_rvalid({b_rvalid[2], n_rvalid}), .m_axil_rready({b_rready[2], unasked[4]})
            );
            axil_node #(
                .N(2), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES(BASES[0 +: 2*ADDR_W]),
                .SIZES_LOG2(SIZES_LOG2[0 +: 16]), .REG_EN(SHAPE == SECOND_LATE)
            ) u_second (
                .aclk(clock), .aresetn(aresetn),
                .tree_start(start), .tree_write(write), .tree_expired(expired), .tree_addr(addr), .shut(1'b0),
                .up_wait(n_wait), .up_last(n_last), .up_hole(n_hole), .up_bresp(n_bresp),
                .up_bvalid(n_bvalid), .up_rdata(n_rdata), .up_rresp(n_rresp), .up_rvalid(n_rvalid),
                .m_axil_awvalid(b_awvalid[1:0]), .m_axil_awready(b_awready[1:0]), .m_axil_wvalid(b_wvalid[1:0]),
                .m_axil_wready(b_wready[1:0]), .m_axil_bresp(b_bresp[3:0]), .m_axil_bvalid(b_bvalid[1:0]),
                .m_axil_bready(b_bready[1:0]), .m_axil_arvalid(b_arvalid[1:0]), .m_axil_arready(b_arready[1:0]),
                .m_axil_rdata(b_rdata[0 +: 2*DATA_W]), .m_axil_rresp(b_rresp[3:0]), .m_axil_rvalid(b_rvalid[1:0]),
                .m_axil_rready(b_rready[1:0])
            );
        end
    endgenerate
    for (genvar k = 0; k < N; k++) begin : g_slave
        bench_lite_slave #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .TIMEOUT(TIMEOUT)) u_slave (
            .aclk(clock), .aresetn(aresetn), .eager(eager), .hang(hang[k*5 +: 5]),
            .base(BASES[k*ADDR_W +: ADDR_W]), .mask((ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1)),
            .seed(32'(SEED * 100 + k)),
            .s_axil_awaddr(b_awaddr[k*ADDR_W +: ADDR_W]), .s_axil_awprot(b_awprot[k*3 +: 3]), .s_axil_awvalid(b_awvalid[k]),
            .s_axil_awready(b_awready[k]), .s_axil_wdata(b_wdata[k*DATA_W +: DATA_W]), .s_axil_wstrb(b_wstrb[k*DATA_W/8 +: DATA_W/8]),
            .s_axil_wvalid(b_wvalid[k]), .s_axil_wready(b_wready[k]), .s_axil_bresp(b_bresp[k*2 +: 2]),
            .s_axil_bvalid(b_bvalid[k]), .s_axil_bready(b_bready[k]), .s_axil_araddr(b_araddr[k*ADDR_W +: ADDR_W]),
            .s_axil_arprot(b_arprot[k*3 +: 3]), .s_axil_arvalid(b_arvalid[k]), .s_axil_arready(b_arready[k]),
            .s_axil_rdata(b_rdata[k*DATA_W +: DATA_W]), .s_axil_rresp(b_rresp[k*2 +: 2]), .s_axil_rvalid(b_rvalid[k]),
            .s_axil_rready(b_rready[k])
        );
    end

    // Word 9 of each memory, of which a write that timed out may or may not have been done.
    logic [DATA_W-1:0] word_9 [0:N-1];
    for (genvar k = 0; k < N; k++) begin : g_word
        always @(negedge clock) word_9[k] = g_slave[k].u_slave.mem[9];
    end

    function automatic logic [DATA_W-1:0] first(input int k, input int w);
        first = {DATA_W/32{(32'(w) * 32'h9E3779B1) ^ (32'(SEED * 100 + k) * 32'h85EBCA77) ^ 32'h5BD1E995}};
    endfunction

    // The byte address of word w of slave k, in a random repetition of its memory within the window.
    function automatic logic [ADDR_W-1:0] place(input int k, input int w, input logic [31:0] r);
        logic [ADDR_W-1:0] span;
        span = (ADDR_W'(1) << SIZES_LOG2[k*8 +: 8]) - ADDR_W'(1);
        place  = BASES[k*ADDR_W +: ADDR_W] | ((ADDR_W'(r) << (LSB + 4)) & span) | ADDR_W'(w << LSB);
    endfunction

    logic [DATA_W-1:0]   model [0:N*WORDS-1];
    logic [DATA_W-1:0]   got, data;
    logic [DATA_W/8-1:0] strb;
    logic [1:0]          w_resp, r_resp;
    int                  compared;

    task forget;
        for (int k = 0; k < N; k++)
            for (int w = 0; w < WORDS; w++) model[k*WORDS+w] = first(k, w);
    endtask
    initial begin
        compared = 0;
        forget();
    end

    // Cycles that registered answers of slave k cost.
    function automatic int late(input int k);
        late = int'(SHAPE == FIRST_LATE || (SHAPE == SECOND_LATE && k < 2));
    endfunction

    task check_write(input int k, input int w, input logic [1:0] expected);
        data = {DATA_W/32{u_master.dice}};
        strb = u_master.dice[20 +: DATA_W/8];
        u_master.write(place(k, w, u_master.dice), data, strb, w_resp);
        if (w_resp !== expected) $fatal(1, "write to slave %0d: %b instead of %b (%m)", k, w_resp, expected);
        if (expected == OKAY)
            for (int i = 0; i < DATA_W / 8; i++) if (strb[i]) model[k*WORDS+w][i*8 +: 8] = data[i*8 +: 8];
        compared = compared + 1;
    endtask

    task check_read(input int k, input int w, input logic [1:0] expected);
        u_master.read(place(k, w, u_master.dice), got, r_resp);
        if (r_resp !== expected) $fatal(1, "read of slave %0d: %b instead of %b (%m)", k, r_resp, expected);
        if (got !== (expected == OKAY ? model[k*WORDS+w] : '0))
            $fatal(1, "read of slave %0d word %0d: %h instead of %h (%m)", k, w, got, model[k*WORDS+w]);
        compared = compared + 1;
    endtask

endmodule

`default_nettype wire
