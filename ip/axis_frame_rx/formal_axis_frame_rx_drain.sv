// SPDX-License-Identifier: BSD-3-Clause
//
// formal_axis_frame_rx_drain - draining axis_frame_rx: what has begun is taken up to TLAST, and nothing else.
`default_nettype none

module formal_axis_frame_rx_drain #(
    parameter int DATA_W     = 16,
    parameter int BEATS      = 2,
    parameter int LAST_BYTES = 1
) (
    input wire                aclk,
    input wire                aresetn,
    input wire [15:0]         frames,
    input wire                drain,
    input wire [DATA_W-1:0]   s_axis_tdata,
    input wire [DATA_W/8-1:0] s_axis_tkeep,
    input wire                s_axis_tlast,
    input wire                s_axis_tvalid,
    input wire                m_axis_tready
);

    wire              s_axis_tready, m_axis_tvalid, frame_done, error_short, error_long, error_keep, drained;
    wire [DATA_W-1:0] m_axis_tdata;

    axis_frame_rx #(.DATA_W(DATA_W), .BEATS(BEATS), .LAST_BYTES(LAST_BYTES)) u_dut (
        .aclk(aclk), .aresetn(aresetn), .frames(frames), .drain(drain), .drained(drained),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
        .frame_done(frame_done), .error_short(error_short), .error_long(error_long), .error_keep(error_keep)
    );

    formal_reset u_reset (.aclk(aclk), .aresetn(aresetn));
    formal_sink #(.DATA_W(DATA_W)) u_sink (
        .aclk(aclk), .aresetn(aresetn), .pending(1'b0), .tdata(m_axis_tdata), .tvalid(m_axis_tvalid),
        .tready(m_axis_tready)
    );

    logic open_q, drain_q;
    always_ff @(posedge aclk) begin
        if (s_axis_tvalid && s_axis_tready) open_q <= !s_axis_tlast;
        drain_q <= drain;
        if (!aresetn) begin
            open_q  <= 1'b0;
            drain_q <= 1'b0;
        end
    end

    always_comb if (aresetn) begin
        // Once begun, until reset.
        if (drain_q) assume (drain);
        if (drain) begin
            sink_only: assert (s_axis_tready == open_q);
            rests:     assert (drained == !open_q);
        end
        emptied: cover (drained && drain_q && frames == 16'd3);
    end

endmodule

`default_nettype wire
