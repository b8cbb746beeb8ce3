// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axil_cdc - axil_cdc under the four shapes of bench_traffic_lite, the slave in a clock of its own.
//
// Half the clock periods are HALF_S and HALF_M, both even; edges of the two never coincide, so that nothing in the
// bench races. TRAFFIC writes and as many reads in each shape. Figures are in cycles of the host's clock. What the slave
// answers follows from the place in the tables; it sees that the access is whole, and that no other comes.
`default_nettype none

module traffic_axil_cdc #(
    parameter int SET = 0, TRAFFIC = 1000, ADDR_W = 12, DATA_W = 32, SYNC_STAGES = 2, HALF_S = 50, HALF_M = 50
);
    localparam int PLACES = 1021;
    localparam int STRB_W = DATA_W / 8;
    localparam int SLOW   = HALF_M > HALF_S ? HALF_M / HALF_S + 1 : 1;
    int                cycle, answers, w_head, r_head, latency, first, last;
    logic              m_aclk;
    wire               s_aclk, aresetn, closing, ended, done, got_b, got_r;
    wire [1:0]         shape;
    wire [4:0]         source_go, sink_go;
    wire [ADDR_W-1:0]  awaddr, araddr, m_awaddr, m_araddr;
    wire [2:0]         awprot, arprot, m_awprot, m_arprot;
    wire [DATA_W-1:0]  wdata, rdata, m_wdata;
    wire [STRB_W-1:0]  wstrb, m_wstrb;
    wire [1:0]         bresp, rresp;
    wire               awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire               m_awvalid, m_wvalid, m_bready, m_arvalid, m_rready;
    logic              m_bvalid, m_rvalid, aw_ready, w_ready, ar_ready;
    logic [1:0]        m_bresp, m_rresp;
    logic [DATA_W-1:0] m_rdata;

    initial begin
        m_aclk = 1'b0;
        #(HALF_M / 4 * 2 + 1);
        while (!ended) #HALF_M m_aclk = !m_aclk;
    end

    bench_traffic_control #(.N(5), .M(5), .HALF(HALF_S), .LIMIT(SLOW * (120 * TRAFFIC + 20000))) u_control (
        .aclk(s_aclk), .aresetn(aresetn), .shape(shape), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .done(done), .late(bvalid || rvalid), .closing(closing), .ended(ended)
    );
    bench_traffic_lite #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .COUNT(TRAFFIC)) u_bench (
        .aclk(s_aclk), .aresetn(aresetn), .cycle(cycle), .source_go(source_go[2:0]), .sink_go(sink_go[1:0]),
        .serial(1'b0),
        .m_axil_awaddr(awaddr), .m_axil_awprot(awprot), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
        .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
        .m_axil_araddr(araddr), .m_axil_arprot(arprot), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
        .m_axil_rdata(rdata), .m_axil_rresp(rresp), .m_axil_rvalid(rvalid), .m_axil_rready(rready),
        .done(done), .got_b(got_b), .got_r(got_r), .r_last(), .r_got(), .answers(answers),
        .w_head(w_head), .r_head(r_head), .latency(latency), .first(first), .last(last)
    );
    axil_cdc #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .SYNC_STAGES(SYNC_STAGES)) u_dut (
        .s_axil_aclk(s_aclk), .s_axil_aresetn(aresetn),
        .s_axil_awaddr(awaddr), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .m_axil_aclk(m_aclk), .m_axil_aresetn(aresetn),
        .m_axil_awaddr(m_awaddr), .m_axil_awprot(m_awprot), .m_axil_awvalid(m_awvalid), .m_axil_awready(aw_ready),
        .m_axil_wdata(m_wdata), .m_axil_wstrb(m_wstrb), .m_axil_wvalid(m_wvalid), .m_axil_wready(w_ready),
        .m_axil_bresp(m_bresp), .m_axil_bvalid(m_bvalid), .m_axil_bready(m_bready),
        .m_axil_araddr(m_araddr), .m_axil_arprot(m_arprot), .m_axil_arvalid(m_arvalid), .m_axil_arready(ar_ready),
        .m_axil_rdata(m_rdata), .m_axil_rresp(m_rresp), .m_axil_rvalid(m_rvalid), .m_axil_rready(m_rready)
    );

    // ---- tables: addresses, and what comes back
    logic [63:0] dice;
    task roll;
        dice = dice * 64'd6364136223846793005 + 64'd1442695040888963407;
    endtask
    initial begin
        dice = 64'd1;
        for (int i = 0; i < PLACES; i++) begin
            roll;
            u_bench.w_addr[i] = ADDR_W'({dice[31:0], dice[63:32]});
            u_bench.r_addr[i] = ADDR_W'({dice[47:0], dice[63:48]});
            u_bench.w_strb[i] = dice[20 +: STRB_W];
            roll;
            u_bench.w_data[i] = {DATA_W/32{dice[63:32]}} ^ DATA_W'(i);
            u_bench.w_resp[i] = dice[17:16];
            roll;
            u_bench.r_data[i] = {DATA_W/32{dice[63:32]}} ^ DATA_W'(i);
            u_bench.r_resp[i] = dice[17:16];
        end
    end

    // ---- the slave
    logic aw_have, w_have, ar_have;
    initial begin
        m_bvalid = 1'b0; m_rvalid = 1'b0; m_bresp = '0; m_rresp = '0; m_rdata = '0;
        aw_ready = 1'b0; w_ready = 1'b0; ar_ready = 1'b0; aw_have = 1'b0; w_have = 1'b0; ar_have = 1'b0;
    end
    always @(posedge m_aclk) begin
        if (m_awvalid && aw_ready) begin
            if (aw_have || m_awaddr !== u_bench.w_addr[w_head] || m_awprot !== u_bench.w_addr[w_head][4:2])
                $fatal(1, "write to %h arrives at %h (%m)", u_bench.w_addr[w_head], m_awaddr);
            aw_have = 1'b1;
        end
        if (m_wvalid && w_ready) begin
            if (w_have || m_wdata !== u_bench.w_data[w_head] || m_wstrb !== u_bench.w_strb[w_head])
                $fatal(1, "written %h, expected %h (%m)", m_wdata, u_bench.w_data[w_head]);
            w_have = 1'b1;
        end
        if (m_arvalid && ar_ready) begin
            if (ar_have || m_araddr !== u_bench.r_addr[r_head] || m_arprot !== u_bench.r_addr[r_head][4:2])
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
            m_rdata  <= u_bench.r_data[r_head];
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
    axis_checker #(.DATA_W(ADDR_W + 3), .NAME("aw")) u_check_aw (
        .aclk(m_aclk), .aresetn(aresetn), .axis_tdata({m_awprot, m_awaddr}), .axis_tvalid(m_awvalid),
        .axis_tready(aw_ready)
    );
    axis_checker #(.DATA_W(DATA_W + STRB_W), .NAME("w")) u_check_w (
        .aclk(m_aclk), .aresetn(aresetn), .axis_tdata({m_wstrb, m_wdata}), .axis_tvalid(m_wvalid),
        .axis_tready(w_ready)
    );
    axis_checker #(.DATA_W(ADDR_W + 3), .NAME("ar")) u_check_ar (
        .aclk(m_aclk), .aresetn(aresetn), .axis_tdata({m_arprot, m_araddr}), .axis_tvalid(m_arvalid),
        .axis_tready(ar_ready)
    );

    bench_traffic_report #(.SET(SET)) u_report (
        .shape(shape), .closing(closing), .ended(ended), .cycle(cycle), .compared(answers),
        .beats(answers), .rated(answers - 1), .from(first), .till(last), .first_in(0), .first_out(latency)
    );
endmodule

`default_nettype wire
