// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axil_register - axil_register under the four shapes of bench_traffic: five streams at once.
//
// No channel of the block waits for another, so each gets a source and a sink of its own that know nothing of
// AXI4-Lite. The latency is that of the address plus that of the answer.
`default_nettype none

module traffic_axil_register #(
    parameter int SET = 0, TRAFFIC = 1000, ADDR_W = 12, DATA_W = 32
);
    localparam int AW = ADDR_W + 3;
    localparam int W  = DATA_W + DATA_W / 8;
    localparam int FRAMES = TRAFFIC / 4 + TRAFFIC / 200 + 8;  // of 1 to 7 beats

    int             cycle;
    wire            aclk, aresetn, closing, ended;
    wire [1:0]      shape;
    wire [4:0]      source_go, sink_go, s_valid, s_ready, m_valid, m_ready, sent;
    wire [5*32-1:0] frames, beats, first_in, first_out, last;
    wire [AW-1:0]   s_aw, m_aw, s_ar, m_ar;
    wire [W-1:0]    s_w, m_w;
    wire [1:0]      s_b, m_b;
    wire [DATA_W+1:0] s_r, m_r;
    wire done = &sent && frames == {5{32'(FRAMES)}};

    bench_traffic_control #(.N(5), .M(5), .LIMIT(6 * TRAFFIC + 20000)) u_control (
        .aclk(aclk), .aresetn(aresetn), .shape(shape), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .done(done), .late(|m_valid), .closing(closing), .ended(ended)
    );

    `define CHANNEL(K, WIDTH, NAME) \
        bench_traffic_source #(.W(WIDTH), .UNITS_MAX(7), .FRAMES(FRAMES), .ID(K)) u_source_``NAME ( \
            .aclk(aclk), .aresetn(aresetn), .go(source_go[K]), .home(1'b0), .cycle(cycle), \
            .m_axis_tdata(s_``NAME), .m_axis_tkeep(), .m_axis_tlast(), .m_axis_tdest(), \
            .m_axis_tvalid(s_valid[K]), .m_axis_tready(s_ready[K]), \
            .done(sent[K]), .beats(), .strays(), .first(first_in[K*32 +: 32]), .last() \
        ); \
        bench_traffic_sink #(.W(WIDTH), .UNITS_MAX(7), .ID(64 * K), .LAST(0)) u_sink_``NAME ( \
            .aclk(aclk), .aresetn(aresetn), .go(sink_go[K]), .cycle(cycle), \
            .s_axis_tdata(m_``NAME), .s_axis_tkeep(1'b1), .s_axis_tlast(1'b0), .s_axis_tid(0), \
            .s_axis_tvalid(m_valid[K]), .s_axis_tready(m_ready[K]), \
            .frames(frames[K*32 +: 32]), .beats(beats[K*32 +: 32]), .first(first_out[K*32 +: 32]), \
            .last(last[K*32 +: 32]), .gaps() \
        );
    `CHANNEL(0, AW, aw)
    `CHANNEL(1, W, w)
    `CHANNEL(2, 2, b)
    `CHANNEL(3, AW, ar)
    `CHANNEL(4, DATA_W + 2, r)

    axil_register #(.ADDR_W(ADDR_W), .DATA_W(DATA_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(s_aw[AW-1:3]), .s_axil_awprot(s_aw[2:0]), .s_axil_awvalid(s_valid[0]), .s_axil_awready(s_ready[0]),
        .s_axil_wdata(s_w[DATA_W-1:0]), .s_axil_wstrb(s_w[W-1:DATA_W]), .s_axil_wvalid(s_valid[1]),
        .s_axil_wready(s_ready[1]),
        .s_axil_bresp(m_b), .s_axil_bvalid(m_valid[2]), .s_axil_bready(m_ready[2]),
        .s_axil_araddr(s_ar[AW-1:3]), .s_axil_arprot(s_ar[2:0]), .s_axil_arvalid(s_valid[3]), .s_axil_arready(s_ready[3]),
        .s_axil_rdata(m_r[DATA_W-1:0]), .s_axil_rresp(m_r[DATA_W +: 2]), .s_axil_rvalid(m_valid[4]),
        .s_axil_rready(m_ready[4]),
        .m_axil_awaddr(m_aw[AW-1:3]), .m_axil_awprot(m_aw[2:0]), .m_axil_awvalid(m_valid[0]), .m_axil_awready(m_ready[0]),
        .m_axil_wdata(m_w[DATA_W-1:0]), .m_axil_wstrb(m_w[W-1:DATA_W]), .m_axil_wvalid(m_valid[1]),
        .m_axil_wready(m_ready[1]),
        .m_axil_bresp(s_b), .m_axil_bvalid(s_valid[2]), .m_axil_bready(s_ready[2]),
        .m_axil_araddr(m_ar[AW-1:3]), .m_axil_arprot(m_ar[2:0]), .m_axil_arvalid(m_valid[3]), .m_axil_arready(m_ready[3]),
        .m_axil_rdata(s_r[DATA_W-1:0]), .m_axil_rresp(s_r[DATA_W +: 2]), .m_axil_rvalid(s_valid[4]),
        .m_axil_rready(s_ready[4])
    );

    // The slowest channel is what the report shows.
    int slow;
    always @(posedge done) begin
        slow = 0;
        for (int k = 1; k < 5; k++)
            if (beats[k*32 +: 32] * (last[slow*32 +: 32] - first_out[slow*32 +: 32])
                < beats[slow*32 +: 32] * (last[k*32 +: 32] - first_out[k*32 +: 32])) slow = k;
    end
    bench_traffic_report #(.SET(SET)) u_report (
        .shape(shape), .closing(closing), .ended(ended), .cycle(cycle),
        .compared(beats[31:0] + beats[63:32] + beats[95:64] + beats[127:96] + beats[159:128]),
        .beats(beats[slow*32 +: 32]), .rated(beats[slow*32 +: 32]), .from(first_out[slow*32 +: 32]), .till(last[slow*32 +: 32]),
        .first_in(first_in[3*32 +: 32] + first_in[4*32 +: 32]),
        .first_out(first_out[3*32 +: 32] + first_out[4*32 +: 32])
    );
endmodule

`undef CHANNEL
`default_nettype wire
