// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_width_narrow - the proof of axis_width_narrow.
//
// Parts of a beat leave before it is taken, so a beat enters when it is first seen.
`default_nettype none

module formal_axis_width_narrow #(
    parameter int IN_W  = 4,
    parameter int OUT_W = 2,
    parameter bit SLICE = 1,
    parameter int STALL = 1
) (
    input wire            aclk,
    input wire            aresetn,
    input wire [IN_W-1:0] s_axis_tdata,
    input wire            s_axis_tlast,
    input wire            s_axis_tvalid,
    input wire            m_axis_tready
);

    localparam int RATIO    = IN_W / OUT_W;
    localparam int UNIT     = OUT_W + 1;
    localparam int CAPACITY = RATIO + (SLICE ? 2 : 0);
    localparam int HELD_W   = $clog2(CAPACITY + RATIO + 1);

    wire                   s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [OUT_W-1:0]       m_axis_tdata;
    wire [HELD_W-1:0]      held;
    wire [RATIO*UNIT-1:0]  s_data;
    logic                  seen_q, taken_q;

    axis_width_narrow #(.IN_W(IN_W), .OUT_W(OUT_W), .SLICE(SLICE)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

    generate
        for (genvar k = 0; k < RATIO; k++) begin : g_part
            assign s_data[k*UNIT +: UNIT] = {s_axis_tlast && k == RATIO - 1, s_axis_tdata[k*OUT_W +: OUT_W]};
        end
    endgenerate

    always_ff @(posedge aclk) begin
        seen_q  <= aresetn && s_axis_tvalid && !s_axis_tready;
        taken_q <= aresetn && s_axis_tvalid && s_axis_tready;
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(.DATA_W(IN_W + 1), .POLITE(1), .QUIET(0), .WITHIN((RATIO + 1) * (STALL + 1))) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata({s_axis_tlast, s_axis_tdata}), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );

    formal_sink #(.DATA_W(UNIT), .QUIET(0), .STALL(STALL), .WITHIN(STALL + 1)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0),
        .tdata({m_axis_tlast, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    formal_track #(.UNIT(UNIT), .IN_U(RATIO), .CAPACITY(CAPACITY), .PASS(1)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data(s_data), .in_units(($clog2(RATIO+1))'(RATIO)), .in_fire(s_axis_tvalid && !seen_q),
        .out_data({m_axis_tlast, m_axis_tdata}), .out_units(1'b1), .out_valid(m_axis_tvalid),
        .out_fire(m_axis_tvalid && m_axis_tready), .held(held)
    );

    // Nothing of a beat that was taken is left upstream.
    always_comb if (aresetn && taken_q) all_taken: assert (32'(held) <= (SLICE ? 2 : 0));

endmodule

`default_nettype wire
