// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axil_bridge - axil_bridge under the four shapes of bench_traffic_lite, two reads and two writes at a time.
//
// All writes are posted through the aperture; with FAR every other read goes there too, the others to registers. The
// far side sees the posted writes in order, each once, and that none is left at the end; what it answers to a read
// follows from the place in the tables.
`default_nettype none

module traffic_axil_bridge #(
    parameter int SET = 0, TRAFFIC = 1000, WINDOW_W = 12, FAR_W = 20, DEPTH = 16,
    parameter bit FAR = 0
);
    localparam int PLACES = 1021;
    int                 cycle, answers, w_head, r_head, latency, first, last;
    wire                aclk, aresetn, closing, ended, done, got_b, got_r;
    wire [1:0]          shape;
    wire [4:0]          source_go, sink_go;
    wire [WINDOW_W-1:0] awaddr, araddr;
    wire [2:0]          awprot, arprot, m_awprot, m_arprot;
    wire [31:0]         wdata, rdata, m_wdata;
    wire [3:0]          wstrb, m_wstrb;
    wire [1:0]          bresp, rresp;
    wire                awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    wire [FAR_W-1:0]    m_awaddr, m_araddr;
    wire                m_awvalid, m_wvalid, m_bready, m_arvalid, m_rready;
    logic               m_bvalid, m_rvalid, aw_ready, w_ready, ar_ready;
    logic [1:0]         m_bresp, m_rresp;
    logic [31:0]        m_rdata;
    int                 posted, written;  // answered to the host, answered by the far side

    bench_traffic_control #(.N(5), .M(5), .LIMIT(60 * TRAFFIC + 20000)) u_control (
        .aclk(aclk), .aresetn(aresetn), .shape(shape), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .done(done && posted == written), .late(bvalid || rvalid || m_awvalid || m_wvalid || m_arvalid),
        .closing(closing), .ended(ended)
    );
    bench_traffic_lite #(.ADDR_W(WINDOW_W), .DATA_W(32), .COUNT(TRAFFIC)) u_bench (
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
    axil_bridge #(.WINDOW_W(WINDOW_W), .FAR_W(FAR_W), .DEPTH(DEPTH)) u_dut (
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

    // ---- tables
    logic [63:0] dice;
    task roll;
        dice = dice * 64'd6364136223846793005 + 64'd1442695040888963407;
    endtask
    initial begin
        dice = 64'd1;
        for (int i = 0; i < PLACES; i++) begin
            roll;
            u_bench.w_addr[i] = {1'b1, dice[16 +: WINDOW_W-1]};
            u_bench.w_strb[i] = dice[7:4];
            u_bench.w_resp[i] = 2'b00;
            roll;
            u_bench.w_data[i] = dice[63:32] ^ 32'(i);
            roll;
            // The first read is of a register, so that the latency is that of the bridge alone.
            if (FAR && i % 2 == 1) begin
                u_bench.r_addr[i] = {1'b1, dice[16 +: WINDOW_W-1]};
                u_bench.r_data[i] = dice[63:32] ^ 32'(i);
                u_bench.r_resp[i] = {dice[8], 1'b0};
            end else begin
                u_bench.r_addr[i] = dice[9:8] == 2'd0 ? WINDOW_W'(36) : dice[9:8] == 2'd1 ? WINDOW_W'(4) : WINDOW_W'(0);
                u_bench.r_data[i] = dice[9:8] == 2'd0 ? 32'd0
                                  : dice[9:8] == 2'd1 ? {16'(DEPTH), 8'(FAR_W), 8'(WINDOW_W)} : 32'h53474252;
                u_bench.r_resp[i] = 2'b00;
            end
        end
    end

    // ---- the far side
    logic aw_have, w_have, ar_have;
    int   due;  // place of the next posted write
    initial begin
        m_bvalid = 1'b0; m_rvalid = 1'b0; m_bresp = '0; m_rresp = '0; m_rdata = '0;
        aw_ready = 1'b0; w_ready = 1'b0; ar_ready = 1'b0; aw_have = 1'b0; w_have = 1'b0; ar_have = 1'b0;
        posted = 0; written = 0; due = 0;
    end
    always @(posedge aclk) begin
        if (m_awvalid && aw_ready) begin
            if (aw_have || m_awaddr !== FAR_W'({u_bench.w_addr[due][WINDOW_W-2:2], 2'b00}) || m_awprot !== 3'd0)
                $fatal(1, "write to %h arrives at %h (%m)", u_bench.w_addr[due], m_awaddr);
            aw_have = 1'b1;
        end
        if (m_wvalid && w_ready) begin
            if (w_have || m_wdata !== u_bench.w_data[due] || m_wstrb !== u_bench.w_strb[due])
                $fatal(1, "written %h, expected %h (%m)", m_wdata, u_bench.w_data[due]);
            w_have = 1'b1;
        end
        if (m_arvalid && ar_ready) begin
            if (ar_have || m_araddr !== FAR_W'({u_bench.r_addr[r_head][WINDOW_W-2:2], 2'b00}) || m_arprot !== 3'd0)
                $fatal(1, "read of %h arrives at %h (%m)", u_bench.r_addr[r_head], m_araddr);
            if (posted != written) $fatal(1, "a read overtakes %0d writes (%m)", posted - written);
            ar_have = 1'b1;
        end
        if (m_bvalid && m_bready) begin
            m_bvalid <= 1'b0;
            written <= written + 1;
            due = due == PLACES - 1 ? 0 : due + 1;
        end
        if (m_rvalid && m_rready) m_rvalid <= 1'b0;
        if (aw_have && w_have && source_go[3]) begin
            m_bvalid <= 1'b1;
            m_bresp  <= {due[0], 1'b0};
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
        if (bvalid && bready) posted <= posted + 1;
        if (!aresetn) begin
            m_bvalid <= 1'b0; m_rvalid <= 1'b0; aw_ready <= 1'b0; w_ready <= 1'b0; ar_ready <= 1'b0;
            aw_have = 1'b0; w_have = 1'b0; ar_have = 1'b0;
            posted <= 0; written <= 0; due = 0;
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
