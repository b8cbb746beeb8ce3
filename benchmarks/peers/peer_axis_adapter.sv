// SPDX-License-Identifier: BSD-3-Clause
//
// peer_axis_adapter - our axis_width_last behind the ports and parameters of verilog-axis' axis_adapter.
//
// tid, tdest and tuser travel in the tuser of ours. Bytes only, as in the suite: where a side has no tkeep it
// is one byte wide.
//
// Checked by: make test-peers
`default_nettype none

module peer_axis_adapter #(
    parameter int S_DATA_WIDTH  = 8,
    parameter int S_KEEP_ENABLE = S_DATA_WIDTH > 8,
    parameter int S_KEEP_WIDTH  = (S_DATA_WIDTH + 7) / 8,
    parameter int M_DATA_WIDTH  = 8,
    parameter int M_KEEP_ENABLE = M_DATA_WIDTH > 8,
    parameter int M_KEEP_WIDTH  = (M_DATA_WIDTH + 7) / 8,
    parameter int ID_ENABLE     = 0,
    parameter int ID_WIDTH      = 8,
    parameter int DEST_ENABLE   = 0,
    parameter int DEST_WIDTH    = 8,
    parameter int USER_ENABLE   = 1,
    parameter int USER_WIDTH    = 1
) (
    input  wire                     clk,
    input  wire                     rst,

    input  wire [S_DATA_WIDTH-1:0]  s_axis_tdata,
    input  wire [S_KEEP_WIDTH-1:0]  s_axis_tkeep,
    input  wire                     s_axis_tvalid,
    output wire                     s_axis_tready,
    input  wire                     s_axis_tlast,
    input  wire [ID_WIDTH-1:0]      s_axis_tid,
    input  wire [DEST_WIDTH-1:0]    s_axis_tdest,
    input  wire [USER_WIDTH-1:0]    s_axis_tuser,

    output wire [M_DATA_WIDTH-1:0]  m_axis_tdata,
    output wire [M_KEEP_WIDTH-1:0]  m_axis_tkeep,
    output wire                     m_axis_tvalid,
    input  wire                     m_axis_tready,
    output wire                     m_axis_tlast,
    output wire [ID_WIDTH-1:0]      m_axis_tid,
    output wire [DEST_WIDTH-1:0]    m_axis_tdest,
    output wire [USER_WIDTH-1:0]    m_axis_tuser
);

    localparam int SIDE_W = ID_WIDTH + DEST_WIDTH + USER_WIDTH;

    generate
        if (S_DATA_WIDTH != 8 * S_KEEP_WIDTH || M_DATA_WIDTH != 8 * M_KEEP_WIDTH) begin : g_check_bytes
            widths_must_be_whole_bytes parameter_error();
        end
        if (S_KEEP_ENABLE != (S_DATA_WIDTH > 8) || M_KEEP_ENABLE != (M_DATA_WIDTH > 8)) begin : g_check_keep
            tkeep_must_be_alive_where_there_is_more_than_a_byte parameter_error();
        end
    endgenerate

    wire [SIDE_W-1:0] s_side = {
        ID_ENABLE   != 0 ? s_axis_tid   : {ID_WIDTH{1'b0}},
        DEST_ENABLE != 0 ? s_axis_tdest : {DEST_WIDTH{1'b0}},
        USER_ENABLE != 0 ? s_axis_tuser : {USER_WIDTH{1'b0}}
    };
    wire [SIDE_W-1:0] m_side;
    assign {m_axis_tid, m_axis_tdest, m_axis_tuser} = m_side;

    // Their flops have initial values; ours need a reset, which a device has when it wakes up.
    logic awake_q = 1'b0;
    always_ff @(posedge clk) awake_q <= 1'b1;
    wire ready, valid;
    assign s_axis_tready = ready && awake_q;
    assign m_axis_tvalid = valid && awake_q;

    axis_width_last #(
        .IN_W  (S_DATA_WIDTH),
        .OUT_W (M_DATA_WIDTH),
        .USER_W(SIDE_W)
    ) u_width (
        .aclk         (clk),
        .aresetn      (awake_q && !rst),
        .s_axis_tdata (s_axis_tdata),
        .s_axis_tkeep (S_KEEP_ENABLE != 0 ? s_axis_tkeep : {S_KEEP_WIDTH{1'b1}}),
        .s_axis_tlast (s_axis_tlast),
        .s_axis_tuser (s_side),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(ready),
        .m_axis_tdata (m_axis_tdata),
        .m_axis_tkeep (m_axis_tkeep),
        .m_axis_tlast (m_axis_tlast),
        .m_axis_tuser (m_side),
        .m_axis_tvalid(valid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
