// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_switch - axis_switch under the four shapes of bench_traffic_ports.
//
// Without stalls input i sends to output i modulo M: nothing but the switch can then slow an output down.
`default_nettype none

module traffic_axis_switch #(
    parameter int SET = 0, TRAFFIC = 1000, N = 2, M = 2, DATA_W = 8, DEST_W = 1, CUT = 0
);
    localparam int ID_W = N > 1 ? $clog2(N) : 1;
    wire                 aclk, aresetn, closing;
    wire [N*DATA_W-1:0]  s_tdata;
    wire [N*32-1:0]      s_tdest;
    wire [N*DEST_W-1:0]  dest;
    wire [N-1:0]         s_tlast, s_tvalid, s_tready, error_dest;
    wire [M*DATA_W-1:0]  m_tdata;
    wire [M*32-1:0]      m_tid;
    wire [M*ID_W-1:0]    id;
    wire [M-1:0]         m_tlast, m_tvalid, m_tready;
    int                  strays, seen;

    bench_traffic_ports #(
        .SET(SET), .N(N), .M(M), .W(DATA_W), .BEATS(TRAFFIC * (1 << DEST_W) / M), .DESTS(1 << DEST_W), .HOME(1)
    ) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(), .closing(closing), .sent(), .strays(strays),
        .s_axis_tdata(s_tdata), .s_axis_tdest(s_tdest), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid(m_tid), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    generate
        for (genvar i = 0; i < N; i++) begin : g_dest
            assign dest[i*DEST_W +: DEST_W] = s_tdest[i*32 +: DEST_W];
        end
        for (genvar j = 0; j < M; j++) begin : g_id
            assign m_tid[j*32 +: 32] = 32'(id[j*ID_W +: ID_W]);
        end
    endgenerate

    axis_switch #(.N(N), .M(M), .DATA_W(DATA_W), .DEST_W(DEST_W), .CUT(CUT)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tdest(dest), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid(id), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .error_dest(error_dest)
    );

    initial seen = 0;
    always @(posedge aclk) if (error_dest != '0) for (int i = 0; i < N; i++) if (error_dest[i]) seen = seen + 1;
    always @(negedge closing) begin
        if (seen != strays) $fatal(1, "error_dest for %0d of %0d packets (%m)", seen, strays);
        seen = 0;
    end
endmodule

`default_nettype wire
