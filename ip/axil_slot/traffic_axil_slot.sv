// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axil_slot - axil_slot under the four shapes of bench_traffic_lite, two reads and two writes at a time.
//
// With HOLES one access of four is to the upper half of a slot. TRAFFIC writes and as many reads in each shape. What
// the far side answers follows from the place in the tables; it sees that the access is whole, and at half its
// address, and that no other comes.
`default_nettype none

module traffic_axil_slot #(
    parameter int SET = 0, TRAFFIC = 1000, ADDR_W = 16,
    parameter bit HOLES = 0
);
    localparam int PLACES = 1021;
    localparam int FAR_W  = ADDR_W - 1;
    int                cycle, answers, w_head, r_head, latency, first, last;
    wire               aclk, aresetn, closing, ended, done, got_b, got_r;
    wire [1:0]         shape;
    wire [4:0]         source_go, sink_go;
    wire [ADDR_W-1:0]  awaddr, araddr;
    wire [2:0]         awprot, arprot, m_awprot, m_arprot;
    wire [63:0]        wdata, rdata;
    wire [7:0]         wstrb;
    wire [1:0]         bresp, rresp;
    wire               awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire [FAR_W-1:0]   m_awaddr, m_araddr;
    wire [31:0]        m_wdata;
    wire [3:0]         m_wstrb;
    wire               m_awvalid, m_wvalid, m_bready, m_arvalid, m_rready;
    logic              m_bvalid, m_rvalid, aw_ready, w_ready, ar_ready;
    logic [1:0]        m_bresp, m_rresp;
    logic [31:0]       m_rdata;

    bench_traffic_control #(.N(5), .M(5), .LIMIT(60 * TRAFFIC + 20000)) u_control (
        .aclk(aclk), .aresetn(aresetn), .shape(shape), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .done(done), .late(bvalid || rvalid), .closing(closing), .ended(ended)
    );
    bench_traffic_lite #(.ADDR_W(ADDR_W), .DATA_W(64), .COUNT(TRAFFIC)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .cycle(cycle), .source_go(source_go[2:0]), .sink_go(sink_go[1:0]),
        .serial(1'b0),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready),
        .done(done), .got_b(got_b), .got_r(got_r), .r_last(), .r_got(), .answers(answers),
        .w_head(w_head), .r_head(r_head), .latency(latency), .first(first), .last(last)
    );
    axil_slot #(.ADDR_W(ADDR_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(awaddr), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .m_axil_awaddr(m_awaddr), .m_axil_awprot(m_awprot), .m_axil_awvalid(m_awvalid), .m_axil_awready(aw_ready),
        .m_axil_wdata(m_wdata), .m_axil_wstrb(m_wstrb), .m_axil_wvalid(m_wvalid), .m_axil_wready(w_ready),
        .m_axil_bresp(m_bresp), .m_axil_bvalid(m_bvalid), .m_axil_bready(m_bready),
        .m_axil_araddr(m_araddr), .m_axil_arprot(m_arprot), .m_axil_arvalid(m_arvalid), .m_axil_arready(ar_ready),
        .m_axil_rdata(m_rdata), .m_axil_rresp(m_rresp), .m_axil_rvalid(m_rvalid), .m_axil_rready(m_rready)
    );

    // ---- tables: addresses, which are for nobody, and what comes back
    logic [PLACES-1:0] w_nobody, r_nobody;
    logic [63:0]       dice;
    task roll;
        dice = dice * 64'd6364136223846793005 + 64'd1442695040888963407;
    endtask
    initial begin
        dice = 64'd1;
        for (int i = 0; i < PLACES; i++) begin
            roll;
            u_bench.w_addr[i]    = ADDR_W'({dice[31:0], dice[63:32]});
            u_bench.w_addr[i][2] = HOLES && dice[9:7] == 3'd0;
            u_bench.r_addr[i]    = ADDR_W'({dice[47:0], dice[63:48]});
            u_bench.r_addr[i][2] = HOLES && dice[11:10] == 2'd0;
            u_bench.w_strb[i]    = HOLES && dice[14:12] == 3'd0 ? 8'hc0 : dice[15] ? 8'hff : {dice[19:16], 4'h9};
            w_nobody[i] = u_bench.w_addr[i][2] || u_bench.w_strb[i] == 8'hc0;
            r_nobody[i] = u_bench.r_addr[i][2];
            roll;
            u_bench.w_data[i] = dice ^ 64'(i);
            u_bench.w_resp[i] = w_nobody[i] ? 2'b11 : dice[17:16];
            roll;
            u_bench.r_data[i] = r_nobody[i] ? '0 : 64'(dice[63:32] ^ 32'(i));
            u_bench.r_resp[i] = r_nobody[i] ? 2'b11 : dice[17:16];
        end
    end

    // ---- the far side
    logic aw_have, w_have, ar_have;
    initial begin
        m_bvalid = 1'b0; m_rvalid = 1'b0; m_bresp = '0; m_rresp = '0; m_rdata = '0;
        aw_ready = 1'b0; w_ready = 1'b0; ar_ready = 1'b0; aw_have = 1'b0; w_have = 1'b0; ar_have = 1'b0;
    end
    always @(posedge aclk) begin
        if ((m_awvalid || m_wvalid) && w_nobody[w_head])
            $fatal(1, "write to %h is passed on (%m)", u_bench.w_addr[w_head]);
        if (m_awvalid && aw_ready) begin
            if (aw_have || m_awaddr !== {u_bench.w_addr[w_head][ADDR_W-1:3], u_bench.w_addr[w_head][1:0]}
                || m_awprot !== u_bench.w_addr[w_head][4:2])
                $fatal(1, "write to %h arrives at %h (%m)", u_bench.w_addr[w_head], m_awaddr);
            aw_have = 1'b1;
        end
        if (m_wvalid && w_ready) begin
            if (w_have || m_wdata !== u_bench.w_data[w_head][31:0] || m_wstrb !== u_bench.w_strb[w_head][3:0])
                $fatal(1, "written %h, expected %h (%m)", m_wdata, u_bench.w_data[w_head]);
            w_have = 1'b1;
        end
        if (m_arvalid && r_nobody[r_head]) $fatal(1, "read of %h is passed on (%m)", u_bench.r_addr[r_head]);
        if (m_arvalid && ar_ready) begin
            if (ar_have || m_araddr !== {u_bench.r_addr[r_head][ADDR_W-1:3], u_bench.r_addr[r_head][1:0]}
                || m_arprot !== u_bench.r_addr[r_head][4:2])
                $fatal(1, "read of %h arrives at %h (%m)", u_bench.r_addr[r_head], m_araddr);
            ar_have = 1'b1;
        end
        if (m_bvalid && m_bready) m_bvalid <= 1'b0;
        if (m_rvalid && m_rready) m_rvalid <= 1'b0;
        if (aw_have && w_have && source_go[3]) begin
            m_bvalid <= 1'b1;
            m_bresp  <= u_bench.w_resp[w_head];
            aw_have = 1'b0;
            w_have  = 1'b0;
        end
        if (ar_have && source_go[4]) begin
            m_rvalid <= 1'b1;
            m_rresp  <= u_bench.r_resp[r_head];
            m_rdata  <= u_bench.r_data[r_head][31:0];
            ar_have = 1'b0;
        end
        aw_ready <= sink_go[2] && !aw_have;
        w_ready  <= sink_go[3] && !w_have;
        ar_ready <= sink_go[4] && !ar_have;
        if (!aresetn) begin
            m_bvalid <= 1'b0; m_rvalid <= 1'b0; aw_ready <= 1'b0; w_ready <= 1'b0; ar_ready <= 1'b0;
            aw_have = 1'b0; w_have = 1'b0; ar_have = 1'b0;
        end
    end
    axis_checker #(.DATA_W(FAR_W + 3), .NAME("aw")) u_check_aw (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({m_awprot, m_awaddr}), .axis_tvalid(m_awvalid),
        .axis_tready(aw_ready)
    );
    axis_checker #(.DATA_W(36), .NAME("w")) u_check_w (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({m_wstrb, m_wdata}), .axis_tvalid(m_wvalid), .axis_tready(w_ready)
    );
    axis_checker #(.DATA_W(FAR_W + 3), .NAME("ar")) u_check_ar (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({m_arprot, m_araddr}), .axis_tvalid(m_arvalid),
        .axis_tready(ar_ready)
    );

    bench_traffic_report #(.SET(SET)) u_report (
        .shape(shape), .closing(closing), .ended(ended), .cycle(cycle), .compared(answers),
        .beats(answers), .rated(answers - 1), .from(first), .till(last), .first_in(0), .first_out(latency)
    );
endmodule

`default_nettype wire
