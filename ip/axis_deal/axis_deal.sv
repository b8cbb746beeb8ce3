// SPDX-License-Identifier: BSD-3-Clause
//
// axis_deal - deals frames to replicas by a fixed pattern; axis_gather at the other end takes them by the same one.
//
// A whole frame, up to tlast, goes to the replica whose turn it is; then it is the next one's turn. A replica that `mask`
// takes out has no turn from the next epoch on, one pass over the pattern: see axis_turn. Change the mask when as many
// frames have left axis_gather as have entered here, or in reset, so that both ends take it at the same frame.
//
// With NUM_W the frames have numbers, which count up from 0. A number that is too high takes the turns of the
// frames that are missing, so that no later frame goes to a wrong replica; a frame with a number that was there before is
// discarded.
//
// Throughput  one beat per cycle, no bubble between frames, but for replicas that are out: see axis_turn
// Latency     REG_EN: 1 cycle, else none
// Paths       as axis_demux of that REG_EN; s_axis_tready follows s_axis_tuser and, at the first beat with NUM_W,
//             s_axis_tvalid, combinational
// Resources   axis_demux of DATA_W + NUM_W + 1 bits and axis_turn; NUM_W: about 2*NUM_W + 4 LUT, NUM_W + 3 FF more
//
// `lost` pulses for each frame that is missing, `stray` for each that was discarded; error_number stays high from the
// first one on.
//
// Parameters: N        replicas, 2 to 16
//             DATA_W   bits of a beat without sidebands, 1 or more
//             LENGTH   of the pattern, 1 to 64
//             PATTERN  replicas in order, 4 bits each, the first one lowest; round robin if left out
//             NUM_W    bits of a frame's number, 2 to 16; 0: frames have none
//             REG_EN   of the axis_demux
// Checked by: test_axis_deal.py
`default_nettype none

module axis_deal #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'({4{64'hFEDC_BA98_7654_3210}}),
    parameter int NUM_W  = 0,
    parameter bit REG_EN = 1,
    localparam int USER_W = NUM_W + 1
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [N-1:0]          mask,           // replicas that are alive

    input  wire  [DATA_W-1:0]     s_axis_tdata,
    input  wire  [USER_W-1:0]     s_axis_tuser,   // number, taint; the same in all beats of a frame
    input  wire                   s_axis_tlast,
    input  wire                   s_axis_tvalid,
    output logic                  s_axis_tready,

    output logic [N*DATA_W-1:0]   m_axis_tdata,
    output logic [N*USER_W-1:0]   m_axis_tuser,
    output logic [N-1:0]          m_axis_tlast,
    output logic [N-1:0]          m_axis_tvalid,
    input  wire  [N-1:0]          m_axis_tready,

    output logic                  lost,
    output logic                  stray,
    output logic                  error_number
);

    localparam int ID_W   = $clog2(N);
    localparam int DEST_W = NUM_W > 0 ? $clog2(N + 1) : ID_W;

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (NUM_W < 0 || NUM_W == 1 || NUM_W > 16) begin : g_check_num_w
            NUM_W_must_be_0_or_2_to_16 parameter_error();
        end
    endgenerate

    logic              first_q;  // the next beat is a frame's first
    wire  [ID_W-1:0]   turn;
    wire               known, ready, go;
    wire               skip;     // the frame whose turn it is does not come
    wire  [DEST_W-1:0] dest;
    wire  fire = s_axis_tvalid && s_axis_tready;
    wire  own;                   // the beat is of the frame whose turn it is

    always_ff @(posedge aclk) begin
        if (fire) first_q <= s_axis_tlast;
        if (!aresetn) first_q <= 1'b1;
    end

    axis_turn #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN)) u_turn (
        .aclk(aclk),
        .aresetn(aresetn),
        .mask(mask),
        .offered(s_axis_tvalid || !first_q),
        .next((fire && s_axis_tlast && own) || skip),
        .turn(turn),
        .known(known)
    );

    generate
        if (NUM_W > 0) begin : g_number
            logic [NUM_W-1:0] expected_q;
            logic             stray_q;  // the frame under way is discarded
            logic             seen_q;
            wire  [NUM_W-1:0] ahead  = s_axis_tuser[USER_W-1:1] - expected_q;
            wire              behind = ahead[NUM_W-1];
            wire              wrong  = ahead != '0;
            wire              head   = s_axis_tvalid && first_q && known;

            assign own  = !(first_q ? behind : stray_q);
            assign skip = head && wrong && !behind;
            assign go   = !first_q || (known && (!wrong || behind));
            assign dest = own ? DEST_W'(turn) : DEST_W'(N);

            always_ff @(posedge aclk) begin
                if (first_q) stray_q <= behind;
                if (skip || (fire && s_axis_tlast && own)) expected_q <= expected_q + 1'b1;
                lost   <= aresetn && skip;
                stray  <= aresetn && fire && first_q && behind;
                seen_q <= seen_q || skip || (fire && !own);
                if (!aresetn) begin
                    expected_q <= '0;
                    seen_q     <= 1'b0;
                end
            end
            assign error_number = seen_q;
        end else begin : g_none
            assign own  = 1'b1;
            assign skip = 1'b0;
            assign go   = !first_q || known;
            assign dest = turn;
            assign lost         = 1'b0;
            assign stray        = 1'b0;
            assign error_number = 1'b0;
        end
    endgenerate

    wire [N*(DATA_W+USER_W)-1:0] beats;
    wire error_dest_unused;

    axis_demux #(.N(N), .DATA_W(DATA_W + USER_W), .DEST_W(DEST_W), .REG_EN(REG_EN)) u_demux (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({s_axis_tuser, s_axis_tdata}),
        .s_axis_tdest(dest),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid && go),
        .s_axis_tready(ready),
        .m_axis_tdata(beats),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .error_dest(error_dest_unused)
    );

    assign s_axis_tready = ready && go;

    generate
        for (genvar i = 0; i < N; i++) begin : g_output
            assign {m_axis_tuser[i*USER_W +: USER_W], m_axis_tdata[i*DATA_W +: DATA_W]} =
                beats[i*(DATA_W+USER_W) +: DATA_W+USER_W];
        end
    endgenerate

    wire unused = &{1'b0, error_dest_unused};

endmodule

`default_nettype wire
