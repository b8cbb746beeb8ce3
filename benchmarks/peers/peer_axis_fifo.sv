// SPDX-License-Identifier: BSD-3-Clause
//
// peer_axis_fifo - our axis_fifo behind the ports and parameters of verilog-axis' axis_fifo.
//
// For the plain FIFO only: frames that are held back, dropped or marked are another function, refused here.
// RAM_PIPELINE and OUTPUT_FIFO_ENABLE describe the inside of theirs; here they choose among our kinds of
// memory, so that their suite meets each kind that is 1024 beats deep. The pause between frames, which our
// FIFO has not either, is a gate behind it in this file.
//
// Checked by: make test-peers
`default_nettype none

module peer_axis_fifo #(
    parameter int DEPTH                = 4096,
    parameter int DATA_WIDTH           = 8,
    parameter int KEEP_ENABLE          = DATA_WIDTH > 8,
    parameter int KEEP_WIDTH           = (DATA_WIDTH + 7) / 8,
    parameter int LAST_ENABLE          = 1,
    parameter int ID_ENABLE            = 0,
    parameter int ID_WIDTH             = 8,
    parameter int DEST_ENABLE          = 0,
    parameter int DEST_WIDTH           = 8,
    parameter int USER_ENABLE          = 1,
    parameter int USER_WIDTH           = 1,
    parameter int RAM_PIPELINE         = 1,
    parameter int OUTPUT_FIFO_ENABLE   = 0,
    parameter int FRAME_FIFO           = 0,
    parameter int USER_BAD_FRAME_VALUE = 1,
    parameter int USER_BAD_FRAME_MASK  = 1,
    parameter int DROP_OVERSIZE_FRAME  = FRAME_FIFO,
    parameter int DROP_BAD_FRAME       = 0,
    parameter int DROP_WHEN_FULL       = 0,
    parameter int MARK_WHEN_FULL       = 0,
    parameter int PAUSE_ENABLE         = 0,
    parameter int FRAME_PAUSE          = FRAME_FIFO
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire [DATA_WIDTH-1:0]   s_axis_tdata,
    input  wire [KEEP_WIDTH-1:0]   s_axis_tkeep,
    input  wire                    s_axis_tvalid,
    output wire                    s_axis_tready,
    input  wire                    s_axis_tlast,
    input  wire [ID_WIDTH-1:0]     s_axis_tid,
    input  wire [DEST_WIDTH-1:0]   s_axis_tdest,
    input  wire [USER_WIDTH-1:0]   s_axis_tuser,

    output wire [DATA_WIDTH-1:0]   m_axis_tdata,
    output wire [KEEP_WIDTH-1:0]   m_axis_tkeep,
    output wire                    m_axis_tvalid,
    input  wire                    m_axis_tready,
    output wire                    m_axis_tlast,
    output wire [ID_WIDTH-1:0]     m_axis_tid,
    output wire [DEST_WIDTH-1:0]   m_axis_tdest,
    output wire [USER_WIDTH-1:0]   m_axis_tuser,

    input  wire                    pause_req,
    output wire                    pause_ack,

    output wire [$clog2(DEPTH):0]  status_depth,
    output wire [$clog2(DEPTH):0]  status_depth_commit,
    output wire                    status_overflow,
    output wire                    status_bad_frame,
    output wire                    status_good_frame
);

    localparam int LUTRAM = 2;
    localparam int BLOCK  = 3;
    localparam int ULTRA  = 4;

    localparam int BEATS  = KEEP_ENABLE != 0 ? DEPTH / KEEP_WIDTH : DEPTH;
    localparam int KIND   = OUTPUT_FIFO_ENABLE != 0 ? (RAM_PIPELINE == 0 ? 0 : ULTRA)
                                                    : (RAM_PIPELINE == 0 ? LUTRAM : BLOCK);
    localparam int BEAT_W = DATA_WIDTH + KEEP_WIDTH + 1 + ID_WIDTH + DEST_WIDTH + USER_WIDTH;

    generate
        if (FRAME_FIFO != 0 || DROP_OVERSIZE_FRAME != 0 || DROP_BAD_FRAME != 0 || DROP_WHEN_FULL != 0
            || MARK_WHEN_FULL != 0) begin : g_check_mode
            frames_must_not_be_held_back_dropped_or_marked parameter_error();
        end
        if (PAUSE_ENABLE != 0 && FRAME_PAUSE == 0) begin : g_check_pause
            a_pause_must_be_between_frames parameter_error();
        end
    endgenerate

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
    wire aresetn = awake_q && !rst;

    // A pause begins where no beat is on offer and no frame under way.
    logic inside_q, paused_q;
    wire  fire     = m_axis_tvalid && m_axis_tready;
    wire  inside_d = fire ? !m_axis_tlast : inside_q || m_axis_tvalid;
    always_ff @(posedge clk) begin
        inside_q <= inside_d && aresetn;
        paused_q <= pause_req && !inside_d && PAUSE_ENABLE != 0 && aresetn;
    end

    wire                       ready, valid;
    wire [$clog2(BEATS+2)-1:0] level;

    axis_fifo #(
        .DATA_W (BEAT_W),
        .DEPTH  (BEATS),
        .KIND   (KIND),
        .OUT_REG(RAM_PIPELINE > 1)
    ) u_fifo (
        .aclk         (clk),
        .aresetn      (aresetn),
        .s_axis_tdata (s_beat),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(ready),
        .m_axis_tdata (m_beat),
        .m_axis_tvalid(valid),
        .m_axis_tready(m_axis_tready && !paused_q),
        .level        (level)
    );

    assign s_axis_tready = ready && awake_q;
    assign m_axis_tvalid = valid && awake_q && !paused_q;
    assign pause_ack     = paused_q;

    assign status_depth        = KEEP_ENABLE != 0 ? level * KEEP_WIDTH : level;
    assign status_depth_commit = status_depth;
    assign status_overflow     = 1'b0;
    assign status_bad_frame    = 1'b0;
    assign status_good_frame   = s_axis_tvalid && s_axis_tready && s_axis_tlast;

endmodule

`default_nettype wire
