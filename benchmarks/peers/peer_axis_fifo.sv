// SPDX-License-Identifier: BSD-3-Clause
//
// peer_axis_fifo - our FIFOs behind the ports and parameters of verilog-axis' axis_fifo.
//
// axis_fifo where frames are nothing to it; axis_frame_fifo where they are held back, dropped or marked, with tid
// and tdest in its tuser. RAM_PIPELINE and OUTPUT_FIFO_ENABLE describe the inside of theirs; here they choose among
// our kinds of memory, so that their suite meets each kind that is 1024 beats deep. The pause between frames, which
// our FIFOs have not, is a gate behind them in this file.
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
    localparam int SIDE_W = ID_WIDTH + DEST_WIDTH + USER_WIDTH;
    localparam bit FRAMES = FRAME_FIFO != 0 || MARK_WHEN_FULL != 0;

    generate
        if ((FRAME_FIFO != 0 || MARK_WHEN_FULL != 0) && LAST_ENABLE == 0) begin : g_check_last
            LAST_ENABLE_must_be_set_where_frames_matter parameter_error();
        end
        if (FRAME_FIFO != 0 ? MARK_WHEN_FULL != 0 : DROP_OVERSIZE_FRAME != 0) begin : g_check_frame
            FRAME_FIFO_excludes_MARK_WHEN_FULL_and_is_needed_by_DROP_OVERSIZE_FRAME parameter_error();
        end
        if (DROP_OVERSIZE_FRAME == 0 && (DROP_BAD_FRAME != 0 || DROP_WHEN_FULL != 0)) begin : g_check_oversize
            DROP_BAD_FRAME_and_DROP_WHEN_FULL_need_DROP_OVERSIZE_FRAME parameter_error();
        end
        if (PAUSE_ENABLE != 0 && FRAME_PAUSE == 0) begin : g_check_pause
            a_pause_must_be_between_frames parameter_error();
        end
    endgenerate

    wire [KEEP_WIDTH-1:0] s_keep = KEEP_ENABLE != 0 ? s_axis_tkeep : {KEEP_WIDTH{1'b1}};
    wire                  s_last = LAST_ENABLE != 0 ? s_axis_tlast : 1'b1;
    wire [SIDE_W-1:0]     s_side = {
        ID_ENABLE   != 0 ? s_axis_tid   : {ID_WIDTH{1'b0}},
        DEST_ENABLE != 0 ? s_axis_tdest : {DEST_WIDTH{1'b0}},
        USER_ENABLE != 0 ? s_axis_tuser : {USER_WIDTH{1'b0}}
    };
    wire [SIDE_W-1:0] m_side;
    assign {m_axis_tid, m_axis_tdest, m_axis_tuser} = m_side;

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

    wire                       ready, valid, good, bad, overflow;
    wire [$clog2(BEATS+3)-1:0] level, whole;
    wire                       sink = m_axis_tready && !paused_q;

    generate
        if (FRAMES) begin : g_frames
            axis_frame_fifo #(
                .DATA_W   (DATA_WIDTH),
                .USER_W   (SIDE_W),
                .DEPTH    (BEATS),
                .KIND     (KIND),
                .OUT_REG  (RAM_PIPELINE > 1),
                .ON_FULL  (MARK_WHEN_FULL != 0 ? 3 : DROP_WHEN_FULL != 0 ? 2 : DROP_OVERSIZE_FRAME != 0 ? 1 : 0),
                .DROP_BAD (DROP_BAD_FRAME != 0),
                .BAD_VALUE(SIDE_W'(USER_BAD_FRAME_VALUE)),
                .BAD_MASK (SIDE_W'(USER_BAD_FRAME_MASK))
            ) u_fifo (
                .aclk         (clk),
                .aresetn      (aresetn),
                .s_axis_tdata (s_axis_tdata),
                .s_axis_tkeep (s_keep),
                .s_axis_tlast (s_last),
                .s_axis_tuser (s_side),
                .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(ready),
                .m_axis_tdata (m_axis_tdata),
                .m_axis_tkeep (m_axis_tkeep),
                .m_axis_tlast (m_axis_tlast),
                .m_axis_tuser (m_side),
                .m_axis_tvalid(valid),
                .m_axis_tready(sink),
                .good_frame   (good),
                .bad_frame    (bad),
                .overflow     (overflow),
                .level        (level),
                .level_whole  (whole)
            );
        end else begin : g_beats
            wire [$clog2(BEATS+2)-1:0] beats;

            axis_fifo #(
                .DATA_W (DATA_WIDTH + KEEP_WIDTH + 1 + SIDE_W),
                .DEPTH  (BEATS),
                .KIND   (KIND),
                .OUT_REG(RAM_PIPELINE > 1)
            ) u_fifo (
                .aclk         (clk),
                .aresetn      (aresetn),
                .s_axis_tdata ({s_side, s_last, s_keep, s_axis_tdata}),
                .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(ready),
                .m_axis_tdata ({m_side, m_axis_tlast, m_axis_tkeep, m_axis_tdata}),
                .m_axis_tvalid(valid),
                .m_axis_tready(sink),
                .level        (beats)
            );
            assign level    = beats;
            assign whole    = beats;
            assign good     = s_axis_tvalid && s_axis_tready && s_axis_tlast;
            assign bad      = 1'b0;
            assign overflow = 1'b0;
        end
    endgenerate

    assign s_axis_tready = ready && awake_q;
    assign m_axis_tvalid = valid && awake_q && !paused_q;
    assign pause_ack     = paused_q;

    assign status_depth        = KEEP_ENABLE != 0 ? level * KEEP_WIDTH : level;
    assign status_depth_commit = KEEP_ENABLE != 0 ? whole * KEEP_WIDTH : whole;
    assign status_overflow     = overflow;
    assign status_bad_frame    = bad;
    assign status_good_frame   = good;

endmodule

`default_nettype wire
