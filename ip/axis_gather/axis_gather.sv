// SPDX-License-Identifier: BSD-3-Clause
//
// axis_gather - takes frames from replicas by the pattern by which axis_deal gave them: they are in order again.
//
// A whole frame, up to tlast, is taken from the replica whose turn it is; the others wait. A replica that `mask`
// takes out has no turn from the next epoch on: see axis_turn, and axis_deal for when to change the mask.
//
// Throughput  one beat per cycle, no bubble between frames, but for replicas that are out
// Latency     as axis_register: 1 cycle, CUT 4 2 cycles
// Paths       CUT 0, 4, 5: all of m_axis is flops. s_axis_tready is decoded from flops, no combinational path to it
// Resources   axis_turn, axis_register #(DATA_W + 1) of that cut, an N to 1 multiplexer of DATA_W + 2 bits
//
// Parameters: N        replicas, 2 to 16
//             DATA_W   bits of a beat without sidebands, 1 or more
//             LENGTH   of the pattern, 1 to 64
//             PATTERN  replicas in order, 4 bits each, the first one lowest; round robin if left out
//             CUT      of the axis_register at the output, 0 to 5; 4 is the smallest, 0 a cycle faster
// Checked by: test_axis_gather.py
`default_nettype none

module axis_gather #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'({4{64'hFEDC_BA98_7654_3210}}),
    parameter int CUT    = 4
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [N-1:0]          mask,           // replicas that are alive

    input  wire  [N*DATA_W-1:0]   s_axis_tdata,
    input  wire  [N-1:0]          s_axis_tlast,
    input  wire  [N-1:0]          s_axis_tvalid,
    output logic [N-1:0]          s_axis_tready,

    output logic [DATA_W-1:0]     m_axis_tdata,
    output logic                  m_axis_tlast,
    output logic                  m_axis_tvalid,
    input  wire                   m_axis_tready
);

    localparam int ID_W = $clog2(N);

    logic              first_q;  // the next beat is a frame's first
    wire  [ID_W-1:0]   turn;
    wire               known, ready;
    wire  [15:0]       request = 16'(s_axis_tvalid);
    wire  [15:0]       lasts   = 16'(s_axis_tlast);
    wire               valid   = request[4'(turn)];
    wire               last    = lasts[4'(turn)];
    wire               moves   = known && valid && ready;

    always_ff @(posedge aclk) begin
        if (moves) first_q <= last;
        if (!aresetn) first_q <= 1'b1;
    end

    axis_turn #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN)) u_turn (
        .aclk(aclk),
        .aresetn(aresetn),
        .mask(mask),
        .offered(valid || !first_q),
        .next(moves && last),
        .turn(turn),
        .known(known)
    );

    // ---- data: a tree of 2 to 1 multiplexers; level k has the nodes 2**k to 2**(k+1) - 1, the inputs are the last

    generate
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end

        for (genvar i = 0; i < N; i++) begin : g_ready
            assign s_axis_tready[i] = known && ready && turn == ID_W'(i);
        end
        for (genvar i = (2 << ID_W) - 1; i > 0; i--) begin : g_node
            wire [DATA_W-1:0] value;
            if (i >= (1 << ID_W) + N) begin : g_none
                assign value = '0;
            end else if (i >= 1 << ID_W) begin : g_input
                localparam int K = i - (1 << ID_W);
                assign value = s_axis_tdata[K*DATA_W +: DATA_W];
            end else begin : g_choice
                localparam int K = $clog2(i + 1) - 1;
                assign value = turn[K] ? g_node[i+(2<<K)].value : g_node[i+(1<<K)].value;
            end
        end
    endgenerate

    axis_register #(.DATA_W(DATA_W + 1), .CUT(CUT)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({last, g_node[1].value}),
        .s_axis_tvalid(known && valid),
        .s_axis_tready(ready),
        .m_axis_tdata({m_axis_tlast, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
