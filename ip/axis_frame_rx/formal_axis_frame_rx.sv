// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_rx - the proof of axis_frame_rx, whatever the link delivers.
//
// The expected stream: a beat enters as itself, an early last one together with the zeros that fill its frame,
// the surplus of a long frame not at all. formal_track then compares all that leaves.
`default_nettype none

module formal_axis_frame_rx #(
    parameter int DATA_W     = 8,
    parameter int BEATS      = 3,
    parameter int LAST_BYTES = DATA_W / 8,
    parameter int STALL      = 1
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [DATA_W-1:0]   s_axis_tdata,
    input wire [DATA_W/8-1:0] s_axis_tkeep,
    input wire                s_axis_tlast,
    input wire                s_axis_tvalid,
    input wire                m_axis_tready
);

    localparam int KEEP_W   = DATA_W / 8;
    localparam int CAPACITY = BEATS + 2;
    localparam int COUNT_W  = $clog2(BEATS + 1);
    localparam int HELD_W   = $clog2(CAPACITY + BEATS + 1);
    localparam logic [KEEP_W-1:0] KEEP_ALL  = '1;
    localparam logic [KEEP_W-1:0] KEEP_LAST = KEEP_ALL >> (KEEP_W - LAST_BYTES);

    wire               s_axis_tready, m_axis_tvalid, frame_done, error_short, error_long, error_keep;
    wire [DATA_W-1:0]  m_axis_tdata;
    wire [HELD_W-1:0]  held;

    axis_frame_rx #(.DATA_W(DATA_W), .BEATS(BEATS), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .frame_done(frame_done), .error_short(error_short), .error_long(error_long), .error_keep(error_keep)
    );

    logic [COUNT_W-1:0] in_q, out_q;
    logic               surplus_q, short_q, long_q, keep_q, done_q;

    wire s_fire   = s_axis_tvalid && s_axis_tready;
    wire m_fire   = m_axis_tvalid && m_axis_tready;
    wire taken    = s_fire && !surplus_q;
    wire in_last  = in_q == COUNT_W'(BEATS - 1);
    wire out_last = out_q == COUNT_W'(BEATS - 1);
    wire [COUNT_W-1:0] units = surplus_q ? '0 : s_axis_tlast ? COUNT_W'(BEATS) - in_q : COUNT_W'(1);

    always_ff @(posedge aclk) begin
        if (taken)  in_q  <= in_last || s_axis_tlast ? '0 : in_q + 1'b1;
        if (m_fire) out_q <= out_last ? '0 : out_q + 1'b1;
        if (s_fire) surplus_q <= !s_axis_tlast && (surplus_q || in_last);
        short_q <= taken && s_axis_tlast && !in_last;
        long_q  <= taken && !s_axis_tlast && in_last;
        keep_q  <= taken && s_axis_tkeep != (s_axis_tlast ? KEEP_LAST : KEEP_ALL);
        done_q  <= m_fire && out_last;
        if (!aresetn) begin
            in_q      <= '0;
            out_q     <= '0;
            surplus_q <= 1'b0;
            short_q   <= 1'b0;
            long_q    <= 1'b0;
            keep_q    <= 1'b0;
            done_q    <= 1'b0;
        end
    end

    formal_stream #(
        .UNIT(DATA_W), .IN_U(BEATS), .CAPACITY(CAPACITY), .STALL(STALL),
        .IN_WITHIN((BEATS + 1) * (STALL + 1)), .OUT_WITHIN(STALL + 1)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data((BEATS * DATA_W)'(s_axis_tdata)), .s_units(units), .s_valid(s_axis_tvalid),
        .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_axis_tdata), .m_units(1'b1), .m_side(1'b0), .m_valid(m_axis_tvalid), .m_ready(m_axis_tready),
        .pending(held != '0), .held(held)
    );

    always_comb if (aresetn) begin
        pulse_done:  assert (frame_done == done_q);
        pulse_short: assert (error_short == short_q);
        pulse_long:  assert (error_long == long_q);
        pulse_keep:  assert (error_keep == keep_q);
    end

endmodule

`default_nettype wire
