// SPDX-License-Identifier: BSD-3-Clause
//
// peer_axis_register - our axis_register behind the ports and parameters of verilog-axis' axis_register.
//
// All sidebands travel in one beat; those that are disabled leave as verilog-axis has them: tkeep and tlast
// ones, the others zero. REG_TYPE 0 is wires, 1 our light kind, 2 our full kind.
//
// Checked by: make test-peers
`default_nettype none

module peer_axis_register #(
    parameter int DATA_WIDTH  = 8,
    parameter int KEEP_ENABLE = DATA_WIDTH > 8,
    parameter int KEEP_WIDTH  = (DATA_WIDTH + 7) / 8,
    parameter int LAST_ENABLE = 1,
    parameter int ID_ENABLE   = 0,
    parameter int ID_WIDTH    = 8,
    parameter int DEST_ENABLE = 0,
    parameter int DEST_WIDTH  = 8,
    parameter int USER_ENABLE = 1,
    parameter int USER_WIDTH  = 1,
    parameter int REG_TYPE    = 2
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire [DATA_WIDTH-1:0]  s_axis_tdata,
    input  wire [KEEP_WIDTH-1:0]  s_axis_tkeep,
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire                   s_axis_tlast,
    input  wire [ID_WIDTH-1:0]    s_axis_tid,
    input  wire [DEST_WIDTH-1:0]  s_axis_tdest,
    input  wire [USER_WIDTH-1:0]  s_axis_tuser,

    output wire [DATA_WIDTH-1:0]  m_axis_tdata,
    output wire [KEEP_WIDTH-1:0]  m_axis_tkeep,
    output wire                   m_axis_tvalid,
    input  wire                   m_axis_tready,
    output wire                   m_axis_tlast,
    output wire [ID_WIDTH-1:0]    m_axis_tid,
    output wire [DEST_WIDTH-1:0]  m_axis_tdest,
    output wire [USER_WIDTH-1:0]  m_axis_tuser
);

    localparam int BEAT_W = DATA_WIDTH + KEEP_WIDTH + 1 + ID_WIDTH + DEST_WIDTH + USER_WIDTH;

    wire [BEAT_W-1:0] s_beat = {
        s_axis_tdata,
        KEEP_ENABLE != 0 ? s_axis_tkeep : {KEEP_WIDTH{1'b1}},
        LAST_ENABLE != 0 ? s_axis_tlast : 1'b1,
        ID_ENABLE   != 0 ? s_axis_tid   : {ID_WIDTH{1'b0}},
        DEST_ENABLE != 0 ? s_axis_tdest : {DEST_WIDTH{1'b0}},
        USER_ENABLE != 0 ? s_axis_tuser : {USER_WIDTH{1'b0}}
    };
    wire [BEAT_W-1:0] m_beat;
    assign {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tdest, m_axis_tuser} = m_beat;

    // Their flops have initial values; ours need a reset, which a device has when it wakes up.
    logic awake_q = 1'b0;
    always_ff @(posedge clk) awake_q <= 1'b1;

    generate
        if (REG_TYPE == 0) begin : g_bypass
            assign m_beat        = s_beat;
            assign m_axis_tvalid = s_axis_tvalid;
            assign s_axis_tready = m_axis_tready;
        end else begin : g_register
            wire ready, valid;

            axis_register #(
                .DATA_W(BEAT_W),
                .KIND  (REG_TYPE == 1 ? 3 : 0)
            ) u_register (
                .aclk         (clk),
                .aresetn      (awake_q && !rst),
                .s_axis_tdata (s_beat),
                .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(ready),
                .m_axis_tdata (m_beat),
                .m_axis_tvalid(valid),
                .m_axis_tready(m_axis_tready)
            );
            assign s_axis_tready = ready && awake_q;
            assign m_axis_tvalid = valid && awake_q;
        end
    endgenerate

endmodule

`default_nettype wire
