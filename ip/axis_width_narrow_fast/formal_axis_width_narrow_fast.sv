// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_width_narrow_fast - the proof of axis_width_narrow_fast: endless streams and frames.
//
// Parts of a beat leave before it is taken, so a beat enters when it is first seen.
`default_nettype none

module formal_axis_width_narrow_fast #(
    parameter int IN_W      = 4,
    parameter int OUT_W     = 1,
    parameter int IN_BEATS  = 0,
    parameter int OUT_BEATS = 0,
    parameter int GROUP     = 2,
    parameter int STALL     = 1
) (
    input wire            aclk,
    input wire            aresetn,
    input wire [IN_W-1:0] s_axis_tdata,
    input wire            s_axis_tvalid,
    input wire            m_axis_tready
);

    localparam bit ENDLESS  = IN_BEATS == 0;
    localparam int RATIO    = IN_W / OUT_W;
    localparam int TAIL     = ENDLESS ? RATIO : OUT_BEATS - (IN_BEATS - 1) * RATIO;
    localparam int UNIT     = OUT_W + 1;
    localparam int PLACES   = (RATIO + GROUP - 1) / GROUP;
    // In the places, in two cycles of the chain, and in two registers at the output; and a beat that is seen.
    localparam int INSIDE   = PLACES + 4;
    localparam int CAPACITY = RATIO + INSIDE;
    localparam int HELD_W   = $clog2(CAPACITY + RATIO + 1);
    localparam int UNITS_W  = $clog2(RATIO + 1);
    localparam int COUNT_W  = $clog2(IN_BEATS + 2);

    wire                   s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [OUT_W-1:0]       m_axis_tdata;
    wire [HELD_W-1:0]      held;
    wire [RATIO*UNIT-1:0]  s_data;
    logic                  seen_q, taken_q;
    logic [COUNT_W-1:0]    count_q;

    axis_width_narrow_fast #(
        .IN_W(IN_W), .OUT_W(OUT_W), .IN_BEATS(IN_BEATS), .OUT_BEATS(OUT_BEATS), .GROUP(GROUP)
    ) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tlast(m_axis_tlast), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

    wire               last  = !ENDLESS && count_q == COUNT_W'(IN_BEATS - 1);
    wire [UNITS_W-1:0] units = last ? UNITS_W'(TAIL) : UNITS_W'(RATIO);
    generate
        for (genvar k = 0; k < RATIO; k++) begin : g_part
            assign s_data[k*UNIT +: UNIT] = {last && k == TAIL - 1, s_axis_tdata[k*OUT_W +: OUT_W]};
        end
    endgenerate

    always_ff @(posedge aclk) begin
        seen_q  <= aresetn && s_axis_tvalid && !s_axis_tready;
        taken_q <= aresetn && s_axis_tvalid && s_axis_tready;
        if (s_axis_tvalid && s_axis_tready) count_q <= last ? '0 : count_q + 1'b1;
        if (!aresetn || ENDLESS) count_q <= '0;
    end

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(.DATA_W(IN_W), .POLITE(1), .WITHIN((RATIO + 4) * (STALL + 1))) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(1'b1),
        .tdata(s_axis_tdata), .tvalid(s_axis_tvalid), .tready(s_axis_tready)
    );

    formal_sink #(.DATA_W(UNIT), .STALL(STALL), .WITHIN(STALL + 5)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(held != '0),
        .tdata({m_axis_tlast, m_axis_tdata}), .tvalid(m_axis_tvalid), .tready(m_axis_tready)
    );

    formal_track #(.UNIT(UNIT), .IN_U(RATIO), .CAPACITY(CAPACITY), .PASS(1)) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data(s_data), .in_units(units), .in_fire(s_axis_tvalid && !seen_q),
        .out_data({m_axis_tlast, m_axis_tdata}), .out_units(1'b1), .out_valid(m_axis_tvalid),
        .out_fire(m_axis_tvalid && m_axis_tready), .held(held)
    );

    // Nothing of a beat that was taken is left upstream, unless the next one is there.
    always_comb if (aresetn && taken_q && !s_axis_tvalid) all_taken: assert (32'(held) <= INSIDE);

endmodule

`default_nettype wire
