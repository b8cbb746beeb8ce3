// SPDX-License-Identifier: BSD-3-Clause
//
// axis_tag_deal - deals the tags of frames (axis_frame_tag) to replicas, as an axis_deal beside it deals the frames.
//
// Both tags of a frame go to the replica whose turn it is, by the pattern and the mask of that axis_deal; change the mask
// in reset only. What a tag of kind 2 says holds for all replicas: each gets it when it has no other tag to take, unless
// a frame has gone to it since. A replica that takes no tags stops the others only when the next frame is its own.
//
// Throughput  one tag per cycle
// Latency     1 cycle
// Paths       from m_tag_tready and s_tag_tdata to s_tag_tready; all of m_tag is flops
// Resources   axis_turn; for each replica 35 LUT and 37 FF; 32 FF more
//
// Parameters: N        replicas, 2 to 16
//             LENGTH   of the pattern, 1 to 64
//             PATTERN  replicas in order, 4 bits each, the first one lowest; round robin if left out
// Checked by: test_axis_tag_deal.py
`default_nettype none

module axis_tag_deal #(
    parameter int N      = 2,
    parameter int LENGTH = N,
    parameter logic [LENGTH*4-1:0] PATTERN = (LENGTH*4)'({4{64'hFEDC_BA98_7654_3210}})
) (
    input  wire             aclk,
    input  wire             aresetn,

    input  wire  [N-1:0]    mask,          // replicas that are alive

    input  wire  [34:0]     s_tag_tdata,
    input  wire             s_tag_tvalid,
    output logic            s_tag_tready,

    output logic [N*35-1:0] m_tag_tdata,
    output logic [N-1:0]    m_tag_tvalid,
    input  wire  [N-1:0]    m_tag_tready
);

    localparam int ID_W = $clog2(N);
    localparam logic [1:0] ENDS = 2'd1, MARK = 2'd2, WHOLE = 2'd3;

    wire [1:0]      kind = s_tag_tdata[33:32];
    wire            says = kind == MARK;
    wire            ends = kind == ENDS || kind == WHOLE;
    wire [ID_W-1:0] turn;
    wire            known;
    wire [N-1:0]    free = ~m_tag_tvalid | m_tag_tready;
    wire [15:0]     free_of = 16'(free);
    wire            take = s_tag_tvalid && s_tag_tready;
    logic           open_q;                // the second tag of a frame is due
    logic [N-1:0]   due_q;                 // replicas to which it has not gone
    logic [31:0]    least_q;

    assign s_tag_tready = says || (known && free_of[4'(turn)]);

    axis_turn #(.N(N), .LENGTH(LENGTH), .PATTERN(PATTERN)) u_turn (
        .aclk(aclk),
        .aresetn(aresetn),
        .mask(mask),
        .offered((s_tag_tvalid && !says) || open_q),
        .next(take && ends),
        .turn(turn),
        .known(known)
    );

    always_ff @(posedge aclk) begin
        if (take && !says) open_q <= !ends;
        if (take && says) least_q <= s_tag_tdata[31:0];
        if (!aresetn) open_q <= 1'b0;
    end

    generate
        for (genvar i = 0; i < N; i++) begin : g_replica
            wire mine = take && !says && turn == ID_W'(i);
            always_ff @(posedge aclk) begin
                if (free[i]) begin
                    m_tag_tvalid[i]         <= mine || due_q[i];
                    m_tag_tdata[35*i +: 35] <= mine ? s_tag_tdata : {1'b0, MARK, least_q};
                end
                if (take && says) due_q[i] <= 1'b1;
                else if (free[i]) due_q[i] <= 1'b0;
                if (!aresetn) begin
                    m_tag_tvalid[i] <= 1'b0;
                    due_q[i]        <= 1'b0;
                end
            end
        end
    endgenerate

endmodule

`default_nettype wire
