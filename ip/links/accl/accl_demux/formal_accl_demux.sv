// SPDX-License-Identifier: BSD-3-Clause
//
// formal_accl_demux - the proof of accl_demux: an arbitrary output gets the beats of its id, in order, whatever the ids are.
`default_nettype none

module formal_accl_demux #(
    parameter int N      = 2,
    parameter int DATA_W = 1,
    parameter int STALL  = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire              enable,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire [7:0]        s_axis_tdest,
    input wire              s_axis_tlast,
    input wire              s_axis_tvalid,
    input wire [N-1:0]      m_axis_tready
);

    localparam int INDEX_W = N > 1 ? $clog2(N) : 1;

    wire                s_axis_tready, unknown;
    wire [N*DATA_W-1:0] m_axis_tdata;
    wire [N-1:0]        m_axis_tlast, m_axis_tvalid;
    wire [1:0]          held;

    (* anyconst *) logic [8*N-1:0]     ids;
    (* anyconst *) logic [INDEX_W-1:0] which;
    always_comb assume (32'(which) < N);

    accl_demux #(.N(N), .DATA_W(DATA_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .enable(enable), .ids(ids),
        .s_axis_tdata(s_axis_tdata), .s_axis_tdest(s_axis_tdest), .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .unknown(unknown)
    );

    logic         enable_q;
    logic [1:0]   nobody_q;
    logic [N-1:0] to;
    always_comb for (int i = 0; i < N; i++) to[i] = s_axis_tdest == ids[8*i +: 8];

    wire            s_fire = s_axis_tvalid && s_axis_tready;
    wire [DATA_W:0] beat   = {m_axis_tlast[which], DATA_W'(m_axis_tdata >> (which * DATA_W))};
    wire            valid  = m_axis_tvalid[which];

    always_ff @(posedge aclk) begin
        enable_q <= enable;
        nobody_q <= {nobody_q[0], s_fire && to == '0};
        if (!aresetn) begin
            enable_q <= 1'b0;
            nobody_q <= '0;
        end
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(.DATA_W(DATA_W + 9), .WITHIN(STALL + 1)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(enable_q),
        .tdata({s_axis_tlast, s_axis_tdest, s_axis_tdata}), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );

    generate
        for (genvar i = 0; i < N; i++) begin : g_output
            formal_sink #(.DATA_W(DATA_W + 1), .STALL(STALL)) u_sink (
                .aclk(aclk), .aresetn(aresetn), .pending(1'b0),
                .tdata({m_axis_tlast[i], m_axis_tdata[i*DATA_W +: DATA_W]}),
                .tvalid(m_axis_tvalid[i]), .tready(m_axis_tready[i])
            );
        end
    endgenerate

    formal_sink #(.DATA_W(DATA_W + 1), .WITHIN(2 * STALL + 1)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0),
        .tdata(beat), .tvalid(valid), .tready(m_axis_tready[which])
    );

    formal_track #(.UNIT(DATA_W + 1), .CAPACITY(2)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data({s_axis_tlast, s_axis_tdata}), .in_units(to[which]), .in_fire(s_fire),
        .out_data(beat), .out_units(1'b1), .out_valid(valid), .out_fire(valid && m_axis_tready[which]),
        .held(held)
    );

    always_comb if (aresetn) begin
        pulse:    assert (unknown == nobody_q[1]);
        gate:     assert (enable_q || !s_axis_tready);
        strayed:  cover (unknown && held != '0);
    end

endmodule

`default_nettype wire
