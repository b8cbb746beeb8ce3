// SPDX-License-Identifier: BSD-3-Clause
//
// speed_chain - benchmark only: eight of our stream blocks in a row, one beat per cycle throughout.
//
// FIFO, converter to 2*W, converter back, FIFO, 2*W, back, FIFO, register. tlast is made by the last converter.
//
// Parameters: W      tdata width in bits
//             BEATS  beats of a frame, even
`default_nettype none

module speed_chain #(
    parameter int W     = 64,
    parameter int BEATS = 100
) (
    input  wire         aclk,
    input  wire         aresetn,
    input  wire [W-1:0] s_axis_tdata,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    output wire [W-1:0] m_axis_tdata,
    output wire         m_axis_tlast,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready
);
    // Net k enters block k.
    wire [W-1:0]   data_1, data_3, data_4, data_6;
    wire [2*W-1:0] data_2, data_5;
    wire [W:0]     data_7;
    wire           last_6;
    wire [7:1]     valid, ready;
    wire [4:0]     level_0, level_1, level_2;
    wire           early_0, early_1, early_2;
    wire           unused = &{1'b0, level_0, level_1, level_2, early_0, early_1, early_2};

    axis_fifo #(.DATA_W(W), .DEPTH(16)) u_0_fifo (
        .aclk(aclk), .aresetn(aresetn), .level(level_0),
        .s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .m_axis_tdata(data_1), .m_axis_tvalid(valid[1]), .m_axis_tready(ready[1])
    );
    axis_width #(.IN_W(W), .OUT_W(2 * W), .IN_BEATS(BEATS), .OUT_BEATS(BEATS / 2)) u_1_up (
        .aclk(aclk), .aresetn(aresetn), .m_axis_tlast(early_0),
        .s_axis_tdata(data_1), .s_axis_tvalid(valid[1]), .s_axis_tready(ready[1]),
        .m_axis_tdata(data_2), .m_axis_tvalid(valid[2]), .m_axis_tready(ready[2])
    );
    axis_width #(.IN_W(2 * W), .OUT_W(W), .IN_BEATS(BEATS / 2), .OUT_BEATS(BEATS)) u_2_down (
        .aclk(aclk), .aresetn(aresetn), .m_axis_tlast(early_1),
        .s_axis_tdata(data_2), .s_axis_tvalid(valid[2]), .s_axis_tready(ready[2]),
        .m_axis_tdata(data_3), .m_axis_tvalid(valid[3]), .m_axis_tready(ready[3])
    );
    axis_fifo #(.DATA_W(W), .DEPTH(16)) u_3_fifo (
        .aclk(aclk), .aresetn(aresetn), .level(level_1),
        .s_axis_tdata(data_3), .s_axis_tvalid(valid[3]), .s_axis_tready(ready[3]),
        .m_axis_tdata(data_4), .m_axis_tvalid(valid[4]), .m_axis_tready(ready[4])
    );
    axis_width #(.IN_W(W), .OUT_W(2 * W), .IN_BEATS(BEATS), .OUT_BEATS(BEATS / 2)) u_4_up (
        .aclk(aclk), .aresetn(aresetn), .m_axis_tlast(early_2),
        .s_axis_tdata(data_4), .s_axis_tvalid(valid[4]), .s_axis_tready(ready[4]),
        .m_axis_tdata(data_5), .m_axis_tvalid(valid[5]), .m_axis_tready(ready[5])
    );
    axis_width #(.IN_W(2 * W), .OUT_W(W), .IN_BEATS(BEATS / 2), .OUT_BEATS(BEATS)) u_5_down (
        .aclk(aclk), .aresetn(aresetn), .m_axis_tlast(last_6),
        .s_axis_tdata(data_5), .s_axis_tvalid(valid[5]), .s_axis_tready(ready[5]),
        .m_axis_tdata(data_6), .m_axis_tvalid(valid[6]), .m_axis_tready(ready[6])
    );
    axis_fifo #(.DATA_W(W + 1), .DEPTH(16)) u_6_fifo (
        .aclk(aclk), .aresetn(aresetn), .level(level_2),
        .s_axis_tdata({last_6, data_6}), .s_axis_tvalid(valid[6]), .s_axis_tready(ready[6]),
        .m_axis_tdata(data_7), .m_axis_tvalid(valid[7]), .m_axis_tready(ready[7])
    );
    axis_register #(.DATA_W(W + 1)) u_7_register (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(data_7), .s_axis_tvalid(valid[7]), .s_axis_tready(ready[7]),
        .m_axis_tdata({m_axis_tlast, m_axis_tdata}), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
    );
endmodule

`default_nettype wire
