// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_tx - the proof of axis_frame_tx, `frames` changing at any time.
//
// In units of gcd(DATA_W / 8, LAST_BYTES) bytes, each with a mark in the last one of a transfer: what enters leaves in
// order, and TLAST is where the mark is.
`default_nettype none

module formal_axis_frame_tx #(
    parameter int DATA_W     = 8,
    parameter int LAST_BYTES = DATA_W / 8,
    parameter int MOST       = 3,  // frames of a transfer
    parameter int UNIT       = 1,  // bytes
    parameter int STALL      = 2
) (
    input wire              aclk,
    input wire              aresetn,
    input wire [15:0]       frames,
    input wire [DATA_W-1:0] s_axis_tdata,
    input wire              s_axis_tlast,
    input wire              s_axis_tvalid,
    input wire              m_axis_tready
);

    localparam int KEEP_W     = DATA_W / 8;
    localparam int UNITS      = KEEP_W / UNIT;
    localparam int LAST_UNITS = LAST_BYTES / UNIT;
    localparam int PART_W     = UNIT * 8 + 1;
    localparam int CAPACITY   = UNITS == 1 ? 2 : 3 * UNITS;
    localparam int OUT_W      = $clog2(UNITS + 1);
    localparam int HELD_W     = $clog2(CAPACITY + UNITS + 1);

    wire              s_axis_tready, m_axis_tlast, m_axis_tvalid, frame_done, drained;
    wire [DATA_W-1:0] m_axis_tdata;
    wire [KEEP_W-1:0] m_axis_tkeep;
    wire [HELD_W-1:0] held;

    axis_frame_tx #(.DATA_W(DATA_W), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .frames(frames), .drain(1'b0), .drained(drained),
        .s_axis_tdata(s_axis_tdata), .s_axis_tlast(s_axis_tlast), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .frame_done(frame_done)
    );

    always_comb assume (frames != '0 && frames <= 16'(MOST));

    localparam int LEFT_W = $clog2(MOST + 1);
    logic [LEFT_W-1:0] frames_q, left_q;
    logic              begun_q, done_q;
    logic [1:0]        ends_q;  // transfers whose end is inside

    wire s_fire = s_axis_tvalid && s_axis_tready;
    wire m_fire = m_axis_tvalid && m_axis_tready;
    // The count is that of the cycle before the first frame ends.
    wire [LEFT_W-1:0] left = begun_q ? left_q : frames_q;
    wire              ends = s_axis_tlast && left == LEFT_W'(1);

    always_ff @(posedge aclk) begin
        frames_q <= LEFT_W'(frames);
        done_q   <= s_fire && s_axis_tlast;
        if (s_fire && s_axis_tlast) begin
            begun_q <= !ends;
            left_q  <= left - 1'b1;
        end
        ends_q <= ends_q + 2'(s_fire && ends) - 2'(m_fire && m_axis_tlast);
        if (!aresetn) begin
            begun_q <= 1'b0;
            done_q  <= 1'b0;
            ends_q  <= '0;
        end
    end

    // As many units as TKEEP says, from the lowest.
    logic [OUT_W-1:0]        m_units;
    logic [KEEP_W-1:0]       keep;
    logic [UNITS*PART_W-1:0] s_parts, m_parts;
    wire  [OUT_W-1:0]        s_units = s_axis_tlast ? OUT_W'(LAST_UNITS) : OUT_W'(UNITS);
    always_comb begin
        m_units = '0;
        for (int k = 0; k < UNITS; k++) if (m_axis_tkeep[k*UNIT]) m_units = OUT_W'(k + 1);
        keep = '0;
        for (int k = 0; k < UNITS; k++) if (OUT_W'(k) < m_units) keep[k*UNIT +: UNIT] = '1;
        for (int k = 0; k < UNITS; k++) begin
            s_parts[k*PART_W +: PART_W] = {ends && k == LAST_UNITS - 1, s_axis_tdata[k*UNIT*8 +: UNIT*8]};
            m_parts[k*PART_W +: PART_W] = {m_axis_tlast && OUT_W'(k + 1) == m_units, m_axis_tdata[k*UNIT*8 +: UNIT*8]};
        end
    end

    formal_stream #(
        .UNIT(PART_W), .IN_U(UNITS), .OUT_U(UNITS), .SIDE_W(KEEP_W), .CAPACITY(CAPACITY), .STALL(STALL),
        .IN_WITHIN(2 * STALL + 3), .OUT_WITHIN(STALL + 1)
    ) u_stream (
        .aclk(aclk), .aresetn(aresetn),
        .s_data(s_parts), .s_units(s_units), .s_valid(s_axis_tvalid), .s_ready(s_axis_tready), .s_fair(1'b1),
        .m_data(m_parts), .m_units(m_units), .m_side(m_axis_tkeep), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .pending(held >= HELD_W'(UNITS) || ends_q != '0), .held(held)
    );

    always_comb if (aresetn) begin
        pulse_done: assert (frame_done == done_q);
        if (m_axis_tvalid) begin
            keep_low: assert (m_axis_tkeep == keep && m_units != '0);
            keep_all: assert (m_axis_tlast || m_axis_tkeep == '1);
        end
        not_drained: assert (!drained);
        several: cover (m_fire && m_axis_tlast && frames_q == LEFT_W'(MOST) && ends_q == 2'd1);
    end

endmodule

`default_nettype wire
