// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_join - the proof of axis_join: the payload of an arbitrary input arrives, beat by beat.
//
// All inputs are equally wide here; where payloads lie in a beat, the block does not know.
`default_nettype none

module formal_axis_join #(
    parameter int N      = 2,
    parameter int SUM_W  = 4,
    parameter bit REG_EN = 0,
    parameter int STALL  = 2
) (
    input wire             aclk,
    input wire             aresetn,
    input wire [SUM_W-1:0] s_axis_tdata,
    input wire [N-1:0]     s_axis_tvalid,
    input wire             m_axis_tready
);

    localparam int DATA_W   = SUM_W / N;
    localparam int CAPACITY = REG_EN ? 2 : 0;
    localparam int HELD_W   = $clog2(CAPACITY + 2);
    localparam int INDEX_W  = N > 1 ? $clog2(N) : 1;
    localparam int WIRES    = int'(!REG_EN);

    wire              m_axis_tvalid;
    wire [N-1:0]      s_axis_tready;
    wire [SUM_W-1:0]  m_axis_tdata;
    wire [HELD_W-1:0] held;

    axis_join #(.N(N), .SUM_W(SUM_W), .REG_EN(REG_EN)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    (* anyconst *) logic [INDEX_W-1:0] which;

    always_comb assume (32'(which) < N);

    wire              all      = &s_axis_tvalid;
    wire [DATA_W-1:0] in_data  = DATA_W'(s_axis_tdata >> (which * DATA_W));
    wire [DATA_W-1:0] out_data = DATA_W'(m_axis_tdata >> (which * DATA_W));

    generate
        for (genvar i = 0; i < N; i++) begin : g_input
            formal_source #(.DATA_W(DATA_W), .POLITE(WIRES), .QUIET(0)) u_source (
                .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(s_axis_tdata[i*DATA_W +: DATA_W]),
                .tvalid(s_axis_tvalid[i]), .tready(s_axis_tready[i])
            );
        end
    endgenerate

    formal_stream #(
        .UNIT(DATA_W), .SIDE_W(SUM_W), .CAPACITY(CAPACITY), .PASS(WIRES), .QUIET(0), .STALL(STALL),
        .IN_WITHIN(STALL + 1), .OUT_WITHIN(STALL)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(in_data), .s_units(1'b1), .s_valid(s_axis_tvalid[which]), .s_ready(s_axis_tready[which]),
        .s_fair(all),
        .m_data(out_data), .m_units(1'b1), .m_side(m_axis_tdata), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held != '0 || (WIRES != 0 && all)), .held(held)
    );

    // All inputs hand over in the same cycle.
    always_comb if (aresetn) together: assert (s_axis_tready == '0 || (&s_axis_tready && all));

endmodule

`default_nettype wire
