// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_fifo_cdc - axis_fifo_cdc under the four shapes of bench_traffic, the sink in a clock of its own.
//
// Half the clock periods are HALF_S and HALF_M, both even; edges of the two never coincide, so that nothing in the
// bench races. Figures are in cycles of the slower clock, the latency rounded down.
`default_nettype none

module traffic_axis_fifo_cdc #(
    parameter int SET = 0, TRAFFIC = 1000, DATA_W = 8, DEPTH = 16, SYNC_STAGES = 2, HALF_S = 50, HALF_M = 50
);
    localparam int FRAMES = TRAFFIC / 4 + TRAFFIC / 200 + 8;  // of 1 to 7 beats
    localparam int SLOW   = HALF_M > HALF_S ? HALF_M / HALF_S + 1 : 1;

    int                cycle, slow_cycle, frames, beats, first_in, first_out, last;
    logic              m_aclk;
    wire               s_aclk, aresetn, closing, ended, source_go, sink_go, sent;
    wire               s_tvalid, s_tready, m_tvalid, m_tready;
    wire [1:0]         shape;
    wire [DATA_W-1:0]  s_tdata, m_tdata;
    wire [$clog2(DEPTH+2)-1:0] s_level, m_level;

    initial begin
        m_aclk = 1'b0;
        slow_cycle = 0;
        #(HALF_M / 4 * 2 + 1);
        while (!ended) #HALF_M m_aclk = !m_aclk;
    end
    wire slow = HALF_M > HALF_S ? m_aclk : s_aclk;
    always @(posedge slow) slow_cycle <= slow_cycle + 1;

    bench_traffic_control #(.HALF(HALF_S), .LIMIT(SLOW * (6 * TRAFFIC + 20000))) u_control (
        .aclk(s_aclk), .aresetn(aresetn), .shape(shape), .cycle(cycle), .source_go(source_go), .sink_go(sink_go),
        .done(sent && frames == FRAMES), .late(m_tvalid), .closing(closing), .ended(ended)
    );
    bench_traffic_source #(.W(DATA_W), .UNITS_MAX(7), .FRAMES(FRAMES)) u_source (
        .aclk(s_aclk), .aresetn(aresetn), .go(source_go), .home(1'b0), .cycle(slow_cycle),
        .m_axis_tdata(s_tdata), .m_axis_tkeep(), .m_axis_tlast(), .m_axis_tdest(),
        .m_axis_tvalid(s_tvalid), .m_axis_tready(s_tready),
        .done(sent), .beats(), .strays(), .first(first_in), .last()
    );
    bench_traffic_sink #(.W(DATA_W), .UNITS_MAX(7), .LAST(0)) u_sink (
        .aclk(m_aclk), .aresetn(aresetn), .go(sink_go), .cycle(slow_cycle),
        .s_axis_tdata(m_tdata), .s_axis_tkeep(1'b1), .s_axis_tlast(1'b0), .s_axis_tid(0),
        .s_axis_tvalid(m_tvalid), .s_axis_tready(m_tready),
        .frames(frames), .beats(beats), .first(first_out), .last(last), .gaps()
    );

    axis_fifo_cdc #(.DATA_W(DATA_W), .DEPTH(DEPTH), .SYNC_STAGES(SYNC_STAGES)) u_dut (
        .s_axis_aclk(s_aclk), .s_axis_aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready), .s_level(s_level),
        .m_axis_aclk(m_aclk), .m_axis_aresetn(aresetn),
        .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .m_level(m_level)
    );

    // When the 40 quiet cycles are over all is known on both sides.
    always @(negedge closing)
        if (s_level != 0 || m_level != 0) $fatal(1, "levels %0d and %0d of an empty FIFO (%m)", s_level, m_level);

    bench_traffic_report #(.SET(SET)) u_report (
        .shape(shape), .closing(closing), .ended(ended), .cycle(cycle), .compared(beats),
        .beats(beats), .rated(beats), .from(first_out), .till(last), .first_in(first_in), .first_out(first_out)
    );
endmodule

`default_nettype wire
