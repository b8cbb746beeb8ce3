// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_width - the proof of axis_width: endless streams, frames packed and unpacked.
`default_nettype none

module formal_axis_width #(
    parameter int IN_W      = 8,
    parameter int OUT_W     = 8,
    parameter int IN_BEATS  = 1,
    parameter int OUT_BEATS = 1,
    parameter bit SLICE     = 1,
    parameter int UNIT      = 1,
    parameter int STALL     = 1
) (
    input wire             aclk,
    input wire             aresetn,
    input wire [IN_W-1:0]  s_axis_tdata,
    input wire             s_axis_tvalid,
    input wire             m_axis_tready
);

    localparam int IU       = IN_W / UNIT;
    localparam int OU       = OUT_W / UNIT;
    localparam bit ENDLESS  = IN_BEATS == 0;
    localparam int FRAME    = IN_BEATS * IU < OUT_BEATS * OU ? IN_BEATS * IU : OUT_BEATS * OU;
    localparam int IN_TAIL  = FRAME - (IN_BEATS - 1) * IU;
    localparam int OUT_TAIL = FRAME - (OUT_BEATS - 1) * OU;
    localparam bit WIRES    = IU == OU && !SLICE;
    localparam int CAPACITY = IU < OU ? OU + 4 * IU : IU > OU ? IU + 4 * OU : SLICE ? 2 * IU : 0;
    localparam int STEPS    = IU / OU + 2;
    localparam int IU_W     = $clog2(IU + 1);
    localparam int OU_W     = $clog2(OU + 1);
    localparam int HELD_W   = $clog2(CAPACITY + IU + 1);
    localparam int IN_C     = $clog2(IN_BEATS + 1);
    localparam int OUT_C    = $clog2(OUT_BEATS + 1);

    wire              s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [OUT_W-1:0]  m_axis_tdata;
    wire [HELD_W-1:0] held;
    logic [IN_C-1:0]  in_q;
    logic [OUT_C-1:0] out_q;

    axis_width #(.IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS), .SLICE(SLICE)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .m_axis_tlast(m_axis_tlast)
    );

    wire            in_last   = !ENDLESS && in_q == IN_C'(IN_BEATS - 1);
    wire            out_last  = !ENDLESS && out_q == OUT_C'(OUT_BEATS - 1);
    wire [IU_W-1:0] in_units  = in_last ? IU_W'(IN_TAIL) : IU_W'(IU);
    wire [OU_W-1:0] out_units = out_last ? OU_W'(OUT_TAIL) : OU_W'(OU);

    always_ff @(posedge aclk) begin
        if (s_axis_tvalid && s_axis_tready) in_q <= in_last ? '0 : in_q + 1'b1;
        if (m_axis_tvalid && m_axis_tready) out_q <= out_last ? '0 : out_q + 1'b1;
        if (!aresetn || ENDLESS) begin
            in_q  <= '0;
            out_q <= '0;
        end
    end

    formal_stream #(
        .UNIT(UNIT), .IN_U(IU), .OUT_U(OU), .CAPACITY(CAPACITY), .PASS(int'(WIRES)), .POLITE(int'(WIRES)),
        .ZERO(1), .STALL(STALL), .QUIET(0),
        .IN_WITHIN(STEPS * (STALL + 1)), .OUT_WITHIN(STALL + 2)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_axis_tdata), .s_units(in_units), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_axis_tdata), .m_units(out_units), .m_side(m_axis_tlast), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held >= HELD_W'(out_units) && !WIRES), .held(held)
    );

    always_comb if (aresetn && m_axis_tvalid) last: assert (m_axis_tlast == out_last);

endmodule

`default_nettype wire
