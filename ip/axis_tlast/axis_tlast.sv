// SPDX-License-Identifier: BSD-3-Clause
//
// axis_tlast - counts the beats of a stream without TLAST and marks every BEATS-th.
//
// The count starts with the first beat after reset. It runs down below zero, so that its sign is the mark: no
// comparison is in the path, however long the frame.
//
// Throughput  one beat per cycle
// Latency     none; REG_EN: 1 cycle
// Paths       m_axis_tlast is a flop; the handshake is wires, in reset too. REG_EN: all of m_axis and
//             s_axis_tready are flops
// Resources   $clog2(BEATS) + 4 LUT, $clog2(BEATS) + 2 FF; REG_EN: axis_register #(DATA_W + 1) in addition
//
// frame_done pulses in the cycle after the last beat of a frame was taken at m_axis.
//
// Parameters: DATA_W  bits of a beat, 1 or more
//             BEATS   beats of a frame, 1 to 2**31 - 1
//             REG_EN  1 puts a register slice at the output
// Checked by: test_axis_tlast.py
`default_nettype none

module axis_tlast #(
    parameter int DATA_W = 8,
    parameter int BEATS  = 1,
    parameter bit REG_EN = 0
) (
    input  wire                 aclk,
    input  wire                 aresetn,

    input  wire  [DATA_W-1:0]   s_axis_tdata,
    input  wire                 s_axis_tvalid,
    output logic                s_axis_tready,

    output logic [DATA_W-1:0]   m_axis_tdata,
    output logic                m_axis_tlast,
    output logic                m_axis_tvalid,
    input  wire                 m_axis_tready,

    output logic                frame_done
);

    wire last;

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end

        if (BEATS == 1) begin : g_every
            assign last = 1'b1;
        end else begin : g_count
            // Beats that come before the last one, less one; -1 at the last one.
            localparam int COUNT_W = $clog2(BEATS) + 1;
            localparam logic [COUNT_W-1:0] FIRST = COUNT_W'(BEATS - 2);
            logic [COUNT_W-1:0] count_q;
            wire fire = s_axis_tvalid && s_axis_tready;
            always_ff @(posedge aclk) begin
                if (fire) count_q <= count_q - 1'b1;
                if (!aresetn || (fire && last)) count_q <= FIRST;
            end
            assign last = count_q[COUNT_W-1];
        end

        if (REG_EN) begin : g_slice
            axis_register #(.DATA_W(DATA_W + 1)) u_slice (
                .aclk(aclk),
                .aresetn(aresetn),
                .s_axis_tdata({last, s_axis_tdata}),
                .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(s_axis_tready),
                .m_axis_tdata({m_axis_tlast, m_axis_tdata}),
                .m_axis_tvalid(m_axis_tvalid),
                .m_axis_tready(m_axis_tready)
            );
        end else begin : g_wires
            assign m_axis_tdata  = s_axis_tdata;
            assign m_axis_tlast  = last;
            assign m_axis_tvalid = s_axis_tvalid;
            assign s_axis_tready = m_axis_tready;
        end
    endgenerate

    always_ff @(posedge aclk) frame_done <= aresetn && m_axis_tvalid && m_axis_tready && m_axis_tlast;

endmodule

`default_nettype wire
