// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_add - the proof of axis_add: the sums of a beat, reckoned when it is taken, leave in order.
`default_nettype none

module formal_axis_add #(
    parameter int N        = 2,
    parameter int ELEMENTS = 1,
    parameter logic [N*8-1:0] IN_W   = {N{8'd8}},
    parameter logic [N-1:0]   SIGNED = '0,
    parameter int ALL_W    = 16,
    parameter int OUT_W    = 9,
    parameter int STALL    = 2
) (
    input wire             aclk,
    input wire             aresetn,
    input wire [ALL_W-1:0] s_axis_tdata,
    input wire             s_axis_tlast,
    input wire [N-1:0]     s_axis_tvalid,
    input wire             m_axis_tready
);

    localparam int CAPACITY = $clog2(N);
    localparam int HELD_W   = $clog2(CAPACITY + 2);
    localparam int SUMS_W   = ELEMENTS * OUT_W;

    wire              m_axis_tvalid, m_axis_tlast;
    wire [N-1:0]      s_axis_tready;
    wire [SUMS_W-1:0] m_axis_tdata;
    wire [HELD_W-1:0] held;

    axis_add #(.N(N), .ELEMENTS(ELEMENTS), .IN_W(IN_W), .SIGNED(SIGNED), .ALL_W(ALL_W), .OUT_W(OUT_W)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

    // Each element as a number of OUT_W bits, with copies of its sign.
    logic [SUMS_W-1:0] sums;
    logic [OUT_W-1:0]  element;
    int                at;
    always_comb begin
        sums = '0;
        at   = 0;
        for (int i = 0; i < N; i++)
            for (int e = 0; e < ELEMENTS; e++) begin
                for (int b = 0; b < OUT_W; b++)
                    element[b] = b < int'(IN_W[i*8 +: 8]) ? s_axis_tdata[at+b]
                                                          : SIGNED[i] && s_axis_tdata[at+int'(IN_W[i*8 +: 8])-1];
                at = at + int'(IN_W[i*8 +: 8]);
                sums[e*OUT_W +: OUT_W] = sums[e*OUT_W +: OUT_W] + element;
            end
    end

    wire all = &s_axis_tvalid;

    generate
        for (genvar i = 0; i < N; i++) begin : g_input
            formal_source #(.DATA_W(1), .POLITE(1), .QUIET(0)) u_source (
                .aclk(aclk), .aresetn(aresetn), .fair(1'b1), .tdata(1'b0),
                .tvalid(s_axis_tvalid[i]), .tready(s_axis_tready[i])
            );
        end
    endgenerate

    formal_stream #(
        .UNIT(SUMS_W + 1), .CAPACITY(CAPACITY), .QUIET(0), .STALL(STALL), .IN_WITHIN(STALL + 1),
        .OUT_WITHIN(STALL + CAPACITY - 1)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data({s_axis_tlast, sums}), .s_units(1'b1), .s_valid(s_axis_tvalid[0]), .s_ready(s_axis_tready[0]),
        .s_fair(all),
        .m_data({m_axis_tlast, m_axis_tdata}), .m_units(1'b1), .m_side(1'b0), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held != '0), .held(held)
    );

    // All inputs hand over in the same cycle.
    always_comb if (aresetn) together: assert (s_axis_tready == '0 || (&s_axis_tready && all));

endmodule

`default_nettype wire
