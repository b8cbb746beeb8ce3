// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_width_framed - the proof of axis_width_framed: frames of any length, all bytes, ends and tuser.
//
// A unit is a byte with the mark whether its frame ends with it, and the tuser of its beat. tuser of an output
// beat is compared with that of its last byte, which is of the latest input beat.
`default_nettype none

module formal_axis_width_framed #(
    parameter int IN_W   = 8,
    parameter int OUT_W  = 8,
    parameter int USER_W = 1,
    parameter bit SLICE  = 1,
    parameter int STALL  = 1
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [IN_W-1:0]   s_axis_tdata,
    input wire [IN_W/8-1:0] s_axis_tkeep,
    input wire              s_axis_tlast,
    input wire [USER_W-1:0] s_axis_tuser,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int IN_B     = IN_W / 8;
    localparam int OUT_B    = OUT_W / 8;
    localparam int UNIT     = 9 + USER_W;
    localparam bit WIRES    = IN_B == OUT_B && !SLICE;
    localparam int CAPACITY = IN_B < OUT_B ? OUT_B + 4 * IN_B : IN_B > OUT_B ? IN_B + 4 * OUT_B : SLICE ? 2 * IN_B : 0;
    localparam int HELD_W   = $clog2(CAPACITY + IN_B + 1);
    localparam int STEPS    = IN_B / OUT_B + 2;
    localparam int IN_N     = $clog2(IN_B + 1);
    localparam int OUT_N    = $clog2(OUT_B + 1);

    wire              s_axis_tready, m_axis_tvalid, m_axis_tlast;
    wire [OUT_W-1:0]  m_axis_tdata;
    wire [OUT_B-1:0]  m_axis_tkeep;
    wire [USER_W-1:0] m_axis_tuser;
    wire [HELD_W-1:0] held;

    axis_width_framed #(.IN_W(IN_W), .OUT_W(OUT_W), .USER_W(USER_W), .SLICE(SLICE)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tlast(s_axis_tlast),
        .s_axis_tuser(s_axis_tuser), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tlast(m_axis_tlast),
        .m_axis_tuser(m_axis_tuser), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );

    // What the header asks of tkeep; bit 0 of the last beat is free.
    wire [IN_B:0] s_kept = {1'b0, s_axis_tkeep} | 1'b1;
    always_comb if (s_axis_tvalid) begin
        assume (((s_kept + 1'b1) & s_kept) == '0);
        assume (s_axis_tlast || &s_axis_tkeep);
    end
    wire [OUT_B:0] m_kept = {1'b0, m_axis_tkeep};

    logic [IN_N-1:0]       s_units;
    logic [OUT_N-1:0]      m_units;
    wire  [IN_B*UNIT-1:0]  s_data;
    wire  [OUT_B*UNIT-1:0] m_data;
    wire  [OUT_W-1:0]      zeros;  // where a byte is not kept
    always_comb begin
        s_units = '0;
        m_units = '0;
        for (int k = 0; k < IN_B; k++) s_units = s_units + IN_N'(s_kept[k]);
        for (int k = 0; k < OUT_B; k++) m_units = m_units + OUT_N'(m_kept[k]);
    end
    generate
        for (genvar k = 0; k < IN_B; k++) begin : g_in
            assign s_data[k*UNIT +: UNIT] =
                {s_axis_tuser, s_axis_tlast && !s_kept[k+1], s_axis_tdata[k*8 +: 8]};
        end
        for (genvar k = 0; k < OUT_B; k++) begin : g_out
            assign m_data[k*UNIT +: UNIT] =
                {m_axis_tuser, m_axis_tlast && !m_kept[k+1], m_axis_tdata[k*8 +: 8]};
            assign zeros[k*8 +: 8] = m_kept[k] ? 8'h0 : m_axis_tdata[k*8 +: 8];
        end
    endgenerate

    // Frame ends inside: a beat with one is complete however short.
    logic [HELD_W-1:0] ends_q;
    wire s_end = s_axis_tvalid && s_axis_tready && s_axis_tlast;
    wire m_end = m_axis_tvalid && m_axis_tready && m_axis_tlast;
    always_ff @(posedge aclk) ends_q <= aresetn ? ends_q + HELD_W'(s_end) - HELD_W'(m_end) : '0;

    formal_stream #(
        .UNIT(UNIT), .IN_U(IN_B), .OUT_U(OUT_B), .TAIL_W(USER_W), .SIDE_W(OUT_B), .CAPACITY(CAPACITY),
        .PASS(int'(WIRES)), .POLITE(int'(WIRES)), .STALL(STALL), .QUIET(0),
        .IN_WITHIN(STEPS * (STALL + 1)), .OUT_WITHIN(STALL + 3)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_data), .s_units(s_units), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_data), .m_units(m_units), .m_side(m_axis_tkeep), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending((held >= HELD_W'(OUT_B) || ends_q != '0) && !WIRES), .held(held)
    );

    always_comb if (aresetn && m_axis_tvalid) begin
        keep: assert (m_kept[0] && ((m_kept + 1'b1) & m_kept) == '0 && (m_axis_tlast || &m_axis_tkeep));
        zero: assert (zeros == '0);
    end

endmodule

`default_nettype wire
