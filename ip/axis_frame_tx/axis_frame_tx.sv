// SPDX-License-Identifier: BSD-3-Clause
//
// axis_frame_tx - gives the beats of a frame the TKEEP that a link expects.
//
// TKEEP is all ones, and on the beat with TLAST exactly the lowest LAST_BYTES. It is a function of the
// registered TLAST, so it costs no flops.
//
// Throughput  one beat per cycle
// Latency     1 cycle
// Paths       registered both ways (axis_register)
// Resources   that of axis_register #(DATA_W + 1)
//
// frame_done pulses in the cycle after the last beat of a frame was taken at m_axis.
//
// Parameters: DATA_W      TDATA in bits, a multiple of 8
//             LAST_BYTES  valid bytes of the last beat, 1 to DATA_W / 8
// Checked by: test_axis_frame_tx.py
`default_nettype none

module axis_frame_tx #(
    parameter int DATA_W     = 8,
    parameter int LAST_BYTES = DATA_W / 8
) (
    input  wire                     aclk,
    input  wire                     aresetn,

    input  wire  [DATA_W-1:0]       s_axis_tdata,
    input  wire                     s_axis_tlast,
    input  wire                     s_axis_tvalid,
    output logic                    s_axis_tready,

    output logic [DATA_W-1:0]       m_axis_tdata,
    output logic [DATA_W/8-1:0]     m_axis_tkeep,
    output logic                    m_axis_tlast,
    output logic                    m_axis_tvalid,
    input  wire                     m_axis_tready,

    output logic                    frame_done
);

    generate
        if (DATA_W < 8 || DATA_W % 8 != 0) begin : g_check_data_w
            DATA_W_must_be_a_positive_multiple_of_8 parameter_error();
        end
        if (LAST_BYTES < 1 || LAST_BYTES > DATA_W / 8) begin : g_check_last_bytes
            LAST_BYTES_must_be_1_to_DATA_W_over_8 parameter_error();
        end
    endgenerate

    localparam int KEEP_W = DATA_W / 8;
    localparam logic [KEEP_W-1:0] KEEP_ALL  = '1;
    localparam logic [KEEP_W-1:0] KEEP_LAST = KEEP_ALL >> (KEEP_W - LAST_BYTES);

    axis_register #(.DATA_W(DATA_W + 1)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({s_axis_tlast, s_axis_tdata}),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata({m_axis_tlast, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

    assign m_axis_tkeep = m_axis_tlast ? KEEP_LAST : KEEP_ALL;

    always_ff @(posedge aclk) frame_done <= aresetn && m_axis_tvalid && m_axis_tready && m_axis_tlast;

endmodule

`default_nettype wire
