// SPDX-License-Identifier: BSD-3-Clause
//
// formal_stream - all that is proved of a block with one input stream and one output stream.
//
// The parts: formal_reset, formal_source, formal_sink, formal_track; see there for what each parameter means.
// Units that a beat does not carry are zero on the output when ZERO = 1 (`zero`).
//
// `pending` tells that a whole output beat is inside; `s_fair` off excuses the block from accepting.
`default_nettype none

module formal_stream #(
    parameter int UNIT       = 1,
    parameter int IN_U       = 1,
    parameter int OUT_U      = 1,
    parameter int TAIL_W     = 0,
    parameter int SIDE_W     = 1,
    parameter int CAPACITY   = 1,
    parameter int PASS       = 0,
    parameter int POLITE     = 0,
    parameter int QUIET      = 1,
    parameter int ZERO       = 0,
    parameter int STALL      = 2,
    parameter int IN_WITHIN  = -1,
    parameter int OUT_WITHIN = -1
) (
    input  wire                                aclk,
    input  wire                                aresetn,

    input  wire  [IN_U*UNIT-1:0]               s_data,
    input  wire  [$clog2(IN_U+1)-1:0]          s_units,
    input  wire                                s_valid,
    input  wire                                s_ready,
    input  wire                                s_fair,

    input  wire  [OUT_U*UNIT-1:0]              m_data,
    input  wire  [$clog2(OUT_U+1)-1:0]         m_units,
    input  wire  [SIDE_W-1:0]                  m_side,     // what else must not change while a beat waits
    input  wire                                m_valid,
    input  wire                                m_ready,
    input  wire                                pending,

    output wire  [$clog2(CAPACITY+IN_U+1)-1:0] held
);

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));

    formal_source #(.DATA_W(IN_U * UNIT), .POLITE(POLITE), .WITHIN(IN_WITHIN), .QUIET(QUIET)) u_source (
        .aclk(aclk), .aresetn(aresetn), .fair(s_fair), .tdata(s_data), .tvalid(s_valid), .tready(s_ready)
    );

    formal_sink #(
        .DATA_W(OUT_U * UNIT + SIDE_W), .STALL(STALL), .WITHIN(OUT_WITHIN), .QUIET(QUIET)
    ) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(pending),
        .tdata({m_side, m_data}), .tvalid(m_valid), .tready(m_ready)
    );

    formal_track #(
        .UNIT(UNIT), .IN_U(IN_U), .OUT_U(OUT_U), .TAIL_W(TAIL_W), .CAPACITY(CAPACITY), .PASS(PASS)
    ) u_track (
        .aclk(aclk), .aresetn(aresetn),
        .in_data(s_data), .in_units(s_units), .in_fire(s_valid && s_ready),
        .out_data(m_data), .out_units(m_units), .out_valid(m_valid), .out_fire(m_valid && m_ready),
        .held(held)
    );

    generate
        if (ZERO != 0) begin : g_zero
            (* anyconst *) logic [$clog2(OUT_U*UNIT+1)-1:0] index;

            always_comb assume (32'(index) < OUT_U * UNIT);
            always_comb if (aresetn && m_valid && 32'(index) >= 32'(m_units) * UNIT) zero: assert (!m_data[index]);
        end
    endgenerate

endmodule

`default_nettype wire
