// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_accl_demux - accl_demux under the four shapes of bench_traffic_ports; one id more than it has outputs is sent.
`default_nettype none

module traffic_accl_demux #(
    parameter int SET = 0, TRAFFIC = 1000, N = 1, DATA_W = 8
);
    wire                 aclk, aresetn, closing, s_tlast, s_tvalid, s_tready, unknown;
    wire [DATA_W-1:0]    s_tdata;
    wire [31:0]          s_tdest;
    wire [N*DATA_W-1:0]  m_tdata;
    wire [N-1:0]         m_tlast, m_tvalid, m_tready;
    logic [8*N-1:0]      ids;
    logic [7:0]          held;
    logic                first;
    int                  strays, packets, beats, seen;

    bench_traffic_ports #(.SET(SET), .M(N), .W(DATA_W), .BEATS(TRAFFIC * (N + 1) / N), .DESTS(N + 1)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .sent(), .strays(strays),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid({N{32'd0}}), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // The bench says where a packet goes with its first beat; ids are anything but numbers of outputs.
    wire [7:0] dest = first ? s_tdest[7:0] : held;
    initial for (int i = 0; i < N; i++) ids[8*i +: 8] = 8'(200 - i);

    accl_demux #(.N(N), .DATA_W(DATA_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .enable(1'b1), .ids(ids),
        .s_axis_tdata(s_tdata), .s_axis_tdest(8'd200 - dest), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tlast(m_tlast), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready),
        .unknown(unknown)
    );

    initial begin
        seen = 0;
        beats = 0;
        packets = 0;
    end
    always @(posedge aclk) begin
        if (unknown) seen = seen + 1;
        if (s_tvalid && s_tready) begin
            held  <= dest;
            first <= s_tlast;
            if (int'(dest) >= N) begin
                beats   = beats + 1;
                packets = packets + int'(s_tlast);
            end
        end
        if (!aresetn) first <= 1'b1;
    end
    always @(negedge closing) begin
        if (seen != beats || packets != strays) $fatal(1, "unknown for %0d of %0d beats, %0d of %0d packets (%m)", seen, beats, packets, strays);
        seen = 0;
        beats = 0;
        packets = 0;
    end
endmodule

`default_nettype wire
