// SPDX-License-Identifier: BSD-3-Clause
//
// traffic_axis_arbiter - axis_arbiter under the four shapes of bench_traffic_ports, and its fairness.
//
// In every shape at most N - 1 packets of other inputs begin while an input waits; when all inputs always have a beat, each
// packet is of the input after the one before.
`default_nettype none

module traffic_axis_arbiter #(
    parameter int SET = 0, TRAFFIC = 1000, N = 2, DATA_W = 8, CUT = 4
);
    localparam int ID_W = N > 1 ? $clog2(N) : 1;
    wire                 aclk, aresetn, closing, m_tlast, m_tvalid, m_tready;
    wire [1:0]           shape;
    wire [N*DATA_W-1:0]  s_tdata;
    wire [N-1:0]         s_tlast, s_tvalid, s_tready, sent;
    wire [DATA_W-1:0]    m_tdata;
    wire [ID_W-1:0]      m_tid;

    bench_traffic_ports #(.SET(SET), .N(N), .W(DATA_W), .BEATS(TRAFFIC)) u_bench (
        .aclk(aclk), .aresetn(aresetn), .shape(shape), .closing(closing), .sent(sent), .strays(),
        .s_axis_tdata(s_tdata), .s_axis_tdest(), .s_axis_tlast(s_tlast),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid(32'(m_tid)), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    axis_arbiter #(.N(N), .DATA_W(DATA_W), .CUT(CUT)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_tdata), .s_axis_tlast(s_tlast), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(m_tdata), .m_axis_tid(m_tid), .m_axis_tlast(m_tlast),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    logic [N-1:0] first, waiting, begun;  // next beat is a packet's first; waits since the last cycle; begins now
    int           passed [0:N-1];         // packets of other inputs that began while the input waited
    int           latest, rounds;
    initial begin
        rounds = 0;
        restart;
    end
    task restart;
        first = '1; waiting = '0; latest = -1;
        for (int i = 0; i < N; i++) passed[i] = 0;
    endtask

    always @(posedge aclk) begin
        if ((s_tvalid & s_tready) != '0) begin
            begun = s_tvalid & s_tready & first;
            if (begun != '0) begin
                for (int i = 0; i < N; i++) begin
                    if (begun[i]) begin
                        if (shape == 2'd0 && (s_tvalid | sent) == '1 && sent == '0 && latest >= 0) begin
                            if (i != (latest + 1) % N) $fatal(1, "input %0d is served after %0d (%m)", i, latest);
                            rounds = rounds + 1;
                        end
                        passed[i] = 0;
                        latest    = i;
                    end else if (waiting[i] && first[i]) begin
                        passed[i] = passed[i] + 1;
                        if (passed[i] > N - 1) $fatal(1, "input %0d waits for %0d packets (%m)", i, passed[i]);
                    end
                end
            end
            first = (first & ~(s_tvalid & s_tready)) | (s_tvalid & s_tready & s_tlast);
        end
        waiting = s_tvalid & ~s_tready;
        if (!aresetn) restart;
    end
    always @(posedge closing) begin
        if (shape == 2'd0 && N > 1 && rounds < TRAFFIC / 16) $fatal(1, "only %0d packets under saturation (%m)", rounds);
    end
endmodule

`default_nettype wire
