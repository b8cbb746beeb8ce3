// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axil_crossbar - axil_crossbar under the four shapes of bench_traffic_lite.
//
// With HOLES one access of four goes anywhere, the others into a window. TRAFFIC writes and as many reads in each shape. What a
// slave answers follows from the place in the tables; slaves see that the access is theirs and is whole.
`default_nettype none

module traffic_axil_crossbar #(
    parameter int                    SET        = 0,
    parameter int                    TRAFFIC    = 1000,
    parameter int                    N          = 1,
    parameter int                    ADDR_W     = 12,
    parameter int                    DATA_W     = 32,
    parameter logic [N*ADDR_W-1:0]   BASES      = '0,
    parameter logic [N*8-1:0]        SIZES_LOG2 = {N{8'(ADDR_W)}},
    parameter int                    TIMEOUT    = 1024,
    parameter bit                    HOLES      = 0
);
    localparam int PLACES = 1021;
    localparam int STRB_W = DATA_W / 8;
    int                   cycle, answers, w_head, r_head, latency, first, last;
    wire                  aclk, aresetn, closing, ended, done, got_b, got_r;
    wire [1:0]            shape;
    wire [4:0]            source_go, sink_go;
    wire [ADDR_W-1:0]     awaddr, araddr;
    wire [2:0]            awprot, arprot;
    wire [DATA_W-1:0]     wdata, rdata;
    wire [STRB_W-1:0]     wstrb;
    wire [1:0]            bresp, rresp;
    wire                  awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;

    wire [N*ADDR_W-1:0]   m_awaddr, m_araddr;
    wire [N*3-1:0]        m_awprot, m_arprot;
    wire [N*DATA_W-1:0]   m_wdata;
    wire [N*STRB_W-1:0]   m_wstrb;
    wire [N-1:0]          m_awvalid, m_wvalid, m_arvalid, m_bready, m_rready;
    logic [N-1:0]         m_bvalid, m_rvalid;
    logic [1:0]           m_bresp, m_rresp;
    logic [DATA_W-1:0]    m_rdata;
    logic                 aw_ready, w_ready, ar_ready;

    bench_traffic_control #(.N(5), .M(5), .LIMIT(60 * TRAFFIC + 20000)) u_control (
        .aclk(aclk), .aresetn(aresetn), .shape(shape), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .done(done), .late(bvalid || rvalid), .closing(closing), .ended(ended)
    );
    bench_traffic_lite #(.ADDR_W(ADDR_W), .DATA_W(DATA_W), .COUNT(TRAFFIC)) u_bench (
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
    axil_crossbar #(
        .N(N), .ADDR_W(ADDR_W), .DATA_W(DATA_W), .BASES(BASES), .SIZES_LOG2(SIZES_LOG2), .TIMEOUT(TIMEOUT)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(awaddr), .s_axil_awprot(awprot), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
        .s_axil_araddr(araddr), .s_axil_arprot(arprot), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
        .m_axil_awaddr(m_awaddr), .m_axil_awprot(m_awprot), .m_axil_awvalid(m_awvalid), .m_axil_awready({N{aw_ready}}),
        .m_axil_wdata(m_wdata), .m_axil_wstrb(m_wstrb), .m_axil_wvalid(m_wvalid), .m_axil_wready({N{w_ready}}),
        .m_axil_bresp({N{m_bresp}}), .m_axil_bvalid(m_bvalid), .m_axil_bready(m_bready),
        .m_axil_araddr(m_araddr), .m_axil_arprot(m_arprot), .m_axil_arvalid(m_arvalid), .m_axil_arready({N{ar_ready}}),
        .m_axil_rdata({N{m_rdata}}), .m_axil_rresp({N{m_rresp}}), .m_axil_rvalid(m_rvalid), .m_axil_rready(m_rready)
    );

    // ---- tables: addresses, whose they are, and what comes back
    int   w_port [0:PLACES-1];
    int   r_port [0:PLACES-1];
    logic [63:0] dice;

    function automatic int port(input logic [ADDR_W-1:0] addr);
        port = N;
        for (int k = 0; k < N; k++)
            if ((addr ^ BASES[k*ADDR_W +: ADDR_W]) >> SIZES_LOG2[k*8 +: 8] == 0) port = k;
    endfunction
    task roll;
        dice = dice * 64'd6364136223846793005 + 64'd1442695040888963407;
    endtask
    function automatic logic [ADDR_W-1:0] some(input logic [63:0] d);
        int k;
        logic [ADDR_W-1:0] low;
        k = int'(d[31:24]) % N;
        low = ~({ADDR_W{1'b1}} << SIZES_LOG2[k*8 +: 8]);
        some = ADDR_W'({d[31:0], d[63:32]});
        if (!HOLES || d[33:32] != 2'd0) some = BASES[k*ADDR_W +: ADDR_W] | (some & low);
    endfunction
    initial begin
        dice = 64'd1;
        for (int i = 0; i < PLACES; i++) begin
            roll;
            u_bench.w_addr[i] = some(dice);
            w_port[i] = port(u_bench.w_addr[i]);
            roll;
            u_bench.w_data[i] = {DATA_W/32{dice[63:32]}} ^ DATA_W'(i);
            u_bench.w_strb[i] = dice[20 +: STRB_W];
            u_bench.w_resp[i] = w_port[i] == N ? 2'b11 : {dice[16], 1'b0};
            roll;
            u_bench.r_addr[i] = some(dice);
            r_port[i] = port(u_bench.r_addr[i]);
            roll;
            u_bench.r_data[i] = r_port[i] == N ? '0 : {DATA_W/32{dice[63:32]}} ^ DATA_W'(i);
            u_bench.r_resp[i] = r_port[i] == N ? 2'b11 : {dice[16], 1'b0};
        end
    end

    // ---- slaves: the one whose turn it is
    logic aw_have, w_have, ar_have;
    int   k;
    initial begin
        m_bvalid = '0; m_rvalid = '0; m_bresp = '0; m_rresp = '0; m_rdata = '0;
        aw_ready = 1'b0; w_ready = 1'b0; ar_ready = 1'b0; aw_have = 1'b0; w_have = 1'b0; ar_have = 1'b0;
    end
    always @(posedge aclk) begin
        if (m_awvalid != '0 || m_wvalid != '0) begin
            k = w_port[w_head];
            if (((m_awvalid | m_wvalid) & ~(N'(1) << k)) != '0)
                $fatal(1, "write for port %0d is shown to %b and %b (%m)", k, m_awvalid, m_wvalid);
            if (m_awvalid != '0 && aw_ready) begin
                if (aw_have || m_awaddr[k*ADDR_W +: ADDR_W] !== u_bench.w_addr[w_head]
                    || m_awprot[k*3 +: 3] !== u_bench.w_addr[w_head][4:2])
                    $fatal(1, "port %0d: write to %h, expected %h (%m)", k, m_awaddr[k*ADDR_W +: ADDR_W],
                           u_bench.w_addr[w_head]);
                aw_have = 1'b1;
            end
            if (m_wvalid != '0 && w_ready) begin
                if (w_have || m_wdata[k*DATA_W +: DATA_W] !== u_bench.w_data[w_head]
                    || m_wstrb[k*STRB_W +: STRB_W] !== u_bench.w_strb[w_head])
                    $fatal(1, "port %0d: written %h, expected %h (%m)", k, m_wdata[k*DATA_W +: DATA_W],
                           u_bench.w_data[w_head]);
                w_have = 1'b1;
            end
        end
        if (m_arvalid != '0) begin
            k = r_port[r_head];
            if ((m_arvalid & ~(N'(1) << k)) != '0) $fatal(1, "read for port %0d is shown to %b (%m)", k, m_arvalid);
            if (ar_ready) begin
                if (ar_have || m_araddr[k*ADDR_W +: ADDR_W] !== u_bench.r_addr[r_head]
                    || m_arprot[k*3 +: 3] !== u_bench.r_addr[r_head][4:2])
                    $fatal(1, "port %0d: read of %h, expected %h (%m)", k, m_araddr[k*ADDR_W +: ADDR_W],
                           u_bench.r_addr[r_head]);
                ar_have = 1'b1;
            end
        end
        if ((m_bvalid & m_bready) != '0) m_bvalid <= '0;
        if ((m_rvalid & m_rready) != '0) m_rvalid <= '0;
        if (aw_have && w_have && source_go[3]) begin
            m_bvalid <= N'(1) << w_port[w_head];
            m_bresp  <= u_bench.w_resp[w_head];
            aw_have = 1'b0;
            w_have  = 1'b0;
        end
        if (ar_have && source_go[4]) begin
            m_rvalid <= N'(1) << r_port[r_head];
            m_rresp  <= u_bench.r_resp[r_head];
            m_rdata  <= u_bench.r_data[r_head];
            ar_have = 1'b0;
        end
        aw_ready <= sink_go[2] && !aw_have;
        w_ready  <= sink_go[3] && !w_have;
        ar_ready <= sink_go[4] && !ar_have;
        if (!aresetn) begin
            m_bvalid <= '0; m_rvalid <= '0; aw_ready <= 1'b0; w_ready <= 1'b0; ar_ready <= 1'b0;
            aw_have = 1'b0; w_have = 1'b0; ar_have = 1'b0;
        end
    end
    axis_checker #(.DATA_W(N * (ADDR_W + 3) + N), .NAME("aw")) u_check_aw (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({m_awvalid, m_awprot, m_awaddr}),
        .axis_tvalid(|m_awvalid), .axis_tready(aw_ready)
    );
    axis_checker #(.DATA_W(N * (DATA_W + STRB_W) + N), .NAME("w")) u_check_w (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({m_wvalid, m_wstrb, m_wdata}),
        .axis_tvalid(|m_wvalid), .axis_tready(w_ready)
    );
    axis_checker #(.DATA_W(N * (ADDR_W + 3) + N), .NAME("ar")) u_check_ar (
        .aclk(aclk), .aresetn(aresetn), .axis_tdata({m_arvalid, m_arprot, m_araddr}),
        .axis_tvalid(|m_arvalid), .axis_tready(ar_ready)
    );

    bench_traffic_report #(.SET(SET)) u_report (
        .shape(shape), .closing(closing), .ended(ended), .cycle(cycle), .compared(answers),
        .beats(answers), .rated(answers - 1), .from(first), .till(last), .first_in(0), .first_out(latency)
    );
endmodule

`default_nettype wire
