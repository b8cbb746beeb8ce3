// SPDX-License-Identifier: BSD-3-Clause
//
// axis_arbiter - packet multiplexer, N to 1, round-robin.
//
// An input that has the grant keeps it until its beat with tlast. The next holder is decided while that beat
// passes: the next higher input (cyclically) with a beat waiting, or the same one if there is none, so a single
// busy input also runs at full rate. From the cycle after an input raises tvalid until its own first beat, at most
// N - 1 packets of other inputs begin.
//
// Throughput  one beat per cycle, no bubble between packets
// Latency     1 cycle for the input that holds the grant, 2 for another one; CUT 4 one more
// Paths       CUT 0, 4, 5: all of m_axis is flops; s_axis_tready is decoded from flops, no combinational path to it
//             others: as axis_register
// Resources   axis_register #(DATA_W + 1 + $clog2(N)) of that cut and an N to 1 multiplexer of DATA_W + 2
//             bits; the decision about 6*N LUT and $clog2(N) + 1 FF
//
// m_axis_tid is the index of the input that a beat came from. The caller packs other sidebands into tdata.
//
// Parameters: N       inputs, 1 to 16
//             DATA_W  bits of a beat without tlast, 1 or more
//             CUT     of the axis_register at the output, 0 to 5; 4 is the smallest, 0 a cycle faster
// Checked by: test_axis_arbiter.py
`default_nettype none

module axis_arbiter #(
    parameter int N      = 2,
    parameter int DATA_W = 8,
    parameter int CUT    = 4,
    localparam int ID_W  = N > 1 ? $clog2(N) : 1
) (
    input  wire                   aclk,
    input  wire                   aresetn,

    input  wire  [N*DATA_W-1:0]   s_axis_tdata,
    input  wire  [N-1:0]          s_axis_tlast,
    input  wire  [N-1:0]          s_axis_tvalid,
    output logic [N-1:0]          s_axis_tready,

    output logic [DATA_W-1:0]     m_axis_tdata,
    output logic [ID_W-1:0]       m_axis_tid,
    output logic                  m_axis_tlast,
    output logic                  m_axis_tvalid,
    input  wire                   m_axis_tready
);

    logic [ID_W-1:0] holder_q;
    logic            busy_q;
    wire             ready;

    wire [15:0] request = 16'(s_axis_tvalid);
    wire [15:0] lasts   = 16'(s_axis_tlast);
    wire [3:0]  holder  = 4'(holder_q);
    wire        valid   = request[holder];
    wire        last    = lasts[holder];
    wire        free    = valid ? ready && last : !busy_q;

    // ---- next holder: groups of four, as one LUT of six inputs sees four requests and two bits of the holder

    // The lowest position with a request, or `none`.
    function automatic logic [1:0] first(input logic [3:0] requests, input logic [1:0] none);
        first = requests[0] ? 2'd0 : requests[1] ? 2'd1 : requests[2] ? 2'd2 : requests[3] ? 2'd3 : none;
    endfunction

    // The requests of a group that are above position `from`.
    function automatic logic [3:0] above(input logic [3:0] requests, input logic [1:0] from);
        above = requests & (4'b1110 << from);
    endfunction

    logic [3:0]  group_any, group_above, next;
    logic [7:0]  group_first, group_first_above;
    logic [1:0]  turn;

    always_comb begin
        for (int g = 0; g < 4; g++) begin
            group_any[g]   = request[g*4 +: 4] != '0;
            group_above[g] = above(request[g*4 +: 4], holder[1:0]) != '0;
            group_first[g*2 +: 2] = first(request[g*4 +: 4], holder[1:0]);
            group_first_above[g*2 +: 2] = first(above(request[g*4 +: 4], holder[1:0]), holder[1:0]);
        end
        // The group whose turn it is when the holder's has nothing above it; without any request the holder's.
        turn = first(above(group_any, holder[3:2]), first(group_any, holder[3:2]));
        next = group_above[holder[3:2]] ? {holder[3:2], group_first_above[holder[3:2]*2 +: 2]}
                                        : {turn, group_first[turn*2 +: 2]};
    end

    always_ff @(posedge aclk) begin
        if (valid && ready) busy_q <= !last;
        if (free) holder_q <= next[ID_W-1:0];
        if (!aresetn) begin
            busy_q   <= 1'b0;
            holder_q <= '0;
        end
    end

    wire unused = &{1'b0, next};

    // ---- data: a tree of 2 to 1 multiplexers; level k has the nodes 2**k to 2**(k+1) - 1, the inputs are the last

    wire [DATA_W-1:0] data;

    generate
        if (N < 1 || N > 16) begin : g_check_n
            N_must_be_1_to_16 parameter_error();
        end
        if (DATA_W < 1) begin : g_check_data_w
            DATA_W_must_be_at_least_1 parameter_error();
        end

        for (genvar i = 0; i < N; i++) begin : g_ready
            assign s_axis_tready[i] = ready && holder_q == ID_W'(i);
        end
        for (genvar i = (2 << ID_W) - 1; i > 0; i--) begin : g_node
            wire [DATA_W-1:0] value;
            if (i >= (1 << ID_W) + N) begin : g_none
                assign value = '0;
            end else if (i >= 1 << ID_W) begin : g_input
                assign value = s_axis_tdata[(i-(1<<ID_W))*DATA_W +: DATA_W];
            end else begin : g_choice
                localparam int K = $clog2(i + 1) - 1;
                assign value = holder_q[K] ? g_node[i+(2<<K)].value : g_node[i+(1<<K)].value;
            end
        end
        assign data = g_node[1].value;
    endgenerate

    axis_register #(.DATA_W(DATA_W + 1 + ID_W), .CUT(CUT)) u_slice (
        .aclk(aclk),
        .aresetn(aresetn),
        .s_axis_tdata({holder_q, last, data}),
        .s_axis_tvalid(valid),
        .s_axis_tready(ready),
        .m_axis_tdata({m_axis_tid, m_axis_tlast, m_axis_tdata}),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

endmodule

`default_nettype wire
