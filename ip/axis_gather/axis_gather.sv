// SPDX-License-Identifier: BSD-3-Clause
//
// axis_gather - takes frames from replicas by the pattern by which axis_deal gave them, so that they are in order again.
//
// A whole frame, up to tlast, is taken from the replica whose turn it is; the others wait. A replica that `mask` takes
// out has no turn from the next epoch on: see axis_turn, and axis_deal for when to change the mask.
//
// With NUM_W frame k must have number k. A frame with a higher number waits, and a frame of BEATS beats of zeros with the
// taint set comes out for each one that is missing; a frame with a lower number is discarded. So no loss shifts the
// results: every frame that comes out is the right one or has the taint.
//
// Throughput  one beat per cycle, no bubble between frames, but for replicas that are out, and for frames discarded
// Latency     as axis_register: 1 cycle, CUT 4 2 cycles
// Paths       CUT 0, 4: all of m_axis is flops. s_axis_tready is decoded from flops, no combinational path to it;
//             with NUM_W it follows s_axis_tvalid, s_axis_tuser and s_axis_tlast of its own input
// Resources   axis_turn, axis_register #(DATA_W + NUM_W + 2) of that cut, an N to 1 multiplexer of DATA_W + NUM_W + 3
//             bits; NUM_W: about 2*NUM_W + 12 LUT more, and DATA_W more if N > 3
//
// m_axis_tuser is the number and the taint of the frame. `lost` pulses for each frame that was missing, `stray` for each
// that was discarded; error_number stays high from the first one on.
//
// Parameters: N        replicas, 2 to 16
//             DATA_W   bits of a beat without sidebands, 1 or more
//             LENGTH   of the pattern, 1 to 64
//             PATTERN  replicas in order, 4 bits each, the first one lowest; round robin if left out
//             NUM_W    bits of a frame's number, 2 to 16; 0: frames have none
//             BEATS    of a frame, 1 or more; used with NUM_W only
//             CUT      of the axis_register at the output, 0 to 4; 4 is the smallest, 0 a cycle faster
// Checked by: test_axis_gather.py
`default_nettype none

module axis_gather #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'({4{64'hFEDC_BA98_7654_3210}}),
    parameter int NUM_W  = 0,
    parameter int BEATS  = 1,
    parameter int CUT    = 4,
    localparam int USER_W = NUM_W + 1
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [N-1:0]          mask,           // replicas that are alive

    input  wire  [N*DATA_W-1:0]   s_axis_tdata,
    input  wire  [N*USER_W-1:0]   s_axis_tuser,   // number, taint; the same in all beats of a frame
    input  wire  [N-1:0]          s_axis_tlast,
    input  wire  [N-1:0]          s_axis_tvalid,
    output logic [N-1:0]          s_axis_tready,

    output logic [DATA_W-1:0]     m_axis_tdata,
    output logic [USER_W-1:0]     m_axis_tuser,
    output logic                  m_axis_tlast,
    output logic                  m_axis_tvalid,
    input  wire                   m_axis_tready,

    output logic                  lost,
    output logic                  stray,
    output logic                  error_number
);

    localparam int ID_W = $clog2(N);

    logic              first_q;  // the next beat is a frame's first
    wire  [ID_W-1:0]   turn;
    wire               known, ready;
    wire  [15:0]       request = 16'(s_axis_tvalid);
    wire  [15:0]       lasts   = 16'(s_axis_tlast);
    wire               valid   = request[4'(turn)];
    wire               fill, drop;   // this beat is made up; is discarded
    wire               fill_last;
    wire               leaves  = known && (fill || (valid && !drop));
    wire               take    = known && (drop || (ready && !fill));
    wire               last    = fill ? fill_last : lasts[4'(turn)];
    wire               moves   = known && (fill ? ready : valid && (drop || ready));
    wire               next    = moves && last && !drop;

    always_ff @(posedge aclk) begin
        if (moves) first_q <= last;
        if (!aresetn) first_q <= 1'b1;
    end

    axis_turn #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN)) u_turn (
        .aclk(aclk),
        .aresetn(aresetn),
        .mask(mask),
        .offered(valid || !first_q),
        .next(next),
        .turn(turn),
        .known(known)
    );

    // ---- data: a tree of 2 to 1 multiplexers; level k has the nodes 2**k to 2**(k+1) - 1, the inputs are the last

    localparam int BEAT_W = DATA_W + USER_W;

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end
        if (NUM_W < 0 || NUM_W == 1 || NUM_W > 16) begin : g_check_num_w
            NUM_W_must_be_0_or_2_to_16 parameter_error();
        end
        if (BEATS < 1) begin : g_check_beats
            BEATS_must_be_at_least_1 parameter_error();
        end

        for (genvar i = 0; i < N; i++) begin : g_ready
            assign s_axis_tready[i] = take && turn == ID_W'(i);
        end
        for (genvar i = (2 << ID_W) - 1; i > 0; i--) begin : g_node
            wire [BEAT_W-1:0] value;
            if (i >= (1 << ID_W) + N) begin : g_none
                assign value = '0;
            end else if (i >= 1 << ID_W) begin : g_input
                localparam int K = i - (1 << ID_W);
                assign value = {s_axis_tuser[K*USER_W +: USER_W], s_axis_tdata[K*DATA_W +: DATA_W]};
            end else begin : g_choice
                localparam int K = $clog2(i + 1) - 1;
                assign value = turn[K] ? g_node[i+(2<<K)].value : g_node[i+(1<<K)].value;
            end
        end
    endgenerate

    wire [USER_W-1:0] user = g_node[1].value[BEAT_W-1:DATA_W];
    wire [USER_W-1:0] user_out;
    wire [DATA_W-1:0] data_out;

    generate
        if (NUM_W > 0) begin : g_number
            logic [NUM_W-1:0] expected_q;
            logic             fill_q, drop_q;  // of the frame under way
            wire  [NUM_W-1:0] ahead  = user[USER_W-1:1] - expected_q;
            wire              behind = ahead[NUM_W-1];
            wire              wrong  = ahead != '0;

            assign fill = first_q ? valid && wrong && !behind : fill_q;
            assign drop = first_q ? behind : drop_q;
            assign user_out = {expected_q, fill || user[0]};
            assign data_out = g_node[1].value[DATA_W-1:0] & {DATA_W{!fill}};

            if (BEATS == 1) begin : g_one
                assign fill_last = 1'b1;
            end else begin : g_beats
                logic [$clog2(BEATS)-1:0] left_q;
                assign fill_last = left_q == '0;
                always_ff @(posedge aclk) begin
                    if (moves && fill) left_q <= fill_last ? ($clog2(BEATS))'(BEATS - 1) : left_q - 1'b1;
                    if (!aresetn) left_q <= ($clog2(BEATS))'(BEATS - 1);
                end
            end

            always_ff @(posedge aclk) begin
                if (first_q) fill_q <= fill;
                if (first_q) drop_q <= drop;
                if (next) expected_q <= expected_q + 1'b1;
                lost         <= aresetn && moves && first_q && fill;
                stray        <= aresetn && moves && first_q && drop;
                error_number <= error_number || (moves && (fill || drop));
                if (!aresetn) begin
                    expected_q   <= '0;
                    error_number <= 1'b0;
                end
            end
        end else begin : g_none
            assign fill      = 1'b0;
            assign drop      = 1'b0;
            assign fill_last = 1'b0;
            assign user_out  = user;
            assign data_out  = g_node[1].value[DATA_W-1:0];
            assign lost         = 1'b0;
            assign stray        = 1'b0;
            assign error_number = 1'b0;
        end
    endgenerate

    axis_register #(.DATA_W(BEAT_W + 1), .CUT(CUT)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({user_out, last, data_out}),
        .s_axis_tvalid(leaves),
        .s_axis_tready(ready),
        .m_axis_tdata({m_axis_tuser, m_axis_tlast, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
